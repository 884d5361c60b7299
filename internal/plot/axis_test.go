package plot

import (
	"math"
	"testing"
)

// Whatever the numbers are, an axis has some ticks with labels, in order, from about where it
// begins to about where it ends: also for numbers that hardly differ, that are close to the
// smallest and the largest there are, and for none.
func TestAxesOfAllNumbers(t *testing.T) {
	ends := []float64{0, 1, 3.7, 1e15, 1e15 + 1, 1e16, 1e16 + 2, 1.7e18, 1.7e18 + 300, 1e-12, 1e-300, 2e-300, 5e-324,
		1e-310, 1e300, 4e307, 1e308, math.MaxFloat64, math.Inf(1), math.NaN()}
	for _, a := range ends {
		for _, b := range ends {
			for _, sign := range []float64{1, -1} {
				for _, grow := range []bool{true, false} {
					low, high := min(sign*a, b), max(sign*a, b)
					s := linear(low, high, grow)
					labels := 0
					for i, tick := range s.ticks {
						if tick.Label != "" {
							labels++
						}
						if i > 0 && !(tick.Value > s.ticks[i-1].Value) {
							t.Fatalf("from %g to %g: the tick at %g is followed by %g", low, high, s.ticks[i-1].Value, tick.Value)
						}
					}
					if !(s.low < s.high) || math.IsInf(s.high-s.low, 0) || labels < fewest-1 || len(s.ticks) > 200 {
						t.Errorf("from %g to %g: from %g to %g with %d labels and %d ticks", low, high, s.low, s.high, labels,
							len(s.ticks))
					}
				}
			}
		}
	}
}
