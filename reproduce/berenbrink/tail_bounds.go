package berenbrink

import (
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
)

// Lemmas 8 to 11 are inequalities between probabilities that can be computed. Each is tried on laws for which both sides are known exactly, and the
// largest probability over its bound is what is measured. For small laws that is no proof, but a wrong constant is found out.

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

// unlike is n probabilities that differ: from 2p down to 0, so that p is their mean, or as many of them as p allows that are 1/2.
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
	return plot.Chart{Title: title, XLabel: "k", YLabel: "probability of k or more", LogY: true, LegendBeside: true, Series: []plot.Series{exact, bound}}
}
