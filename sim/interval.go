package sim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is a confidence interval of a mean.
type Interval struct {
	Mean      float64
	HalfWidth float64 // infinite for fewer than two observations
	Level     float64 // the probability that such an interval covers the true mean, such as 0.95
	N         int     // the number of observations
}

// Low is the lower end.
func (i Interval) Low() float64 { return i.Mean - i.HalfWidth }

// High is the upper end.
func (i Interval) High() float64 { return i.Mean + i.HalfWidth }

// Contains tells whether x is in the interval, the ends included.
func (i Interval) Contains(x float64) bool { return i.Low() <= x && x <= i.High() }

// String is like "3.21 ± 0.14 (95 %, n 20)".
func (i Interval) String() string {
	return fmt.Sprintf("%s ± %s (%s, n %d)", short(i.Mean), short(i.HalfWidth), percent(i.Level), i.N)
}

// checkLevel panics if a confidence level is not between 0 and 1.
func checkLevel(level float64) {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("sim: a confidence level of %v: it must be between 0 and 1, such as 0.95", level))
	}
}

// halfWidth is that of the confidence interval of the mean of n observations with a sample standard deviation.
func halfWidth(level, deviation float64, n int64) float64 {
	checkLevel(level)
	if n < 2 {
		return math.Inf(1)
	}
	return studentQuantile((1+level)/2, float64(n-1)) * deviation / math.Sqrt(float64(n))
}

// manyDegrees of freedom make Student's t so close to the normal distribution that one term of the expansion is enough: the next
// is of the order of 10⁻¹². gonum loses digits in proportion to the degrees, up to 10⁻⁹ there.
const manyDegrees = 1e6

// studentQuantile is the p-quantile of Student's t.
func studentQuantile(p, degrees float64) float64 {
	if degrees < manyDegrees {
		return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(p)
	}
	// Cornish and Fisher's expansion; Abramowitz and Stegun 26.7.5.
	z := distuv.UnitNormal.Quantile(p)
	return z + z*(float64(z*z)+1)/(4*degrees)
}
