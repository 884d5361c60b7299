package berenbrink

import "math"

// Laws that are computed and not simulated. All of them are sums of products of what is positive.

// occupied calls each for m = 0, 1, …, most with the law of the number of bins, of n, that get one
// or more of m balls: law[k] is the probability of k. The next ball finds an empty bin with
// probability (n−k)/n. It stops when each says so.
func occupied(n, most int, each func(m int, law []float64) bool) {
	law := make([]float64, n+1)
	law[0] = 1
	for m := 0; m <= most; m++ {
		if m > 0 {
			for k := min(m, n); k > 0; k-- {
				law[k] = law[k]*float64(k)/float64(n) + law[k-1]*float64(n-k+1)/float64(n)
			}
			law[0] = 0
		}
		if !each(m, law[:min(m, n)+1]) {
			return
		}
	}
}

// binomial is the law of the number of successes of independent trials, which may have different
// probabilities.
func binomial(p []float64) []float64 {
	law := make([]float64, len(p)+1)
	law[0] = 1
	for i, p := range p {
		for k := i + 1; k > 0; k-- {
			law[k] = law[k]*(1-p) + law[k-1]*p
		}
		law[0] *= 1 - p
	}
	return law
}

// tails returns, for a law, the probability of k or more, for every k.
func tails(law []float64) []float64 {
	t := make([]float64, len(law))
	sum := 0.0
	for k := len(law) - 1; k >= 0; k-- {
		sum += law[k]
		t[k] = sum
	}
	return t
}

// alike is some probability, n times.
func alike(n int, p float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = p
	}
	return all
}

// poisson is the law of a Poisson variable, up to what is below 10⁻³⁰⁰ or beyond most.
func poisson(mean float64, most int) []float64 {
	law := []float64{math.Exp(-mean)}
	for k := 1; k <= most && (law[k-1] > 1e-300 || float64(k) < mean); k++ {
		law = append(law, law[k-1]*mean/float64(k))
	}
	return law
}
