package population_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Three laws of the infectious period with the same mean, 5 days: as written, its Laplace
// transform, and the square of its coefficient of variation.
var infectiousPeriods = []struct {
	name, text string
	laplace    func(theta float64) float64
	cv2        float64
}{
	{"exponential", "{rate: 0.2 per day, to: recovered}", func(x float64) float64 { return 1 / (1 + 5*x) }, 1},
	{"gamma", "{after: {gamma: {mean: 5 days, shape: 2}}, to: recovered}", func(x float64) float64 {
		return math.Pow(1+5*x/2, -2)
	}, 0.5},
	{"fixed", "{after: 5 days, to: recovered}", func(x float64) float64 { return math.Exp(-5 * x) }, 0},
}

const sirModel = `
name: sir
time: {unit: day, end: 2000}
population: {size: %d, start: {infectious: %d, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [%s]}, recovered: {}}
transmission: [{from: infectious, rate: %v per day, chance: %v, to: {susceptible: infectious}}]
record: {every: 2000 days}
`

// finalSizeLaw is the law of the number that are infected of n susceptibles by a infectious
// individuals, who have contact with each other individual at rate β/(N−1), where N = n+a. With φ
// the Laplace transform of the infectious period, the probabilities solve the triangular equations
//
//	Σ_{j≤k} C(n−j, k−j) P_j / φ(β(n−k)/(N−1))^(j+a) = C(n, k),  k = 0 … n
//
// (Ball, Advances in Applied Probability 18, 1986; Andersson and Britton, Stochastic Epidemic
// Models, 2000, theorem 2.2). They lose digits quickly, so they are solved with 400 bits.
func finalSizeLaw(n, a int, pair float64, laplace func(float64) float64) []float64 {
	const bits = 400
	float := func() *big.Float { return new(big.Float).SetPrec(bits) }
	choose := func(n, k int) *big.Float { return float().SetInt(new(big.Int).Binomial(int64(n), int64(k))) }
	exact, law := make([]*big.Float, n+1), make([]float64, n+1)
	for k := range exact {
		phi := float().SetFloat64(laplace(pair * float64(n-k)))
		power := func(n int) *big.Float {
			p := float().SetFloat64(1)
			for range n {
				p.Mul(p, phi)
			}
			return p
		}
		rest := choose(n, k)
		for j := range k {
			term := choose(n-j, k-j)
			term.Mul(term, exact[j])
			rest.Sub(rest, term.Quo(term, power(j+a)))
		}
		exact[k] = rest.Mul(rest, power(k+a))
		law[k], _ = exact[k].Float64()
	}
	return law
}

// jumpChainLaw is the same law for an exponential infectious period, by another way: the chain of
// infections and recoveries.
func jumpChainLaw(n, a int, pair, recovery float64) []float64 {
	// at[s][i] is the probability that the chain ever is at s susceptible and i infectious.
	at := make([][]float64, n+1)
	for s := range at {
		at[s] = make([]float64, n+a+2)
	}
	at[n][a] = 1
	law := make([]float64, n+1)
	for s := n; s >= 0; s-- {
		for i := n + a; i > 0; i-- {
			infect := pair * float64(s) / (pair*float64(s) + recovery)
			if s > 0 {
				at[s-1][i+1] += at[s][i] * infect
			}
			at[s][i-1] += at[s][i] * (1 - infect)
		}
		law[n-s] = at[s][0]
	}
	return law
}

// The two ways of computing the law agree, so that neither is mistyped. The Laplace transform comes
// with 16 digits, of which the triangular equations lose about seven here.
func TestExactFinalSizeLawItself(t *testing.T) {
	one := finalSizeLaw(28, 2, 0.3/29, infectiousPeriods[0].laplace)
	two := jumpChainLaw(28, 2, 0.3/29, 0.2)
	for k := range one {
		if math.Abs(one[k]-two[k]) > 1e-7 {
			t.Errorf("size %d: %v by the triangular equations, %v by the jump chain", k, one[k], two[k])
		}
	}
}

// The number infected in a small population, against its law. R0 is 1.5.
func TestExactFinalSizeSmall(t *testing.T) {
	const beta = 0.3
	replicas := testscale.Size(3000, 20_000)
	for i, period := range infectiousPeriods {
		for j, c := range []struct{ size, infectious int }{{11, 1}, {30, 2}} {
			what := fmt.Sprintf("%d of %d, %s", c.infectious, c.size, period.name)
			r := exactSimulate(t, uint64(1+2*i+j), replicas, sirModel, c.size, c.infectious, period.text, beta, 1)
			for k, left := range r.counts(r.last(), "infectious") {
				if left > 0 {
					t.Fatalf("%s: replica %d has not come to its end", what, k)
				}
			}
			infected := r.flows(r.last(), "susceptible", "infectious")
			n := c.size - c.infectious
			compare := func(pair float64) (expected []float64, mean float64) {
				for k, p := range finalSizeLaw(n, c.infectious, pair, period.laplace) {
					expected = append(expected, float64(replicas)*p)
					mean += float64(k) * p
				}
				return expected, mean
			}
			pair := beta / float64(c.size-1)
			expected, mean := compare(pair)
			observed := histogram(infected, n)
			checkChiSquare(t, what, observed, expected)
			checkMean(t, what, infected, mean)
			if c.size > 11 {
				continue
			}
			// Choosing among all N, oneself included, or a rate that is 10 % too large, would be seen.
			got, _, se, _ := moments(infected)
			_, mean = compare(beta / float64(c.size))
			checkNotices(t, "contacts with N in place of N−1", got, mean, se)
			_, mean = compare(1.1 * pair)
			checkNotices(t, "a rate 10 % too large", got, mean, se)
		}
	}
}

// The number infected in a large population. Every individual that was ever infectious has R0
// contacts in the mean, each with a given other one with probability 1/N, so that the shares that
// never are infected, s, and that are susceptible at the start, s0, satisfy s = s0 exp(−R0(1−s)):
// 1−s counts those infectious at the start too. It does not depend on the law of the infectious
// period, but the variance does. By Sellke's construction (Andersson and Britton, section 4.3) it
// is
//
//	N (s(1−s/s0) + s²(1−s)R0²c²) / (1−R0 s)²
//
// where c is the coefficient of variation of the period: thresholds give the first term, infectious
// periods the second.
func TestExactFinalSizeLarge(t *testing.T) {
	const size, infectious, replicas = 20_000, 400, 12
	const contacts, chance = 0.72, 0.5 // contacts that have no effect half of the time
	solve := func(r0 float64) float64 {
		s := 0.0 // from here it only grows
		for range 10_000 {
			s = (1 - infectious/float64(size)) * math.Exp(-r0*(1-s))
		}
		return s
	}
	const r0, s0 = 5 * contacts * chance, 1 - infectious/float64(size)
	s := solve(r0)
	for i, period := range infectiousPeriods {
		r := exactSimulate(t, uint64(1+i), replicas, sirModel, size, infectious, period.text, contacts, chance)
		left := r.counts(r.last(), "susceptible")
		variance := size * (s*(1-s/s0) + s*s*(1-s)*r0*r0*period.cv2) / ((1 - r0*s) * (1 - r0*s))
		// The mean is off by a number of order 1 in a finite population, far below the standard
		// error of about 30.
		mean, got, _, _ := moments(left)
		se := math.Sqrt(variance / replicas)
		checkZ(t, period.name+": mean", mean, size*s, se)
		// The law is nearly normal, so that of n values the variance has a standard error of
		// σ²√(2/(n−1)).
		checkZ(t, period.name+": variance", got, variance, variance*math.Sqrt(2.0/(replicas-1)))
		checkNotices(t, "R0 2 % larger", mean, size*solve(1.02*r0), se)
	}
}
