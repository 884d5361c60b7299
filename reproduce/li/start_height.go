package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// A walk that begins at height α·log p and makes c steps at most at each height reaches c·(p^α − 1) elements on average. Of p
// sprays as many get an element at most, so that 1 − c·p^(α−1) of them or more fail: for α < 1 that tends to 1, however slowly
// if c is a power of log p. One step at height β·log p leads p^β/2 on.

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
		for k := range r.count(min(1000, 6e6/float64(c.walk.Reach())), 4) {
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
	table := reproduce.Table{Name: "walks from height α·log p", Columns: []string{"α", "log p", "height", "lists", "last element in " +
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
		table.Rows = append(table.Rows, []float64{alpha, float64(c.l), float64(c.walk.Heights[0]), float64(len(c.fail)), last.Mean,
			last.Mean / far / float64(c.l), fail.Mean, fail.SE, must,
			first.Mean, first.Mean / far * 2})
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
		return reproduce.Estimate{Mean: math.Log2(b.Mean/a.Mean) / 8, SE: math.Hypot(a.SE/a.Mean, b.SE/b.Mean) / math.Ln2 / 8}
	}
	f.Measured = fmt.Sprintf("From height log p/2 %.0f %%, %.0f %% and %.0f %% of p = 16, 256 and 4096 sprays fail; from log p %.0f, "+
		"%.0f and %.0f %%. From 5/4·log p the first step leads %.0f "+
		"elements on at p = 4096 (p^(5/4)/2 is 16384).", 100*mean(2, 4, fail).Mean, 100*mean(2, 8, fail).Mean, 100*mean(2, 12,
		fail).Mean, 100*mean(4, 4, fail).Mean,
		100*mean(4, 8, fail).Mean, 100*mean(4, 12, fail).Mean, mean(5, 12, func(c *startPoint) []float64 { return c.first }).Mean)
	for _, q := range []int{2, 3} {
		// Of log p steps at each height the last element in reach is log p·(2^h − 1).
		x := exponent(q, func(c *startPoint) []float64 { return c.last })
		f.Check(fmt.Sprintf("exponent of p in the reach over log p from height %g·log p", float64(q)/4), x.Mean-math.Log2(3)/8, float64(q)/4,
			reproduce.Sigmas*x.SE+math.Log2(1/(1-math.Exp2(-float64(q))))/8, "Õ(p^α); 4.5 standard errors, and 1 less at the smallest p: 2^h − 1")
	}
	f.Between("share that fails from height log p/2 less what it must be by the pigeonhole principle, smallest", -short, 0, 1, 1e-9,
		"a bound, and exact shares")
	a, b := mean(2, 4, fail), mean(2, 12, fail)
	f.Between("share that does not fail from height log p/2, p = 4096 over p = 16", (1-b.Mean)/(1-a.Mean), 0, 0.5, 0, "it tends to "+
		"0, as log p/√p: that is 3/16 in the limit of large p")
	a, b = mean(4, 4, fail), mean(4, 12, fail)
	f.Between("share that fails from height log p, p = 4096 over p = 16", b.Mean/a.Mean, 0, 1, 0, "at most a constant share, which "+
		"is why log p is the choice")
	x := exponent(5, func(c *startPoint) []float64 { return c.first })
	f.Check("exponent of p in the place of the first element of height 5/4·log p", x.Mean, 1.25, reproduce.Sigmas*x.SE, "p^β, and "+
		"4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes, "The orders are as the report says. One step at height β·log p leads p^β/2 elements on, since elements "+
		"of height h are 2^(h−1) apart.",
		"From 3/4·log p the argument is not to be seen at these p: log p·p^(3/4) is more than p up to p = 2¹⁶.")
	f.Chart("fail", plot.Chart{Title: "Of p sprays at once from height α·log p, those that fail", XLabel: "p", YLabel: "share",
		LogX: true, FromZero: true, LegendBeside: true, Series: fails})
	f.Chart("reach", plot.Chart{Title: "The last element in reach from height α·log p", XLabel: "p", YLabel: "over p·log p",
		LogX: true, LogY: true, LegendBeside: true, Series: reach})
	return f
}
