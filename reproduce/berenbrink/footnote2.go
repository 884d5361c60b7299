package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// footnote2 is that the theorems hold if n generators generate a ball each with probability λ.
//
// Let Y be how many generators of the Δ rounds (or phases) of the proofs do not generate a ball.
// For the pool to grow by what Lemmas 2 and 7 ask for, X − Y must be m* or more for c = 1, and
// otherwise X − Y/c must be m*/c − 2n − (c−1)n/c or more (with n for λn, as a round generates n at
// most, and the correction of capped-lemma-7-increase). X is bounded by the choices of the first m*
// balls of each round, which do not depend on Y. With E[X] ≤ ε(1−λ)Δn, where ε = e^(−2) for c = 1
// and 2^(2c−1)·e^(−3c²) otherwise,
//
//	E[z^(X−Y/c)] ≤ exp(−(1−λ)Δn·g),  g = c(1−z^(−1/c)) − ε(z−1).
//
// By Markov's inequality, summed over Δ ≥ 1, the probability is at most z^(−R)/(e^((1−λ)n·g)−1),
// where R is m* or m*/c − 2n − (c−1)n/c. That is below 2^(−2n) for n ≥ 2 and λ ≤ 1−1/n, with z = e
// for c = 1 and z = 2 otherwise. The waiting times follow from the pool, by lemmas in which no ball
// is generated.
func footnote2(r *runner) reproduce.Finding {
	const n = 1 << 10
	type point struct {
		c    int
		rate float64
	}
	var points []point
	for _, c := range []int{1, 3} {
		for _, rate := range []float64{0.75, halved(6), 1 - 1.0/n} {
			points = append(points, point{c, rate})
		}
	}
	r.Runs(len(points))
	var f reproduce.Finding
	table := reproduce.Table{Name: "n generators, 2¹⁰ bins", Columns: []string{"c", "λ", "rounds", "pool per bin",
		"SE",
		"limit of many bins", "with λn balls in every round", "SE", "largest pool per bin", "bound", "longest wait",
		"bound"}}
	poolOver, waitOver, off := 0.0, 0.0, 0.0
	for k, p := range points {
		limit := r.theory.capped(p.c, p.rate)
		plan := capped.Plan{BurnIn: 1 + int(2*min(1, r.scale)*capped.NewLimit(p.c, p.rate).Relaxation()),
			Rounds: r.rounds(20_000, 2000)}
		config := capped.Config{Bins: n, Capacity: p.c, Rate: p.rate, Warm: true}
		r.Checkpoint()
		config.Seed = r.seed(100 + k)
		exact := reproduce.Must(capped.Measure(r.Context, config, plan))
		config.Arrivals = capped.Binomial
		m := r.measure(config, plan, k)
		pool := reproduce.Estimate{Mean: m.Pool.Mean / n, SE: m.Pool.Error / n}
		poolIs, waitIs := r.theory.poolBound(n, p.c, p.rate), r.theory.waitBound(n, p.c, p.rate)
		poolOver, waitOver = max(poolOver, float64(m.PoolMax)/poolIs), max(waitOver, float64(m.WaitMax)/waitIs)
		off = max(off, pool.Off(limit.Pool, 2*restOf(limit, n)))
		table.Rows = append(table.Rows, []float64{float64(p.c), p.rate, float64(m.Rounds), pool.Mean, pool.SE, limit.Pool,
			exact.Pool.Mean / n, exact.Pool.Error / n, float64(m.PoolMax) / n, poolIs / n, float64(m.WaitMax), waitIs})
	}
	f.Between("largest pool over its bound, n generators", poolOver, 0, 1, 0, "Theorems 1 and 2")
	f.Between("longest wait over its bound, n generators", waitOver, 0, 1, 0, "Theorems 1 and 2")
	f.For(reproduce.Control).Check("pool off the limit, in standard errors, at most, n "+
		"generators", off, 0, reproduce.Sigmas,
		"4.5 standard errors from batches of rounds, beyond 2(2x+1)/n: the limit is the same, and the pool varies more than "+
			"with λn balls in every round")

	proof := reproduce.Table{Name: "bound on the probability of a pool of 2m* or more, n generators, λ = 1−1/n",
		Columns: []string{"c", "n", "its log₂ per bin", "needed"}}
	chart := plot.Chart{Title: "Bound on the probability of a pool of 2m*, n generators, λ = 1−1/n",
		XLabel: "log₂ of the number of bins", YLabel: "log₂ of the probability, per bin", LegendBeside: true}
	most := math.Inf(-1)
	for _, c := range []int{1, 2, 3, 5, 8, 16} {
		s := plot.Series{Name: fmt.Sprintf("c = %d", c)}
		for power := 1; power <= 30; power++ {
			for i := 1; i <= power; i++ {
				size := math.Ldexp(1, power)
				log := generatorBound(c, size, math.Ldexp(1, -i), r.theory.idle) / size
				most = max(most, log+2)
				if i == power {
					s.Add(float64(power), log)
					if power%5 == 0 || power == 1 {
						proof.Rows = append(proof.Rows, []float64{float64(c), size, log, -2})
					}
				}
			}
		}
		chart.Series = append(chart.Series, s)
	}
	f.Between("log₂ of the bound on the probability of a pool of 2m*, per bin, above −2, at most", max(0, most), 0, 0,
		0,
		"Lemmas 2 and 7 with n generators: 2^(−2n), for 2 to 2³⁰ bins, λ = 1/2 … 1−1/n and c = 1 … 16")
	f.Tables = append(f.Tables, table, proof)
	f.Measured = fmt.Sprintf("With n generators the largest pool is at most %.2f of the bound of the theorems, and the "+
		"longest wait at most %.2f. The proofs go through with the same m*: the probability of a pool of 2m* is below "+
		"2^(−2n), by %.2f n in the exponent or more.", poolOver, waitOver, -most)
	f.Chart("bound", chart)
	return f
}

// generatorBound is the logarithm to base 2 of the bound on the probability that the pool is 2m* or
// more, with n generators and a rate of 1−rest. idle is 1, or 0 if generators never fail to
// generate.
func generatorBound(c int, n, rest, idle float64) float64 {
	size := float64(c)
	z, few, least := math.E, math.Exp(-2), n*(-math.Log(rest)+2)
	if c > 1 {
		z, few = 2, math.Exp2(2*size-1)*math.Exp(-3*size*size)
		least = n * (leastPerBin(size, 1-rest)/size - 2 - (size-1)/size)
	}
	grows := size*idle*(1-math.Pow(z, -1/size)) - few*(z-1)
	return -least*math.Log2(z) - math.Log2(math.Expm1(rest*n*grows))
}
