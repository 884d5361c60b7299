package sim

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/portable"
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
	return portable.StudentQuantile(float64(n-1), (1+level)/2) * deviation / math.Sqrt(float64(n))
}
