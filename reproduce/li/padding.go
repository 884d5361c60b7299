package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

func padding(r *runner) reproduce.Finding {
	largest := 4096
	if r.scale < 1 {
		largest = 512
	}
	if r.Options.Full {
		largest = 8192
	}
	var points []*paddingPoint
	for _, f := range []float64{1, 4} {
		for _, p := range powers(2, largest/int(f)) {
			points = append(points, &paddingPoint{p: p, f: f})
		}
	}
	r.Runs(len(points))
	for i, c := range points {
		r.padding(c, i)
		r.Ran()
	}
	return judgePadding(points)
}

// A paddingPoint is how many sprays end among the dummies.
type paddingPoint struct {
	p       int
	f       float64
	padding int
	reach   int
	want    float64 // the mean share over all lists
	se      float64 // the standard error of the mean of those that there are
	shares  []float64
}

func (r *runner) padding(c *paddingPoint, stream int) {
	w := r.theory.full(c.p, c.f)
	c.padding, c.reach = w.Padding, w.Reach()
	// What the lower heights add on average is left out of the padding, and of the elements in the rest the s-th part of those of
	// the first height are where the steps at the first height end. How many these are varies as by Poisson's law.
	l, first := logp(c.p), math.Ldexp(1, w.Heights[0]-1)
	mean, _ := moments(w)
	lower := mean - float64(w.Least+w.Most)/2*first
	c.want = min(1, (float64(c.p)*c.f*l*l-lower)/(first*float64(w.Most)))
	for k := range r.count(min(300, 5e6/float64(c.reach)), 2) {
		r.Checkpoint()
		rng := r.Stream(uint64(stream), uint64(k))
		share := randomSkiplist(w, 0, &rng).landing(w)
		sum := 0.0
		for _, s := range share[:min(len(share), c.padding+1)] {
			sum += s
		}
		c.shares = append(c.shares, min(1, sum))
	}
	c.se = math.Sqrt(c.want / float64(w.Most*len(c.shares)))
}

func judgePadding(points []*paddingPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "sprays that end in the padding", Columns: []string{"p", "f", "K(p)", "longest spray", "lists", "share",
		"standard error",
		"expected", "share times log p", "share times p/log²p"}}
	one, four := plot.Series{Name: "f = 1"}, plot.Series{Name: "f = 4"}
	want, square := plot.Series{Name: "expected"}, plot.Series{Name: "log²p/p"}
	most, off := 0.0, 0.0
	var from, to *paddingPoint
	for _, c := range points {
		m := reproduce.Mean(c.shares)
		p, l := float64(c.p), logp(c.p)
		table.Rows = append(table.Rows, []float64{p, c.f, float64(c.padding), float64(c.reach), float64(len(c.shares)), m.Mean,
			c.se, c.want, m.Mean * l, m.Mean * p / l / l})
		switch {
		case c.p == 2:
			continue
		case c.f == 1:
			one.Add(p, m.Mean)
			want.Add(p, c.want)
			square.Add(p, l*l/p)
		default:
			four.Add(p, m.Mean)
		}
		most = max(most, m.Mean)
		if c.p >= 8 {
			off = max(off, reproduce.Estimate{Mean: m.Mean, SE: c.se}.Off(c.want, 0.005))
		}
		if c.f == 1 && c.p == 64 {
			from = c
		}
		if c.f == 1 {
			to = c
		}
	}
	by := math.Pow(logp(from.p)/logp(to.p), 2) * float64(to.p) / float64(from.p)
	start, end := reproduce.Mean(from.shares).Mean, reproduce.Mean(to.shares).Mean
	f.Measured = fmt.Sprintf("Of the sprays %.0f %% end in the padding with p = 4, %.1f %% with p = %d and %.1f %% with p = %d (f = "+
		"1): a constant, but "+
		"it falls as 1/log p; log²p/p would be %.2f times as much at p = %d as at p = %d, and it is %.2f times.", 100*one.Y[0], 100*start, from.p,
		100*end, to.p, 1/by, to.p, from.p, end/start)
	f.Between("largest share of sprays in the padding, p ≥ 4", most, 0, 0.8, 0,
		"a constant below 1: at p = 4 the padding has 16 elements of the 32 in reach")
	f.Between(fmt.Sprintf("growth of the share times p/log²p from p = %d to p = %d", from.p, to.p), end/start*by, 0, 1,
		reproduce.Sigmas*by*end/start*math.Hypot(from.se/start, to.se/end),
		"if the share is O(log²p/p) this is bounded, and does not grow for ever; 4.5 standard errors")
	f.For(reproduce.Corrected).Check("share off what is expected, in standard errors, at most, p ≥ 8", off, 0, reproduce.Sigmas,
		"2/log p for the padding, less half of what the lower heights can add; 4.5 standard errors, beyond 0.005 for few "+
			"processes, with which the steps end before the padding now and then")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"The share is at most a constant, and falls, but as 1/log p: of the (p/2)·f·log³p elements that sprays are spread over "+
			"the padding has p·f·log²p, which is a share of 2/log p and not of log²p/p. Where the two are about the same, at p "+
			"= 512, is by chance.",
		fmt.Sprintf("For p = 2 FullSpray never ends: log p is 1, a spray makes at most 2f steps, and the padding has as many "+
			"elements. A list that uses it must fall back on something else. For p = 4 and f = 1, %.0f %% of sprays fail.",
			100*one.Y[0]),
		"What Theorem 6.2 needs is half the padding: the lower heights lead on by σ(p)·(p/2)·f·log²p at most, if no height "+
			"has to be rounded.")
	f.Chart("padding", plot.Chart{Title: "Sprays that end in the padding", XLabel: "p", YLabel: "share", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{one, four, want, square}})
	return f
}
