package capped

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// GreedyLimit returns the limit of GREEDY[d] with leaky bins [BFK18]: λ new balls per bin and
// round, each of which looks at the loads of d bins at the beginning of the round, and goes to one
// with the least. Bins have no limit, and there is no pool.
//
// Let S_ℓ be the share of bins with a load of ℓ or more. A ball goes to a bin of load ℓ if all its
// choices have ℓ or more and not all have more. So a bin of load ℓ gets a Poisson number of balls,
// with mean λ(S_ℓ^d−S_{ℓ+1}^d)/π_ℓ. The cut between loads up to i and the others has the equation
// of CAPPED, each load with its own law.
//
// All balls of a round decide by the same loads, and with many choices and λ near 1 they overshoot.
// For d from about 10 and λ from about 1−2⁻¹³ this law may be unstable; [Limit.Relaxation] is
// infinite then.
//
// Loads are omitted where their total share is below 10⁻¹⁸λ², or after 2²⁴, which comes first with
// d = 1 and λ above 1−2·10⁻⁶.
//
// It panics unless d is from 1 to 2²⁰, and λ is above 0 and below 1.
//
// [BFK18]: https://doi.org/10.1007/s00453-018-0411-z
func GreedyLimit(d int, lambda float64) *Limit {
	demand(d >= 1 && d <= mostChoices, "the number of choices of a ball", "from 1 to "+twoTo(mostChoices), d)
	demandRate(lambda)
	l := &Limit{Choices: d, Rate: lambda, Requests: lambda}
	if d == 1 {
		l.Loads = l.oneChoice()
		l.Wait = lambda / (2 * (1 - lambda)) // E[L] = λ²/(2(1−λ)), by the second moments of L+N
		return l
	}
	l.Loads = l.byCuts()
	// The cuts give small loads to all digits, and large ones to 10⁻¹⁶; a few rounds improve these.
	const rounds = 30
	for range rounds {
		l.Loads = l.round(l.Loads)
	}
	l.Wait = meanLoad(l.Loads) / lambda
	return l
}

// least returns the share of bins that is omitted at the end of the loads. With a small λ few bins
// hold a ball: λ²/2 of them.
func (l *Limit) least() float64 { return 1e-18 * l.Rate * l.Rate }

// oneChoice returns the law of the loads for d = 1: the chain of CAPPED without an end, where x = λ
// and π₀ = (1−λ)e^λ.
func (l *Limit) oneChoice() []float64 {
	const most = 1 << 24
	var n poissonLaw
	n.set(l.Rate)
	from := n.jumps()
	w := []float64{(1 - l.Rate) / n.is[0]}
	for i := 0; i+1 < most; i++ {
		w = append(w, cut(w, i, from)/n.is[0])
		// The tail of the loads is geometric.
		if ratio := w[i+1] / w[i]; ratio < 1 && w[i+1] <= l.least()*(1-ratio) { // both are 0 if λ² is
			break
		}
	}
	return w
}

// mean returns the mean number of balls that a bin of some load gets, λ(s^d − (s−share)^d)/share,
// where s is the share of bins with that load or more, and share that of bins with exactly that
// load.
func (l *Limit) mean(s, share float64) float64 {
	if l.Choices == 1 {
		return l.Rate
	}
	d := float64(l.Choices)
	if share <= 0 {
		return l.Rate * d * power(s, d-1)
	}
	return -l.Rate * power(s, d) * detmath.Expm1(d*detmath.Log1p(-min(share/s, 1))) / share
}

// power returns sᵈ for s ≥ 0 and d > 0.
func power(s, d float64) float64 { return detmath.Exp(d * detmath.Log(s)) }

// byCuts returns the law of the loads, computed from small to large. The bins that are empty and
// get no ball are 1−λ, an equation with π₀ as its only unknown; and π_{i+1}·P(N=0) is the flow over
// the cut above i, which follows from the loads up to i. The left sides grow with their unknown, so
// that there is one solution. Its error is about 10⁻¹⁶.
func (l *Limit) byCuts() []float64 {
	var laws []poissonLaw
	var loads []float64
	flow, sum := 1-l.Rate, 0.0
	for s := 1.0; s > 1e-13; s = 1 - sum {
		low, high := 0.0, s
		for {
			share := low + float64((high-low)/2)
			if share <= low || share >= high {
				break
			}
			if share*detmath.Exp(-l.mean(s, share)) > flow {
				high = share
			} else {
				low = share
			}
		}
		i := len(loads)
		loads = append(loads, high)
		laws = append(laws, poissonLaw{})
		laws[i].set(l.mean(s, high))
		sum += high
		flow = 0
		for j := range loads {
			flow += float64(loads[j] * laws[j].tail(i-j+2))
		}
	}
	return loads
}

// round returns the law of the loads a round later. It is normalized, so that rounding errors of
// the sum do not grow.
func (l *Limit) round(loads []float64) []float64 {
	var n poissonLaw
	var next []float64
	s := tails(loads)
	for load, share := range loads {
		n.set(l.mean(s[load], share))
		for k, prob := range n.is {
			if share*prob < l.least()*1e-6 && float64(k) > n.mean {
				break
			}
			to := max(0, load+k-1)
			for len(next) <= to {
				next = append(next, 0)
			}
			next[to] += float64(share * prob)
		}
	}
	sum := 0.0
	for _, share := range next {
		sum += share
	}
	for load := range next {
		next[load] /= sum
	}
	return trim(next, l.least()*1e-3)
}

// tails returns the share of bins with each load or more.
func tails(loads []float64) []float64 {
	s := make([]float64, len(loads)+1)
	for load := len(loads) - 1; load >= 0; load-- {
		s[load] = s[load+1] + loads[load]
	}
	return s
}

func meanLoad(loads []float64) float64 {
	sum := 0.0
	for load := len(loads) - 1; load > 0; load-- {
		sum += float64(float64(load) * loads[load])
	}
	return sum
}

// joined returns the balls per bin and round by the number of balls before them in the bin, which
// is their waiting time: a ball joins with p before it if the bin has load ℓ ≤ p and gets more than
// p−ℓ.
func (l *Limit) joined() []float64 {
	var n poissonLaw
	var joined []float64
	s := tails(l.Loads)
	for load, share := range l.Loads {
		n.set(l.mean(s[load], share))
		for k := 1; k < len(n.from) && share*n.from[k] >= l.least()*1e-3; k++ {
			for len(joined) < load+k {
				joined = append(joined, 0)
			}
			joined[load+k-1] += float64(share * n.from[k])
		}
	}
	return joined
}

func (l *Limit) greedyFromEmpty(rounds int) []float64 {
	means := make([]float64, rounds)
	loads := []float64{1}
	for t := range means {
		loads = l.round(loads)
		means[t] = meanLoad(loads)
	}
	return means
}

// greedyRelaxation returns the relaxation time of the map of the S_k. For d = 1, where a load is a
// random walk reflected at 0, μ is the minimum of e^(λ(z−1))/z over z, which is at 1/λ.
func (l *Limit) greedyRelaxation() float64 {
	if l.Choices == 1 {
		return 1 / walkGap(1-l.Rate)
	}
	if log := logRadius(l.jacobian()); log < 0 {
		return -1 / log
	}
	return math.Inf(1)
}

// walkGap returns −ln(λe^(1−λ)) = −ln(1−u)−u, where u = 1−λ: u²/2 + u³/3 + ….
func walkGap(u float64) float64 {
	if u > 0.05 {
		return -detmath.Log1p(-u) - u
	}
	sum := 0.0
	for k := 12; k >= 2; k-- {
		sum = float64(sum*u) + 1/float64(k)
	}
	return sum * u * u
}

// jacobian returns ∂S′_k/∂S_j, as far as S is not negligible, where S′_k = Σ_ℓ π_ℓ·P(N_ℓ ≥ k+1−ℓ).
func (l *Limit) jacobian() [][]float64 {
	s := tails(l.Loads)
	size := 0
	for size+1 < len(s) && s[size+1] > 1e-13*l.Rate*l.Rate {
		size++
	}
	laws := make([]poissonLaw, size+1)
	for load := range laws {
		laws[load].set(l.mean(s[load], l.Loads[load]))
	}
	d := float64(l.Choices)
	rows := make([][]float64, size)
	for k := 1; k <= size; k++ {
		rows[k-1] = make([]float64, size)
		for j := 1; j <= size; j++ {
			// S_j is in π_j and π_{j−1} and in the means there; d/dx P(N ≥ i) = P(N = i−1).
			here, before := &laws[j], &laws[j-1]
			slope := float64(l.Rate * d * power(s[j], d-1))
			rows[k-1][j-1] = here.tail(k+1-j) + float64((slope-here.mean)*here.point(k-j)) -
				before.tail(k+2-j) - float64((slope-before.mean)*before.point(k+1-j))
		}
	}
	return rows
}

// logRadius returns the logarithm of the spectral radius, as the logarithm of the norm of the
// 2^k-th power divided by 2^k. Eigenvalues may be complex.
func logRadius(m [][]float64) float64 {
	const enough, squarings = 1e-5, 48
	radius, log, exponent := math.Inf(1), 0.0, 1.0
	for range squarings {
		norm := 0.0
		for _, row := range m {
			sum := 0.0
			for _, x := range row {
				sum += math.Abs(x)
			}
			norm = max(norm, sum)
		}
		log += detmath.Log(norm)
		before := radius
		if radius = log / exponent; math.Abs(radius-before) <= enough*math.Abs(radius) || norm == 0 {
			break
		}
		square := make([][]float64, len(m))
		for i, row := range m {
			square[i] = make([]float64, len(m))
			for j, x := range row {
				if x /= norm; x == 0 {
					continue
				}
				for k, y := range m[j] {
					square[i][k] += float64(x * y / norm)
				}
			}
		}
		m = square
		log, exponent = 2*log, 2*exponent
	}
	return radius
}
