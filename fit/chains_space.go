package fit

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// Chains and searches move on the scale on which every prior is standard normal, as kernels of
// other methods do: each unknown has the same extent there, no step leaves the support, and a whole
// number is an interval. A bounded unknown is thereby searched through what is much like its logit,
// and a positive one through what is much like its logarithm.

// gaussian is a standard normal number.
func gaussian(s *random.Stream) float64 {
	return detmath.NormalQuantile((float64(s.Uint64()>>12) + 0.5) * 0x1p-52)
}

// gaussians are d of them.
func gaussians(s *random.Stream, d int) []float64 {
	z := make([]float64, d)
	for i := range z {
		z[i] = gaussian(s)
	}
	return z
}

// A kernel proposes steps: from z to z + scale·Lg, g standard normal, and one time in five a fifth
// as far, for places that are narrower than the whole. It is as likely to step back, so that its
// density needs no correction.
type kernel struct {
	Lower []float64 `json:"lower"` // L, by rows; the lower triangle of d×d
	Scale float64   `json:"scale"`
}

func (k kernel) propose(z []float64, s *random.Stream) []float64 {
	d := len(z)
	scale := k.Scale
	if s.Float64() < 0.2 {
		scale /= 5
	}
	g := gaussians(s, d)
	next := make([]float64, d)
	for i := range next {
		next[i] = z[i]
		for j := range i + 1 {
			next[i] += float64(scale * k.Lower[i*d+j] * g[j])
		}
	}
	return next
}

// priorTerm is the logarithm of the prior's density in the coordinates, up to a constant: that of
// the standard normal law.
func priorTerm(z []float64) float64 { return float64(-square(z) / 2) }

// kernelOf fits a kernel to a weighted cloud of points: their covariance, a little of the prior's
// added, so that it has an extent in every direction even if the points have none. The logarithms
// of the weights are given, or none if they are equal.
func kernelOf(points [][]float64, logs []float64, scale float64) kernel {
	d := len(points[0])
	cov := covariance(points, sharesOf(logs, len(points)))
	for i := range d {
		cov[i][i] = float64(cov[i][i]*(1+1e-6)) + 1e-8
	}
	lower := make([]float64, d*d)
	if l, ok := factorize(cov); ok {
		for i := range d {
			copy(lower[i*d:], l[i])
		}
	} else { // rounding made it so: the axes alone
		for i := range d {
			lower[i*d+i] = math.Sqrt(cov[i][i])
		}
	}
	return kernel{Lower: lower, Scale: scale}
}

// meanOf is the mean of points with weights that add up to 1.
func meanOf(points [][]float64, weights []float64) []float64 {
	mean := make([]float64, len(points[0]))
	for k, z := range points {
		for i, v := range z {
			mean[i] += float64(weights[k] * v)
		}
	}
	return mean
}

// sharesOf are weights that add up to 1, n equal ones if there are no logarithms.
func sharesOf(logs []float64, n int) []float64 {
	shares := make([]float64, n)
	if len(logs) == 0 {
		for k := range shares {
			shares[k] = 1 / float64(n)
		}
		return shares
	}
	mean, _ := logMean(logs)
	for k, l := range logs {
		shares[k] = detmath.Exp(l-mean) / float64(n)
	}
	return shares
}

// powered are the logarithms of weights that are raised to a power; what is 0 stays 0, also to the
// power of 0.
func powered(logs []float64, power float64) []float64 {
	scaled := make([]float64, len(logs))
	for k, l := range logs {
		if scaled[k] = power * l; math.IsInf(l, -1) {
			scaled[k] = l
		}
	}
	return scaled
}

// powerFor is the largest power, at most limit, to which weights can be raised with an effective
// number of at least want, or of half of those that are not 0 if there are fewer than twice as
// many.
func powerFor(logs []float64, want, limit float64) float64 {
	size := func(power float64) float64 {
		_, n := logMean(powered(logs, power))
		return n
	}
	want = min(want, size(0)/2)
	if size(limit) >= want {
		return limit
	}
	low, high := 0.0, limit
	for range 200 { // limits and misfits have any scale: 200 halvings see the smallest
		mid := (low + high) / 2
		if size(mid) >= want {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
