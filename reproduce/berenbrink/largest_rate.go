package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// largestRate is pool and wait at λ = 1−1/n, the largest rate of the theorems, with a constant
// capacity. By Theorem 1 the pool is below 2n·ln n + 4n, and by the limit it is about n·ln(n)/c −
// n.
func largestRate(r *runner) reproduce.Finding {
	powers, exactTo := []int{6, 8, 10, 12}, 6
	if r.scale < 1 {
		powers, exactTo = []int{6, 8}, 4
	}
	capacities := []int{1, 2, 4}
	r.Runs(len(powers) * len(capacities))
	var f reproduce.Finding
	sim := reproduce.Table{Name: "pool at λ = 1−1/n, simulated", Columns: []string{"c", "log₂n", "pool per bin", "SE",
		"limit of many bins", "pool over n·ln n", "largest pool over n·ln n", "bound of the theorem over n·ln n",
		"longest wait over ln n"}}
	over, off := 0.0, 0.0
	for _, c := range capacities {
		for _, k := range powers {
			n := math.Ldexp(1, k)
			log := float64(k) * math.Ln2
			tau := capped.NewLimit(c, halved(k)).Relaxation()
			m := r.measure(capped.Config{Bins: 1 << k, Capacity: c, Rate: halved(k), Warm: true},
				capped.Plan{BurnIn: 1 + int(2*tau), Rounds: max(2000, int(20*min(1, 4*r.scale)*tau))}, 100*k+c)
			limit := r.theory.capped(c, halved(k))
			pool := reproduce.Estimate{Mean: m.Pool.Mean / n, SE: m.Pool.Error / n}
			bound := r.theory.poolBound(1<<k, c, halved(k))
			over = max(over, float64(m.PoolMax)/bound)
			off = max(off, pool.Off(limit.Pool, restOf(limit, 1<<k)))
			sim.Rows = append(sim.Rows, []float64{float64(c), float64(k), pool.Mean, pool.SE, limit.Pool, pool.Mean / log,
				float64(m.PoolMax) / n / log, bound / n / log, float64(m.WaitMax) / log})
		}
	}
	exact := reproduce.Table{Name: "pool of CAPPED(1, 1−1/n), exactly", Columns: []string{"n", "pool per bin", "limit",
		"pool over n·ln n"}}
	most := 0.0
	for i := 2; i <= exactTo; i++ {
		pool := biasedPool(1<<i, i, 0)
		log := float64(i) * math.Ln2
		exact.Rows = append(exact.Rows, []float64{math.Ldexp(1, i), pool, log - halved(i), pool / log})
		most = max(most, pool/r.theory.poolLog(log))
	}
	far := reproduce.Table{Name: "pool and longest wait at λ = 1−1/n by the limit", Columns: []string{"c", "ln n",
		"pool per bin", "pool over n·ln n", "times c", "longest wait, upper bound", "over ln n"}}
	chart := plot.Chart{Title: "Pool at λ = 1−1/n over n·ln n, by the limit", XLabel: "ln n",
		YLabel: "pool over n·ln n",
		LogX:   true, FromZero: true, LegendBeside: true}
	grows, least := 0.0, math.Inf(1)
	for _, c := range capacities {
		s := plot.Series{Name: fmt.Sprintf("c = %d", c)}
		first := 0.0
		for _, log := range []float64{6 * math.Ln2, 10 * math.Ln2, 20 * math.Ln2, 30 * math.Ln2, 52 * math.Ln2, 100, 200, 400,
			rootFar} {
			l := newFarLimit(c, log)
			size, pool := float64(c), l.pool()
			wait := l.pooled() + size - 1
			far.Rows = append(far.Rows, []float64{size, log, pool, pool / log, size * pool / log, wait, wait / log})
			s.Add(log, pool/log)
			most = max(most, size*pool/r.theory.poolLog(log))
			if first == 0 {
				first = wait / log
			}
			grows = max(grows, wait/log/first)
			if log == rootFar {
				least = min(least, size*pool/log)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	f.Between("pool times c over n·ln n, at most, exact for c = 1 and by the limit to e⁶⁰⁰ bins, c = 1, 2, "+
		"4", most, 0, 1, 0,
		"O(n log n); by the limit the constant is 1/c")
	f.Between("largest pool over the bound of the theorem, simulated", over, 0, 1, 0, "2n·ln n + 4n for c = 1")
	f.Between("longest wait over ln n, over that with 2⁶ bins, at most, to e⁶⁰⁰ bins", grows, 0, 1, 0,
		"O(log n): it does not grow faster than ln n; rounding to whole rounds makes small n the largest")
	control := f.For(reproduce.Control)
	control.Check("pool off the limit, in standard errors, at most", off, 0, reproduce.Sigmas, becauseLimit)
	control.Between("pool times c over n·ln n, at least, e⁶⁰⁰ bins", least, 0.9, 1, 0,
		"the measure tells n log n from less: it tends to 1")
	f.Tables = append(f.Tables, sim, exact, far)
	f.Measured = fmt.Sprintf("At λ = 1−1/n the pool is at most %.3f of n·ln(n)/c for 4 to e⁶⁰⁰ bins and c = "+
		"1, 2, 4, and "+
		"%.3f of it or more with e⁶⁰⁰; the longest wait over ln n never exceeds that with 2⁶ bins.", most, least)
	f.Chart("pools", chart)
	return f
}
