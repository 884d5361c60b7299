package fit

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"gonum.org/v1/gonum/mat"
)

// Chains and searches move in coordinates in which the prior is standard normal in every direction: z = Φ⁻¹(F(x)), F being the prior's
// distribution function. So every unknown has the same scale, no step leaves the support, whatever the prior, and a whole number is what
// it is: x is the prior's quantile of Φ(z), which has the prior's law, rounded or not, if z has the normal one. Where the misfit alone
// counts, the coordinates are those of a bounded unknown that is searched through its logit, or of a positive one through its logarithm,
// but for the names.

// farOut bounds the coordinates: beyond, Φ is too near 1 for its quantiles to be told apart.
const farOut = 7.5

// place gives the unknowns at coordinates.
func (p *Problem) place(z []float64) []float64 {
	x := make([]float64, len(z))
	for i, u := range p.Unknowns {
		x[i] = u.Prior.Quantile(normalCDF(min(max(z[i], -farOut), farOut)))
	}
	return x
}

// gaussian is a standard normal number.
func gaussian(s *random.Stream) float64 {
	return normalQuantile((float64(s.Uint64()>>12) + 0.5) * 0x1p-52)
}

// gaussians are d of them.
func gaussians(s *random.Stream, d int) []float64 {
	z := make([]float64, d)
	for i := range z {
		z[i] = gaussian(s)
	}
	return z
}

// A kernel proposes steps: from z to z + scale·Lg, g standard normal, and one time in five a fifth as far, for places that are narrower
// than the whole. It is as likely to step back, so that its density needs no correction.
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
			next[i] += scale * k.Lower[i*d+j] * g[j]
		}
	}
	return next
}

// priorTerm is the logarithm of the prior's density in the coordinates, up to a constant: that of the standard normal law.
func priorTerm(z []float64) float64 {
	sum := 0.0
	for _, v := range z {
		sum -= v * v / 2
	}
	return sum
}

// kernelOf fits a kernel to a cloud of points: their covariance, a little of the prior's added, so that it has an extent in every
// direction even if the points have none.
func kernelOf(points [][]float64, scale float64) kernel {
	d := len(points[0])
	n := float64(len(points))
	mean := meanOf(points)
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			c := 0.0
			for _, z := range points {
				c += (z[i] - mean[i]) * (z[j] - mean[j]) / n
			}
			cov.SetSym(i, j, c)
		}
	}
	for i := range d {
		cov.SetSym(i, i, cov.At(i, i)*(1+1e-6)+1e-8)
	}
	var factor mat.Cholesky
	lower := make([]float64, d*d)
	if factor.Factorize(cov) {
		var l mat.TriDense
		factor.LTo(&l)
		for i := range d {
			for j := range i + 1 {
				lower[i*d+j] = l.At(i, j)
			}
		}
	} else { // rounding made it so: the axes alone
		for i := range d {
			lower[i*d+i] = math.Sqrt(cov.At(i, i))
		}
	}
	return kernel{Lower: lower, Scale: scale}
}

func meanOf(points [][]float64) []float64 {
	mean := make([]float64, len(points[0]))
	for _, z := range points {
		for i, v := range z {
			mean[i] += v / float64(len(points))
		}
	}
	return mean
}

// colder is the inverse temperature that follows beta, at most limit: where the weights exp((next−beta)·log) of points leave half of
// them, by their effective number.
func colder(logs []float64, beta, limit float64) float64 {
	size := func(next float64) float64 {
		scaled := make([]float64, len(logs))
		for i, l := range logs {
			scaled[i] = l
			if !math.IsInf(l, -1) {
				scaled[i] = (next - beta) * l
			}
		}
		_, n := logMean(scaled)
		return n
	}
	half := size(beta) / 2 // those that are −∞ are lost at any temperature
	if size(limit) >= half {
		return limit
	}
	low, high := beta, limit
	for range 60 {
		mid := (low + high) / 2
		if size(mid) >= half {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
