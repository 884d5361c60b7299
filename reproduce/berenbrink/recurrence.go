package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// recurrence is that CAPPED comes back from anywhere.
//
// The paper takes it from [10], which is about GREEDY. It follows directly: let V be all balls, in
// the pool and in the bins, and m those in the pool. Of n bins at least those delete a ball that
// are asked, n(1−(1−1/n)^(m+λn)) on average, so that V changes by at most n((1−1/n)^(m+λn) −
// (1−λ)). For m above m₀ = ln(2/(1−λ))·n that is below −(1−λ)n/2. So by Foster's criterion the
// states with a pool of at most m₀, which are finitely many, are positive recurrent, and from V
// balls it takes at most V/((1−λ)n/2) rounds on average to get there.
//
// That the long run is the same from everywhere is seen by coupling: of two processes with the same
// choices the one that has more never has less (Lemma 6), and when they have the same number of
// balls they are the same for ever.
func recurrence(r *runner) reproduce.Finding {
	seeds, pool := r.rounds(5, 1), 30
	if r.scale < 1 {
		pool = 10
	}
	var all []returns
	for _, i := range []int{2, 5} {
		for _, c := range []int{1, 2, 3, 5} {
			for _, start := range [][2]int{{0, 1}, {pool, 0}, {pool, 1}} {
				all = append(all, returns{c: c, i: i, pool: start[0], full: start[1] == 1})
			}
		}
	}
	r.Runs(len(all) * seeds)
	var drawn []plot.Series
	for k := range all {
		for s := range seeds {
			line := r.comeBack(&all[k], uint64(s))
			if s == 0 && all[k].c == 2 && all[k].i == 5 {
				drawn = append(drawn, line...)
			}
		}
	}
	var f reproduce.Finding
	exact := reproduce.Table{Name: "mean rounds until the pool of CAPPED(1, λ) is at most m₀, 16 bins, exact",
		Columns: []string{"i of λ = 1−2⁻ⁱ", "m₀",
			"pool at the start", "rounds", "Foster's bound", "pool over (1−λ)n"}}
	most, least := math.Inf(-1), math.Inf(1)
	for _, i := range []int{1, 2, 3, 4} {
		lambda := halved(i)
		low := int(lowPool(returnExact, lambda))
		times := returnTimes(returnExact, r.theory.arrivals(returnExact, lambda), low, 16*returnExact)
		for k, t := range times {
			m := low + 1 + k
			bound := 2 * float64(m) / ((1 - lambda) * returnExact)
			most, least = max(most, t/bound), min(least, t/bound)
			if m%64 == 0 || k == 0 {
				exact.Rows = append(exact.Rows, []float64{float64(i), float64(low), float64(m), t, bound, bound / 2})
			}
		}
	}
	f.Tables = append(f.Tables, exact)
	f.Between("exact mean time of return over Foster's bound, at most, 16 bins, c = 1", most, 0, 1, 0,
		"positive recurrence: it is finite, and below the bound")
	f.Between("exact mean time of return over Foster's bound, at least, 16 bins, c = 1", least, 0, 1, 0, "a time")
	table := reproduce.Table{Name: "rounds until CAPPED comes back, and until it is as if it had begun empty, 256 bins",
		Columns: []string{"c", "i of λ = 1−2⁻ⁱ",
			"pool at the start, per bin", "bins full (1) or empty (0)", "runs", "until the pool is at most m₀, mean",
			"Foster's bound", "until they meet, mean"}}
	late, runs, over, slowest := 0, 0, 0.0, 0.0
	for _, x := range all {
		n := float64(x.runs)
		table.Rows = append(table.Rows, []float64{float64(x.c), float64(x.i), float64(x.pool),
			map[bool]float64{true: 1}[x.full], n, x.back / n, x.bound, x.met / n})
		late += x.late
		runs += x.runs
		over = max(over, x.back/n/x.bound)
		slowest = max(slowest, x.met/n)
	}
	f.Tables = append(f.Tables, table)
	f.Check(fmt.Sprintf("runs of %d that have not come back or not met the one that began empty", runs), float64(late), 0,
		0,
		"after V/((1−λ)n) rounds and ln V + 10 relaxation times, when a share of e^(−10) would be expected to differ")
	f.Between("mean time of return over Foster's bound, at most, 256 bins, c = 1, 2, 3, 5", over, 0, 1, 0,
		"V/((1−λ)n/2) for V balls")
	f.Measured = fmt.Sprintf("From a pool of up to 16 balls a bin the exact mean time of return is at most %.2f of "+
		"Foster's bound (16 bins, c = 1); with 256 bins and "+
		"c = 1 … 5 all %d runs, from pools of %dn and full bins, came back within %.2f of it, and met the process that "+
		"began empty after at most %.0f rounds.",
		most, runs-late, all[len(all)-1].pool, over, slowest)
	f.Chart("returns", plot.Chart{Title: "Balls from several starts, same choices, c = 2, λ = " + halvedName(5),
		XLabel: "round", YLabel: "balls per bin",
		FromZero: true, LegendBeside: true, Series: drawn})
	return f
}

const (
	returnBins  = 256 // that are simulated
	returnExact = 16  // that are computed
)

// returns is how long it took to come back from a start.
type returns struct {
	c, i       int
	pool       int  // at the start, per bin
	full       bool // the bins
	runs, late int  // late: have not come back, or not met
	back, met  float64
	bound      float64 // Foster's
}

// lowPool is m₀.
func lowPool(n int, lambda float64) float64 { return math.Log(2/(1-lambda)) * float64(n) }

// comeBack runs a process from a start beside one that begins empty, until they meet, or for so
// long that they should have met but for once in e¹⁰ times: the pool falls by (1−λ)n in a round
// while it is large, and then the number of balls by which they differ by a factor of e in a
// relaxation time.
func (r *runner) comeBack(x *returns, seed uint64) []plot.Series {
	lambda := halved(x.i)
	arrivals := r.theory.arrivals(returnBins, lambda)
	stream := r.Stream(seed, uint64(x.c), uint64(x.i))
	high, low := newThrown(returnBins, x.c, arrivals, stream), newThrown(returnBins, x.c, arrivals, stream)
	high.pool = x.pool * returnBins
	if x.full {
		for k := range high.loads {
			high.loads[k] = x.c
		}
	}
	balls := float64(high.balls())
	x.bound = 2 * balls / ((1 - lambda) * returnBins)
	most := int(x.bound/2 + capped.NewLimit(x.c, lambda).Relaxation()*(math.Log(balls)+10))
	name := map[bool]string{false: "empty bins", true: "full bins"}[x.full]
	if x.pool > 0 {
		name = fmt.Sprintf("pool of %d n, %s", x.pool, name)
	}
	line, empty := plot.Series{Name: name}, plot.Series{Name: "empty"}
	back := -1
	x.runs++
	for t := 0; ; t++ {
		r.Checkpoint()
		line.Add(float64(t), float64(high.balls())/returnBins)
		empty.Add(float64(t), float64(low.balls())/returnBins)
		if back < 0 && float64(high.pool) <= lowPool(returnBins, lambda) {
			back = t
		}
		if met := high.balls() == low.balls(); met && back >= 0 || t == most {
			x.late += reproduce.Above(1, map[bool]float64{true: 1}[met && back >= 0])
			x.back += float64(max(back, 0))
			x.met += float64(t)
			break
		}
		high.step()
		low.step()
	}
	r.Ran()
	if x.pool == 0 {
		return []plot.Series{line}
	}
	if x.full {
		return []plot.Series{line, empty}
	}
	return []plot.Series{line}
}

// returnTimes is the mean number of rounds from every pool of CAPPED(1, λ) to one of at most low
// balls, exactly, for so many arrivals in a round.
//
// Beyond most balls, where all bins are asked but for a share of e^(−16), a ball more takes
// 1/((1−λ)n) rounds more.
func returnTimes(n, arrivals, low, most int) []float64 {
	size := most - low // unknowns: the times from low+1, …, most
	rows := make([][]float64, size)
	occupied(n, most+arrivals, func(balls int, law []float64) bool {
		m := balls - arrivals
		if m <= low {
			return true
		}
		row := make([]float64, size+1)
		row[m-low-1], row[size] = 1, 1
		for k, p := range law {
			switch next := m + arrivals - k; {
			case next > most:
				row[size-1] -= p
				row[size] += p * float64(next-most) / float64(n-arrivals)
			case next > low:
				row[next-low-1] -= p
			}
		}
		rows[m-low-1] = row
		return true
	})
	return solve(rows)
}

// solve solves linear equations, the last column being the right side, by elimination without
// pivoting: the diagonal outweighs its row, which is that of 1 less probabilities.
func solve(rows [][]float64) []float64 {
	size := len(rows)
	for i, pivot := range rows {
		for _, row := range rows[i+1:] {
			if factor := row[i] / pivot[i]; factor != 0 {
				for k := i; k <= size; k++ {
					row[k] -= factor * pivot[k]
				}
			}
		}
	}
	x := make([]float64, size)
	for i := size - 1; i >= 0; i-- {
		x[i] = rows[i][size]
		for k := i + 1; k < size; k++ {
			x[i] -= rows[i][k] * x[k]
		}
		x[i] /= rows[i][i]
	}
	return x
}
