package random

import (
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/portable"
)

// Draws from any source that are the same on every machine. Those of math/rand/v2 and gonum are not, since they use logarithms
// and exponentials of package math, which differ in the last bit. The algorithms are the same as theirs, and take the same numbers of the source, so that
// a draw differs from theirs by a rounding error at most.

// ziggurat has the tables of [MT00] as math/rand/v2 uses them: the numbers below which a point is under the curve at once, the width of
// a layer over the range of the integers, and the heights of the curve.
//
// [MT00]: https://doi.org/10.18637/jss.v005.i08
type ziggurat struct {
	certain       [layers]uint32
	width, height [layers]float32
}

// fill makes n layers of an area below a curve that is 1 at 0, with its inverse, up to a tail, for integers below limit.
func (z *ziggurat) fill(n int, tail, area, limit float64, curve, inverse func(float64) float64) {
	base := area / curve(tail) // the width of the lowest layer, as if the tail were part of a rectangle
	z.certain[0], z.width[0], z.height[0] = uint32(tail/base*limit), float32(base/limit), 1
	right := tail
	z.width[n-1], z.height[n-1] = float32(tail/limit), float32(curve(tail))
	for i := n - 2; i >= 1; i-- {
		x := inverse(area/right + curve(right))
		z.certain[i+1] = uint32(x / right * limit)
		z.width[i], z.height[i] = float32(x/limit), float32(curve(x))
		right = x
	}
}

// under reports whether a point of layer i at x, of random height, is under the curve, which has a height y there.
func (z *ziggurat) under(s rand.Source, i int, y float64) bool {
	return z.height[i]+float32(float32(uniform(s))*(z.height[i-1]-z.height[i])) < float32(y)
}

// uniform is that of [rand.Rand.Float64].
func uniform(s rand.Source) float64 { return float64(float64(s.Uint64()&(1<<53-1)) * 0x1p-53) }

const (
	normalTail = 3.442619855899
	normalArea = 9.91256303526217e-3
)

func bell(x float64) float64 { return portable.Exp(-0.5 * x * x) }

var normals, exponentials ziggurat

func init() {
	normals.fill(128, normalTail, normalArea, 1<<31, bell, func(y float64) float64 { return math.Sqrt(-2 * portable.Log(y)) })
	exponentials.fill(layers, tail, layerArea, 1<<32,
		func(x float64) float64 { return portable.Exp(-x) }, func(y float64) float64 { return -portable.Log(y) })
}

// Normal is a standard normal number, as of [rand.Rand.NormFloat64].
func Normal(s rand.Source) float64 {
	for {
		u := s.Uint64()
		j := int32(u)
		i := int(u >> 32 & 127)
		x := float64(j) * float64(normals.width[i])
		if size := uint32(max(j, -j)); size < normals.certain[i] {
			return x
		}
		if i == 0 {
			// Beyond the tail, as [Marsaglia64] has it.
			//
			// [Marsaglia64]: https://doi.org/10.1080/00401706.1964.10490150
			for {
				x := -portable.Log(uniform(s)) / normalTail
				if y := -portable.Log(uniform(s)); y+y < x*x {
					continue
				}
				if j > 0 {
					return normalTail + x
				}
				return -normalTail - x
			}
		}
		if normals.under(s, i, bell(x)) {
			return x
		}
	}
}

// Exponential is exponential with mean 1, as of [rand.Rand.ExpFloat64].
func Exponential(s rand.Source) float64 {
	for {
		u := s.Uint64()
		j := uint32(u)
		i := int(u >> 32 & 255)
		x := float64(j) * float64(exponentials.width[i])
		if j < exponentials.certain[i] {
			return x
		}
		if i == 0 {
			return tail - portable.Log(uniform(s))
		}
		if exponentials.under(s, i, portable.Exp(-x)) {
			return x
		}
	}
}

// Gamma has a shape above 0 and rate 1.
func Gamma(s rand.Source, shape float64) float64 {
	switch {
	case !(shape > 0):
		panic("random: the shape of a gamma law must be above 0")
	case shape == 1:
		return Exponential(s)
	case shape < 0.2:
		return smallGamma(s, shape)
	}
	// [MT00a]; below shape 1, one of a shape more by 1 times a power of a uniform number.
	//
	// [MT00a]: https://doi.org/10.1145/358407.358414
	d, factor := shape-1.0/3, 1.0
	if shape < 1 {
		d++
		factor = portable.Pow(uniform(s), 1/shape)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := Normal(s)
		v := 1 + float64(x*c)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		u := uniform(s)
		square := float64(x * x)
		if u < 1-float64(0.0331*square*square) ||
			portable.Log(u) < float64(0.5*square)+float64(d*((1-v)+portable.Log(v))) {
			return factor * d * v
		}
	}
}

// smallGamma is by rejection of the logarithm [LMS13].
//
// [LMS13]: https://arxiv.org/abs/1302.1884
func smallGamma(s rand.Source, shape float64) float64 {
	lambda := 1/shape - 1
	right := portable.Log1p(1 / lambda / math.E)
	for {
		z := Exponential(s) - right
		bound := -z // the logarithm of the density that z is drawn from, up to a constant
		if z < 0 {
			z = -Exponential(s) / lambda
			bound = float64(lambda*z) - 1
		}
		x := portable.Exp(-z / shape)
		if (-z-x)-bound > -Exponential(s) {
			return x
		}
	}
}

// Poisson has a mean above 0.
func Poisson(s rand.Source, mean float64) float64 {
	if mean < 10 {
		n := -1.0
		for t := 0.0; t < mean; n++ {
			t += Exponential(s)
		}
		return max(n, 0)
	}
	// The transformed rejection PTRS of [Hormann93].
	//
	// [Hormann93]: https://doi.org/10.1016/0167-6687(93)90997-4
	b := 0.931 + float64(2.53*math.Sqrt(mean))
	a := -0.059 + float64(0.02483*b)
	scale := 1.1239 + 1.1328/(b-3.4)
	inside := 0.9277 - 3.6224/(b-2)
	for {
		u, v := uniform(s)-0.5, uniform(s)
		edge := 0.5 - math.Abs(u)
		k := math.Floor((float64((2*a/edge+b)*u) + mean) + 0.43)
		if edge >= 0.07 && v <= inside {
			return k
		}
		if k <= 0 || edge < 0.013 && v > edge {
			continue
		}
		if portable.Log(v*scale/(a/(edge*edge)+b)) <= (float64(k*portable.Log(mean))-mean)-portable.Lgamma(k+1) {
			return k
		}
	}
}
