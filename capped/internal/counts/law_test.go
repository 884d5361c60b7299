package counts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/internal/random"
)

// A law is a binomial distribution, or with n = 0 and p = 0 the Poisson distribution with that
// mean.
type law struct {
	n    int64
	p    float64
	mean float64
}

func binomialLaw(n int64, p float64) law { return law{n, p, float64(n) * p} }

func poissonLaw(mean float64) law { return law{0, 0, mean} }

func (l law) String() string {
	if l.poisson() {
		return fmt.Sprintf("Poisson(%v)", l.mean)
	}
	return fmt.Sprintf("Binomial(%d, %v)", l.n, l.p)
}

func (l law) poisson() bool { return l.n == 0 }

// fits tells whether an int holds the numbers of a law, which where it has 32 bits it may not.
func (l law) fits() bool { return l.n <= math.MaxInt && l.mean <= mostMean }

func (l law) draw(s *random.Stream) int {
	if l.poisson() {
		return Poisson(s, l.mean)
	}
	return Binomial(s, int(l.n), l.p)
}

func (l law) variance() float64 { return l.mean * (1 - l.p) }

// ratio is the probability of k+1 over that of k.
func (l law) ratio(k int) float64 {
	if l.poisson() {
		return l.mean / float64(k+1)
	}
	return float64(l.n-int64(k)) / float64(k+1) * (l.p / (1 - l.p))
}

// masses returns the probabilities of first, first+1, …, as far as they are above 10⁻²⁵ of the
// largest: by their ratios from the mode, and divided by their sum, so that no function of the code
// under test is in them. Each step has an error of 2⁻⁵¹ at most.
func (l law) masses() (first int, mass []float64) {
	mode := int(l.mean)
	down, up := []float64{}, []float64{1}
	for k, x := mode, 1.0; k > 0 && x > 1e-25; k-- {
		x /= l.ratio(k - 1)
		down = append(down, x)
	}
	for k, x := mode, 1.0; (l.poisson() || int64(k) < l.n) && x > 1e-25; k++ {
		x *= l.ratio(k)
		up = append(up, x)
	}
	slices.Reverse(down)
	mass = append(down, up...)
	sum := 0.0
	for _, x := range mass {
		sum += x
	}
	for i := range mass {
		mass[i] /= sum
	}
	return mode - len(down), mass
}

// What the methods do not share: few or many expected, few or many trials, probabilities on both
// sides of 1/2.
var laws = []law{
	binomialLaw(1, 0.3), binomialLaw(1, 0.5), binomialLaw(1, 0.9),
	binomialLaw(2, 0.1), binomialLaw(2, 0.5), binomialLaw(2, 0.8),
	binomialLaw(10, 0.05), binomialLaw(10, 0.5), binomialLaw(10, 0.51), binomialLaw(10, 0.97),
	binomialLaw(20, 0.4999), binomialLaw(20, 0.5), binomialLaw(20, 0.5001), binomialLaw(21, 0.5),
	binomialLaw(1000, 1e-5), binomialLaw(1000, 0.00999), binomialLaw(1000, 0.01), binomialLaw(1000, 0.0101),
	binomialLaw(1000, 0.03), binomialLaw(1000, 0.3), binomialLaw(1000, 0.5), binomialLaw(1000, 0.7),
	binomialLaw(1000, 0.98999), binomialLaw(1000, 0.99001), binomialLaw(1000, 0.999),
	binomialLaw(mostFactors, 0.005), binomialLaw(mostFactors+1, 0.005),
	binomialLaw(30_000, 0.3),
	binomialLaw(1_000_000, 1e-7), binomialLaw(1_000_000, 3e-6), binomialLaw(1_000_000, 9.99e-6),
	binomialLaw(1_000_000, 1.001e-5), binomialLaw(1_000_000, 2.5e-5), binomialLaw(1_000_000, 1e-3),
	binomialLaw(1_000_000, 0.3), binomialLaw(1_000_000, 0.5), binomialLaw(1_000_000, 0.999),
	binomialLaw(1_000_000_000, 4e-9), binomialLaw(1_000_000_000, 1.3e-8), binomialLaw(1_000_000_000, 0.3),
	binomialLaw(1_000_000_000, 0.9),
	poissonLaw(0.01), poissonLaw(0.5), poissonLaw(1), poissonLaw(3), poissonLaw(9.999), poissonLaw(10), poissonLaw(10.4),
	poissonLaw(14), poissonLaw(30.5), poissonLaw(100), poissonLaw(1e4), poissonLaw(1e6), poissonLaw(3e8),
}

// chiSquare is the probability of a worse fit than that of the counts, of which counts[i] have the
// probability mass[i]. Neighbours are taken together until a class has at least a 200th of all, and
// at least 10.
func chiSquare(counts []int, mass []float64) float64 {
	draws := 0
	for _, k := range counts {
		draws += k
	}
	least := max(10, float64(draws)/200)
	var seen, expected []float64
	k, x, rest := 0, 0.0, 1.0
	for i := range counts {
		k += counts[i]
		x += mass[i] * float64(draws)
		rest -= mass[i]
		if x >= least && rest*float64(draws) >= least || i == len(counts)-1 {
			seen, expected = append(seen, float64(k)), append(expected, x)
			k, x = 0, 0
		}
	}
	if len(seen) == 1 {
		return 1
	}
	chi := 0.0
	for i := range seen {
		chi += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i]
	}
	return distuv.ChiSquared{K: float64(len(seen) - 1)}.Survival(chi)
}
