package erickson

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// orderedLists is the question at the end of the paper: what of a calendar that keeps its lists in order?
//
// Of two events in a bucket, an ordered list is charged for the pair when the one scheduled last is due last: half the time. A bucket has
// x²/2 pairs and x events, so an event takes b/x + c(1 + x/4) + d. That is least at x = √(4b/c), where it is c + √(bc) + d: at
// b = c = d = 1, 3 at a width of 2μ/N. An unordered list is charged for every pair.
//
// Sorting k events takes log₂ k! comparisons at least, on average, and the merge sort here k·log₂ k at most.
func orderedLists(e effort) reproduce.Claim {
	const name = "ordered-lists"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "section 4", Found: reproduce.Holds,
		Says: "It would be interesting to analyse the calendar with ordered lists. (The analysis compared with here is ours.)",
		How: "The hold model on calendar.Static under the three disciplines, 1000 events, exponential jumps, unlimited buckets, widths from an eighth " +
			"of the best for unordered lists to 32 times that. For ordered lists an entry is one that a new event is put behind, or a bucket's first; " +
			"for just-in-time sorting it is a comparison, or a bucket's first.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			ratios := logarithmic(0.125, 32, 25) // steps of a third of an octave
			r := newRunner(ctx, o, name, 3*len(ratios))
			points := make([][]widthPoint, 3)
			for d := range points {
				for i, ratio := range ratios {
					h := hold{jumps: exponentialJumps(), n: 1000, width: ratio * e.width(1000, 1), discipline: calendar.Discipline(d),
						events: e.events(o, 400_000), stream: uint64(i)}
					p, err := r.widthPoint(h, e.formulas)
					if err != nil {
						return reproduce.Finding{}, err
					}
					if h.discipline != calendar.Unordered {
						p.low, p.high = disciplineBounds(h)
						p.about = (p.low + p.high) / 2
					}
					points[d] = append(points[d], p)
				}
			}
			return judgeDisciplines(points, ratios, e.formulas), nil
		},
	}
}

// disciplineBounds encloses the cost with ordered lists and with sorted ones. Like section A.5 it leaves open a share of F(δ), by which an event
// may come back into the bucket it left, twice.
func disciplineBounds(h hold) (low, high float64) {
	x := float64(h.n) * h.width
	again := 2 * h.jumps.law.CDF(h.width)
	if h.discipline == calendar.Ordered {
		low, high = x/4, x/4
	} else {
		count := distuv.Poisson{Lambda: x}
		for k := 2.0; k < x+20*math.Sqrt(x)+20; k++ {
			factorial, _ := math.Lgamma(k + 1)
			low += count.Prob(k) * factorial / math.Ln2 / x
			high += count.Prob(k) * k * math.Log2(k) / x
		}
	}
	return (1/x + 2 + low) * (1 - again), (1/x + 2 + high) * (1 + again)
}

// eightfold is which of the widths is 8 times the best for unordered lists.
const eightfold = 18

// halfStep is the share by which 1/x and x together are more than their least, half a step of the grid away: cosh(log 2/6) − 1.
const halfStep = 0.00669

func judgeDisciplines(points [][]widthPoint, ratios []float64, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Width against time per event, 1000 events, three disciplines", XLabel: "width over the best for unordered lists",
		YLabel: "time per event", LogX: true, LogY: true, LegendBeside: true}
	var best [3]int // which width took least
	for d, line := range points {
		name, worst := calendar.Discipline(d).String(), 0.0
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
		f.Check("how far a cost is outside of what is derived, in standard errors, at most, "+name, worst, 0, reproduce.Sigmas, "the bounds are derived: 4.5 standard errors")
		least, wide := line[best[d]].cost, line[eightfold]
		f.Between("cost at 8 times the best width of unordered lists over the least, "+name, wide.cost.Mean/least.Mean, wide.low/high, wide.high/low,
			reproduce.Sigmas*math.Hypot(wide.cost.SE, wide.cost.Mean/least.Mean*least.SE)/least.Mean, "what is derived for both, and 4.5 standard errors")
		f.Notes = append(f.Notes, fmt.Sprintf("%s: least %.3f ± %.3f at %.2f times the best width of unordered lists; at 8 times that width, %.2f times the least.",
			name, least.Mean, least.SE, ratios[best[d]], wide.cost.Mean/least.Mean))
		f.Tables = append(f.Tables, widthTable(name, line))
		chart.Series = append(chart.Series, series)
	}
	for d, want := range []float64{t.least, 3} {
		p := points[d][best[d]]
		near(&f, "least cost, "+calendar.Discipline(d).String(), p.cost, want, p.low, p.high, (want-2)*halfStep+restOf(1000),
			"the distance between what is derived, half a step of the grid, 1/(√2·N), and 4.5 standard errors")
	}
	f.Between("best width of ordered lists over that of unordered ones", ratios[best[calendar.Ordered]], math.Sqrt2/1.26, math.Sqrt2*1.26, 0.01,
		"√2 is derived; a step of the grid, since the curve is flat")
	f.Chart("ordered-lists", chart)
	return f
}
