package analysis_test

import (
	"math"
	"math/rand/v2"
)

// waits are the waiting times of successive customers of M/M/1 that starts empty, by Lindley's
// recurrence. Customers come at rate 1, and service takes load on average.
func waits(seed uint64, load float64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 9))
	x := make([]float64, n)
	w := 0.0
	for i := range x {
		x[i] = w
		w = max(0, w+load*r.ExpFloat64()-r.ExpFloat64())
	}
	return x
}

// meanWait is their mean in equilibrium, and quantileWait a quantile above 1 − load: P(W > t) =
// load · exp(−(1/load − 1)t).
func meanWait(load float64) float64        { return load * load / (1 - load) }
func quantileWait(load, p float64) float64 { return math.Log(load/(1-p)) / (1/load - 1) }

// binomialError is the standard error of a share of so many.
func binomialError(share float64, n int) float64 { return math.Sqrt(share * (1 - share) / float64(n)) }

// A tried is what became of many runs.
type tried struct{ runs, covered, passed, wrong int }

func (c *tried) add(covers, passes bool) {
	c.runs++
	if covers {
		c.covered++
	}
	if passes {
		c.passed++
	}
	if passes && !covers {
		c.wrong++
	}
}

func (c tried) share(n int) float64 { return float64(n) / float64(c.runs) }
