package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// negligibleSize is what n does to the results of section V.
//
// For c = 1 a bin is not asked with probability (1−1/n)^m, and that is 1−λ on average. With m = xn
// that is e^(−x) but for a share of x/(2n), and as the pool varies with a variance of n/2 at most,
// for a share of up to 1/(4n). So pool and mean wait are off their limits by about x/(2n), which is
// 3/n at λ = 1−2⁻¹⁰. The longest wait of a round is a maximum over n balls, and grows as log log n
// (capped-log-log).
//
// There are two readings: of the results that are normalized, which is the pool, and with it the
// mean wait, by Little's law; and of all results.
func negligibleSize(r *runner) reproduce.Finding {
	sizes := []int{1 << 10, 1 << 12, 1 << 15, 1 << 18, 1 << 20}
	if r.scale < 1 {
		sizes = []int{1 << 10, 1 << 15, 1 << 20}
	}
	var all []sized
	for _, c := range panelRight {
		for _, i := range []int{2, 6, 10} {
			all = append(all, sized{c: c, i: i, limit: r.theory.capped(c, halved(i)), bins: sizes})
		}
	}
	r.Runs(len(all) * len(sizes))
	for k := range all {
		for _, n := range sizes {
			tau := capped.NewLimit(all[k].c, halved(all[k].i)).Relaxation()
			plan := capped.Plan{BurnIn: 1 + int(2*tau*min(1, r.scale)), Rounds: max(r.rounds(1000, 200), int(r.scale*10*tau))}
			m := r.measure(capped.Config{Bins: n, Capacity: all[k].c, Rate: halved(all[k].i), Warm: true}, plan,
				100*k+int(math.Log2(float64(n))))
			all[k].measured = append(all[k].measured, m)
		}
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "results by the number of bins", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "n",
		"pool per bin", "SE", "limit", "mean wait", "SE",
		"limit", "longest wait of a round, mean", "SE"}}
	chart := plot.Chart{Title: "Results over those with 2¹⁵ bins", XLabel: "log₂ of the number of bins",
		YLabel: "ratio", LegendBeside: true}
	names := [3]string{"pool per bin", "mean wait", "longest wait of a round, on average"}
	var impact [3]float64 // the largest change against 2¹⁵ bins that is beyond chance, as a share
	var seen [3]float64   // and with it
	off, growth := 0.0, 0.0
	for k := range all {
		s := &all[k]
		var base [3]reproduce.Estimate
		for j, n := range s.bins {
			if n == 1<<15 {
				base = s.results(j)
			}
		}
		pool, longest := plot.Series{Name: fmt.Sprintf("c = %d, λ = %s, longest", s.c, halvedName(s.i))}, plot.Series{}
		longest, pool.Name, pool.Same, pool.Triangles = pool, "… pool", true, true
		for j, n := range s.bins {
			now := s.results(j)
			table.Rows = append(table.Rows, []float64{float64(s.c), float64(s.i), float64(n), now[0].Mean, now[0].SE,
				s.limit.Pool, now[1].Mean, now[1].SE,
				s.limit.Wait, now[2].Mean, now[2].SE})
			rest := restOf(s.limit, n)
			off = max(off, now[0].Off(s.limit.Pool, rest), now[1].Off(s.limit.Wait, rest/halved(s.i)))
			for q := range now {
				change := math.Abs(now[q].Mean - base[q].Mean)
				chance := reproduce.Sigmas * math.Hypot(now[q].SE, base[q].SE)
				seen[q] = max(seen[q], change/base[q].Mean)
				impact[q] = max(impact[q], (change-chance)/base[q].Mean)
			}
			pool.Add(math.Log2(float64(n)), now[0].Mean/base[0].Mean)
			longest.Add(math.Log2(float64(n)), now[2].Mean/base[2].Mean)
		}
		first, last := s.bins[0], s.bins[len(s.bins)-1]
		growth = max(growth, s.results(len(s.bins) - 1)[2].Mean-s.results(0)[2].Mean-math.Log2(
			math.Log2(float64(last))/math.Log2(float64(first))))
		chart.Series = append(chart.Series, longest, pool)
	}
	f.Tables = append(f.Tables, table)
	for q, name := range names {
		reading := f.For(reproduce.Printed)
		if q == 2 { // no normalized result
			reading = f.For(reproduce.OtherReading)
		}
		reading.AtMost("impact of n on the "+name+", in %, at most", max(0, 100*impact[q]), r.theory.negligible)
	}
	f.For(reproduce.Control).AtMost("growth of the longest wait from 2¹⁰ to 2²⁰ bins beyond log₂log₂n, "+
		"at most", math.Abs(growth), reproduce.Chosen("capped: growth of an O(1), rounds"))
	f.For(reproduce.Control).Check("pool and mean wait off the limit, in standard errors, at most", off, 0,
		reproduce.Sigmas, becauseLimit)
	f.Measured = fmt.Sprintf("From 2¹⁰ to 2²⁰ bins the pool per bin changes by %.1f %% at most and the mean wait "+
		"by %.1f %%, standard errors included, but the longest wait "+
		"of a round by %.0f %%, which grows as log log n.", 100*seen[0], 100*seen[1], 100*seen[2])
	f.Chart("sizes", chart)
	return f
}

// sized is a point of the figures with several numbers of bins.
type sized struct {
	c, i     int
	limit    *capped.Limit
	bins     []int
	measured []*capped.Measured
}

// results are pool per bin, mean wait and longest wait of a round with bins[k] bins.
func (s *sized) results(k int) [3]reproduce.Estimate {
	m, n := s.measured[k], float64(s.bins[k])
	return [3]reproduce.Estimate{{Mean: m.Pool.Mean / n, SE: m.Pool.Error / n}, estimateOf(m.Wait), estimateOf(m.Longest)}
}
