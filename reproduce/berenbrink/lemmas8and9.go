package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// lemma8 is Chernoff's bound far out: with δ = R/E[X] − 1 the usual (e^δ/(1+δ)^(1+δ))^E[X] is at most (e·E[X]/R)^R, which is
// 2^(−R) if R ≥ 2e·E[X].
//
// R need not be whole, but only whole ones matter: with R from k−1 to k the left side is that of k, and the right side is least at k.
func lemma8(r *runner) reproduce.Finding {
	bound := func(k int, mean float64) (float64, bool) {
		return math.Exp2(-float64(k)), k > 0 && float64(k) >= r.theory.lemma8*mean
	}
	f := r.chernoff("Pr[X ≥ R] over 2^(−R)", "R", "E[X]", bernoullis(), bound)
	f.Notes = append(f.Notes, "The constant 2e = 5.44 is what the simple proof gives. With 2 it would not hold: a Poisson variable of mean 1 is 2 or more with a "+
		"probability of 0.264, above 2⁻².")
	f.Chart("tails", tailChart("Lemma 8: 300 trials, p = 0.01", tailCase{binomial(alike(300, 0.01)), bound}))
	return f
}

// lemma9 is Chernoff's bound near the mean, by ln(1+δ) ≥ 2δ/(2+δ).
func lemma9(r *runner) reproduce.Finding {
	bound := func(k int, mean float64) (float64, bool) {
		delta := float64(k)/mean - 1
		return math.Exp(-delta * delta * mean / (r.theory.lemma9 + delta)), mean > 0 && delta > 1e-9
	}
	trials := append(bernoullis(), alike(3000, 0.1), alike(3000, 0.5))
	f := r.chernoff("Pr[X ≥ (1+δ)μ] over its bound", "value", "mean", trials, bound)
	f.Notes = append(f.Notes, fmt.Sprintf("Lemma 4 uses it with μ = n·e^(−1/(2e)) = %.3f n and δ = 1/20, and has %.3f n, which is below 9n/10 as it should be. The sentence "+
		"after it, and after equation (3), says “fewer” where more is meant: with exponentially small probability 9n/10 bins or more get no ball.",
		math.Exp(-1/(2*math.E)), 1.05*math.Exp(-1/(2*math.E))))
	f.Chart("tails", tailChart("Lemma 9: 300 trials, p = 0.1", tailCase{binomial(alike(300, 0.1)), bound}))
	return f
}

// chernoff compares the tails of independent trials, and those of the empty bins, with a bound. The names are those of the share of
// the bound, of the value from which on a tail is, and of the mean.
func (r *runner) chernoff(share, value, mean string, all [][]float64, bound func(k int, mean float64) (float64, bool)) reproduce.Finding {
	r.Checkpoint()
	var trials, bins tailWorst
	for _, p := range all {
		trials.see(tailCase{binomial(p), bound})
	}
	for _, n := range []int{8, 16, 32, 64} {
		empties(n, 8*n, func(_ int, law []float64) { bins.see(tailCase{law, bound}) })
	}
	var f reproduce.Finding
	const because = "the lemma; both sides are exact"
	f.Between(share+", at most, independent trials", trials.share, 0, 1, 0, because)
	f.Between(share+", at most, empty bins", bins.share, 0, 1, 0, because+", and so is the law of the empty bins")
	f.Tables = append(f.Tables, reproduce.Table{Name: "where the bound is nearest",
		Columns: []string{"empty bins (1) or independent trials (0)", "cases", value, mean, "probability over its bound"},
		Rows: [][]float64{{0, float64(trials.cases), float64(trials.k), trials.mean, trials.share},
			{1, float64(bins.cases), float64(bins.k), bins.mean, bins.share}}})
	f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound for independent trials, and in %d cases %.2f for empty bins.",
		trials.cases, trials.share, bins.cases, bins.share)
	return f
}
