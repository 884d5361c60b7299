package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// corollary31 is what L_M tends to when there are many events.
//
// The exact L_M is q₀·[N(N−1)/μ·∫₀^δ Π(s) ds + N·Π(δ)]. With δ = λμ/N, both Π(s) and Π(δ) are δ/μ·Σ[1−F(kMδ)] but for a share O(δ),
// so that L_M is that sum times q₀·λ·(λ(1−1/N) + 1), and q₀ = 1/(1+λ): the limit, with an error of O(1/N).
func corollary31(r *runner) reproduce.Finding {
	all, sizes := []jumps{exponentialJumps(), gammaJumps(20), lognormalJumps(1)}, []int{30, 100, 1000, 10_000}
	// Exact decimals, so that M is whole. A year of λr·μ = 1.2μ or more is never without an event, not even with 30 of them
	// (e^(−36)): calendar.Static jumps over empty years, which the paper's calendar goes through.
	fixed := []limitAt{{1.5, 0.8}, {0.5, 3}, {3, 0.4}}
	r.Runs(2 * len(all) * len(sizes) * len(fixed))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Events of later years in a bucket, over their limit, λ = 3, r = 0.4", XLabel: "events", YLabel: "over the limit", LogX: true, LegendBeside: true}
	sum := &limitSummary{}
	for _, j := range all {
		table := reproduce.Table{Name: j.name, Columns: []string{"lambda", "r", "events", "excess", "se", "exact", "limit"}}
		worst := 0.0
		for _, at := range fixed {
			measured := plot.Series{Name: j.name}
			exactly := plot.Series{Name: "exact", Dashed: true}
			for _, n := range sizes {
				h := hold{jumps: j, n: n, width: at.lambda / float64(n), events: max(r.events(250_000), r.events(40*n)), stream: uint64(r.Done())}
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
		worstOf(f.For(reproduce.Control), "how far L_M is from the exact one, in standard errors, at most, "+j.name, worst, len(sizes)*len(fixed))
		sum.worst = max(sum.worst, worst)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf("The exact L_M is off the limit by up to %.0f%% with 30 events and by up to %.1g with 10⁶, "+
		"%.1f times less than with 10⁵; L_M as simulated with 30 to 10 000 events is at most %.1f standard errors off the "+
		"exact one.", 100*sum.first, sum.last, sum.before/sum.last, sum.worst)
	f.Chart("corollary-3.1", chart)
	return f
}

// A limitAt is what stays fixed while N grows.
type limitAt struct{ lambda, r float64 }

// A limitSummary is how far L_M is from its limit with 30, 10⁵ and 10⁶ events, and how far what was measured is from it, at most.
type limitSummary struct{ first, before, last, worst float64 }

// judgeLimit checks that the exact L_M closes in on the limit.
func judgeLimit(f *reproduce.Finding, t formulas, j jumps, at limitAt, sum *limitSummary) {
	off := func(n int) float64 {
		m, width := bucketsFor(n, []float64{at.r})[0], at.lambda/float64(n)
		return exactExcess(n, m, j.law, width)/t.excess(n, m, j.law, width) - 1
	}
	before, last := off(100_000), off(1_000_000)
	where := fmt.Sprintf("%s, λ = %g, r = %g", j.name, at.lambda, at.r)
	f.Check("how far L_M is off the limit with 10⁶ events, as a share, "+where, last, 0, 1e-5, "exact: it falls as 1/N, and 10/N is "+
		"allowed")
	f.Check("and over that with 10⁵ events, "+where, last/before, 0.1, 0.005, "exact: it falls as 1/N; terms of higher order, and rounding")
	sum.before, sum.last = max(sum.before, math.Abs(before)), max(sum.last, math.Abs(last))
}
