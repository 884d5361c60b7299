package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// lemma8 is Chernoff's bound far out: with δ = R/E[X] − 1 the usual (e^δ/(1+δ)^(1+δ))^E[X] is at most (e·E[X]/R)^R, which is 2^(−R) if R ≥ 2e·E[X].
//
// R need not be whole, but only whole ones matter: with R from k−1 to k the left side is that of k, and the right side is least at k.
func lemma8(e effort) reproduce.Claim {
	return tailClaim(reproduce.Claim{
		Name: "capped-lemma-8", Place: "Lemma 8, appendix A", Found: reproduce.Holds,
		Says: "For a sum X of independent Bernoulli trials Pr[X ≥ R] ≤ 2^(−R) if R ≥ 2e·E[X].",
		How: "Both sides are computed exactly for all R, for up to 300 trials whose probabilities are alike, fall from 2p to 0, or are 1/2 and 0. And for the numbers of " +
			"empty bins of 8 to 64, for which Lemmas 2 and 7 use it: these are not independent, but negatively associated.",
	}, func(*runner) (reproduce.Finding, error) {
		bound := func(k int, mean float64) (float64, bool) {
			return math.Exp2(-float64(k)), k > 0 && float64(k) >= e.theory.lemma8*mean
		}
		var trials, bins tailWorst
		for _, p := range bernoullis() {
			trials.see(tailCase{binomial(p), bound})
		}
		for _, n := range []int{8, 16, 32, 64} {
			empties(n, 8*n, func(_ int, law []float64) { bins.see(tailCase{law, bound}) })
		}
		var f reproduce.Finding
		const because = "the lemma; both sides are exact"
		f.Between("Pr[X ≥ R] over 2^(−R), at most, independent trials", trials.share, 0, 1, 0, because)
		f.Between("Pr[X ≥ R] over 2^(−R), at most, empty bins", bins.share, 0, 1, 0, because+", and so is the law of the empty bins")
		f.Tables = append(f.Tables, reproduce.Table{Name: "where the bound is nearest", Columns: []string{"empty bins (1) or independent trials (0)", "cases", "R", "E[X]",
			"probability over its bound"}, Rows: [][]float64{{0, float64(trials.cases), float64(trials.k), trials.mean, trials.share},
			{1, float64(bins.cases), float64(bins.k), bins.mean, bins.share}}})
		f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound for independent trials, and in %d cases %.2f for empty bins.",
			trials.cases, trials.share, bins.cases, bins.share)
		f.Notes = append(f.Notes, "The constant 2e = 5.44 is what the simple proof gives. With 2 it would not hold: a Poisson variable of mean 1 is 2 or more with a "+
			"probability of 0.264, above 2⁻².")
		f.Chart("tails", tailChart("Lemma 8: 300 trials, p = 0.01", tailCase{binomial(alike(300, 0.01)), bound}))
		return f, nil
	})
}
