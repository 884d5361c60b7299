// Package diagnostics measures how well Markov chains have mixed: R-hat, effective sample size and
// the standard error of a mean.
//
// It follows [VGSCB21]. Values are replaced by the normal scores of their ranks, so that heavy
// tails and infinite variances hide nothing. Each chain is split in halves, so that a chain that
// drifts disagrees with itself.
//
// [VGSCB21]: https://doi.org/10.1214/20-BA1221
package diagnostics

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// RHatAndSize returns R-hat and the bulk effective sample size of one quantity; chains[c][i] is
// value i of chain c, and all chains have the same length. R-hat is the larger of the R-hats of the
// values and of their distances from the median. Both are NaN for chains of fewer than four values.
// If all values are equal, R-hat is 1 and the size is the number of values.
func RHatAndSize(chains [][]float64) (rhat, bulk float64) {
	halves := split(chains)
	if len(halves) == 0 || len(halves[0]) < 2 {
		return math.NaN(), math.NaN()
	}
	scores := rank.NormalScores(halves)
	all := slices.Concat(halves...)
	slices.Sort(all)
	median := float64((all[(len(all)-1)/2] + all[len(all)/2]) / 2)
	folded := make([][]float64, len(halves))
	for i, c := range halves {
		folded[i] = make([]float64, len(c))
		for j, x := range c {
			folded[i][j] = math.Abs(x - median)
		}
	}
	return max(rHat(scores), rHat(rank.NormalScores(folded))), effectiveSize(scores)
}

// MeanError is the standard error of the mean over all chains: the standard deviation over the
// square root of the effective size of the values themselves, not of their ranks.
func MeanError(chains [][]float64) float64 {
	halves := split(chains)
	if len(halves) == 0 || len(halves[0]) < 2 {
		return math.NaN()
	}
	var sum, squares, n float64
	for _, c := range halves {
		for _, x := range c {
			sum += x
			n++
		}
	}
	for _, c := range halves {
		for _, x := range c {
			squares += float64((x - sum/n) * (x - sum/n))
		}
	}
	return math.Sqrt(squares / (n - 1) / effectiveSize(halves))
}

// split cuts chains into halves; the middle value of an odd number is left out.
func split(chains [][]float64) [][]float64 {
	var halves [][]float64
	for _, c := range chains {
		h := len(c) / 2
		halves = append(halves, c[:h], c[len(c)-h:])
	}
	return halves
}

// rHat is the square root of the total variance over the variance within chains.
func rHat(chains [][]float64) float64 {
	within, total := variances(chains)
	if total == 0 {
		return 1
	}
	return math.Sqrt(total / within)
}

// variances returns the mean variance within chains, and the estimate of the total variance from
// within and between chains.
func variances(chains [][]float64) (within, total float64) {
	n := float64(len(chains[0]))
	means := make([]float64, len(chains))
	grand := 0.0
	for i, c := range chains {
		for _, x := range c {
			means[i] += x / n
		}
		for _, x := range c {
			within += (x - means[i]) * (x - means[i]) / (n - 1) / float64(len(chains))
		}
		grand += means[i] / float64(len(chains))
	}
	between := 0.0
	if len(chains) > 1 {
		for _, m := range means {
			between += (m - grand) * (m - grand) / float64(len(chains)-1)
		}
	}
	return within, float64((n-1)/n*within) + between
}

// effectiveSize is the size of an independent sample whose mean is as precise as that of the
// chains. It sums the autocorrelations of all chains in pairs while these are positive, made
// monotone [Geyer92].
//
// [Geyer92]: https://doi.org/10.1214/ss/1177011137
func effectiveSize(chains [][]float64) float64 {
	n, m := len(chains[0]), len(chains)
	size := float64(n * m)
	within, total := variances(chains)
	if total == 0 {
		return size
	}
	// rho is the autocorrelation at a lag; it includes the variance between chains at every lag.
	centered := make([][]float64, m)
	for i, c := range chains {
		mean := 0.0
		for _, x := range c {
			mean += x / float64(n)
		}
		for _, x := range c {
			centered[i] = append(centered[i], x-mean)
		}
	}
	rho := func(lag int) float64 {
		cov := 0.0
		for _, c := range centered {
			for i := lag; i < n; i++ {
				cov += float64(c[i] * c[i-lag])
			}
		}
		// Divided by n−1, as the variances within are: the correlation at lag 0 of one chain is 1.
		return 1 - (within-cov/float64(n-1)/float64(m))/total
	}
	sum, last := 0.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := rho(lag) + rho(lag+1)
		if lag == 0 {
			pair = 1 + rho(1)
		}
		if pair <= 0 {
			break
		}
		last = min(last, pair)
		sum += last
	}
	tau := max(2*sum-1, 1/detmath.Log10(size)) // limits the gain from anticorrelated chains
	return size / tau
}
