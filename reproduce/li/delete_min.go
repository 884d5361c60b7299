package li

import (
	"fmt"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// The head links to the first element at every height that it has, so that taking it out changes as
// many links as it is high: Σ i·2^(−i) = 2 on average, whatever n is. What is left is as clean as
// before, since the heights of the others were not looked at.

func deleteMin(r *runner) reproduce.Finding {
	var points []*minPoint
	for _, n := range []int{64, 512, 4096} {
		points = append(points, &minPoint{n: n})
	}
	inLists(r, points, func(c *minPoint) int { return r.count(min(400, 400_000/float64(c.n)), 20) },
		func(c *minPoint, rng *random.Stream) { c.empty(r.effort, rng) })
	var f reproduce.Finding
	table := reproduce.Table{Name: "links that a removal of the first element changes", Columns: []string{"n", "lists",
		"mean", "standard error", "half of the removals at the beginning", "half at the end", "most of all"}}
	mean, two := plot.Series{Name: "mean"}, plot.Series{Name: "2", Dashed: true}
	off := 0.0
	for _, c := range points {
		m, early, late := reproduce.Mean(c.links), reproduce.Mean(c.early), reproduce.Mean(c.late)
		table.Rows = append(table.Rows, []float64{float64(c.n), float64(len(c.links)), m.Mean, m.SE, early.Mean, late.Mean,
			float64(c.most)})
		off = max(off, m.Off(2, 0), early.Off(2, 0), late.Off(2, 0))
		mean.Add(float64(c.n), m.Mean)
		two.Add(float64(c.n), 2)
	}
	last := points[len(points)-1]
	f.Measured = fmt.Sprintf("The first element is taken out by %.3f changes of links on average with n = %d and %.3f "+
		"with n = "+
		"%d, and by %d at most.", table.Rows[0][2], points[0].n, table.Rows[len(points)-1][2], last.n, last.most)
	f.Check("mean links off 2, in standard errors, at most of all n, at the beginning and at the end", off, 0,
		reproduce.Sigmas, "Σ i·2^(−i); 4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, table)
	f.Chart("links", plot.Chart{Title: "Links that a deleteMin changes", XLabel: "n", YLabel: "links", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{mean, two}})
	r.realDeleteMin(&f)
	return f
}

// A minPoint is lists of n elements that are emptied from the front.
type minPoint struct {
	n                  int
	links, early, late []float64 // means, in each list
	most               int
}

func (c *minPoint) empty(e effort, rng *random.Stream) {
	list := newChain(bits.Len(uint(c.n))+16, true, rng)
	list.height = e.theory.height
	for range c.n {
		list.extend()
	}
	list.endless = false
	var halves [2]float64
	for k := range c.n {
		i := list.next[1][0]
		changed := 0
		for h := 1; h < len(list.next); h++ {
			if list.next[h][0] == i {
				changed++
			}
		}
		list.remove(i)
		halves[2*k/c.n] += float64(changed) / float64(c.n/2)
		c.most = max(c.most, changed)
	}
	c.early, c.late = append(c.early, halves[0]), append(c.late, halves[1])
	c.links = append(c.links, (halves[0]+halves[1])/2)
}
