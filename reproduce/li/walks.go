package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// A walk that begins at height α·log p and makes c steps at most at each height reaches c·(p^α − 1)
// elements on average. Of p sprays as many get an element at most, so that 1 − c·p^(α−1) of them or
// more fail: for α < 1 that tends to 1, however slowly if c is a power of log p. One step at height
// β·log p leads p^β/2 on.

func startHeight(r *runner) reproduce.Finding {
	logs := []int{4, 8, 12}
	if r.Options.Full {
		logs = append(logs, 16)
	}
	var points []*startPoint
	for _, quarters := range startQuarters {
		for _, l := range logs {
			if l == 16 && quarters > 4 {
				continue
			}
			c := &startPoint{l: l, quarters: quarters, walk: r.theory.perfect(1 << l)}
			c.walk.Heights = heightsDown(l*quarters/4, 1)
			points = append(points, c)
		}
	}
	r.Runs(len(points))
	for i, c := range points {
		for k := range r.count(min(1000, 3e6/float64(c.walk.Reach())), 4) {
			r.Checkpoint()
			rng := r.Stream(uint64(i), uint64(k))
			list := randomSkiplist(c.walk, 0, &rng)
			share := list.landing(c.walk)
			c.fail = append(c.fail, failing(share, 1<<c.l))
			c.last = append(c.last, float64(len(share)-1))
		}
		rng := r.Stream(uint64(i), 1<<32)
		for range r.count(400, 100) {
			r.Checkpoint()
			x := 1
			for drawHeight(&rng) < c.walk.Heights[0] {
				x++
			}
			c.first = append(c.first, float64(x))
		}
		r.Ran()
	}
	return judgeStart(points)
}

// startQuarters are the α, times 4.
var startQuarters = []int{2, 3, 4, 5}

// A startPoint is walks that begin at some height.
type startPoint struct {
	l, quarters       int
	walk              spray.Walk
	fail, last, first []float64
}

func judgeStart(points []*startPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "walks from height α·log p", Columns: []string{"α", "log p", "height", "lists",
		"last element in " +
			"reach", "over p^α·log p", "share that fails", "standard error",
		"at least, by the pigeonhole principle", "first element of that height", "over p^α/2"}}
	fails, reach := make([]plot.Series, len(startQuarters)), make([]plot.Series, len(startQuarters))
	at := map[[2]int]*startPoint{}
	short := 0.0 // of the pigeonhole principle
	for _, c := range points {
		alpha, p := float64(c.quarters)/4, math.Exp2(float64(c.l))
		i := c.quarters - startQuarters[0]
		fail, last, first := reproduce.Mean(c.fail), reproduce.Mean(c.last), reproduce.Mean(c.first)
		must := max(0, 1-last.Mean/p)
		short = max(short, must-fail.Mean)
		far := math.Pow(p, alpha)
		table.Rows = append(table.Rows, []float64{alpha, float64(c.l), float64(c.walk.Heights[0]), float64(len(c.fail)),
			last.Mean, last.Mean / far / float64(c.l), fail.Mean, fail.SE, must, first.Mean, first.Mean / far * 2})
		fails[i].Name, reach[i].Name = fmt.Sprintf("α = %g", alpha), fmt.Sprintf("α = %g", alpha)
		fails[i].Add(p, fail.Mean)
		reach[i].Add(p, last.Mean/p/float64(c.l))
		at[[2]int{c.quarters, c.l}] = c
	}
	mean := func(quarters, l int, what func(*startPoint) []float64) reproduce.Estimate {
		return reproduce.Mean(what(at[[2]int{quarters, l}]))
	}
	fail := func(c *startPoint) []float64 { return c.fail }
	// exponent is that of p in something, from p = 2⁴ to p = 2¹².
	exponent := func(quarters int, what func(*startPoint) []float64) reproduce.Estimate {
		a, b := mean(quarters, 4, what), mean(quarters, 12, what)
		return reproduce.Estimate{Mean: math.Log2(b.Mean/a.Mean) / 8, SE: math.Hypot(a.SE/a.Mean,
			b.SE/b.Mean) / math.Ln2 / 8}
	}
	f.Measured = fmt.Sprintf("From height log p/2 %.0f %%, %.0f %% and %.0f %% of p = 16, 256 and 4096 sprays fail; "+
		"from log p %.0f, "+
		"%.0f and %.0f %%. From 5/4·log p the first step leads %.0f elements on at p = 4096 (p^(5/4)/2 is 16384).",
		100*mean(2, 4, fail).Mean, 100*mean(2, 8, fail).Mean, 100*mean(2, 12, fail).Mean, 100*mean(4, 4, fail).Mean,
		100*mean(4, 8, fail).Mean, 100*mean(4, 12, fail).Mean,
		mean(5, 12, func(c *startPoint) []float64 { return c.first }).Mean)
	for _, q := range []int{2, 3} {
		// Of log p steps at each height the last element in reach is log p·(2^h − 1).
		x := exponent(q, func(c *startPoint) []float64 { return c.last })
		f.Check(fmt.Sprintf("exponent of p in the reach over log p from height %g·log p", float64(q)/4),
			x.Mean-math.Log2(3)/8, float64(q)/4,
			reproduce.Sigmas*x.SE+math.Log2(1/(1-math.Exp2(-float64(q))))/8,
			"Õ(p^α); 4.5 standard errors, and 1 less at the smallest p: 2^h − 1")
	}
	f.Between("share that fails from height log p/2 less what it must be by the pigeonhole principle, smallest",
		-short, 0,
		1, 1e-9,
		"a bound, and exact shares")
	a, b := mean(2, 4, fail), mean(2, 12, fail)
	// It tends to 0, as log p/√p: that is 3/16 in the limit of large p.
	f.For(reproduce.Printed).AtMost("share that does not fail from height log p/2, p = 4096 over p = 16",
		(1-b.Mean)/(1-a.Mean), reproduce.Chosen("spray: tends to 0"))
	a, b = mean(4, 4, fail), mean(4, 12, fail)
	f.Between("share that fails from height log p, p = 4096 over p = 16", b.Mean/a.Mean, 0, 1, 0,
		"at most a constant share, which "+
			"is why log p is the choice")
	x := exponent(5, func(c *startPoint) []float64 { return c.first })
	f.Check("exponent of p in the place of the first element of height 5/4·log p", x.Mean, 1.25, reproduce.Sigmas*x.SE,
		"p^β, and "+
			"4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, table)
	f.Chart("fail", plot.Chart{Title: "Of p sprays at once from height α·log p, those that fail", XLabel: "p",
		YLabel: "share",
		LogX:   true, FromZero: true, LegendBeside: true, Series: fails})
	f.Chart("reach", plot.Chart{Title: "The last element in reach from height α·log p", XLabel: "p",
		YLabel: "over p·log p",
		LogX:   true, LogY: true, LegendBeside: true, Series: reach})
	return f
}

func stepCounts(r *runner) reproduce.Finding {
	r.Runs(23)
	var points []*stepPoint
	for l := 2; l <= 24; l++ {
		c := &stepPoint{l: l, walks: []spray.Walk{r.theory.perfect(1 << l), r.theory.basic(1<<l, 1)},
			counts: make([][]float64, 2)}
		rng := r.Stream(uint64(l))
		for i, w := range c.walks {
			heights := w.Heights
			for range r.count(2000, 0) {
				r.Checkpoint()
				steps := 0
				for _, h := range heights {
					steps += drawSteps(w, h, &rng)
				}
				c.counts[i] = append(c.counts[i], float64(steps))
			}
		}
		points = append(points, c)
		r.Ran()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps of a spray", Columns: []string{"log p", "PerfectSpray, mean", "at most",
		"over log²p", "BasicSpray, mean", "at most", "over log³p", "heights", "⌈log p/log log p⌉ + 1"}}
	series := []plot.Series{{Name: "PerfectSpray, at most"}, {Name: "log²p"}, {Name: "BasicSpray, at most"},
		{Name: "BasicSpray, " +
			"mean"}, {Name: "log³p"}, {Name: "log⁴p"}}
	perfect, basic, corrected, off := 0.0, 0.0, 0.0, 0.0
	for _, c := range points {
		L := float64(c.l)
		levels := math.Ceil(L/math.Log2(L)) + 1
		var longest [2]float64
		var means [2]reproduce.Estimate
		for i, w := range c.walks {
			heights := float64(len(w.Heights))
			longest[i] = heights * float64(w.Most)
			means[i] = reproduce.Mean(c.counts[i])
			off = max(off, means[i].Off(heights*float64(w.Least+w.Most)/2, 0))
		}
		perfect, basic = max(perfect, longest[0]/(L*L)), max(basic, longest[1]/(L*L*L))
		corrected = max(corrected, longest[1]/(L*L*L*levels))
		table.Rows = append(table.Rows, []float64{L, means[0].Mean, longest[0], longest[0] / (L * L), means[1].Mean,
			longest[1], longest[1] / (L * L * L), float64(len(c.walks[1].Heights)), levels})
		for i, y := range []float64{longest[0], L * L, longest[1], means[1].Mean, L * L * L, L * L * L * L} {
			series[i].Add(L, y)
		}
	}
	c := points[7] // p = 512
	f.Measured = fmt.Sprintf("For p = %d PerfectSpray makes %.0f steps on average and log²p = %d at most; BasicSpray "+
		"with f = 1 makes %.0f and %d at most, which is %.0f times log³p, one for each height.", 1<<c.l,
		reproduce.Mean(c.counts[0]).Mean, len(c.walks[0].Heights)*c.walks[0].Most, reproduce.Mean(c.counts[1]).Mean,
		len(c.walks[1].Heights)*c.walks[1].Most, table.Rows[7][6])
	f.Between("PerfectSpray: steps at most over log²p, largest of all p", perfect, 0, 1, 0, "counted")
	f.Between("BasicSpray: steps at most over f·log³p, largest of all p", basic, 0, 1, 0, "counted")
	f.For(reproduce.Corrected).Between("BasicSpray: steps at most over f·log³p·(⌈log p/log log p⌉ + 1), largest "+
		"of all p", corrected,
		0, 1, 0, "counted")
	f.For(reproduce.Control).Check(
		"mean steps of sprays that are drawn off that of their law, in standard errors, at most", off, 0,
		reproduce.Sigmas, "4.5 standard errors")
	f.Tables = append(f.Tables, table)
	f.Chart("steps", plot.Chart{Title: "Steps of a spray", XLabel: "log p", YLabel: "steps", LogX: true, LogY: true,
		LegendBeside: true, Series: series})
	return f
}

// A stepPoint is how many steps PerfectSpray and BasicSpray make.
type stepPoint struct {
	l      int // log p
	walks  []spray.Walk
	counts [][]float64
}

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
	var f reproduce.Finding
	table := reproduce.Table{Name: "sprays that end in the padding", Columns: []string{"p", "f", "K(p)",
		"longest spray", "lists", "share", "standard error", "expected", "share times log p", "share times p/log²p"}}
	one, four := plot.Series{Name: "f = 1"}, plot.Series{Name: "f = 4"}
	want, square := plot.Series{Name: "expected"}, plot.Series{Name: "log²p/p"}
	most, off := 0.0, 0.0
	var from, to *paddingPoint
	for _, c := range points {
		m := reproduce.Mean(c.shares)
		p, l := float64(c.p), logp(c.p)
		table.Rows = append(table.Rows, []float64{p, c.f, float64(c.padding), float64(c.reach), float64(len(c.shares)),
			m.Mean,
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
	f.Measured = fmt.Sprintf("Of the sprays %.0f %% end in the padding with p = 4, %.0f %% with p = 8, %.1f %% "+
		"with p = %d and %.1f %% with p = %d (f = 1): at most a constant, and it falls as 1/log p; log²p/p "+
		"would be %.2f times as much at p = %d as at p = %d, and it is %.2f times.",
		100*one.Y[0], 100*one.Y[1], 100*start, from.p,
		100*end, to.p, 1/by, to.p, from.p, end/start)
	f.For(reproduce.Printed).AtMost("largest share of sprays in the padding, p ≥ 4", most,
		reproduce.Chosen("spray: constant share"))
	f.Between(fmt.Sprintf("growth of the share times p/log²p from p = %d to p = %d", from.p, to.p), end/start*by, 0, 1,
		reproduce.Sigmas*by*end/start*math.Hypot(from.se/start, to.se/end),
		"if the share is O(log²p/p) this is bounded, and does not grow for ever; 4.5 standard errors")
	f.For(reproduce.Corrected).Check("share off what is expected, in standard errors, at most, p ≥ 8", off, 0,
		reproduce.Sigmas,
		"2/log p for the padding, less half of what the lower heights can add; 4.5 standard errors, beyond 0.005 for few "+
			"processes, with which the steps end before the padding now and then")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"The share is at most a constant, and falls, but as 1/log p: of the (p/2)·f·log³p elements that sprays are "+
			"spread over "+
			"the padding has p·f·log²p, which is a share of 2/log p and not of log²p/p. Where the two are about the "+
			"same, at p "+
			"= 512, is by chance.",
		fmt.Sprintf("For p = 2 FullSpray never ends: log p is 1, a spray makes at most 2f steps, and the padding has as "+
			"many "+
			"elements. A list that uses it must fall back on something else. For p = 4 and f = 1, %.0f %% of sprays fail.",
			100*one.Y[0]),
		"What Theorem 6.2 needs is half the padding: the lower heights lead on by σ(p)·(p/2)·f·log²p at most, if no "+
			"height "+
			"has to be rounded.")
	f.Chart("padding", plot.Chart{Title: "Sprays that end in the padding", XLabel: "p", YLabel: "share", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{one, four, want, square}})
	return f
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
	// What the lower heights add on average is left out of the padding, and of the elements in the
	// rest the s-th part of those of the first height are where the steps at the first height end.
	// How many these are varies as by Poisson's law.
	l, first := logp(c.p), math.Ldexp(1, w.Heights[0]-1)
	mean, _ := moments(w)
	lower := mean - float64(w.Least+w.Most)/2*first
	c.want = min(1, (float64(c.p)*c.f*l*l-lower)/(first*float64(w.Most)))
	for k := range r.count(min(300, 3e6/float64(c.reach)), 2) {
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
