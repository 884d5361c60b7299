package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// equations34 is equations (3) and (4), of the proofs of Lemmas 3 and 4, and the sentences after
// them. The number X of bins that get no ball has a law that is computed. The equations say that X
// ≥ n/e, and X ≥ 9n/10, have exponentially small probabilities; the sentences say “fewer”, which is
// X < n/e.
func equations34(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "bins without a ball", Columns: []string{"equation", "n", "balls", "as many or more " +
		"than",
		"probability of that", "its bound", "probability of fewer"}}
	share, fewer := 0.0, 0.0
	series := [2]plot.Series{{Name: "equation (3)"}, {Name: "equation (4)"}}
	bounds := [2]plot.Series{{Name: "… bound", Same: true, Dashed: true}, {Name: "… bound", Same: true, Dashed: true}}
	for _, n := range []int{16, 32, 64, 128, 256} {
		size := float64(n)
		// As few balls as the proofs have, with which the probabilities are largest.
		for k, balls := range []int{2*n + 1, int(size/(2*math.E)) + 1} {
			limit, mean := size/math.E, size*math.Pow(1-1/size, float64(balls))
			lambda := size/math.E - size/(math.E*math.E)
			bound := math.Exp(-lambda * lambda * (size - 0.5) / (size*size - mean*mean))
			if k == 1 {
				limit = 0.9 * size
				bound = math.Exp(-size * math.Exp(-1/(2*math.E)) / 400 / 2.05) // δ = 1/20
			}
			few, many := 0.0, 0.0
			empties(n, balls, func(m int, law []float64) {
				if few, many = 0, 0; m == balls {
					for x, p := range law {
						if float64(x) < limit {
							few += p
						} else {
							many += p
						}
					}
				}
			})
			table.Rows = append(table.Rows, []float64{float64(3 + k), size, float64(balls), limit, many, bound, few})
			said := few
			if !r.theory.fewer {
				said = many
			}
			share, fewer = max(share, many/bound), max(fewer, said/bound)
			if many > 1e-300 {
				series[k].Add(size, many)
				bounds[k].Add(size, bound)
			}
		}
	}
	f.Check("probability of the sentences' events over the bound, at most, above 1", max(0, fewer-1), 0, 0,
		"“with only exponentially small probability fewer than n/e bins do not receive a ball”, and 9n/10")
	f.For(reproduce.Corrected).Between("probability of as many bins or more over its bound, at most", share, 0, 1, 0,
		"equations (3) and (4); the law is exact")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("With 16 to 256 bins the probabilities of equations (3) and (4) are at most %.2g of their "+
		"bounds. “Fewer”, as the sentences say, has a probability of up to %.4g.", share,
		table.Rows[len(table.Rows)-2][6])
	f.Chart("probabilities", plot.Chart{Title: "Probabilities of equations (3) and " +
		"(4)", XLabel: "bins", YLabel: "probability",
		LogY: true, LegendBeside: true, Series: []plot.Series{series[0], bounds[0], series[1], bounds[1]}})
	return f
}

// lemma5Sketch is the proof sketch of Lemma 5. With β₀ = n/(2e) and β_{i+1} = eβᵢ²/n the induction
// has βᵢ = n/(e·2^(2^i)). A round leaves more than β_{i+1} of βᵢ balls with at most the probability
// that B(βᵢ, βᵢ/n) is above β_{i+1}, which is e times its mean; by Chernoff's bound that is
// e^(−βᵢ²/n), and n^(−4) as long as βᵢ²/n > 4·ln n. So i* must be the first i with βᵢ²/n² ≤
// 4·ln(n)/n. The sketch has βᵢ²/n for βᵢ²/n², and so an i* that is larger by about one: in its last
// step less than a ball is expected to be left, and that one is has a probability of about βᵢ²/n,
// far above n^(−2).
//
// That the lemma is right is seen by computing the law of the survivors exactly.
func lemma5Sketch(r *runner) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps of the induction", Columns: []string{"log₂n", "i*, as printed",
		"log₂ of the probability that a step fails", "i*, with n²", "log₂ of the probability", "needed"}}
	printed, corrected := math.Inf(-1), math.Inf(-1)
	as, with, need := plot.Series{Name: "as printed"}, plot.Series{Name: "with n²"},
		plot.Series{Name: "n⁻²", Dashed: true}
	for k := 8; k <= 30; k++ {
		r.Checkpoint()
		n := math.Ldexp(1, k)
		steps, fails := induction(n, r.theory.lemma5Until(n))
		stepsOwn, failsOwn := induction(n, 4*n*math.Log(n))
		needed := -2 * float64(k)
		table.Rows = append(table.Rows, []float64{float64(k), float64(steps), fails, float64(stepsOwn), failsOwn, needed})
		printed, corrected = max(printed, fails-needed), max(corrected, failsOwn-needed)
		as.Add(float64(k), fails)
		with.Add(float64(k), failsOwn)
		need.Add(float64(k), needed)
	}
	f.Check("log₂ of the probability that a step fails, above that of n⁻², at most, i* as printed", max(0, printed),
		0, 0,
		"the union bound gives the lemma's 1−n⁻², for 2⁸ to 2³⁰ bins")
	f.For(reproduce.Corrected).Check(
		"log₂ of the probability that a step fails, above that of n⁻², at most, with n²",
		max(0, corrected), 0, 0, "the union bound gives the lemma's 1−n⁻², for 2⁸ to 2³⁰ bins")
	exact := reproduce.Table{Name: "rounds until none of n/(2e) survivors is left, exactly", Columns: []string{"log₂n",
		"rounds with probability 1−n⁻²", "beyond log₂log₂n"}}
	powers := []int{4, 6, 8, 10, 11}
	if r.scale < 1 {
		powers = powers[:4]
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range powers {
		r.Checkpoint()
		rounds := lastRounds(1<<k, math.Ldexp(1, -2*k))
		beyond := float64(rounds) - math.Log2(float64(k))
		exact.Rows = append(exact.Rows, []float64{float64(k), float64(rounds), beyond})
		low, high = min(low, beyond), max(high, beyond)
	}
	f.For(reproduce.Corrected).AtMost(fmt.Sprintf("growth of the rounds with probability 1−n⁻² beyond "+
		"log₂log₂n, from "+
		"2⁴ to "+
		"2%s bins", reproduce.Superscript(powers[len(powers)-1])), high-low,
		reproduce.Chosen("capped: growth of an O(1), rounds"))
	f.Tables = append(f.Tables, table, exact)
	f.Measured = fmt.Sprintf("With i* as printed a step fails with a probability of up to 2^%.1f times n⁻²; with "+
		"n² for "+
		"n it "+
		"is below n⁻² by 2^%.1f or more. Exactly, no survivor is left after log₂log₂n and %.1f to %.1f rounds with "+
		"probability 1−n⁻².", printed, -corrected, low, high)
	f.Chart("steps", plot.Chart{Title: "Probability that a step of the induction of Lemma 5 fails",
		XLabel: "log₂ of the number of bins", YLabel: "log₂ of the probability", LegendBeside: true,
		Series: []plot.Series{as, with, need}})
	return f
}

// induction returns how many steps it takes from β₀ until βᵢ² is at most until, and log₂ of the sum
// of the probabilities that B(βᵢ, βᵢ/n) is above β_{i+1}.
func induction(n, until float64) (steps int, log float64) {
	beta, sum := n/(2*math.E), 0.0
	for ; beta*beta > until; steps++ {
		next := math.E * beta * beta / n
		sum += binomialAbove(math.Floor(beta), beta/n, next)
		beta = next
	}
	return steps, math.Log2(max(sum, math.SmallestNonzeroFloat64))
}

// binomialAbove is the probability that B(n, p) is above x, for x at or above its mean.
func binomialAbove(n, p, x float64) float64 {
	k := math.Floor(x) + 1
	if k > n {
		return 0
	}
	lg := func(v float64) float64 { l, _ := math.Lgamma(v + 1); return l }
	term := math.Exp(lg(n) - lg(k) - lg(n-k) + k*math.Log(p) + (n-k)*math.Log1p(-p))
	sum := 0.0
	for ; k <= n && term > sum*1e-16; k++ {
		sum += term
		term *= (n - k) / (k + 1) * p / (1 - p)
	}
	return sum
}

// lastRounds is the least number of rounds after which of ⌊n/(2e)⌋ survivors none is left, but for
// a probability, exactly: of m survivors as many are left as there are more than bins that get one.
func lastRounds(n int, but float64) int {
	most := int(float64(n) / (2 * math.E))
	laws := make([][]float64, most+1)
	occupied(n, most, func(m int, law []float64) bool {
		laws[m] = append([]float64(nil), law...)
		return true
	})
	left, next := make([]float64, most+1), make([]float64, most+1)
	left[most] = 1
	for rounds := 0; ; rounds++ {
		some := 0.0
		for _, p := range left[1:] {
			some += p
		}
		if some <= but {
			return rounds
		}
		clear(next)
		next[0] = left[0]
		for m := 1; m <= most; m++ {
			for k := 1; k <= m; k++ {
				next[m-k] += left[m] * laws[m][k]
			}
		}
		left, next = next, left
	}
}
