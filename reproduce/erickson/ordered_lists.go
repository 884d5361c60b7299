package erickson

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// orderedLists is the question at the end of the paper: what of a calendar that keeps its lists in
// order?
//
// A new event that falls v after the beginning of its bucket, a jump ξ ahead, is put behind those
// others that are in the bucket before it. Each of the N−1 is with probability P(ξ) − P(ξ−v), where
// P(u) = (1/μ)∫₀^u (1−F) and P is 0 below 0: its next time after now, in the steady state, is
// between the beginning of the bucket and v. All v are alike, and so an event takes bμ/(Nδ) + c(1 +
// (N−1)·(1/δ)∫₀^δ E[P(ξ) − P(ξ−v)] dv) + d. When N is large and δ short, P(ξ) − P(ξ−v) is
// v/μ·(1−F(ξ)), of which the mean is v/2μ whatever the jump, since F(ξ) is uniform. That leaves
//
//	b/x + c(1 + x/4) + d with x = Nδ/μ, least at x = 2√(b/c), where it is c + √(bc) + d:
//
// half of the pairs in a bucket are charged for, where an unordered list is charged for all of
// them. For exponential jumps E[P(ξ) − P(ξ−v)] is exactly (1−e^(−v/μ))/2, half of what it is for
// unordered lists.
//
// Sorting k events takes log₂ k! comparisons at least, on average, and the merge sort here k·log₂ k
// at most.
func orderedLists(r *runner) reproduce.Finding {
	ratios := logarithmic(0.125, 32, 25) // steps of a third of an octave
	r.Runs(3*len(ratios) + 3*len(orderedCosts))
	points := make([][]widthPoint, 3) // by discipline
	for d := range points {
		for i, ratio := range ratios {
			h := hold{jumps: exponentialJumps(), n: 1000, width: ratio * r.width(1000, 1), discipline: static.Discipline(d),
				events: r.events(400_000), stream: uint64(i)}
			p := r.widthPoint(h)
			if h.discipline != static.Unordered {
				p.low, p.high = disciplineBounds(h)
				p.about = (p.low + p.high) / 2
			}
			points[d] = append(points[d], p)
		}
	}
	f := judgeDisciplines(points, ratios, r.formulas)
	r.judgeOrdered(&f)
	return f
}

// orderedCosts are costs for which ordered lists have different best widths.
var orderedCosts = []static.Costs{{Empty: 1, Entry: 4, Fixed: 1}, unit, {Empty: 4, Entry: 1, Fixed: 1}}

// judgeOrdered checks the best width of ordered lists: that it takes what is derived, and that half
// and twice the width take the same. A best width that was elsewhere would make one of the two
// cheaper: if it were less by a share s, by s·√(bc)·3/2.
func (r *runner) judgeOrdered(f *reproduce.Finding) {
	const n = 1000
	table := reproduce.Table{Name: "the best width of ordered lists", Columns: []string{"b", "c", "d", "x", "cost", "se",
		"derived", "at half of x", "se", "at twice x", "se"}}
	var measured []string
	for _, k := range orderedCosts {
		var at [3]reproduce.Estimate
		x := r.orderedWidth(k)
		for i, ratio := range []float64{0.5, 1, 2} {
			h := hold{jumps: exponentialJumps(), n: n, width: ratio * x / n, discipline: static.Ordered,
				events: r.events(800_000), stream: 1000 + uint64(r.Done())}
			works := r.run(h)
			at[i] = meanOf(works, func(w static.Work) float64 { return costOf(k, w) })
		}
		open := k.Entry * x / 4 * (1 + x) / n // what 1/N and F(δ) leave open of the lists
		where := fmt.Sprintf("ordered lists with b = %g, c = %g", k.Empty, k.Entry)
		f.Check("cost at a width of 2√(b/c)·μ/N, "+where, at[1].Mean, r.orderedLeast(k), open+reproduce.Sigmas*at[1].SE,
			"c + √(bc) + d, derived: 1/N and F(δ) of the lists, and 4.5 standard errors")
		diff := at[0].Minus(at[2])
		f.Check("cost at half of that width, less that at twice, "+where, diff.Mean, 0, 2*open+reproduce.Sigmas*diff.SE,
			"derived: 1/N and F(δ) of the lists, and 4.5 standard errors")
		table.Rows = append(table.Rows, []float64{k.Empty, k.Entry, k.Fixed, x, at[1].Mean, at[1].SE, r.orderedLeast(k),
			at[0].Mean, at[0].SE, at[2].Mean, at[2].SE})
		measured = append(measured, fmt.Sprintf("%.3f at %g·μ/N for b = %g, c = %g (derived %g; half and twice the "+
			"width take %.3f "+
			"and %.3f)", at[1].Mean, x, k.Empty, k.Entry, r.orderedLeast(k), at[0].Mean, at[2].Mean))
	}
	f.Tables = append(f.Tables, table)
	f.Measured = "With d = 1 and 1000 events ordered lists take " + strings.Join(measured, ", ") + "."
}

// disciplineBounds encloses the cost with ordered lists, for which it is exact, and with sorted
// ones. There it leaves open, like section A.5, a share of F(δ), by which an event may come back
// into the bucket it left, twice.
func disciplineBounds(h hold) (low, high float64) {
	x := float64(h.n) * h.width
	if h.discipline == static.Ordered {
		exact := 1/x + 2 + (exactEntries(h.n, h.jumps.law, h.width)-1)/2
		return exact, exact
	}
	again := 2 * h.jumps.law.CDF(h.width)
	count := distuv.Poisson{Lambda: x}
	for k := 2.0; k < x+20*math.Sqrt(x)+20; k++ {
		factorial, _ := math.Lgamma(k + 1)
		low += count.Prob(k) * factorial / math.Ln2 / x
		high += count.Prob(k) * k * math.Log2(k) / x
	}
	return (1/x + 2 + low) * (1 - again), (1/x + 2 + high) * (1 + again)
}

// eightfold is which of the widths is 8 times the best for unordered lists.
const eightfold = 18

// halfStep is the share by which 1/x and x together are more than their least, half a step of the
// grid away: cosh(log 2/6) − 1.
const halfStep = 0.00669

func judgeDisciplines(points [][]widthPoint, ratios []float64, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, three disciplines",
		XLabel: "width over the best for " +
			"unordered lists",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true}
	var best [3]int // which width took least
	for d, line := range points {
		name, worst := static.Discipline(d).String(), 0.0
		series := plot.Series{Name: name}
		low, high := math.Inf(1), math.Inf(1) // the least that is derived
		for i, p := range line {
			if p.cost.Mean < line[best[d]].cost.Mean {
				best[d] = i
			}
			low, high = min(low, p.low), min(high, p.high)
			worst = max(worst, p.cost.Outside(p.low, p.high))
			series.Add(ratios[i], p.cost.Mean)
		}
		worstOf(f.For(reproduce.Printed), "how far a cost is outside of what is derived, in standard errors, at most, "+name,
			worst, len(line))
		least, wide := line[best[d]].cost, line[eightfold]
		f.Between("cost at 8 times the best width of unordered lists over the least, "+name, wide.cost.Mean/least.Mean,
			wide.low/high, wide.high/low,
			reproduce.Sigmas*math.Hypot(wide.cost.SE, wide.cost.Mean/least.Mean*least.SE)/least.Mean,
			"what is derived for both, "+
				"and 4.5 standard errors")
		f.Notes = append(f.Notes, fmt.Sprintf("%s: least %.3f ± %.3f at %.2f times the best width of unordered lists; at "+
			"8 times "+
			"that width, %.2f times the least.",
			name, least.Mean, least.SE, ratios[best[d]], wide.cost.Mean/least.Mean))
		f.Tables = append(f.Tables, widthTable(name, line))
		chart.Series = append(chart.Series, series)
	}
	for d, want := range []float64{t.least, t.orderedLeast(unit)} {
		p := points[d][best[d]]
		near(&f, "least cost, "+static.Discipline(d).String(), p.cost, want, p.low, p.high, (want-2)*halfStep+restOf(1000),
			"the distance between what is derived, half a step of the grid, 1/(√2·N), and 4.5 standard errors")
	}
	f.Chart("ordered-lists", chart)
	return f
}
