package fit

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// How well chains have mixed, by [VGSCB21]: values are replaced by the normal scores of their
// ranks, so that heavy tails and infinite variances do not hide anything, and each chain is cut
// into two halves, so that a chain that drifts disagrees with itself.
//
// [VGSCB21]: https://doi.org/10.1214/20-BA1221

// mixing gives R-hat (the larger of that of the values and that of their distances from the median)
// and the effective sample size of the bulk of one quantity, of which chains[c][i] is the i-th
// value in chain c. Chains have one length. Both are NaN if there are fewer than four values in a
// chain, and R-hat is 1 and the size that of the sample if all values are the same.
func mixing(chains [][]float64) (rhat, bulk float64) {
	halves := halvesOf(chains)
	if len(halves) == 0 || len(halves[0]) < 2 {
		return math.NaN(), math.NaN()
	}
	scores := normalScores(halves)
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
	return max(potentialScale(scores), potentialScale(normalScores(folded))), independent(scores)
}

// meanError is the standard error of the mean over all chains: the standard deviation over the root
// of the effective size of the values themselves, not of their ranks.
func meanError(chains [][]float64) float64 {
	halves := halvesOf(chains)
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
	return math.Sqrt(squares / (n - 1) / independent(halves))
}

// halvesOf cuts chains into halves; of an odd number of values the one in the middle is left out.
func halvesOf(chains [][]float64) [][]float64 {
	var halves [][]float64
	for _, c := range chains {
		h := len(c) / 2
		halves = append(halves, c[:h], c[len(c)-h:])
	}
	return halves
}

// normalScores replaces values by Φ⁻¹((rank − 3/8)/(size + 1/4)), ranks being over all chains and
// shared by equal values.
func normalScores(chains [][]float64) [][]float64 {
	scores := make([][]float64, len(chains))
	for c := range chains {
		scores[c] = make([]float64, len(chains[c]))
	}
	all, length := slices.Concat(chains...), len(chains[0])
	order := sorted(all)
	size := float64(len(order))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && all[order[to]] == all[order[from]] {
			to++
		}
		rank := float64(float64(from+to+1) / 2) // the mean of from+1 … to
		z := detmath.NormalQuantile((rank - 0.375) / (size + 0.25))
		for _, p := range order[from:to] {
			scores[p/length][p%length] = z
		}
		from = to
	}
	return scores
}

// potentialScale is R-hat without ranks: the root of the variance as the chains together have it
// over that within chains.
func potentialScale(chains [][]float64) float64 {
	within, total := variances(chains)
	if total == 0 {
		return 1
	}
	return math.Sqrt(total / within)
}

// variances gives the mean variance within chains and the estimate of the whole variance from
// within and between them.
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

// independent is the size of an independent sample whose mean is as precise as that of the chains:
// by the autocorrelations of all chains together, summed in pairs for as long as these are
// positive, and made monotone [Geyer92].
//
// [Geyer92]: https://doi.org/10.1214/ss/1177011137
func independent(chains [][]float64) float64 {
	n, m := len(chains[0]), len(chains)
	size := float64(n * m)
	within, total := variances(chains)
	if total == 0 {
		return size
	}
	// rho is the correlation at a lag, of which the part between chains never goes away.
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
		// As the variances within: over n−1, so that the correlation at lag 0 of one long chain is 1.
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
	tau := max(2*sum-1, 1/detmath.Log10(size)) // anticorrelated chains are not believed without limit
	return size / tau
}
