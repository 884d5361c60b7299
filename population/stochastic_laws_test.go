package population_test

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/integrate/quad"
)

// A countLaw is the law of a number of individuals: the probability of each number from 0 on.
type countLaw []float64

// total is the sum of the probabilities.
func (l countLaw) total() (sum float64) {
	for _, p := range l {
		sum += p
	}
	return sum
}

// mean is the expected number, and sd the standard deviation.
func (l countLaw) mean() (mean float64) {
	for n, p := range l {
		mean += float64(n) * p
	}
	return mean
}

func (l countLaw) sd() float64 {
	mean, variance := l.mean(), 0.0
	for n, p := range l {
		variance += (float64(n) - mean) * (float64(n) - mean) * p
	}
	return math.Sqrt(variance)
}

// truncated leaves out numbers with less than 1e−13, in which there is rounding error only.
func (l countLaw) truncated() countLaw {
	for n := range l {
		if !(l[n] > 1e-13) {
			l[n] = 0
		}
	}
	return l
}

// fromTransform is the law with a generating function: the coefficients of G are the transform of
// its values on the unit circle. No number from size on may have a probability that counts.
func fromTransform(size int, g func(s complex128) complex128) countLaw {
	values := make([]complex128, size)
	for k := range size/2 + 1 {
		values[k] = g(cmplx.Exp(complex(0, 2*math.Pi*float64(k)/float64(size))))
		values[(size-k)%size] = cmplx.Conj(values[k]) // the probabilities are real
	}
	all := fourier.NewCmplxFFT(size).Coefficients(nil, values)
	law := make(countLaw, size)
	for n := range law {
		law[n] = real(all[n]) / float64(size)
	}
	return law.truncated()
}

// descendants is the generating function, at s and z, of the living descendants of one individual
// at time t (s) and of the dead until then (z), with births at λ and deaths at μ for each. It
// solves F' = λF² − (λ+μ)F + μz, F(0) = s, a Riccati equation with constant coefficients.
func descendants(lambda, mu, t float64, s, z complex128) complex128 {
	a, b := complex(lambda, 0), complex(lambda+mu, 0)
	root := cmplx.Sqrt(b*b - 4*a*complex(mu, 0)*z)
	up, down := (b+root)/(2*a), (b-root)/(2*a)
	if s == up || s == down { // they are constant
		return s
	}
	q := (s - up) / (s - down) * cmplx.Exp(a*(up-down)*complex(t, 0))
	return (up - down*q) / (1 - q)
}

// power is z to the n.
func power(z complex128, n int) complex128 {
	result := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result *= z
		}
		z *= z
	}
	return result
}

// livingLaw is the law of the living at time t, from n individuals.
func livingLaw(lambda, mu float64, n int, t float64, size int) countLaw {
	return fromTransform(size, func(s complex128) complex128 { return power(descendants(lambda, mu, t, s, 1), n) })
}

// deadLaw is the law of the dead until time t.
func deadLaw(lambda, mu float64, n int, t float64, size int) countLaw {
	return fromTransform(size, func(z complex128) complex128 { return power(descendants(lambda, mu, t, 1, z), n) })
}

// arrivedLaw is the law of the living at time t, if batches of b arrive at α, everybody leaves at
// μ, and there are n at the beginning. The number of those of a batch that arrived u ago is
// binomial, so that the logarithm of the generating function of those who arrived is α ∫ ((1 +
// (s−1)e^(−μu))ᵇ − 1) du. With w = e^(−μu) the integrand is a polynomial in w of degree b−1, for
// which Gauss's formula is exact.
func arrivedLaw(alpha, mu float64, b, n int, t float64, size int) countLaw {
	points := b/2 + 1
	x, weight := make([]float64, points), make([]float64, points)
	low := math.Exp(-mu * t)
	if t > 0 {
		quad.Legendre{}.FixedLocations(x, weight, low, 1)
	} else {
		x = nil // nobody has arrived
	}
	return fromTransform(size, func(s complex128) complex128 {
		sum := complex(0, 0)
		for i, w := range x {
			stays := 1 + (s-1)*complex(w, 0)
			sum += (power(stays, b) - 1) * complex(weight[i]*alpha/(mu*w), 0)
		}
		return cmplx.Exp(sum) * power(1+(s-1)*complex(low, 0), n)
	})
}

// poissonLaw is the Poisson law.
func poissonLaw(mean float64, size int) countLaw {
	return fromTransform(size, func(s complex128) complex128 { return cmplx.Exp(complex(mean, 0) * (s - 1)) })
}

// A chain is a Markov chain on 0, 1, and so on: rates up and down, and where a step up leads
// instead.
type chain struct {
	size     int
	up, down func(n int) float64
	leads    func(n int) int // where the step up from n leads; nil for n+1
}

// after is the law at a time, by uniformisation: a Poisson number of steps at the largest total
// rate, of which some do nothing.
func (c *chain) after(law countLaw, t float64) countLaw {
	rate := 0.0
	for n := range c.size {
		rate = max(rate, c.up(n)+c.down(n))
	}
	if rate*t > 500 { // e^(−rate·t) would be 0
		return c.after(c.after(law, t/2), t/2)
	}
	now, sum := append(countLaw(nil), law...), make(countLaw, c.size)
	weight, left := math.Exp(-rate*t), 1.0
	for k := 1; left > 1e-15; k++ {
		for n := range sum {
			sum[n] += weight * now[n]
		}
		left -= weight
		next := make(countLaw, c.size)
		for n, p := range now {
			if p == 0 {
				continue
			}
			up, down := c.up(n)/rate, c.down(n)/rate
			next[n] += p * (1 - up - down)
			if down > 0 {
				next[n-1] += p * down
			}
			if up > 0 {
				to := n + 1
				if c.leads != nil {
					to = c.leads(n)
				}
				next[to] += p * up
			}
		}
		now, weight = next, weight*rate*t/float64(k)
	}
	return sum
}

// excess is n times the rate function of the mean of n independent values, each f of a number with
// the law, at x: by Chernoff's bound, a mean as far from its expectation, on the same side, has at
// most the probability e^(−excess). The bound holds for every n, however skewed the law.
func (l countLaw) excess(n int, f func(k float64) float64, x float64) float64 {
	var values, chances []float64
	low, high, mean, square := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for k, p := range l {
		if p > 0 {
			v := f(float64(k))
			values, chances = append(values, v), append(chances, p)
			low, high, mean, square = min(low, v), max(high, v), mean+p*v, square+p*v*v
		}
	}
	switch {
	case math.Abs(x-mean) <= 1e-9*max(1, math.Abs(mean)):
		return 0
	case low == high || x < low || x > high:
		return math.Inf(1)
	}
	// θx − log E e^(θf) is concave in θ; its derivative is x minus the tilted mean.
	at := func(theta float64) (value, slope float64) {
		top := max(theta*(low-x), theta*(high-x))
		sum, first := 0.0, 0.0
		for i, v := range values {
			w := chances[i] * math.Exp(theta*(v-x)-top)
			sum, first = sum+w, first+w*(v-x)
		}
		return -top - math.Log(sum), -first / sum
	}
	from, to := 0.0, (x-mean)/(square-mean*mean) // where the largest is for a normal law
	for range 60 {
		if _, slope := at(to); slope*(x-mean) <= 0 {
			break
		}
		from, to = to, 2*to
	}
	// The value is flat there. It lies below its tangent, which bounds what is still to be gained.
	value, slope := at(from)
	for range 50 {
		if math.Abs(slope*(to-from))*float64(n) < 0.01 {
			break
		}
		middle := (from + to) / 2
		if v, d := at(middle); d*(x-mean) > 0 {
			from, value, slope = middle, v, d
		} else {
			to = middle
		}
	}
	return float64(n) * value
}
