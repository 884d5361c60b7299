package random

import (
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Draws from any source that are the same on every machine. Those of math/rand/v2 and gonum are
// not: they use logarithms and exponentials of package math, which differ in the last bit. The
// algorithms and the numbers that they take of the source are the same as there, so that a draw
// differs from theirs by a rounding error at most. So are the constants, unless a comment says
// otherwise.

// ziggurat has the tables of [MT00] as math/rand/v2 uses them, by layer: the integers below which a
// point is certainly under the curve, the width of the layer divided by the range of the integers,
// and the height of the curve.
//
// [MT00]: https://doi.org/10.18637/jss.v005.i08
type ziggurat struct {
	certain       [layers]uint32
	width, height [layers]float32
}

// fill computes the tables of n layers with the given area, for a curve that is 1 at 0, its
// inverse, the point where the tail begins, and integers below limit.
func (z *ziggurat) fill(n int, tail, area, limit float64, curve, inverse func(float64) float64) {
	base := area / curve(tail) // the width of the lowest layer, as if the tail were part of its rectangle
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

// under reports whether a point of layer i with a random height is under the curve, whose height is
// y there.
func (z *ziggurat) under(s rand.Source, i int, y float64) bool {
	return z.height[i]+float32(float32(uniform(s))*(z.height[i-1]-z.height[i])) < float32(y)
}

// uniform returns the number of [rand.Rand.Float64].
func uniform(s rand.Source) float64 { return float64(float64(s.Uint64()&(1<<53-1)) * 0x1p-53) }

// Where the tail of the normal curve begins, and the area of each of 128 layers [MT00].
const (
	normalTail = 3.442619855899
	normalArea = 9.91256303526217e-3
)

// bell is the normal curve, scaled to 1 at 0.
func bell(x float64) float64 { return detmath.Exp(-0.5 * x * x) }

var normals, exponentials ziggurat

func init() {
	normals.fill(128, normalTail, normalArea, 1<<31,
		bell, func(y float64) float64 { return math.Sqrt(-2 * detmath.Log(y)) })
	exponentials.fill(layers, tail, layerArea, 1<<32,
		func(x float64) float64 { return detmath.Exp(-x) }, func(y float64) float64 { return -detmath.Log(y) })
}

// Normal returns a standard normal number, as [rand.Rand.NormFloat64] does.
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
			// A number of the tail, by [Marsaglia64].
			//
			// [Marsaglia64]: https://doi.org/10.1080/00401706.1964.10490150
			for {
				x := -detmath.Log(uniform(s)) / normalTail
				if y := -detmath.Log(uniform(s)); y+y < x*x {
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

// Exponential returns an exponential number with mean 1, as [rand.Rand.ExpFloat64] does. It may be
// 0; [Stream.Exp] is faster and never 0.
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
			return tail - detmath.Log(uniform(s))
		}
		if exponentials.under(s, i, detmath.Exp(-x)) {
			return x
		}
	}
}

// Gamma returns a gamma number with the given shape, above 0, and rate 1, as gonum's distuv.Gamma
// does.
func Gamma(s rand.Source, shape float64) float64 {
	switch {
	case !(shape > 0):
		panic("random: the shape of a gamma law must be above 0")
	case shape == 1:
		return Exponential(s)
	case shape < 0.2:
		return smallGamma(s, shape)
	}
	// [MT00a], with its constant 0.0331 of the squeeze. Below shape 1 it is a number with the shape
	// plus 1, times a power of a uniform number.
	//
	// [MT00a]: https://doi.org/10.1145/358407.358414
	d, factor := shape-1.0/3, 1.0
	if shape < 1 {
		d++
		factor = detmath.Pow(uniform(s), 1/shape)
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
			detmath.Log(u) < float64(0.5*square)+float64(d*((1-v)+detmath.Log(v))) {
			return factor * d * v
		}
	}
}

// smallGamma draws for small shapes, by rejection on the logarithm [LMS13].
//
// [LMS13]: https://arxiv.org/abs/1302.1884
func smallGamma(s rand.Source, shape float64) float64 {
	lambda := 1/shape - 1
	right := detmath.Log1p(1 / lambda / math.E)
	for {
		z := Exponential(s) - right
		bound := -z // the logarithm of the density that z is drawn from, up to a constant
		if z < 0 {
			z = -Exponential(s) / lambda
			bound = float64(lambda*z) - 1
		}
		x := detmath.Exp(-z / shape)
		if (-z-x)-bound > -Exponential(s) {
			return x
		}
	}
}

// Poisson returns a Poisson number with the given mean, above 0, as gonum's distuv.Poisson does.
// Below a mean of 10 it counts exponential gaps.
func Poisson(s rand.Source, mean float64) float64 {
	if mean < 10 {
		n := -1.0
		for t := 0.0; t < mean; n++ {
			t += Exponential(s)
		}
		return max(n, 0)
	}
	// Transformed rejection with squeeze, algorithm PTRS of [Hormann93], with its constants.
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
		if detmath.Log(v*scale/(a/(edge*edge)+b)) <= (float64(k*detmath.Log(mean))-mean)-detmath.Lgamma(k+1) {
			return k
		}
	}
}
