package erickson

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// atomNearZero breaks the assumption of Theorem 2.1, that the density of the jump is bounded near 0.
//
// Where a share s of the jumps are nearly nothing, an event that is dispatched comes back at once, 1/(1−s) times on average,
// before it goes away. So a bucket dispatches x events, but at its beginning has (1−s)·x of them only, and the lists are
// shorter than the theorem has them: the cost is b/x + c(1 + (1−s)x/2) + d, which is the upper bound of section A.5.
func atomNearZero(e effort) reproduce.Claim {
	const name = "atom-near-zero"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "Theorem 2.1", Found: reproduce.DoesNotHold,
		Says: "The density of the jump must be bounded near 0. Without that, the time per event at the best width need not be near " +
			"c + √(2bc) + d, however many events there are.",
		How: "The hold model on calendar.Static with unlimited buckets: half of the jumps are a billionth of the mean, the others exponential. " +
			"Beside it exponential jumps, and gamma jumps of shape 1/2, the density of which grows without bound but slowly.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			all := []jumps{atomJumps(0.5, 1e-9), gammaJumps(0.5), exponentialJumps()}
			sizes := []int{100, 1000, 10_000}
			r := newRunner(ctx, o, name, len(all)*(len(sizes)+1))
			points := make([][]widthPoint, len(all))
			for k, j := range all {
				for i, n := range append(sizes, 1000) {
					h := hold{jumps: j, n: n, width: e.width(n, 1), events: e.events(o, 1_000_000), stream: uint64(k*(len(sizes)+1) + i)}
					if i == len(sizes) {
						h.width *= math.Sqrt2 // where half an atom has its least
					}
					p, err := r.widthPoint(h, e.formulas)
					if err != nil {
						return reproduce.Finding{}, err
					}
					points[k] = append(points[k], p)
				}
			}
			return judgeAtom(all, sizes, points, e.formulas), nil
		},
	}
}

func judgeAtom(all []jumps, sizes []int, points [][]widthPoint, t formulas) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Distance from the least time of Theorem 2.2", XLabel: "events", YLabel: "distance", LogX: true, LogY: true, LegendBeside: true}
	const x = math.Sqrt2
	for k, j := range all {
		series := plot.Series{Name: j.name}
		for i, n := range sizes {
			series.Add(float64(n), math.Abs(points[k][i].cost.Mean-t.least))
		}
		chart.Series = append(chart.Series, series)
		f.Tables = append(f.Tables, widthTable(j.name, points[k]))
	}
	for i, n := range sizes {
		atom, gamma, plain := points[0][i], points[1][i], points[2][i]
		derived := 2 + 1/x + x/4
		near(&f, fmt.Sprintf("cost with half an atom and %d events", n), atom.cost, derived, plain.low, plain.high, restOf(n),
			"1/x + 1 + x/4 + 1, derived for N → ∞: what the theorem leaves open for exponential jumps, and 4.5 standard errors")
		f.Check(fmt.Sprintf("cost with half an atom and %d events, outside of its own bounds, in standard errors", n),
			atom.cost.Outside(atom.low, atom.high), 0, reproduce.Sigmas, "(15) and (16) hold for an atom too")
		allowed := plain.high - plain.low + restOf(n) + reproduce.Sigmas*atom.cost.SE
		f.Between(fmt.Sprintf("what a bounded density allows over the distance from the least, %d events", n), allowed/math.Abs(atom.cost.Mean-t.least),
			0, 1, 0, "the theorem fails: the distance is more than the bounds for exponential jumps and 4.5 standard errors")
		f.Check(fmt.Sprintf("width of the bounds with half an atom over the least of what is between them, %d events", n),
			(atom.high-1-1/x)/(atom.low-1-1/x), 2, 4*x/float64(n), "1/(1−F(δ)), with F(δ) = 1/2 and O(1/N) from the others' jumps below δ")
		f.Check(fmt.Sprintf("cost with gamma jumps of shape 1/2 and %d events, outside of its bounds, in standard errors", n),
			gamma.cost.Outside(gamma.low, gamma.high), 0, reproduce.Sigmas, because)
	}
	best, wider := points[0][1].cost, points[0][len(sizes)].cost
	diff := best.Minus(wider)
	near(&f, "half an atom, 1000 events: what √2 times the best width saves", diff, 1/x+x/4-1, points[2][1].low, points[2][1].high, restOf(1000),
		"by the derived cost, which is least at x = 2: what the theorem leaves open for exponential jumps, and 4.5 standard errors")
	f.Notes = append(f.Notes,
		fmt.Sprintf("At the best width of Theorem 2.2 and 10 000 events, half an atom takes %.3f and not %.3f.", points[0][2].cost.Mean, t.least),
		"An atom makes lists shorter, not longer: events that come back at once have nobody in front of them. The lower cost is the upper bound of section A.5.",
		"Gamma jumps of shape 1/2 have F(δ) of order N^(−1/2), so the bounds close in on the least as slowly as that, and not as 1/N.")
	f.Chart("atom-near-zero", chart)
	return f
}
