package erickson

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
)

// What follows is exact, for every N, every width and every jump that has a density, or besides a
// density a mass at 0. The papers have bounds, and the journal version says that its exact formulas
// are unwieldy. These are not:
//
// In the infinite calendar an event does not feel the others: its times are a renewal process of
// its own, and in the steady state (section A.3) the N processes are independent and stationary,
// each of rate 1/μ. So a bucket, from 0 to δ, sees N/μ·ds dispatches at s; and when one event is
// dispatched at s, another one is in the bucket if its process has a time between s and δ, which
// has probability P(δ−s), where P(u) = (1/μ)∫₀^u (1−F). The number of the others is binomial, of
// N−1 trials. One bucket takes 1 + Nδ/μ = 1/q₀ visits. Hence, with u = δ−s,
//
//	q_j = q₀·(N/μ)·∫₀^δ C(N−1, j−1)·P(u)^(j−1)·(1−P(u))^(N−j) du,
//	entries for each event = 1 + (N−1)·(1/δ)·∫₀^δ P(u) du.
//
// With v = P(u) the first integral is that of N·C(N−1, j−1)·v^(j−1)·(1−v)^(N−j)/(1−F) from 0 to p =
// P(δ). Without 1−F it would be the binomial's tail, Σ_{i≥j} b(i); and 1−F is between 1−F(δ) and 1:
// that is (15) and (16).
//
// An event of a later year is in the current bucket, when another is dispatched at s, with
// probability Π(s) = (1/μ)·Σ_k ∫ (1−F) from kMδ−s to kMδ+δ−s, and when the bucket is left with
// probability Π(δ). Hence
//
//	L_M = q₀·[N(N−1)/μ·∫₀^δ Π(s) ds + N·Π(δ)].

// residual is ∫₀^δ g(y/δ)·(1−F(y)) dy/δ. A density that grows without bound near 0 makes F a power
// of y less than 1; in the fourth root of y that is smooth enough for the rule.
func residual(j static.Jump, width float64, g func(float64) float64) float64 {
	return integral(func(t float64) float64 {
		cube := t * t * t
		return 4 * cube * g(cube*t) * (1 - j.CDF(width*cube*t))
	}, 0, 1)
}

// hitOf is P(u): the probability that an event is due within u, at any time.
func hitOf(j static.Jump, u float64) float64 {
	return u / j.Mean * residual(j, u, func(float64) float64 { return 1 })
}

// exactEntries is how many entries are looked at for each event, with any number of buckets.
func exactEntries(n int, j static.Jump, width float64) float64 {
	// (1/δ)∫₀^δ P = (1/μδ)∫₀^δ (δ−y)(1−F(y)) dy
	return 1 + float64(n-1)*width/j.Mean*residual(j, width, func(y float64) float64 { return 1 - y })
}

// exactCost is what an event takes with any number of buckets: bμ/(Nδ) + c·entries + d.
func exactCost(k static.Costs, n int, j static.Jump, width float64) float64 {
	return k.Empty*j.Mean/(float64(n)*width) + k.Entry*exactEntries(n, j, width) + k.Fixed
}

// exactInBucket is E_N(δ) of the journal version, Σ j·q_j: how many entries a visit finds on
// average.
func exactInBucket(n int, j static.Jump, width float64) float64 {
	x := float64(n) * width / j.Mean
	return x / (1 + x) * exactEntries(n, j, width)
}

// slope has the sign of the derivative of exactCost: that is (c(N−1)·m(δ) − bμ/N)/δ², where m(δ) =
// (1/μ)∫₀^δ y(1−F(y)) dy grows with δ, up to E[ξ²]/2μ. So the cost falls, and if N(N−1)·E[ξ²]/μ² >
// 2b/c it rises from some width on: there it has its only minimum.
func slope(k static.Costs, n int, j static.Jump, width float64) float64 {
	m := width * width / j.Mean * residual(j, width, func(y float64) float64 { return y })
	return k.Entry*float64(n-1)*m - k.Empty*j.Mean/float64(n)
}

// exactWidth is the width at which exactCost is least, where there is one.
func exactWidth(k static.Costs, n int, j static.Jump) float64 {
	low, high := 1e-3*j.Mean/float64(n), 1e3*j.Mean
	for high/low > 1+1e-14 {
		middle := math.Sqrt(low * high)
		if middle <= low || middle >= high {
			break
		}
		if slope(k, n, j, middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// exactShares are q_0, q_1, … up to q_most.
func exactShares(n int, j static.Jump, width float64, most int) []float64 {
	q := make([]float64, most+1)
	q[0] = j.Mean / (j.Mean + float64(n)*width)
	const pieces = 8
	for piece := range pieces {
		for i, x := range places {
			root := (float64(piece) + x) / pieces // of u/δ, for the reason that residual has
			u := width * root * root
			binomial := distuv.Binomial{N: float64(n - 1), P: min(1, hitOf(j, u))}
			share := weights[i] / pieces * 2 * width * root * q[0] * float64(n) / j.Mean
			for k := 1; k <= min(most, n); k++ {
				q[k] += share * binomial.Prob(float64(k-1))
			}
		}
	}
	return q
}

// exactExcess is L_M.
func exactExcess(n, buckets int, j static.Jump, width float64) float64 {
	tail := func(x float64) float64 { return 1 - j.CDF(x) }
	events, year := float64(n), float64(buckets)*width
	during, after := 0.0, 0.0
	for k := 1.0; ; k++ {
		at := k * year
		if at-width >= j.Support || tail(at-width) < 1e-13 {
			break
		}
		// ∫₀^δ Π(s) ds has 1−F at kMδ+y with the weight δ−|y|.
		during += fixed(func(y float64) float64 { return (width + y) * tail(at+y) }, -width, 0) +
			fixed(func(y float64) float64 { return (width - y) * tail(at+y) }, 0, width)
		after += fixed(tail, at-width, at)
	}
	q0 := j.Mean / (j.Mean + events*width)
	return q0 * events / j.Mean * ((events-1)*during/j.Mean + after)
}

// Gauss and Legendre's rule of 16 places, from 0 to 1.
var places, weights = func() (x, w [16]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], 0, 1)
	return x, w
}()

// fixed is the integral of f from a to b by one application of the rule.
func fixed(f func(float64) float64, a, b float64) float64 {
	sum := 0.0
	for i, x := range places {
		sum += weights[i] * f(a+(b-a)*x)
	}
	return sum * (b - a)
}

// integral is the integral of f from a to b. It halves the range as long as that changes the
// integral, which it does at the kinks of a distribution.
func integral(f func(float64) float64, a, b float64) float64 {
	whole := fixed(f, a, b)
	return halve(f, a, b, whole, 1e-14*math.Abs(whole), 25)
}

func halve(f func(float64) float64, a, b, whole, enough float64, halvings int) float64 {
	middle := a + (b-a)/2
	left, right := fixed(f, a, middle), fixed(f, middle, b)
	if halvings == 0 || math.Abs(left+right-whole) <= enough {
		return left + right
	}
	return halve(f, a, middle, left, enough, halvings-1) + halve(f, middle, b, right, enough, halvings-1)
}
