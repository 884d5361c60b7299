package erickson

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure2 is the cost against the number of buckets: with few of them, lists are full of events of
// later years.
func figure2(r *runner) reproduce.Finding {
	var buckets []int
	for _, m := range logarithmic(100, 5000, 18) {
		buckets = append(buckets, int(m+0.5))
	}
	h := hold{jumps: exponentialJumps(), n: 1000, width: r.width(1000, 1), events: r.events(800_000)}
	r.Runs(len(buckets) + 1)
	pairs := r.pairs(h, buckets)
	var f reproduce.Finding
	table := reproduce.Table{Name: "cost against buckets", Columns: []string{"buckets", "cost", "cost se",
		"more than unlimited", "se", "low", "high"}}
	least, most := r.bounds(h.n, h.jumps.law, h.width)
	var measured, theoretic, limit plot.Series
	measured.Name, theoretic.Name, limit.Name = "measured", "bounds of Theorem 3.2", "unlimited"
	worst, worstExtra := 0.0, 0.0
	unlimited := meanOf(pairs[0].unlimited, cost)
	for i, m := range buckets {
		c, extra := meanOf(pairs[i].finite, cost), pairs[i].extra()
		low, high := r.extraBounds(h.n, m, h.jumps.law, h.width)
		worst = max(worst, c.Outside(least+low, most+high))
		worstExtra = max(worstExtra, extra.Outside(low, high))
		x := float64(m)
		table.Rows = append(table.Rows, []float64{x, c.Mean, c.SE, extra.Mean, extra.SE, least + low, most + high})
		measured.Add(x, c.Mean)
		theoretic.Add(x, (least+low+most+high)/2)
		theoretic.Low, theoretic.High = append(theoretic.Low, least+low), append(theoretic.High, most+high)
		limit.Add(x, unlimited.Mean)
	}
	near(f.For(reproduce.Printed), "cost with unlimited buckets", unlimited, r.least, least, most, restOf(h.n),
		becauseNear)
	worstOf(f.For(reproduce.Printed), "how far a cost is outside of E + (1+x)/x·L_M with the bounds of Theorem 3.2, "+
		"in standard "+
		"errors, at most", worst, len(buckets))
	worstOf(f.For(reproduce.Printed), "the same for the difference from unlimited buckets on the same jumps", worstExtra,
		len(buckets))
	first, last := pairs[0].extra(), pairs[len(pairs)-1].extra()
	low, high := r.extraBounds(h.n, buckets[len(buckets)-1], h.jumps.law, h.width)
	f.Between("what 5000 buckets take more than unlimited ones", last.Mean, low, high, reproduce.Sigmas*last.SE,
		"the bounds of Theorem 3.2, and 4.5 standard errors")
	low, high = r.extraBounds(h.n, buckets[0], h.jumps.law, h.width)
	f.Between("what 100 buckets take more than unlimited ones", first.Mean, low, high, reproduce.Sigmas*first.SE,
		"the bounds of Theorem 3.2, and 4.5 standard errors")
	f.Measured = fmt.Sprintf("100 buckets take %.2f more than unlimited ones, %d buckets %.3f and 5000 buckets %.4f; "+
		"unlimited ones "+
		"take %.3f ± %.3f. Over 18 numbers of buckets, what they take more is at most %.1f standard errors outside of "+
		"the bounds of "+
		"Theorem 3.2.",
		first.Mean, buckets[10], pairs[10].extra().Mean, last.Mean, unlimited.Mean, unlimited.SE, worstExtra)
	f.Tables = append(f.Tables, table)
	f.Chart("figure-2", plot.Chart{Title: "Buckets against time per event, 1000 events, exponential jumps",
		XLabel: "buckets",
		YLabel: "time per event", FromZero: true, LegendBeside: true, Series: []plot.Series{measured, theoretic, limit}})
	return f
}

// theorem31 is that jumps which are never longer than β need no more than β/δ + 1 buckets.
func theorem31(r *runner) reproduce.Finding {
	all, ratios := []jumps{uniformJumps(1), triangularJumps()}, []float64{0.5, 1, 4}
	r.Runs(3 * len(all) * len(ratios))
	var f reproduce.Finding
	for _, j := range all {
		table := reproduce.Table{Name: "events whose work differs, " + j.name, Columns: []string{"width over the best",
			"buckets", "events",
			"with ten times the buckets", "with one bucket less", "with 20% less"}}
		for _, ratio := range ratios {
			h := hold{jumps: j, n: 1000, width: ratio * r.width(1000, 1), events: r.events(400_000), stream: uint64(r.Done())}
			row := r.judgeSupport(&f, h, ratio, r.formulas)
			table.Rows = append(table.Rows, row)
		}
		f.Tables = append(f.Tables, table)
	}
	same, few := 0.0, 0.0
	for _, table := range f.Tables {
		for _, row := range table.Rows {
			same, few = max(same, row[3]/row[2]), max(few, row[5]/row[2])
		}
	}
	f.Measured = fmt.Sprintf("With β/δ + 1 buckets and with ten times as many, %g of the events differ in what "+
		"they take, "+
		"at three widths and for two jumps; with 20%% fewer, up to %.0f%% of them do.", same, 100*few)
	return f
}

// judgeSupport adds the checks for a width, and returns the row of the table.
func (r *runner) judgeSupport(f *reproduce.Finding, h hold, ratio float64, t formulas) []float64 {
	enough := t.enough(h.jumps.law.Support, h.width)
	few := enough * 8 / 10
	differ := r.sideBySide(h, []int{enough, 10 * enough, enough - 1, few})
	fewer := r.pairs(h, []int{few})
	where := fmt.Sprintf("%s jumps, %g times the best width", h.jumps.name, ratio)
	f.Check("events whose work differs with ten times the buckets, "+where, differ[1], 0, 0, "the theorem is exact")
	low, high := t.extraBounds(h.n, few, h.jumps.law, h.width)
	extra := fewer[0].extra()
	f.Between("entries more for each event with 20% fewer buckets, "+where, extra.Mean, low, high,
		reproduce.Sigmas*extra.SE,
		"the bounds of Theorem 3.2, and 4.5 standard errors: far from none")
	return []float64{ratio, float64(enough), float64(h.events), differ[1], differ[2], differ[3]}
}

// sideBySide runs calendars with different numbers of buckets on the same jumps, and counts the
// events, after the warm-up, whose work is not what it is in the first calendar.
func (r *runner) sideBySide(h hold, buckets []int) []float64 {
	differ := make([]float64, len(buckets))
	want := make([]static.Work, h.events)
	for k, m := range buckets {
		h.buckets = m
		s, rng := r.begin(h)
		r.spend(s, rng, h, h.warmUp())
		for i := range want {
			before := s.Work()
			r.spend(s, rng, h, 1)
			took := s.Work().Since(before)
			if k == 0 {
				want[i] = took
			} else if took != want[i] {
				differ[k]++
			}
		}
	}
	r.Ran()
	return differ
}

// theorem32 is how many events of later years are in the current bucket.
func theorem32(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1),
		paretoJumps(2.5, 60)}
	ratios := []float64{0.1, 0.25, 0.5, 1, 2, 3}
	r.Runs(len(all) * (len(ratios) + 1))
	found := make([][]pair, len(all))
	h := hold{n: 1000, width: r.width(1000, 1), events: r.events(500_000)}
	for k, j := range all {
		h.jumps, h.stream = j, uint64(k)
		found[k] = r.pairs(h, bucketsFor(h.n, ratios))
	}
	var f reproduce.Finding
	chart := plot.Chart{Title: "Buckets for each event against events of later years in a bucket", XLabel: "M/N",
		YLabel: "L_M", LogX: true, LogY: true, LegendBeside: true}
	apart, outside, furthest := 0.0, 0.0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"buckets", "excess", "se", "low", "high", "exact",
			"corollary 3.1"}}
		series := plot.Series{Name: j.name}
		worst, off := 0.0, 0.0
		for i, m := range bucketsFor(h.n, ratios) {
			excess := found[k][i].excess()
			low, high := r.excessBounds(h.n, m, j.law, h.width)
			worst = max(worst, excess.Outside(low, high))
			exact := exactExcess(h.n, m, j.law, h.width)
			off = max(off, excess.Outside(exact, exact))
			if low > 0 {
				apart = max(apart, high/low-1)
			}
			table.Rows = append(table.Rows, []float64{float64(m), excess.Mean, excess.SE, low, high, exact,
				r.excess(h.n, m, j.law, h.width)})
			series.Add(ratios[i], excess.Mean)
			if ratios[i] == 1 {
				f.Between("events of later years in a bucket with M = N, "+j.name, excess.Mean, low, high,
					reproduce.Sigmas*excess.SE, "the bounds of Theorem 3.2, and 4.5 standard errors")
			}
		}
		worstOf(f.For(reproduce.Printed), "how far from the bounds of Theorem 3.2, in standard errors, at most, "+j.name,
			worst, len(ratios))
		worstOf(f.For(reproduce.Control), "how far from the exact L_M, in standard errors, at most, "+j.name, off,
			len(ratios))
		outside, furthest = max(outside, worst), max(furthest, off)
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, series)
	}
	f.Measured = fmt.Sprintf("The %d L_M, for six jumps and M/N from 0.1 to 3, are at most %.1f standard errors "+
		"outside of the "+
		"bounds, which are up to %.1f%% apart, and %.1f off the exact L_M that is derived here.",
		len(all)*len(ratios), outside, 100*apart, furthest)
	f.Chart("theorem-3.2", chart)
	return f
}

// corollary31 is what L_M tends to when there are many events.
//
// The exact L_M is q₀·[N(N−1)/μ·∫₀^δ Π(s) ds + N·Π(δ)]. With δ = λμ/N, both Π(s) and Π(δ) are
// δ/μ·Σ[1−F(kMδ)] but for a share O(δ), so that L_M is that sum times q₀·λ·(λ(1−1/N) + 1), and q₀ =
// 1/(1+λ): the limit, with an error of O(1/N).
func corollary31(r *runner) reproduce.Finding {
	all, sizes := []jumps{exponentialJumps(), gammaJumps(20), lognormalJumps(1)}, []int{30, 100, 1000, 10_000}
	// Exact decimals, so that M is whole. A year of λr·μ = 1.2μ or more is never without an event,
	// not even with 30 of them (e^(−36)): static.Queue jumps over empty years, which the paper's
	// calendar goes through.
	fixed := []limitAt{{1.5, 0.8}, {0.5, 3}, {3, 0.4}}
	r.Runs(2 * len(all) * len(sizes) * len(fixed))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Events of later years in a bucket, over their limit, λ = 3, r = 0.4", XLabel: "events",
		YLabel: "over the limit", LogX: true, LegendBeside: true}
	sum := &limitSummary{}
	for _, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"lambda", "r", "events", "excess", "se", "exact", "limit"}}
		worst := 0.0
		for _, at := range fixed {
			measured := plot.Series{Name: j.name}
			exactly := plot.Series{Name: "exact", Dashed: true}
			for _, n := range sizes {
				h := hold{jumps: j, n: n, width: at.lambda / float64(n), events: max(r.events(250_000), r.events(40*n)),
					stream: uint64(r.Done())}
				m := bucketsFor(n, []float64{at.r})
				p := r.pairs(h, m)
				excess, limit, exact := p[0].excess(), r.excess(n, m[0], j.law, h.width), exactExcess(n, m[0], j.law, h.width)
				worst = max(worst, excess.Outside(exact, exact))
				table.Rows = append(table.Rows, []float64{at.lambda, at.r, float64(n), excess.Mean, excess.SE, exact, limit})
				measured.Add(float64(n), excess.Mean/limit)
				exactly.Add(float64(n), exact/limit)
				if n == sizes[0] {
					sum.first = max(sum.first, math.Abs(exact/limit-1))
				}
			}
			if at == fixed[len(fixed)-1] {
				chart.Series = append(chart.Series, measured, exactly)
			}
			judgeLimit(&f, r.formulas, j, at, sum)
		}
		worstOf(f.For(reproduce.Control), "how far L_M is from the exact one, in standard errors, at most, "+j.name, worst,
			len(sizes)*len(fixed))
		sum.worst = max(sum.worst, worst)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf(
		"The exact L_M is off the limit by up to %.0f%% with 30 events and by up to %.1g with 10⁶, "+
			"%.1f times less than with 10⁵; L_M as simulated with 30 to 10 000 events is at most %.1f standard errors off the "+
			"exact one.", 100*sum.first, sum.last, sum.before/sum.last, sum.worst)
	f.Chart("corollary-3.1", chart)
	return f
}

// A limitAt is what stays fixed while N grows.
type limitAt struct{ lambda, r float64 }

// A limitSummary is how far L_M is from its limit with 30, 10⁵ and 10⁶ events, and how far what was
// measured is from it, at most.
type limitSummary struct{ first, before, last, worst float64 }

// judgeLimit checks that the exact L_M closes in on the limit.
func judgeLimit(f *reproduce.Finding, t formulas, j jumps, at limitAt, sum *limitSummary) {
	off := func(n int) float64 {
		m, width := bucketsFor(n, []float64{at.r})[0], at.lambda/float64(n)
		return exactExcess(n, m, j.law, width)/t.excess(n, m, j.law, width) - 1
	}
	before, last := off(100_000), off(1_000_000)
	where := fmt.Sprintf("%s, λ = %g, r = %g", j.name, at.lambda, at.r)
	f.Check("how far L_M is off the limit with 10⁶ events, as a share, "+where, last, 0, 1e-5,
		"exact: it falls as 1/N, and 10/N is "+
			"allowed")
	f.Check("and over that with 10⁵ events, "+where, last/before, 0.1, 0.005,
		"exact: it falls as 1/N; terms of higher order, and rounding")
	sum.before, sum.last = max(sum.before, math.Abs(before)), max(sum.last, math.Abs(last))
}

// corollary32 is the degradation for any jump, and a bound for it that no jump exceeds.
func corollary32(r *runner) reproduce.Finding {
	// The last one is nearly constant. With a year a little shorter than the jump it comes close to
	// the bound.
	all := []jumps{uniformJumps(1), triangularJumps(), gammaJumps(20), gammaJumps(1.2), lognormalJumps(1),
		paretoJumps(2.5, 60), uniformJumps(0.05)}
	ratios := []float64{0.3, nearBound, 1, 1.92, 3}
	h := hold{n: 1000, width: r.width(1000, 1), events: r.events(700_000)}
	r.Runs(len(all) * (len(ratios) + 1))
	found := make([][]pair, len(all))
	for k, j := range all {
		h.jumps, h.stream = j, uint64(k)
		found[k] = r.pairs(h, bucketsFor(h.n, ratios))
	}
	var f reproduce.Finding
	chart := plot.Chart{Title: "Buckets for each event against degradation, 1000 events", XLabel: "M/N",
		YLabel: "degradation", LogX: true, LogY: true, LegendBeside: true}
	above, nearest := 0.0, 0.0
	least, most, apart := math.Inf(1), 0.0, 0.0
	for k, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"M/N", "degradation", "se", "corollary 3.2", "low", "high",
			"corollary 3.3"}}
		series := plot.Series{Name: j.name}
		worst := 0.0
		for i, m := range bucketsFor(h.n, ratios) {
			d, says, bound := found[k][i].degradation(), r.degradation(ratios[i], j.law), r.degradationBound(ratios[i])
			low, high := r.degradationBounds(h.n, m, j.law, h.width)
			worst = max(worst, d.Outside(low, high))
			above, nearest = max(above, d.Outside(0, bound+high-low)), max(nearest, d.Mean/bound)
			table.Rows = append(table.Rows, []float64{ratios[i], d.Mean, d.SE, says, low, high, bound})
			series.Add(ratios[i], d.Mean)
			if ratios[i] == nearBound {
				least, most, apart = min(least, d.Mean), max(most, d.Mean), max(apart, math.Abs(d.Mean/says-1))
				near(f.For(reproduce.Printed), "degradation with M/N = 0.66, "+j.name, d, says, low, high, restOf(h.n)*says,
					"the distance between the bounds of Theorem 3.2 and section A.5, the term that E_min leaves out, and 4.5 "+
						"standard errors")
			}
		}
		worstOf(f.For(reproduce.Printed),
			"how far a degradation is outside of its bounds, in standard errors, at most, "+j.name, worst, len(ratios))
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, series)
	}
	worstOf(f.For(reproduce.Printed), "how far a degradation is above the bound of Corollary 3.3 and its O(1/N), in "+
		"standard "+
		"errors, at most", above, len(all)*len(ratios))
	f.Measured = fmt.Sprintf("Seven jumps, 1000 events, M/N from 0.3 to 3: with M/N = %g degradations are %.3f to "+
		"%.3f, at most "+
		"%.1f%% off Corollary 3.2; the largest of all, for nearly constant jumps, is %.3f of the bound of Corollary 3.3.",
		nearBound, least, most, 100*apart, nearest)
	f.Notes = append(f.Notes, fmt.Sprintf("The largest degradation is %.3f of the bound of Corollary 3.3: nearly "+
		"constant jumps, "+
		"with a year of 0.93 of them.", nearest))
	bound := plot.Series{Name: "Corollary 3.3"}
	for _, ratio := range ratios {
		bound.Add(ratio, r.degradationBound(ratio))
	}
	chart.Series = append(chart.Series, bound)
	f.Chart("corollary-3.2", chart)
	return f
}

// nearBound is a ratio M/N with which a year is 0.93 of the mean of the jump.
const nearBound = 0.66

// figure3 is the degradation for two ratios of buckets to events, over the number of events.
func figure3(r *runner) reproduce.Finding {
	most := 1e5 * min(1, r.scale)
	if r.Options.Full {
		most *= 10
	}
	var sizes []int
	for n := 100.0; n < 1.1*most; n *= math.Sqrt(10) {
		sizes = append(sizes, int(math.Round(n)))
	}
	r.Runs(3 * len(sizes))
	found := make([][]pair, len(sizes))
	for i, n := range sizes {
		// Batches of half a jump of every event at least: exponential jumps have no memory beyond that.
		h := hold{jumps: exponentialJumps(), n: n, width: r.width(n, 1), events: max(r.events(1_500_000), batches*n/2),
			stream: uint64(i)}
		found[i] = r.pairs(h, bucketsFor(n, figure3Ratios))
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "degradation against events", Columns: []string{"events", "buckets", "degradation",
		"se", "equation 3", "low", "high"}}
	chart := plot.Chart{Title: "Events against degradation, exponential jumps", XLabel: "events", YLabel: "degradation",
		LogX: true, FromZero: true, LegendBeside: true}
	law := exponentialJumps().law
	var measuredAs []string
	outside := 0.0
	for k, ratio := range figure3Ratios {
		measured, equation := plot.Series{Name: fmt.Sprintf("M/N = %g", ratio)},
			plot.Series{Name: fmt.Sprintf("equation 3 for %g", ratio)}
		says, worst := r.degradation(ratio, law), 0.0
		for i, n := range sizes {
			m := bucketsFor(n, figure3Ratios)[k]
			d := found[i][k].degradation()
			low, high := r.degradationBounds(n, m, law, r.width(n, 1))
			worst = max(worst, d.Outside(low, high))
			table.Rows = append(table.Rows, []float64{float64(n), float64(m), d.Mean, d.SE, says, low, high})
			measured.Add(float64(n), d.Mean)
			measured.Low, measured.High = append(measured.Low, d.Mean-2*d.SE), append(measured.High, d.Mean+2*d.SE)
			equation.Add(float64(n), says)
			if i == len(sizes)-1 {
				measuredAs = append(measuredAs, fmt.Sprintf("%.2f%% ± %.2f%% for M/N = %g", 100*d.Mean, 100*d.SE, ratio))
				near(f.For(reproduce.Printed), fmt.Sprintf("degradation with %d events and M/N = %g", n, ratio), d, r.figure3[k],
					low, high,
					rounding*r.figure3[k]+restOf(n)*says,
					"the distance between the bounds of Theorem 3.2 and section A.5, the paper's rounding of M/N, and 4.5 "+
						"standard errors")
			}
		}
		outside = max(outside, worst)
		worstOf(f.For(reproduce.Printed), fmt.Sprintf("how far a degradation with M/N = %g is outside of its bounds, in "+
			"standard "+
			"errors, at most", ratio), worst, len(sizes))
		f.Check(fmt.Sprintf("equation 3 at M/N = %g", ratio), says, r.figure3[k], rounding*r.figure3[k],
			"the paper gives M/N to two decimals")
		chart.Series = append(chart.Series, measured, equation)
	}
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("With %d events, %s; from 100 events on, at most %.1f standard errors outside of what the "+
		"theorems "+
		"allow.", sizes[len(sizes)-1], strings.Join(measuredAs, " and "), outside)
	f.Chart("figure-3", chart)
	return f
}

// figure3Ratios are M/N.
var figure3Ratios = []float64{1.92, 3.02}

// rounding is the share by which a degradation may be off because M/N has two decimals: where M/N
// grows by 1, the logarithm of ε falls by √2 and a little more.
const rounding = 0.005 * math.Sqrt2 * 1.1
