package weight

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// HeavyTail is the tail shape above which a weighted sample is not reliable.
const HeavyTail = 0.7

// TailShape is the shape of the generalised Pareto distribution fitted to the largest weights
// [VSGYG15]. Below 1/2 the variance of the weights is finite. Above 0.7, means over the sample and
// its effective size are unreliable: the largest possible weights have most likely not been drawn.
// It is 0 if the weights have no tail or are too few.
//
// [VSGYG15]: below 1/2 if their variance is finite, and from 0.7 on means over such a sample, and
// [VSGYG15]: https://arxiv.org/abs/1507.02646
func TailShape(weights []float64) float64 {
	n := len(weights)
	m := int(math.Min(float64(n)/5, 3*math.Sqrt(float64(n))))
	if m < 5 {
		return 0
	}
	sorted := slices.Clone(weights)
	slices.Sort(sorted)
	bound, x := sorted[n-m-1], sorted[n-m:]
	for i := range x {
		x[i] -= bound // excesses, ascending
	}
	if x[m-1] == 0 {
		return 0
	}
	return paretoShape(x)
}

// paretoShape estimates the shape of a generalised Pareto distribution from ascending draws, by the
// posterior mean of [ZS09], shrunk towards 1/2 as if there were ten more draws.
//
// [ZS09]: https://doi.org/10.1198/tech.2009.08017
func paretoShape(x []float64) float64 {
	n := float64(len(x))
	quarter := x[int(float64(n/4)+0.5)-1]
	if quarter == 0 {
		quarter = x[len(x)-1] / 1e6 // more than a quarter equal the bound: use the scale of the largest
	}
	shape := func(theta float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += detmath.Log1p(-theta * v)
		}
		return sum / n
	}
	points := 30 + int(math.Sqrt(n))
	thetas, logs := make([]float64, points), make([]float64, points)
	for j := range thetas {
		thetas[j] = 1/x[len(x)-1] + (1-math.Sqrt(float64(points)/(float64(j)+0.5)))/(3*quarter)
		k := shape(thetas[j])
		logs[j] = n * (detmath.Log(-thetas[j]/k) - k - 1)
	}
	weights, _ := Normalize(logs)
	theta := 0.0
	for j, w := range weights {
		theta += float64(w * thetas[j])
	}
	return (float64(n*shape(theta)) + float64(10*0.5)) / (n + 10)
}
