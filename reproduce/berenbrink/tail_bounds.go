package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// Lemmas 8 to 11 are inequalities between probabilities that can be computed. Each is tried on laws
// for which both sides are known exactly, and the largest probability over its bound is what is
// measured. For small laws that is no proof, but a wrong constant is found out.

// A tailCase is a law, with the bound that a lemma has for some of its tails.
type tailCase struct {
	law   []float64
	bound func(k int, mean float64) (bound float64, applies bool) // of k or more
}

// A tailWorst is the largest share of its bound that a probability has.
type tailWorst struct {
	share float64
	k     int
	mean  float64
	cases int // tails that were compared
}

// see looks at all tails of a law. What is below 10⁻²⁰⁰ is left out: its digits may be wrong.
func (w *tailWorst) see(c tailCase) {
	mean := 0.0
	for k, p := range c.law {
		mean += float64(k) * p
	}
	for k, p := range tails(c.law) {
		bound, applies := c.bound(k, mean)
		if !applies || p < 1e-200 {
			continue
		}
		w.cases++
		if share := p / bound; share > w.share {
			w.share, w.k, w.mean = share, k, mean
		}
	}
}

// unlike is n probabilities that differ: from 2p down to 0, so that p is their mean, or as many of
// them as p allows that are 1/2.
func unlike(n int, p float64) [][]float64 {
	falling := make([]float64, n)
	for i := range falling {
		falling[i] = min(1, 2*p*(1-(float64(i)+0.5)/float64(n)))
	}
	halves := make([]float64, n)
	for i := range min(n, int(2*p*float64(n))) {
		halves[i] = 0.5
	}
	return [][]float64{falling, halves}
}

// bernoullis are the trials of Lemmas 8 and 9.
func bernoullis() [][]float64 {
	var all [][]float64
	for _, n := range []int{1, 2, 3, 5, 10, 30, 100, 300} {
		for _, p := range []float64{0.001, 0.01, 0.03, 0.1, 0.18, 0.25, 0.4, 0.5, 0.7, 0.9} {
			all = append(all, alike(n, p))
			all = append(all, unlike(n, p)...)
		}
	}
	return all
}

// tailChart draws tails of a law beside their bounds.
func tailChart(title string, c tailCase) plot.Chart {
	mean := 0.0
	for k, p := range c.law {
		mean += float64(k) * p
	}
	exact, bound := plot.Series{Name: "exact"}, plot.Series{Name: "bound", Dashed: true}
	for k, p := range tails(c.law) {
		if b, applies := c.bound(k, mean); applies && p > 1e-15 {
			exact.Add(float64(k), p)
			bound.Add(float64(k), math.Min(1, b))
		}
	}
	return plot.Chart{Title: title, XLabel: "k", YLabel: "probability of k or more", LogY: true, LegendBeside: true,
		Series: []plot.Series{exact, bound}}
}

// lemma8 is Chernoff's bound far out: with δ = R/E[X] − 1 the usual (e^δ/(1+δ)^(1+δ))^E[X] is at
// most (e·E[X]/R)^R, which is 2^(−R) if R ≥ 2e·E[X].
//
// R need not be whole, but only whole ones matter: with R from k−1 to k the left side is that of k,
// and the right side is least at k.
func lemma8(r *runner) reproduce.Finding {
	bound := func(k int, mean float64) (float64, bool) {
		return math.Exp2(-float64(k)), k > 0 && float64(k) >= r.theory.lemma8*mean
	}
	f := r.chernoff("Pr[X ≥ R] over 2^(−R)", "R", "E[X]", bernoullis(), bound)
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
	f.Notes = append(f.Notes, fmt.Sprintf("Lemma 4 uses it with μ = n·e^(−1/(2e)) = %.3f n and δ = 1/20, and has "+
		"%.3f n, which is below 9n/10 as it should be. The sentence "+
		"after it, and after equation (3), says “fewer” where more is meant: with exponentially small probability "+
		"9n/10 bins or more get no ball.",
		math.Exp(-1/(2*math.E)), 1.05*math.Exp(-1/(2*math.E))))
	f.Chart("tails", tailChart("Lemma 9: 300 trials, p = 0.1", tailCase{binomial(alike(300, 0.1)), bound}))
	return f
}

// chernoff compares the tails of independent trials, and those of the empty bins, with a bound. The
// names are those of the share of the bound, of the value from which on a tail is, and of the mean.
func (r *runner) chernoff(share, value, mean string, all [][]float64, bound func(k int, mean float64) (float64,
	bool)) reproduce.Finding {
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
	f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound for independent trials, "+
		"and in %d cases %.2f for empty bins.",
		trials.cases, trials.share, bins.cases, bins.share)
	return f
}

// lemma10 is Azuma's inequality for the empty bins: to know where the i-th of m balls went changes
// the expected number by (1−1/n)^(m−i) at most, and the squares of these sum to (n²−E[Z]²)/(2n−1).
func lemma10(r *runner) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "where the bound is nearest", Columns: []string{"n", "m", "λ", "E[Z]", "probability",
		"bound", "share of the bound"}}
	worst, cases := 0.0, 0
	for _, n := range []int{2, 3, 4, 8, 16, 32, 64, 128} {
		size, row := float64(n), []float64{}
		empties(n, 8*n, func(m int, law []float64) {
			mean := size * math.Pow(1-1/size, float64(m))
			for z := range law {
				// The left side, at the λ that Z = z has: what is as far from the mean, or farther.
				lambda := math.Abs(float64(z) - mean)
				left := 0.0
				for k, p := range law {
					if math.Abs(float64(k)-mean) >= lambda*(1-1e-12) {
						left += p
					}
				}
				bound := 2 * math.Exp(-r.theory.lemma10*lambda*lambda*(size-0.5)/(size*size-mean*mean))
				if left < 1e-200 || lambda < 1e-9 {
					continue
				}
				cases++
				if len(row) == 0 || left/bound > row[6] {
					row = []float64{size, float64(m), lambda, mean, left, bound, left / bound}
				}
			}
		})
		r.Checkpoint()
		table.Rows = append(table.Rows, row)
		worst = max(worst, row[6])
	}
	f.Between("probability over its bound, at most", worst, 0, 1, 0, "the lemma; both sides are exact")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound.", cases, worst)
	const bins, balls = 64, 128
	empties(bins, balls, func(m int, law []float64) {
		if m == balls {
			c := tailCase{law, func(k int, mean float64) (float64, bool) {
				lambda := float64(k) - mean
				return 2 * math.Exp(-r.theory.lemma10*lambda*lambda*(bins-0.5)/(bins*bins-mean*mean)), lambda > 0
			}}
			f.Chart("tails", tailChart(fmt.Sprintf("Lemma 10: empty bins of %d after %d balls", bins, balls), c))
		}
	})
	return f
}

// empties calls each with the law of the number of empty bins, of n, after m = 1 … most balls.
func empties(n, most int, each func(m int, law []float64)) {
	empty := make([]float64, n+1)
	occupied(n, most, func(m int, law []float64) bool {
		clear(empty)
		for k, p := range law {
			empty[n-k] = p
		}
		if m > 0 {
			each(m, empty)
		}
		return true
	})
}

// lemma11 is that trials which depend on each other are no better than independent ones that are as
// good as the best.
//
// By induction from the last: if Vᵢ(k) is the largest probability that trials i, …, n have k
// successes or more, then Vᵢ(k) = max over q ≤ p of q·Vᵢ₊₁(k−1) + (1−q)·Vᵢ₊₁(k), and as Vᵢ₊₁(k−1) ≥
// Vᵢ₊₁(k) that is best with q = p, whatever was before. So the best of all is the binomial law.
func lemma11(r *runner) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "largest share of the bound", Columns: []string{"n", "p", "strategies",
		"share of the bound", "all alike: share of the bound"}}
	worst, apart, cases, fail := 0.0, 0.0, 0, 0
	const strategies = 200
	for n := 1; n <= 10; n++ {
		for i, p := range []float64{0.1, 0.3, 0.5, 0.8} {
			r.Checkpoint()
			bound := tails(binomial(alike(n, p)))
			stream := r.Stream(uint64(n), uint64(i))
			share := 0.0
			for s := range strategies {
				law := make([]float64, n+1)
				adaptive(law, n, 0, 1, min(1, r.theory.lemma11*p), s%2 == 0, &stream)
				for k, t := range tails(law)[1:] {
					cases++
					share = max(share, t/bound[k+1])
				}
			}
			alike := p / bound[n] // all are 1 with probability p, which should be at most pⁿ
			table.Rows = append(table.Rows, []float64{float64(n), p, strategies, share, alike})
			worst, apart = max(worst, share), max(apart, alike)
			fail += reproduce.Above(alike, 1+1e-9)
		}
	}
	f.Between("Pr[ΣYᵢ ≥ k] over that of the binomial law, at most", worst, 0, 1, 1e-12,
		"the lemma; both sides are sums over all outcomes, and rounded")
	f.For(reproduce.Control).Check("cases of 36 in which variables that are all alike are above the binomial law, for "+
		"n ≥ 2", float64(fail), 36, 0,
		"the comparison can fail: the condition is on what was before")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("For %d tails of trials that depend on those before them the probability is at most %.4f "+
		"of that of the binomial law, exactly; for variables "+
		"that are all alike, to which the lemma does not apply, up to %.3g times it.", cases, worst, apart)
	f.Chart("tails", tailChart("Lemma 11: half the probability after a success, n = 10, p = 0.3, beside B(n, p)", tailCase{
		stopping(10, 0.3), func(k int, _ float64) (float64, bool) { return tails(binomial(alike(10, 0.3)))[k], true }}))
	return f
}

// adaptive adds up the outcomes of n trials more, after some successes that have a probability:
// each has one of at most p, which chance decides for every history.
func adaptive(law []float64, n, successes int, probability, p float64, extreme bool, stream *random.Stream) {
	if n == 0 {
		law[successes] += probability
		return
	}
	q := p * stream.Float64()
	if extreme {
		if q = 0; stream.Below(8) > 0 {
			q = p
		}
	}
	adaptive(law, n-1, successes, probability*(1-q), p, extreme, stream)
	adaptive(law, n-1, successes+1, probability*q, p, extreme, stream)
}

// stopping is the law of the successes of n trials of probability p of which those after the first
// success have p/2.
func stopping(n int, p float64) []float64 {
	law := make([]float64, n+1)
	law[0] = 1
	for range n {
		for k := n; k > 0; k-- {
			from, stay := p, 1-p/2
			if k > 1 {
				from = p / 2
			}
			law[k] = law[k]*stay + law[k-1]*from
		}
		law[0] *= 1 - p
	}
	return law
}
