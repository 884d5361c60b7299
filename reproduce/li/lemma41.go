package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

func lemma41(r *runner) reproduce.Finding {
	sizes := powers(4, 512)
	r.Runs(len(sizes))
	var cells []distanceCell
	for _, p := range sizes {
		cells = append(cells, r.distances(p)...)
		r.Ran()
	}
	return judgeLemma41(cells)
}

// spreads are the α or β that are looked at, in units of one over the root of the mean number.
var spreads = []float64{0.5, 1, 1.5, 2, 2.5, 3}

// A distanceCell is how often a number of steps at a height leads further than some distance.
type distanceCell struct {
	p, k, steps int
	spread      float64 // α·√s
	alpha       float64
	tally
}

// stretch is the number of elements of a list from which stretches are taken.
const stretch = 1 << 20

// distances counts in random lists.
func (r *runner) distances(p int) []distanceCell {
	l := int(logp(p))
	steps := l * l * l
	var cells []distanceCell
	heights := []int{2}
	if l > 2 {
		heights = append(heights, l)
	}
	for _, k := range heights {
		for _, spread := range spreads {
			alpha := spread / math.Sqrt(float64(steps))
			far := int((1 + alpha) * float64(steps) * math.Ldexp(1, k-1))
			cells = append(cells, distanceCell{p: p, k: k, steps: steps, spread: spread, alpha: alpha, tally: tally{
				exact: binomialTail(far, math.Ldexp(1, 1-k), steps-1), bound: r.theory.below((1+alpha)*float64(steps), alpha/(1+alpha)),
			}})
		}
	}
	rng := r.Stream(uint64(p))
	for range r.count(4, 1) {
		r.Checkpoint()
		list := newSkiplist(l, stretch)
		for range stretch {
			list.add(drawHeight(&rng))
		}
		for i := range cells {
			c := &cells[i]
			far := (1 + c.alpha) * float64(steps) * math.Ldexp(1, c.k-1)
			at := list.at[c.k]
			for k := steps; k < len(at); k += steps {
				c.of++
				c.seen += reproduce.Above(float64(at[k]-at[k-steps]), far)
			}
		}
	}
	return cells
}

func judgeLemma41(cells []distanceCell) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "walks of f·log³p steps that go farther than (1+α)·2^(k−1)·f·log³p", Columns: []string{"p", "height k",
		"steps",
		"α", "walks in lists", "share of them", "exact", "Chernoff bound", "as a power of p"}}
	var counts []tally
	seen, exact, bound := plot.Series{Name: "in lists"}, plot.Series{Name: "exact"}, plot.Series{Name: "Chernoff bound"}
	for _, c := range cells {
		if c.of == 0 {
			continue
		}
		counts = append(counts, c.tally)
		table.Rows = append(table.Rows, []float64{float64(c.p), float64(c.k), float64(c.steps), c.alpha, float64(c.of), c.share(),
			c.exact, c.bound, math.Log(c.bound) / math.Log(float64(c.p))})
		if c.p == 64 && c.k == 6 {
			seen.Add(c.alpha, c.share())
			exact.Add(c.alpha, c.exact)
			bound.Add(c.alpha, c.bound)
		}
	}
	worst := 0.0
	for _, c := range counts {
		worst = max(worst, c.exact/c.bound)
	}
	quarter := binomialTail(int(1.25*729*256), math.Ldexp(1, -8), 728)
	f.Measured = fmt.Sprintf("The exact probability is at most %.2f of exp(−α²·f·log³p/(2(1+α))) for p = 4 … 512, f = 1 and α from 0.5 to "+
		"3 over √(log³p), and %d walks in lists have it; a quarter too far goes one in %.1g for p = 512.", worst, counts[0].of, 1/quarter)
	judgeCounts(&f, reproduce.Printed, "walks that go too far", "the Chernoff bound", counts)
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"With constants the bound is "+
			"exp(−α²·f·log³p/(2(1+α))), which is p to the power of −α²/(2(1+α))·log₂e·f·log²p: that α is fixed makes it "+
			"negligible.",
		fmt.Sprintf("At p = 512, f = 1 and α = 1/4 it is %.2g, and at p = 16 still %.2g: for few processes a walk may well go "+
			"a quarter too far.",
			math.Exp(-729.0/16/2.5), math.Exp(-64.0/16/2.5)))
	f.Chart("far", plot.Chart{Title: "Walks that go farther than (1+α) times their mean, p = 64, height 6", XLabel: "α",
		YLabel: "share", LogY: true, LegendBeside: true, Series: []plot.Series{seen, exact, bound}})
	return f
}
