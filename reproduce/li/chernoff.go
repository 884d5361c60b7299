package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// For t > 0 Markov's inequality and independence give Pr(X ≥ x) ≤ exp(μ·(e^t − 1) − t·x), since
// E(e^(tX_i)) ≤ 1 + E(X_i)·(e^t − 1) for X_i in [0, 1]. As e^t − 1 > 0, μ may be replaced by any μ'
// ≥ μ. With x = (1+δ)μ' and t = ln(1+δ) the exponent is μ'·(δ − (1+δ)·ln(1+δ)), which is at most
// −μ'·δ²/3 for δ ≤ 1. The other side is the same with t = ln(1−δ) < 0, where μ may be replaced by
// any μ' ≤ μ, and δ + (1−δ)·ln(1−δ) ≥ δ²/2.

func theorem12(r *runner) reproduce.Finding {
	sums := chernoffSums()
	r.Runs(len(sums))
	var f reproduce.Finding
	table := reproduce.Table{Name: "tails of sums over the bounds of Theorem 1.2", Columns: []string{"n", "mean",
		"δ", "μ'/μ above", "probability", "over the bound", "μ'/μ below", "probability", "over the bound"}}
	above, below := plot.Series{Name: "(1+δ)μ or more"}, plot.Series{Name: "(1−δ)μ or less"}
	many, few, off, beyond := 0.0, 0.0, 0.0, 0.0
	for i, s := range sums {
		r.Checkpoint()
		mass := sumMass(s)
		mean := 0.0
		for _, q := range s {
			mean += q
		}
		if s[0] == s[len(s)-1] { // all alike
			k := int(mean * 0.8)
			want := binomialTail(len(s), s[0], k)
			off = max(off, math.Abs(tailUpTo(mass, float64(k))-want)/want)
		}
		for delta := 0.1; delta < 1.05; delta += 0.1 {
			delta := min(delta, 1)
			for _, factor := range []float64{1, 1.5, 2} {
				up, down := mean*factor, mean/factor
				more, less := tailFrom(mass, (1+delta)*up), tailUpTo(mass, (1-delta)*down)
				overMore, overLess := more/r.theory.above(up, delta), less/r.theory.below(down, delta)
				many, few = max(many, overMore), max(few, overLess)
				table.Rows = append(table.Rows, []float64{float64(len(s)), mean, delta, factor, more, overMore, 1 / factor,
					less,
					overLess})
				if i == chernoffShown && factor == 1 {
					above.Add(delta, overMore)
					below.Add(delta, overLess)
				}
			}
		}
		if i == chernoffShown {
			for delta := 1.05; delta < 4 && beyond == 0; delta += 0.05 {
				if tailFrom(mass, (1+delta)*mean) > r.theory.above(mean, delta) {
					beyond = delta
				}
			}
		}
		r.Ran()
	}
	f.Measured = fmt.Sprintf("Of %d tails of sums with n up to 1024, δ from 0.1 to 1 and μ' from μ/2 to 2μ none is "+
		"above its "+
		"bound; the largest is %.2f of it above the mean and %.2f below.", 2*len(table.Rows), many, few)
	f.Between("probability of (1+δ)μ' or more over exp(−μ'·δ²/3), at most", many, 0, 1, 0, "a bound: no tolerance")
	f.Between("probability of (1−δ)μ' or less over exp(−μ'·δ²/2), at most", few, 0, 1, 0,
		"a bound: no tolerance")
	f.For(reproduce.Control).Check("tail by convolution off the binomial one, relatively, at most", off, 0, 1e-9,
		"two ways to compute it, and rounding")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes, fmt.Sprintf("δ ≤ 1 is needed: with n = %d and a mean of %.0f the first bound does not "+
		"hold for "+
		"δ = %.2f. Lemma 4.1, which needs any bounded α, uses the second one with δ = α/(1+α).",
		len(sums[chernoffShown]),
		table.Rows[len(table.Rows)/len(sums)*chernoffShown][1], beyond))
	f.Chart("tails", plot.Chart{Title: "Tails over the bounds of Theorem 1.2, n = 1024, mean 4", XLabel: "δ",
		YLabel: "probability over bound", FromZero: true, LegendBeside: true, Series: []plot.Series{above, below}})
	return f
}

// chernoffShown is the sum that is drawn.
const chernoffShown = 8

// chernoffSums are the probabilities of the terms of each sum, which are 0 or 1: the others that
// are in [0, 1] and have the same means have smaller moments E(e^(tX)), by convexity.
func chernoffSums() [][]float64 {
	var all [][]float64
	for _, q := range []float64{1.0 / 2, 1.0 / 16, 1.0 / 256} {
		for _, n := range []int{16, 128, 1024} {
			s := make([]float64, n)
			for i := range s {
				s[i] = q
			}
			all = append(all, s)
		}
	}
	for _, n := range []int{16, 128, 1024} {
		s := make([]float64, n)
		for i := range s {
			s[i] = float64(i+1) / float64(n+1) // all different
		}
		all = append(all, s)
	}
	return all
}

// sumMass is the probability of each value of a sum of independent terms, which are 1 with the
// given probabilities and 0 otherwise.
func sumMass(s []float64) []float64 {
	mass := make([]float64, len(s)+1)
	mass[0] = 1
	for i, q := range s {
		for k := i + 1; k > 0; k-- {
			mass[k] = mass[k]*(1-q) + mass[k-1]*q
		}
		mass[0] *= 1 - q
	}
	return mass
}

// tailFrom is the probability of x or more, and tailUpTo that of x or less. What is whole but for
// rounding is whole.
func tailFrom(mass []float64, x float64) float64 {
	sum := 0.0
	for k := len(mass) - 1; k >= 0 && float64(k) >= x-1e-9; k-- {
		sum += mass[k]
	}
	return sum
}

func tailUpTo(mass []float64, x float64) float64 {
	sum := 0.0
	for k := 0; k < len(mass) && float64(k) <= x+1e-9; k++ {
		sum += mass[k]
	}
	return sum
}
