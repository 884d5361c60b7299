package li

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func corollary43(r *runner) reproduce.Finding {
	sizes := powers(4, 512)
	if r.Options.Full {
		sizes = powers(4, 2048)
	} else if r.scale < 1 {
		sizes = powers(4, 128)
	}
	r.Runs(len(sizes))
	var points []reachPoint
	for _, p := range sizes {
		points = append(points, r.reaches(p))
		r.Ran()
	}
	return judgeCorollary43(r.effort, points)
}

// A reachPoint is how far the longest walks go.
type reachPoint struct {
	p      int
	walk   spray.Walk
	sigma  float64
	bound  float64   // σ·p·f·log³p
	ends   []float64 // in each list
	farFor []tally   // beyond (1+α) of the mean, for each of spreads; bound is the sum of Chernoff's
}

// reaches walks the longest walk in random lists.
func (r *runner) reaches(p int) reachPoint {
	l := logp(p)
	c := reachPoint{p: p, walk: r.theory.basic(p, 1), sigma: l / (l - 1), farFor: make([]tally, len(spreads))}
	c.bound = c.sigma * float64(p) * l * l * l
	rng := r.Stream(uint64(p))
	lists := r.count(min(1000, 8e6/float64(c.walk.Reach())), 30)
	for range lists {
		r.Checkpoint()
		c.ends = append(c.ends, float64(randomSkiplist(c.walk, 0, &rng).longest(c.walk)))
	}
	for i, spread := range spreads {
		steps := float64(c.walk.Most)
		alpha := spread / math.Sqrt(steps)
		far := &c.farFor[i]
		for _, end := range c.ends {
			far.of++
			far.seen += reproduce.Above(end, (1+alpha)*float64(c.walk.Reach()))
		}
		// At height 1 every step leads one element on.
		far.bound = float64(slices.Index(c.walk.Heights, 1)) * r.theory.below((1+alpha)*steps, alpha/(1+alpha))
	}
	return c
}

func judgeCorollary43(e effort, points []reachPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "where the longest BasicSpray ends", Columns: []string{"p", "σ(p)", "heights", "lists", "mean",
		"standard error", "on a perfect list",
		"farthest over σ·p·f·log³p", "mean over σ·(p/2)·f·log³p", "farthest over σ·(p/2)·f·log³p"}}
	mean, farthest := plot.Series{Name: "mean"}, plot.Series{Name: "farthest of all lists"}
	half, quarter := plot.Series{Name: "σ·(p/2)·f·log³p"}, plot.Series{Name: "a quarter of σ·p·f·log³p"}
	beyond, printed, lists, off, farthestOf := 0, 0, 0, 0.0, 0.0
	excess := 0.0 // over the Chernoff bound, in standard errors
	for _, c := range points {
		m := reproduce.Mean(c.ends)
		far := 0.0
		for _, end := range c.ends {
			beyond += reproduce.Above(end, c.bound)
			printed += reproduce.Above(end, e.theory.separated(0.25)*c.bound)
			far = max(far, end)
		}
		lists += len(c.ends)
		off = max(off, deviations(m, float64(c.walk.Reach())))
		farthestOf = max(farthestOf, far/c.bound)
		for _, k := range c.farFor {
			excess = max(excess, k.excess())
		}
		p := float64(c.p)
		table.Rows = append(table.Rows, []float64{p, c.sigma, float64(len(c.walk.Heights)), float64(len(c.ends)), m.Mean, m.SE,
			float64(c.walk.Reach()), far / c.bound, m.Mean / c.bound * 2, far / c.bound * 2})
		mean.Add(p, m.Mean/c.bound)
		farthest.Add(p, far/c.bound)
		half.Add(p, 0.5)
		quarter.Add(p, 0.25)
	}
	f.Measured = fmt.Sprintf("In %d of %d lists sprays can go beyond a quarter of σ·p·f·log³p; in %d beyond all of it. The farthest of all ends "+
		"is at %.2f of it, and the mean of the longest at about a half.", printed, lists, beyond, farthestOf)
	f.Check("share of lists in which a spray can go farther than α·σ·p·f·log³p, α = 1/4", float64(printed)/float64(lists), 0, 0.01,
		"negligible for large p: less than one in a hundred of all p from 4 on")
	f.For(reproduce.Control).Check("end of the longest walk off that on a perfect list, in standard errors, at most", off, 0, reproduce.Sigmas,
		"the mean over random lists is the same, since s steps at height h lead s·2^(h−1) elements on; 4.5 standard errors of "+
			"independent lists")
	f.For(reproduce.Corrected).Check("lists in which a spray can go farther than σ·p·f·log³p", float64(beyond), 0, 0,
		"the bound for any α > 0, and the longest walk is half as long; the probability of twice that is below one in a "+
			"million")
	f.For(reproduce.Corrected).Between("share of lists beyond (1+α) times the end on a perfect list, beyond the Chernoff bounds of "+
		"all heights, in standard errors, at most",
		excess, 0, reproduce.Sigmas, 0, "a bound, and 4.5 standard errors of the count")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"It could be sharper by a factor of two. A walk begins at height log p, where a step leads p/2 elements on and not p, "+
			"since those of height k are 2^(k−1) apart. So the longest goes σ·(p/2)·f·log³p, which is also what Theorem 4.2 "+
			"has for k = log p. The factor comes back in Theorems 5.3 and 6.2 (spray-theorems-5.3-6.2).")
	f.Chart("longest", plot.Chart{Title: "Where the longest BasicSpray ends, over σ·p·f·log³p", XLabel: "p",
		YLabel: "end over σ·p·f·log³p", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{farthest, mean, half, quarter}})
	return f
}
