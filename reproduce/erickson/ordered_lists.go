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

// orderedLists is the question at the end of the paper: what does a calendar cost that keeps its
// lists in order?
//
// A new event falls v after the beginning of its bucket, a jump ξ ahead. An insertion passes the
// entries that are not later, and stops at the first one that is later, if there is one. Let P(u) =
// (1/μ)∫₀^u (1−F), and 0 below 0. In the steady state each of the N−1 others is passed with
// probability P(ξ) − P(ξ−v), since its next time after now is then between the beginning of the
// bucket and v, and is behind the new event with probability P(ξ+δ−v) − P(ξ). All v are alike. When
// N is large and δ short, these are v/μ·(1−F(ξ)) and (δ−v)/μ·(1−F(ξ)), and F(ξ) is uniform. With x
// = Nδ/μ an insertion passes x/4 entries on average. The number behind is Poisson with mean xUV,
// where U and V are uniform and independent, so that an insertion stops at an entry with
// probability
//
//	s(x) = 1 − E[e^(−xUV)] = 1 − Ein(x)/x, Ein(x) = ∫₀^x (1−e^(−y))/y dy.
//
// Every visit to a bucket with events looks at one entry, the first. The paper does not say whether
// the entry at which an insertion stops is charged, so there are two answers:
//
//	not charged: b/x + c(1 + x/4) + d, least at x = 2√(b/c), where it is c + √(bc) + d;
//	charged:     b/x + c(1 + x/4 + s(x)) + d, least where x²/4 + Ein(x) + e^(−x) − 1 = b/c.
//
// Half of the pairs in a bucket are charged for, where an unordered list is charged for all of
// them. For exponential jumps both numbers are exact for every N: (1−e^(−v/μ))/2 for each of the
// N−1 that may be passed, and see exactStops.
//
// Sorting k events takes log₂ k! comparisons at least, on average, and the merge sort here k·log₂ k
// at most.
func orderedLists(r *runner) reproduce.Finding {
	ratios := logarithmic(0.125, 32, 25) // steps of a third of an octave
	r.Runs(3*len(ratios) + 3*len(orderedCosts))
	points := make([][]widthPoint, 3) // by discipline
	charged := make([]widthPoint, 0, len(ratios))
	for d := range points {
		for i, ratio := range ratios {
			h := hold{jumps: exponentialJumps(), n: 1000, width: ratio * r.width(1000, 1), discipline: static.Discipline(d),
				events: r.events(120_000), stream: uint64(i)}
			p, works := r.worksAt(h)
			if h.discipline != static.Unordered {
				p.low, p.high = disciplineBounds(h)
				p.about = (p.low + p.high) / 2
			}
			points[d] = append(points[d], p)
			if h.discipline == static.Ordered {
				charged = append(charged, chargedPoint(h, p, works))
			}
		}
	}
	f := judgeDisciplines(points, ratios, r.formulas)
	r.judgeOrdered(&f)
	r.judgeCharged(&f, charged)
	return f
}

// orderedCosts are costs for which ordered lists have different best widths.
var orderedCosts = []static.Costs{{Empty: 1, Entry: 4, Fixed: 1}, unit, {Empty: 4, Entry: 1, Fixed: 1}}

// judgeOrdered checks the best width of ordered lists, where the entry at which an insertion stops
// is not charged: that it takes what is derived, and that half and twice the width take the same. A
// best width that was elsewhere would make one of the two cheaper: if it were less by a share s, by
// s·√(bc)·3/2.
func (r *runner) judgeOrdered(f *reproduce.Finding) {
	const n = 1000
	table := reproduce.Table{Name: "the best width of ordered lists", Columns: []string{"b", "c", "d", "x", "cost", "se",
		"derived", "at half of x", "se", "at twice x", "se"}}
	var measured []string
	answer := f.For(reproduce.Answer)
	for _, k := range orderedCosts {
		var at [3]reproduce.Estimate
		x := r.orderedWidth(k)
		for i, ratio := range []float64{0.5, 1, 2} {
			h := hold{jumps: exponentialJumps(), n: n, width: ratio * x / n, discipline: static.Ordered,
				events: r.events(300_000), stream: 1000 + uint64(r.Done())}
			works := r.run(h)
			at[i] = meanOf(works, func(w static.Work) float64 { return costOf(k, w) })
		}
		open := k.Entry * x / 4 * (1 + x) / n // what 1/N and F(δ) leave open of the lists
		where := fmt.Sprintf("ordered lists with b = %g, c = %g", k.Empty, k.Entry)
		answer.Check("cost at a width of 2√(b/c)·μ/N, "+where, at[1].Mean, r.orderedLeast(k),
			open+reproduce.Sigmas*at[1].SE,
			"c + √(bc) + d, derived: 1/N and F(δ) of the lists, and 4.5 standard errors")
		diff := at[0].Minus(at[2])
		answer.Check("cost at half of that width, less that at twice, "+where, diff.Mean, 0,
			2*open+reproduce.Sigmas*diff.SE,
			"derived: 1/N and F(δ) of the lists, and 4.5 standard errors")
		table.Rows = append(table.Rows, []float64{k.Empty, k.Entry, k.Fixed, x, at[1].Mean, at[1].SE, r.orderedLeast(k),
			at[0].Mean, at[0].SE, at[2].Mean, at[2].SE})
		measured = append(measured, fmt.Sprintf("%.3f at %g·μ/N for b = %g, c = %g (derived %g)", at[1].Mean, x, k.Empty,
			k.Entry, r.orderedLeast(k)))
	}
	f.Tables = append(f.Tables, table)
	f.Measured = "With d = 1 and 1000 events, if the entry at which an insertion stops is not charged, ordered lists " +
		"take " + strings.Join(measured, ", ") + "."
}

// ein is Ein(x) = ∫₀^x (1−e^(−y))/y dy.
func ein(x float64) float64 {
	return integral(func(y float64) float64 { return -math.Expm1(-y) / y }, 0, x)
}

// stopsOf is s(x), the share of insertions that stop at an entry when N is large.
func stopsOf(x float64) float64 { return 1 - ein(x)/x }

// exactStops is the share of insertions that stop at an entry, for exponential jumps of mean 1 and
// any N. With w = δ−v each of the others is behind the new event with probability e^(−ξ)·q, where q
// = 1−e^(−w) and e^(−ξ) is uniform: so none of them is with probability (1−(1−q)^N)/(Nq).
func exactStops(n int, width float64) float64 {
	events := float64(n)
	return 1 - integral(func(w float64) float64 {
		q := -math.Expm1(-w)
		return -math.Expm1(events*math.Log1p(-q)) / (events * q)
	}, 0, width)/width
}

// chargedPoint is a point of ordered lists with the stops charged, and what is derived.
func chargedPoint(h hold, p widthPoint, works []static.Work) widthPoint {
	p.cost = meanOf(works, func(w static.Work) float64 { return cost(w) + float64(w.Stops)/float64(w.Dispatched) })
	p.low += exactStops(h.n, h.width)
	p.high = p.low
	p.about = p.low
	return p
}

// chargedBest is where ordered lists take least if stops are charged, as Nδ/μ, and what they take
// there, when N is large.
func (t formulas) chargedBest(k static.Costs) (x, least float64) {
	cost := func(x float64) float64 { return k.Empty/x + k.Entry*(1+x/4+t.orderedStops(x)) + k.Fixed }
	low, high := 1e-3, 1e3
	for high/low > 1+1e-9 { // a golden section of the logarithm
		ratio := math.Pow(high/low, (3-math.Sqrt(5))/2)
		if a, b := low*ratio, high/ratio; cost(a) < cost(b) {
			high = b
		} else {
			low = a
		}
	}
	return low, cost(low)
}

// judgeCharged checks the answer for stops that are charged.
func (r *runner) judgeCharged(f *reproduce.Finding, points []widthPoint) {
	x, least := r.chargedBest(unit)
	best, worst := points[0], 0.0
	answer := f.For(reproduce.Answer)
	for _, p := range points {
		if p.cost.Mean < best.cost.Mean {
			best = p
		}
		x := 1000 * p.width
		rest := p.low - (1/x + 2 + x/4 + stopsOf(x)) // what 1/N and F(δ) change
		worst = max(worst, p.cost.Off(1/x+2+x/4+r.orderedStops(x)+rest, 0))
	}
	worstOf(answer, "how far a cost with stops charged is from what is derived, in standard errors, at most", worst,
		len(points))
	near(answer, "least cost, ordered, with stops charged", best.cost, least, best.low, best.high,
		(least-2)*halfStep+restOf(1000), "half a step of the grid, 1/(√2·N), and 4.5 standard errors")
	f.Tables = append(f.Tables, widthTable("ordered, stops charged", points))
	f.Measured += fmt.Sprintf(" If it is charged, for b = c = 1 the least of 25 widths is %.3f at %.2f·μ/N "+
		"(derived %.3f "+
		"at %.2f·μ/N).", best.cost.Mean, 1000*best.width, least, x)
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

// judgeDisciplines compares the three disciplines with what is derived. The question is about
// ordered lists; the other two are controls.
func judgeDisciplines(points [][]widthPoint, ratios []float64, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, three disciplines",
		XLabel: "width over the best for unordered lists",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true}
	var best [3]int // which width took least
	for d, line := range points {
		name, worst := static.Discipline(d).String(), 0.0
		checker := f.For(disciplineKind(d))
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
		worstOf(checker, "how far a cost is outside of what is derived, in standard errors, at most, "+name,
			worst, len(line))
		least, wide := line[best[d]].cost, line[eightfold]
		checker.Between("cost at 8 times the best width of unordered lists over the least, "+name,
			wide.cost.Mean/least.Mean, wide.low/high, wide.high/low,
			reproduce.Sigmas*math.Hypot(wide.cost.SE, wide.cost.Mean/least.Mean*least.SE)/least.Mean,
			"what is derived for both, and 4.5 standard errors")
		f.Notes = append(f.Notes, fmt.Sprintf("%s: least %.3f ± %.3f at %.2f times the best width of unordered lists; at "+
			"8 times that width, %.2f times the least.",
			name, least.Mean, least.SE, ratios[best[d]], wide.cost.Mean/least.Mean))
		f.Tables = append(f.Tables, widthTable(name, line))
		chart.Series = append(chart.Series, series)
	}
	for d, want := range []float64{t.least, t.orderedLeast(unit)} {
		p := points[d][best[d]]
		near(f.For(disciplineKind(d)), "least cost, "+static.Discipline(d).String(), p.cost, want, p.low, p.high,
			(want-2)*halfStep+restOf(1000),
			"the distance between what is derived, half a step of the grid, 1/(√2·N), and 4.5 standard errors")
	}
	f.Chart("ordered-lists", chart)
	return f
}

// disciplineKind is the kind of checks about a discipline.
func disciplineKind(d int) reproduce.Kind {
	if static.Discipline(d) == static.Ordered {
		return reproduce.Answer
	}
	return reproduce.Control
}
