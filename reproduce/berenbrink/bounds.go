package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A theoremPoint is a long run, and the bounds that hold for it.
type theoremPoint struct {
	n, c               int
	rate               float64
	rounds             int
	pool, wait         float64 // the largest pool, and the longest wait
	mean               float64 // pool
	poolIs, waitIs     float64 // the bounds
	poolOver, waitOver float64 // pool and wait over these
}

// theorem is Theorem 1 for unit capacity, and Theorem 2, whose proof has 12c·n for the O(c·n), for
// others.
func theorem(r *runner, capacities ...int) reproduce.Finding {
	sizes, rounds := []int{1 << 10, r.bins}, []int{r.rounds(30_000, 2000), r.rounds(3000, 1000)}
	if sizes[0] == sizes[1] {
		sizes = sizes[:1]
	}
	total := 0
	for _, n := range sizes {
		total += len(capacities) * len(theoremRates(n))
	}
	r.Runs(total)
	var points []theoremPoint
	for k, n := range sizes {
		for _, capacity := range capacities {
			for _, rate := range theoremRates(n) {
				p := theoremPoint{n: n, c: capacity, rate: rate, rounds: rounds[k]}
				m := r.measure(capped.Config{Bins: n, Capacity: capacity, Rate: rate, Warm: true},
					capped.Plan{Rounds: p.rounds}, len(points))
				p.pool, p.wait, p.mean = float64(m.PoolMax), float64(m.WaitMax), m.Pool.Mean
				p.poolIs, p.waitIs = r.theory.poolBound(n, capacity, rate), r.theory.waitBound(n, capacity, rate)
				p.poolOver, p.waitOver = p.pool/p.poolIs, p.wait/p.waitIs
				points = append(points, p)
			}
		}
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "largest pool per bin and longest wait", Columns: []string{"n", "c", "λ", "rounds",
		"largest pool per bin",
		"mean", "bound", "share of the bound, %", "longest wait", "bound", "share of the bound, %"}}
	least, most := math.Inf(1), 0.0
	waitLeast, waitMost := math.Inf(1), 0.0
	for _, c := range capacities {
		pool, wait := 0.0, 0.0
		rounds := 0
		for _, p := range points {
			if p.c != c {
				continue
			}
			n := float64(p.n)
			table.Rows = append(table.Rows, []float64{n, float64(c), p.rate, float64(p.rounds), p.pool / n, p.mean / n,
				p.poolIs / n, 100 * p.poolOver, p.wait, p.waitIs, 100 * p.waitOver})
			pool, wait = max(pool, p.poolOver), max(wait, p.waitOver)
			least, waitLeast = min(least, p.poolOver), min(waitLeast, p.waitOver)
			rounds += p.rounds
		}
		most, waitMost = max(most, pool), max(waitMost, wait)
		f.Between(fmt.Sprintf("largest pool over its bound, c = %d, %d rounds in all", c, rounds), pool, 0, 1, 0,
			"the theorem: a pool as large as the bound has a probability of 2^(−2n) in each round")
		f.Between(fmt.Sprintf("longest wait over its bound, c = %d, %d rounds in all", c, rounds), wait, 0, 1, 0,
			"the theorem: the balls of a round wait longer with a probability of n^(−2) at most, which in so many "+
				"rounds might "+
				"happen to one or so; it does not happen")
	}
	f.Tables = append(f.Tables, table)
	all := 0
	for _, p := range points {
		all += p.rounds
	}
	f.Measured = fmt.Sprintf("In %d rounds of %d runs with up to %s bins the largest pool is at most %.2f of its "+
		"bound, and the longest wait at "+
		"most %.2f.", all, len(points), powerName(points[len(points)-1].n), most, waitMost)
	f.Notes = append(f.Notes, fmt.Sprintf("The constants are pessimistic, as the paper says: the largest pool is %.2g "+
		"to %.2g of its bound, and the longest wait %.2g to "+
		"%.2g.", least, most, waitLeast, waitMost))
	if capacities[0] == 1 {
		f.Notes = append(f.Notes, "For c = 1 the pool is about ln(1/(1−λ)) − λ per bin, so that it is less than "+
			"half of the bound, "+
			"and about half of it as λ goes to 1.")
	} else {
		main := 0.0
		for _, p := range points {
			main = max(main, p.pool/(p.poolIs-float64(12*p.c*p.n)))
		}
		f.Notes = append(f.Notes, fmt.Sprintf("The O(c·n) of the pool, 12c·n in the proof, is most of the bound. The "+
			"paper considers it “to "+
			"mainly be an artifact of our simple analysis”, and indeed the largest pool is at most %.2g of "+
			"(4/c)·ln(1/(1−λ))·n alone.", main))
	}
	f.Chart("bounds", theoremChart(capacities, points))
	return f
}

// theoremRates are the rates that are tried with n bins, without repetitions.
func theoremRates(n int) []float64 {
	rates := []float64{0.5, 0.75, halved(6), halved(10)}
	if last := 1 - 1/float64(n); last != halved(10) {
		rates = append(rates, last)
	}
	return rates
}

func theoremChart(capacities []int, points []theoremPoint) plot.Chart {
	chart := plot.Chart{Title: "Largest pool and longest wait over their bounds", XLabel: "ln(1/(1−λ))",
		YLabel: "share of the bound", FromZero: true, LegendBeside: true}
	largest := 0
	for _, p := range points {
		largest = max(largest, p.n)
	}
	for _, c := range capacities {
		pool, wait := plot.Series{Name: fmt.Sprintf("c = %d, pool", c)}, plot.Series{Name: fmt.Sprintf("c = %d, wait", c)}
		for _, p := range points {
			if p.c == c && p.n == largest {
				pool.Add(-math.Log1p(-p.rate), p.poolOver)
				wait.Add(-math.Log1p(-p.rate), p.waitOver)
			}
		}
		chart.Series = append(chart.Series, pool, wait)
	}
	return chart
}
