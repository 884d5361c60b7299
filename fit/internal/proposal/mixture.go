// Package proposal draws proposals for parameters: from a mixture of normal kernels and the prior
// ([Mixture]), or by a random walk ([Walk]).
//
// Parameters move on a scale on which every prior is standard normal: z = Φ⁻¹(F(x)), where F is the
// prior's distribution function and Φ the standard normal one. No step leaves the support there,
// all parameters have the same extent, and a whole number is an interval. A bounded parameter moves
// about as on the logit scale, a positive one about as on the log scale. The ratio of prior and
// proposal densities is the same on both scales, so weights need no density of the prior.
package proposal

import (
	"errors"
	"math"

	"github.com/almanac-sim/almanac/fit/internal/matrix"
	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Mixture is where proposals come from: normal kernels about the points of a weighted sample, and
// the prior for a share of them. With such a share, no weight can exceed the likelihood over it (a
// defensive mixture, [Hesterberg95]). Without any centre, it is the prior.
//
// [Hesterberg95]: https://doi.org/10.1080/00401706.1995.10484303
type Mixture struct {
	Share    float64     `json:"share"` // of the prior
	Centers  [][]float64 `json:"centres,omitempty"`
	Weights  []float64   `json:"weights,omitempty"`  // add up to 1
	Cholesky [][]float64 `json:"cholesky,omitempty"` // of the kernels' covariance: rows of a lower triangle

	whitened   [][]float64 // centres on the scale on which kernels are round
	cumulative []float64   // of weights
}

// NewMixture returns a mixture whose kernels have the weighted covariance of the points, multiplied
// by factor. The prior has the given share.
func NewMixture(points [][]float64, weights []float64, factor, share float64) *Mixture {
	return &Mixture{Share: share, Centers: points, Weights: weights,
		Cholesky: matrix.Cholesky(matrix.Covariance(points, weights),
			factor)}
}

// Prepare checks that the mixture has d dimensions, and makes it ready for drawing.
func (m *Mixture) Prepare(d int) error {
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
		m.cumulative = append(m.cumulative, sum)
		m.whitened = append(m.whitened, matrix.Solve(m.Cholesky, m.Centers[i]))
	}
	return nil
}

// Draw returns a proposal of d coordinates.
func (m *Mixture) Draw(d int, s *random.Stream) []float64 {
	z := make([]float64, d)
	if len(m.Centers) == 0 || s.Float64() < m.Share {
		for i := range z {
			z[i] = random.Normal(s)
		}
		return z
	}
	center := m.Centers[pick(m.cumulative, s.Float64())]
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

// pick returns the first index at which the cumulative sums exceed a share of the total.
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

// LogDensity is the log density of proposals at z, up to a constant that it shares with [LogPrior].
func (m *Mixture) LogDensity(z []float64) float64 {
	prior := LogPrior(z)
	if len(m.Centers) == 0 {
		return prior
	}
	return logSum(detmath.Log(m.Share)+prior, detmath.Log1p(-m.Share)+m.KernelLogDensity(z))
}

// KernelLogDensity is the log density of the kernels alone at z, up to the same constant.
func (m *Mixture) KernelLogDensity(z []float64) float64 {
	at := matrix.Solve(m.Cholesky, z)
	logs := make([]float64, len(m.whitened))
	most := math.Inf(-1)
	for i, c := range m.whitened {
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

// StandardNormal draws a standard normal number by inversion.
func StandardNormal(s *random.Stream) float64 {
	return detmath.NormalQuantile((float64(s.Uint64()>>12) + 0.5) * 0x1p-52)
}

// Normals draws d standard normal numbers.
func Normals(s *random.Stream, d int) []float64 {
	z := make([]float64, d)
	for i := range z {
		z[i] = StandardNormal(s)
	}
	return z
}

// LogPrior is the log density of the prior at z, up to a constant: that of the standard normal
// distribution.
func LogPrior(z []float64) float64 { return float64(-matrix.SquaredNorm(z) / 2) }

// Prior draws n points of d coordinates from the prior.
func Prior(s *random.Stream, n, d int) [][]float64 {
	points := make([][]float64, n)
	for k := range points {
		points[k] = Normals(s, d)
	}
	return points
}

// A Walk proposes steps of a random walk: from z to z + scale·Lg, g standard normal. One step in
// five is a fifth as long, for regions that are narrower than the whole. Steps are symmetric, so
// the acceptance ratio needs no density of theirs.
type Walk struct {
	Lower []float64 `json:"lower"` // L, by rows; the lower triangle of d×d
	Scale float64   `json:"scale"`
}

func (k Walk) Propose(z []float64, s *random.Stream) []float64 {
	d := len(z)
	scale := k.Scale
	if s.Float64() < 0.2 {
		scale /= 5
	}
	g := Normals(s, d)
	next := make([]float64, d)
	for i := range next {
		next[i] = z[i]
		for j := range i + 1 {
			next[i] += float64(scale * k.Lower[i*d+j] * g[j])
		}
	}
	return next
}

// NewWalk fits a walk to a weighted cloud of points: it has their covariance plus a little of the
// prior's, so that it has an extent in every direction. The weights are given by their logarithms;
// nil means equal weights.
func NewWalk(points [][]float64, logs []float64, scale float64) Walk {
	d := len(points[0])
	cov := matrix.Covariance(points, weight.FromLogs(logs, len(points)))
	for i := range d {
		cov[i][i] = float64(cov[i][i]*(1+1e-6)) + 1e-8
	}
	lower := make([]float64, d*d)
	if l, ok := matrix.Factorize(cov); ok {
		for i := range d {
			copy(lower[i*d:], l[i])
		}
	} else { // not positive definite because of rounding: use the axes alone
		for i := range d {
			lower[i*d+i] = math.Sqrt(cov[i][i])
		}
	}
	return Walk{Lower: lower, Scale: scale}
}
