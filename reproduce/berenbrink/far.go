package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A farLimit is the limit of CAPPED(c, 1−1/n) for numbers of bins n of which only the logarithm is
// a number. It is found by the requests x of a bin and not by λ, which would be 1: a bin is idle
// with probability 1/n = π₀e^(−x), where π is the law of its loads at that x.
type farLimit struct {
	log      float64 // ln n
	requests float64
	loads    []float64
}

func newFarLimit(c int, log float64) farLimit {
	low, high := 0.0, log
	for range 100 {
		x := (low + high) / 2
		if _, sum := loadsAt(c, x); x+math.Log(sum) < log { // and so not if it is no number
			low = x
		} else {
			high = x
		}
	}
	loads, sum := loadsAt(c, low)
	for i := range loads {
		loads[i] /= sum
	}
	return farLimit{log: log, requests: low, loads: loads}
}

// loadsAt is the law of the loads of CAPPED(c, ·) if a bin is asked x times in a round on average,
// up to a factor, and the sum of it: what leaves loads up to i comes back from i+1, so that
// π_{i+1}·P(N=0) = Σ_{j≤i} π_j·P(N ≥ i−j+2).
func loadsAt(c int, x float64) (loads []float64, sum float64) {
	law := poisson(x, 10_000)
	from := tails(law)
	loads = make([]float64, c)
	loads[0], sum = 1, 1
	for i := range c - 1 {
		for j := max(0, i+3-len(from)); j <= i; j++ {
			loads[i+1] += loads[j] * from[i-j+2] / law[0]
		}
		sum += loads[i+1]
	}
	return loads, sum
}

// left is how many balls per bin are left of y that ask first: E[(L+N−c)⁺].
func (l *farLimit) left(y float64) float64 {
	from := tails(poisson(y, 10_000))
	left := 0.0
	for load, share := range l.loads {
		for j := len(l.loads) - load + 1; j < len(from); j++ {
			left += share * from[j]
		}
	}
	return left
}

// pool is the balls in the pool after a round, per bin, and wait the mean wait, by Little's law.
func (l *farLimit) pool() float64 { return l.left(l.requests) }

func (l *farLimit) wait() float64 {
	sum := l.pool()
	for load, share := range l.loads {
		sum += float64(load) * share
	}
	return sum
}

// pooled is the mean of the longest time that balls of a round are in the pool.
func (l *farLimit) pooled() float64 {
	longest := 0.0
	for y := l.left(l.requests); ; y = l.left(y) {
		balls := y * math.Exp(l.log)
		if balls < 1e-20 {
			return longest
		}
		longest -= math.Expm1(-balls)
	}
}

// pooled is that of CAPPED(c, 1−1/n) with e^log bins.
func pooled(c int, log float64) float64 {
	l := newFarLimit(c, log)
	return l.pooled()
}

// factorC is what a larger capacity does for λ near 1.
//
// With L = ln(1/(1−λ)) the limit has a pool of L/c − 1 a bin for large L, and c−1 balls in a bin,
// so that a ball waits for L/c + c − 2 rounds. So both fall by a factor that goes to c, and is off
// it by a share below c²/L. That is what “large values of λ and c not too large” must mean.
func factorC(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "by what pool and mean wait fall, by the limit", Columns: []string{"ln(1/(1−λ))",
		"c", "pool per bin", "with c = 1", "factor",
		"over c", "mean wait", "with c = 1", "factor", "over c"}}
	chart := plot.Chart{Title: "Factor by which pool and mean wait fall, over c", XLabel: "ln(1/(1−λ))",
		YLabel: "factor over c", LogX: true, LegendBeside: true}
	near := ""
	for c := 2; c <= 4; c++ {
		pools, waits := plot.Series{Name: fmt.Sprintf("c = %d, pool", c)},
			plot.Series{Name: fmt.Sprintf("c = %d, mean wait", c), Same: true, Triangles: true}
		var pool, wait float64
		for _, log := range []float64{10 * math.Ln2, 13 * math.Ln2, 20 * math.Ln2, 30 * math.Ln2, 52 * math.Ln2, 80, 150, 300,
			600} {
			one, more := newFarLimit(1, log), newFarLimit(c, log)
			pool, wait = one.pool()/more.pool(), one.wait()/more.wait()
			size := float64(c)
			table.Rows = append(table.Rows, []float64{log, size, more.pool(), one.pool(), pool, pool / size, more.wait(),
				one.wait(), wait, wait / size})
			pools.Add(log, pool/size)
			waits.Add(log, wait/size)
			if c == 3 && log == 13*math.Ln2 {
				near = fmt.Sprintf("%.2f and %.2f", pool, wait)
			}
		}
		want := r.theory.factor(float64(c))
		unit := float64(c*c) / 600
		printed := f.For(reproduce.Printed)
		printed.AtMost(fmt.Sprintf("share by which the factor of the pool is off c, over c²/ln(1/(1−λ)), c = %d, "+
			"λ = 1−e^(−600)", c), math.Abs(pool/want-1)/unit, reproduce.Chosen("capped: essentially c"))
		printed.AtMost(fmt.Sprintf("share by which the factor of the mean wait is off c, over c²/ln(1/(1−λ)), c = %d, "+
			"λ = 1−e^(−600)", c), math.Abs(wait/want-1)/unit, reproduce.Chosen("capped: essentially c"))
		if c == 3 {
			f.Measured = fmt.Sprintf("With c = 3 for c = 1 pool and mean wait fall by factors of %s at λ = 1−2⁻¹³, "+
				"and of %.2f and %.2f at λ = 1−e^(−600): both go to 3.", near, pool, wait)
		}
		chart.Series = append(chart.Series, pools, waits)
	}
	f.Tables = append(f.Tables, table)
	f.Chart("factors", chart)
	return f
}

// rootLog is what small buffers do at the largest rate of the theorems, λ = 1−1/n.
//
// With capacity c the pool is about ln(n)/c per bin, and about one ball per bin gets a place in a
// round; so a ball waits for about ln(n)/c rounds in the pool, log₂log₂n for the last ones, and at
// most c−1 in a bin. That is least at c = √ln n, where it is 2√ln n + log₂log₂n, and at c = 1 it is
// ln n. The square root needs a capacity that grows with n: section I-B, which has O(log n) at λ =
// 1−1/n, is about a constant one.
func rootLog(r *runner) reproduce.Finding {
	powers := []int{8, 10, 12, 14}
	switch {
	case r.Options.Full:
		powers = append(powers, 16, 18)
	case r.scale < 1:
		powers = powers[:2]
	}
	r.Runs(len(powers))
	var points []rootPoint
	for _, k := range powers {
		c := r.theory.rootCapacity(float64(k) * math.Ln2)
		p := rootPoint{power: k, c: c, limit: r.theory.capped(c, halved(k))}
		tau := capped.NewLimit(c, halved(k)).Relaxation()
		m := r.measure(capped.Config{Bins: 1 << k, Capacity: c, Rate: halved(k), Warm: true},
			capped.Plan{BurnIn: 1 + int(tau), Rounds: max(1000, int(20*tau))}, k)
		p.Measured = m
		points = append(points, p)
	}
	var f reproduce.Finding
	sim := reproduce.Table{Name: "longest wait of a round, simulated, λ = 1−1/n", Columns: []string{"log₂n", "c",
		"longest, mean", "SE", "by the limit", "mean wait",
		"SE", "by the limit", "rounds"}}
	off := 0.0
	for _, p := range points {
		n := 1 << p.power
		sim.Rows = append(sim.Rows, []float64{float64(p.power), float64(p.c), p.Longest.Mean, p.Longest.Error,
			longestOf(p.limit, n), p.Wait.Mean, p.Wait.Error,
			p.limit.Wait, float64(p.Rounds)})
		off = max(off, estimateOf(p.Longest).Off(longestOf(p.limit, n), loglogRest(n)), estimateOf(p.Wait).Off(p.limit.Wait,
			restOf(p.limit, n)))
	}
	f.For(reproduce.Control).Check("longest and mean wait off the limit, in standard errors, at most", off, 0,
		reproduce.Sigmas,
		"4.5 standard errors from batches of rounds, beyond 2/√n for the longest and (2x+1)/n for the mean: the limit "+
			"is that of infinitely many bins")

	table := reproduce.Table{Name: "longest wait of a round by the limit, λ = 1−1/n",
		Columns: []string{"ln n", "√ln n", "c", "upper bound", "over √ln n", "with c = 1",
			"over √ln n", "longest, 0 beyond 2⁵²", "2√ln n + log₂log₂n"}}
	root, one, line := plot.Series{Name: "c = √ln n"}, plot.Series{Name: "c = 1"},
		plot.Series{Name: "2√ln n + log₂log₂n", Dashed: true}
	below := 0
	logs := []float64{}
	for _, k := range []float64{6, 10, 14, 20, 28, 40, 52} {
		logs = append(logs, k*math.Ln2)
	}
	for _, log := range append(logs, 64, 100, 150, 225, 300, 400, 500, rootFar) {
		c := r.theory.rootCapacity(log)
		upper, single, exact := pooled(c, log)+float64(c-1), pooled(1, log), 0.0
		bins := log / math.Ln2
		if k := int(math.Round(bins)); k <= 52 {
			exact = longestOf(r.theory.capped(c, halved(k)), 1<<k)
			below += reproduce.Above(exact, upper) + reproduce.Above(upper-float64(c-1), exact)
		}
		formula := 2*math.Sqrt(log) + math.Log2(bins)
		table.Rows = append(table.Rows, []float64{log, math.Sqrt(log), float64(c), upper, upper / math.Sqrt(log), single,
			single / math.Sqrt(log), exact, formula})
		root.Add(math.Sqrt(log), upper)
		line.Add(math.Sqrt(log), formula)
		if log <= 150 {
			one.Add(math.Sqrt(log), single)
		}
	}
	f.For(reproduce.Control).Check("numbers of bins up to 2⁵² for which the longest wait is not from the time in "+
		"the pool to c−1 rounds more", float64(below), 0, 0,
		"a ball in a bin waits for at most c−1 others")
	f.Tables = append(f.Tables, table, sim)
	c, far := r.theory.rootCapacity(rootNear), r.theory.rootCapacity(rootFar)
	near, most := pooled(c, rootNear)+float64(c-1), pooled(far, rootFar)+float64(far-1)
	grows, round := power(near, most)
	f.Check("power of ln n as which the longest wait grows from 2²⁰ to e⁶⁰⁰ bins, c = √ln n", grows,
		r.theory.rootLog, round,
		"O(√log n); one round at each end, as waits are whole")
	single, _ := power(pooled(1, rootNear), pooled(1, rootFar))
	f.For(reproduce.Control).Between("power of ln n as which the longest wait grows from 2²⁰ to e⁶⁰⁰ bins, c = 1",
		single, 0.9, 1, 0,
		"ln n + log₂log₂n: the measure tells one power from the other")
	f.Measured = fmt.Sprintf("From 2²⁰ to e⁶⁰⁰ bins the longest wait, with c = √ln n, is at most %.1f to "+
		"%.1f rounds, so that it grows as (ln n)^%.2f, or as (ln n)^%.2f with "+
		"c = 1, from %.1f to %.1f.", near, most, grows, single, pooled(1, rootNear), pooled(1, rootFar))
	f.Notes = append(f.Notes,
		"The capacity must grow with n: with any constant c the wait grows as ln(n)/c, which is the O(log n) that section "+
			"I-B has for λ = 1−1/n.",
		fmt.Sprintf("The process with infinite capacity whose O(log n) this is compared with is GREEDY[2] of [10]: by its "+
			"limit the longest wait of a round is %.1f "+
			"rounds with 2¹⁰ bins and %.1f with 2²⁰. The bound for GREEDY[1] is O(n log n) at λ = 1−1/n.",
			longestOf(r.theory.greedy(2, halved(10)), 1<<10),
			longestOf(r.theory.greedy(2, halved(20)), 1<<20)))
	f.Chart("waits", plot.Chart{Title: "Longest wait of a round at λ = 1−1/n, by the limit", XLabel: "√ln n",
		YLabel: "rounds", FromZero: true, LegendBeside: true,
		Series: []plot.Series{one, root, line}})
	return f
}

// A rootPoint is CAPPED(√ln n, 1−1/n) in the long run.
type rootPoint struct {
	power, c int
	limit    *capped.Limit
	*capped.Measured
}

// Between these numbers of bins, as their natural logarithms, the power of ln n is determined.
const rootNear, rootFar = 20 * math.Ln2, 600.0

// power is the power of ln n as which waits grow between two numbers of bins, and by how much one
// round at each end changes it.
func power(near, far float64) (power, round float64) {
	logs := math.Log(rootFar / rootNear)
	return math.Log(far/near) / logs, (1/near + 1/far) / logs
}
