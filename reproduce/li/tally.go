package li

import (
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// rare is how improbable a count may be, times the number of counts that are looked at.
const rare = 1e-4

// binomialTail is the probability that n trials have at most k successes, each with probability q.
func binomialTail(n int, q float64, k int) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n || q <= 0:
		return 1
	case q >= 1:
		return 0
	}
	lg := func(x int) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	mass := func(j int) float64 {
		return math.Exp(lg(n) - lg(j) - lg(n-j) + float64(j)*math.Log(q) + float64(n-j)*math.Log1p(-q))
	}
	if mode := int(float64(n+1) * q); k > mode {
		// From the other side, so that nothing is lost to 1.
		return max(0, 1-binomialTail(n, 1-q, n-k-1))
	}
	sum, term := 0.0, mass(k)
	for j := k; j >= 0 && (term > sum*1e-17 || term > 0 && sum == 0); j-- {
		sum += term
		term *= float64(j) * (1 - q) / (float64(n-j+1) * q)
	}
	return min(1, sum)
}

// A tally is how often something was seen, with the probability that it has and the bound that the report gives.
type tally struct {
	seen, of int
	exact    float64
	bound    float64
}

func (c tally) share() float64 { return float64(c.seen) / float64(c.of) }

// probability is that of a count as far off as this one, on its side.
func (c tally) probability() float64 {
	return min(binomialTail(c.of, c.exact, c.seen), 1-binomialTail(c.of, c.exact, c.seen-1))
}

// judgeCounts checks that counts are what their probabilities say, and that these are within their bounds.
func judgeCounts(f *reproduce.Finding, what, bound string, counts []tally) {
	rarest, ratio := 1.0, 0.0
	for _, c := range counts {
		rarest = min(rarest, c.probability())
		ratio = max(ratio, c.exact/c.bound)
	}
	rarest *= float64(len(counts))
	f.Between("probability of the rarest count of "+what+", times the number of counts", min(1, rarest), rare, 1, 0,
		"what is counted in lists has the exact probability of the binomial law; chance makes it as small once in 5000 runs")
	f.Between("exact probability of "+what+" over "+bound+", at most", ratio, 0, 1, 0, "a bound is a bound: no tolerance")
}
