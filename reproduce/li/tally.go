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
	mass := func(j int) float64 { return binomialMass(n, q, j) }
	if mode := int((float64(n) + 1) * q); k > mode {
		// From the other side, so that nothing is lost to 1.
		return max(0, 1-binomialTail(n, 1-q, n-k-1))
	}
	sum, term := 0.0, mass(k)
	for j := k; j >= 0 && (term > sum*1e-17 || term > 0 && sum == 0); j-- {
		sum += term
		term *= float64(j) * (1 - q) / ((float64(n-j) + 1) * q)
	}
	return min(1, sum)
}

// binomialMass is the probability of k successes. Differences of large logarithms are taken where
// they are small (Loader 2000): with the logarithm of the gamma function alone nothing would be
// left of it for n of 10¹¹.
func binomialMass(n int, q float64, k int) float64 {
	switch x, m := float64(k), float64(n); k {
	case 0:
		return math.Exp(m * math.Log1p(-q))
	case n:
		return math.Exp(m * math.Log(q))
	default:
		return math.Exp(stirling(m)-stirling(x)-stirling(m-x)-deviance(x, m*q)-deviance(m-x, m*(1-q))) *
			math.Sqrt(m/(2*math.Pi*x*(m-x)))
	}
}

// stirling is how far the logarithm of x! is off Stirling's formula.
func stirling(x float64) float64 {
	if x < 16 {
		lg, _ := math.Lgamma(x + 1)
		return lg - (x+0.5)*math.Log(x) + x - math.Log(2*math.Pi)/2
	}
	return (1.0/12 - (1.0/360-(1.0/1260-1.0/1680/x/x)/x/x)/x/x) / x
}

// deviance is x·ln(x/m) + m − x.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) > 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	// With v = (x−m)/(x+m) it is (x−m)·v + 2x·(v³/3 + v⁵/5 + …).
	v := (x - m) / (x + m)
	sum, term := (x-m)*v, 2*x*v
	for k := 3.0; ; k += 2 {
		term *= v * v
		next := sum + term/k
		if next == sum {
			return sum
		}
		sum = next
	}
}

// A tally is how often something was seen, with the probability that it has and the bound that the
// report gives.
type tally struct {
	seen, of int
	exact    float64
	bound    float64
}

func (c tally) share() float64 { return float64(c.seen) / float64(c.of) }

// excess is how many standard errors a count is above its bound.
func (c tally) excess() float64 {
	b := min(1, c.bound)
	// One is the least that could have been missed.
	return (c.share() - b) / math.Sqrt(max(b*(1-b), 1/float64(c.of))/float64(c.of))
}

// probability is that of a count as far off as this one, on its side.
func (c tally) probability() float64 {
	return min(binomialTail(c.of, c.exact, c.seen), 1-binomialTail(c.of, c.exact, c.seen-1))
}

// judgeCounts checks that counts are what their probabilities say, and that these are within their
// bounds.
func judgeCounts(f *reproduce.Finding, kind reproduce.Kind, what, bound string, counts []tally) {
	rarest, ratio := 1.0, 0.0
	for _, c := range counts {
		rarest = min(rarest, c.probability())
		ratio = max(ratio, c.exact/c.bound)
	}
	rarest *= float64(len(counts))
	f.For(reproduce.Control).Between("probability of the rarest count of "+what+", times the number of counts",
		min(1, rarest), rare, 1, 0,
		"what is counted in lists has the exact probability of the binomial law; chance makes it as small once in 5000 runs")
	f.For(kind).Between("exact probability of "+what+" over "+bound+", at most", ratio, 0, 1, 0,
		"a bound is a bound: no tolerance")
}
