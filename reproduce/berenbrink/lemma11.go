package berenbrink

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// lemma11 is that trials which depend on each other are no better than independent ones that are as good as the best.
//
// By induction from the last: if Vᵢ(k) is the largest probability that trials i, …, n have k successes or more, then Vᵢ(k) = max over q ≤ p of
// q·Vᵢ₊₁(k−1) + (1−q)·Vᵢ₊₁(k), and as Vᵢ₊₁(k−1) ≥ Vᵢ₊₁(k) that is best with q = p, whatever was before. So the best of all is the binomial law.
func lemma11(r *runner) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "largest share of the bound", Columns: []string{"n", "p", "strategies", "share of the bound", "all alike: share of the bound"}}
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
	f.Between("Pr[ΣYᵢ ≥ k] over that of the binomial law, at most", worst, 0, 1, 1e-12, "the lemma; both sides are sums over all outcomes, and rounded")
	f.For(reproduce.Control).Check("cases of 36 in which variables that are all alike are above the binomial law, for n ≥ 2", float64(fail), 36, 0,
		"the comparison can fail: the condition is on what was before")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("For %d tails of trials that depend on those before them the probability is at most %.4f of that of the binomial law, exactly; for variables "+
		"that are all alike, to which the lemma does not apply, up to %.3g times it.", cases, worst, apart)
	f.Notes = append(f.Notes, "It is reached by the trials that have p whatever was before, which are independent.")
	f.Chart("tails", tailChart("Lemma 11: half the probability after a success, n = 10, p = 0.3, beside B(n, p)", tailCase{
		stopping(10, 0.3), func(k int, _ float64) (float64, bool) { return tails(binomial(alike(10, 0.3)))[k], true }}))
	return f
}

// adaptive adds up the outcomes of n trials more, after some successes that have a probability: each has one of at most p, which chance decides for every history.
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

// stopping is the law of the successes of n trials of probability p of which those after the first success have p/2.
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
