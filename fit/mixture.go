package fit

import (
	"errors"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// Unknowns are moved on a scale of their own: z = Φ⁻¹(F(x)), where F is the prior's distribution
// function and Φ the standard normal one. On it, every prior is standard normal, no value lies
// outside the support, and whole numbers are intervals. The ratio of prior and proposal densities
// is the same on either scale, so that weights need no density of the prior.

// farthest is beyond what is told apart from 1 on that scale.
const farthest = 8.0

// fromNormal is x for a z.
func (p Prior) fromNormal(z float64) float64 {
	return p.Quantile(detmath.NormalCDF(math.Min(math.Max(z, -farthest), farthest)))
}

// normal is z for an x; for a whole number, in the middle of its interval's probability.
func (p Prior) normal(x float64) float64 {
	share := p.CDF(x)
	if p.whole {
		share = (share + p.CDF(x-1)) / 2
	}
	return math.Min(math.Max(detmath.NormalQuantile(share), -farthest), farthest)
}

// values are the unknowns at z.
func (p *Problem) values(z []float64) []float64 {
	x := make([]float64, len(z))
	for i, u := range p.Unknowns {
		x[i] = u.Prior.fromNormal(z[i])
	}
	return x
}

// A mixture is where proposals come from: normal kernels about the points of a weighted sample, and
// the prior for a share of them. With such a share, no weight can exceed the likelihood over it (a
// defensive mixture, [Hesterberg95]). Without any centre, it is the prior.
//
// [Hesterberg95]: https://doi.org/10.1080/00401706.1995.10484303
type mixture struct {
	Share    float64     `json:"share"` // of the prior
	Centers  [][]float64 `json:"centres,omitempty"`
	Weights  []float64   `json:"weights,omitempty"`  // add up to 1
	Cholesky [][]float64 `json:"cholesky,omitempty"` // of the kernels' covariance: rows of a lower triangle

	white [][]float64 // centres on the scale on which kernels are round
	sums  []float64   // of weights
}

// newMixture has kernels with so many times the weighted covariance of the points.
func newMixture(points [][]float64, weights []float64, times, share float64) *mixture {
	return &mixture{Share: share, Centers: points, Weights: weights, Cholesky: cholesky(covariance(points, weights),
		times)}
}

// open makes a mixture ready, if it is one of so many dimensions.
func (m *mixture) open(d int) error {
	square := len(m.Cholesky) == d
	for j, row := range m.Cholesky {
		square = square && len(row) == d && row[j] > 0
	}
	if !(m.Share >= 0 && m.Share <= 1) || len(m.Weights) != len(m.Centers) || len(m.Centers) > 0 && !square {
		return errors.New("its kernel is none")
	}
	for i, c := range m.Centers {
		if len(c) != d || !(m.Weights[i] >= 0) {
			return errors.New("its kernel is none")
		}
	}
	sum := 0.0
	for i, w := range m.Weights {
		sum += w
		m.sums = append(m.sums, sum)
		m.white = append(m.white, solve(m.Cholesky, m.Centers[i]))
	}
	return nil
}

// draw is a proposal in so many dimensions.
func (m *mixture) draw(d int, s *random.Stream) []float64 {
	z := make([]float64, d)
	if len(m.Centers) == 0 || s.Float64() < m.Share {
		for i := range z {
			z[i] = random.Normal(s)
		}
		return z
	}
	center := m.Centers[pick(m.sums, s.Float64())]
	for i := range z {
		n := random.Normal(s)
		for j := i; j < d; j++ {
			z[j] += float64(m.Cholesky[j][i] * n)
		}
	}
	for i := range z {
		z[i] += center[i]
	}
	return z
}

// pick is the first place at which sums exceed a share of the last.
func pick(sums []float64, share float64) int {
	low, high := 0, len(sums)-1
	for x := share * sums[high]; low < high; {
		if middle := (low + high) / 2; sums[middle] > x {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// logDensity is that of proposals, but for the constant factor that the standard normal density
// has, too.
func (m *mixture) logDensity(z []float64) float64 {
	prior := priorTerm(z)
	if len(m.Centers) == 0 {
		return prior
	}
	return logSum(detmath.Log(m.Share)+prior, detmath.Log1p(-m.Share)+m.kernels(z))
}

// kernels is the density of the kernels alone, but for that factor.
func (m *mixture) kernels(z []float64) float64 {
	at := solve(m.Cholesky, z)
	logs := make([]float64, len(m.white))
	most := math.Inf(-1)
	for i, c := range m.white {
		s := 0.0
		for j, x := range c {
			s += float64((at[j] - x) * (at[j] - x))
		}
		logs[i] = -s / 2
		most = math.Max(most, logs[i])
	}
	sum := 0.0
	for i, l := range logs {
		if l > most-40 {
			sum += float64(m.Weights[i] * detmath.Exp(l-most))
		}
	}
	for i, row := range m.Cholesky {
		most -= detmath.Log(row[i])
	}
	return most + detmath.Log(sum)
}

func square(z []float64) (s float64) {
	for _, x := range z {
		s += float64(x * x)
	}
	return s
}

// logSum is log(eᵃ + eᵇ).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + detmath.Log1p(detmath.Exp(b-a))
}

// covariance is that of weighted points.
func covariance(points [][]float64, weights []float64) [][]float64 {
	d, mean := len(points[0]), meanOf(points, weights)
	c := make([][]float64, d)
	for j := range c {
		c[j] = make([]float64, d)
		for k := range j + 1 {
			for i, p := range points {
				c[j][k] += float64(weights[i] * (p[j] - mean[j]) * (p[k] - mean[k]))
			}
			c[k][j] = c[j][k]
		}
	}
	return c
}

// cholesky is L of LLᵀ = so many times c. Directions in which nothing varies are given a thousandth
// of the prior's standard deviation, or of the largest one's: a kernel has some width in each.
func cholesky(c [][]float64, times float64) [][]float64 {
	d := len(c)
	l := make([][]float64, d)
	for j := range d {
		l[j] = make([]float64, d)
		for k := range j + 1 {
			s := c[j][k] * times
			for i := range k {
				s -= float64(l[j][i] * l[k][i])
			}
			if j > k {
				l[j][k] = s / l[k][k]
			} else {
				l[j][j] = math.Sqrt(math.Max(s, float64(1e-6*c[j][j]*times)+1e-12))
			}
		}
	}
	return l
}

// solve is L⁻¹z.
func solve(l [][]float64, z []float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		s := z[i]
		for j := range i {
			s -= float64(l[i][j] * x[j])
		}
		x[i] = s / l[i][i]
	}
	return x
}
