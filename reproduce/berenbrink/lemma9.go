package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// lemma9 is Chernoff's bound near the mean, by ln(1+δ) ≥ 2δ/(2+δ).
func lemma9(e effort) reproduce.Claim {
	return tailClaim(reproduce.Claim{
		Name: "capped-lemma-9", Place: "Lemma 9, appendix A", Found: reproduce.Holds,
		Says: "For a sum X of independent trials with mean μ, Pr[X ≥ (1+δ)μ] ≤ e^(−δ²μ/(2+δ)) for all δ > 0.",
		How: "Both sides are computed exactly for all values above the mean, for up to 300 trials whose probabilities are alike, fall from 2p to 0, or are 1/2 and 0; and for " +
			"empty bins, for which Lemma 4 uses it.",
	}, func(*runner) (reproduce.Finding, error) {
		bound := func(k int, mean float64) (float64, bool) {
			delta := float64(k)/mean - 1
			return math.Exp(-delta * delta * mean / (e.theory.lemma9 + delta)), mean > 0 && delta > 1e-9
		}
		var trials, bins tailWorst
		for _, p := range append(bernoullis(), alike(3000, 0.1), alike(3000, 0.5)) {
			trials.see(tailCase{binomial(p), bound})
		}
		for _, n := range []int{8, 16, 32, 64} {
			empties(n, 8*n, func(_ int, law []float64) { bins.see(tailCase{law, bound}) })
		}
		var f reproduce.Finding
		const because = "the lemma; both sides are exact"
		f.Between("Pr[X ≥ (1+δ)μ] over its bound, at most, independent trials", trials.share, 0, 1, 0, because)
		f.Between("Pr[X ≥ (1+δ)μ] over its bound, at most, empty bins", bins.share, 0, 1, 0, because+", and so is the law of the empty bins")
		f.Tables = append(f.Tables, reproduce.Table{Name: "where the bound is nearest", Columns: []string{"empty bins (1) or independent trials (0)", "cases", "value", "mean",
			"probability over its bound"}, Rows: [][]float64{{0, float64(trials.cases), float64(trials.k), trials.mean, trials.share},
			{1, float64(bins.cases), float64(bins.k), bins.mean, bins.share}}})
		f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound for independent trials, and in %d cases %.2f for empty bins.",
			trials.cases, trials.share, bins.cases, bins.share)
		f.Notes = append(f.Notes, fmt.Sprintf("Lemma 4 uses it with μ = n·e^(−1/(2e)) = %.3f n and δ = 1/20, and has %.3f n, which is below 9n/10 as it should be. The sentence "+
			"after it, and after equation (3), says “fewer” where more is meant: with exponentially small probability 9n/10 bins or more get no ball.",
			math.Exp(-1/(2*math.E)), 1.05*math.Exp(-1/(2*math.E))))
		f.Chart("tails", tailChart("Lemma 9: 300 trials, p = 0.1", tailCase{binomial(alike(300, 0.1)), bound}))
		return f, nil
	})
}
