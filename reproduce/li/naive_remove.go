package li

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// Elements of height log p or more are 2^(log p − 1) = p/2 apart on average, and those of height
// log p exactly p. If the first of them is removed k times, the first that is left is the (k+1)-th
// of all, and k elements before it are gone: its place is (k+1)·p/2 − k, or (k+1)·p − k.

func naiveRemove(r *runner) reproduce.Finding {
	var points []*naivePoint
	for _, p := range []int{16, 64} {
		for _, exactly := range []bool{false, true} {
			points = append(points, &naivePoint{p: p, exactly: exactly, first: make([][]float64, len(naiveTimes))})
		}
	}
	inLists(r, points, func(*naivePoint) int { return r.count(400, 60) }, func(c *naivePoint, rng *random.Stream) {
		c.remove(r.effort, newChain(int(logp(c.p)), true, rng))
	})
	var f reproduce.Finding
	var series []plot.Series
	off, before, times := 0.0, 0.0, []float64{}
	last := len(naiveTimes) - 1
	for _, c := range points {
		name := fmt.Sprintf("p = %d, height log p or more", c.p)
		if c.exactly {
			name = fmt.Sprintf("p = %d, height log p exactly", c.p)
		}
		table := reproduce.Table{Name: "where the first tall element is, " + name, Columns: []string{"removals k",
			"lists", "mean", "standard error", "exact", "k·p·log p as printed", "mean over that before"}}
		s := plot.Series{Name: name}
		start := reproduce.Mean(c.first[0])
		for t, k := range naiveTimes {
			m := reproduce.Mean(c.first[t])
			table.Rows = append(table.Rows, []float64{float64(k), float64(len(c.first[t])), m.Mean, m.SE, c.want(k),
				float64(max(k, 1)) * float64(c.p) * logp(c.p), m.Mean / start.Mean})
			off = max(off, m.Off(c.want(k), 0))
			s.Add(float64(k), m.Mean/float64(c.p))
		}
		before = max(before, start.Mean/(float64(c.p)*logp(c.p)))
		times = append(times, reproduce.Mean(c.first[last]).Mean/start.Mean)
		f.Tables = append(f.Tables, table)
		series = append(series, s)
	}
	c := points[len(points)-2]
	f.Measured = fmt.Sprintf("After %d removals with p = %d the first element of height log p or more is at %.0f, "+
		"where it was at %.1f before: %.0f times as far. But before it is at p/2 (p for exactly log p), not at p·log p.",
		naiveTimes[last], c.p, reproduce.Mean(c.first[last]).Mean, reproduce.Mean(c.first[0]).Mean, times[len(times)-2])
	least, most := reproduce.Chosen("spray: roughly, at least"), reproduce.Chosen("spray: roughly, at most")
	f.For(reproduce.Printed).AtLeast("distance before, over p·log p, largest", before, least)
	for i, t := range times {
		what := fmt.Sprintf("distance after %d removals over that before, over %d, %s", naiveTimes[last], naiveTimes[last],
			f.Tables[i].Name[len("where the first tall element is, "):])
		f.For(reproduce.Printed).AtLeast(what+", at least", t/float64(naiveTimes[last]), least)
		f.For(reproduce.Printed).AtMost(what+", at most", t/float64(naiveTimes[last]), most)
	}
	f.For(reproduce.Corrected).Check("distance off (k+1)·p/2 − k, or (k+1)·p − k, in standard errors, at most", off,
		0, reproduce.Sigmas,
		"4.5 standard errors of independent lists")
	f.Chart("first", plot.Chart{Title: "Where the first element of height log p is", XLabel: "removals",
		YLabel:   "place over p",
		FromZero: true, LegendBeside: true, Series: series})
	return f
}

// naiveTimes are the removals after which it is looked where the first tall element is.
var naiveTimes = []int{0, 1, 4, 16, 64}

// A naivePoint is where the first element of height log p is.
type naivePoint struct {
	p       int
	exactly bool        // and not higher
	first   [][]float64 // by time and list
}

func (c *naivePoint) remove(e effort, list *chain) {
	list.height = e.theory.height
	h := int(logp(c.p))
	tall := func() int32 {
		i := list.after(h, 0)
		for c.exactly && int(list.heights[i]) != h {
			i = list.after(h, i)
		}
		return i
	}
	removed := 0
	for t, k := range naiveTimes {
		for ; removed < k; removed++ {
			list.remove(tall())
		}
		i := tall()
		c.first[t] = append(c.first[t], float64(list.ranks()[i]))
	}
}

// want is the mean after k removals.
func (c *naivePoint) want(k int) float64 {
	apart := float64(c.p) / 2
	if c.exactly {
		apart *= 2
	}
	return float64(k+1)*apart - float64(k)
}
