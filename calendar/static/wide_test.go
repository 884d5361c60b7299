package static_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/calendar/static"
)

// hits are jumps for which p = (1/μ)∫₀^δ [1−F] has a closed form, which each has beside it.
func hits() map[string]struct {
	jump static.Jump
	p    func(width float64) float64
} {
	type hit = struct {
		jump static.Jump
		p    func(width float64) float64
	}
	const half, few = 0.001, 1e-6
	// The integral of 1−F for jumps that are uniform from low to high.
	short := func(low, high, width float64) float64 {
		x := min(max(width-low, 0), high-low)
		return min(width, low) + x - x*x/(2*(high-low))
	}
	narrow := func(low, high, x float64) float64 { return min(1, max(0, (x-low)/(high-low))) }
	// Most jumps are very short, and a few are very long: the mean is 1.
	long := (1 - (1-few)*half) / few
	return map[string]hit{
		"exponential": {static.ExponentialJump(1), func(w float64) float64 { return -math.Expm1(-w) }},
		"gamma of shape 2": {static.Jump{Mean: 1, Support: math.Inf(1), CDF: func(x float64) float64 {
			return 1 - (1+2*x)*math.Exp(-2*x)
		}}, func(w float64) float64 { return 1 - (1+w)*math.Exp(-2*w) }},
		"nearly constant": {static.Jump{Mean: 1, Support: math.Inf(1), CDF: func(x float64) float64 {
			return narrow(1-half, 1+half, x)
		}}, func(w float64) float64 { return short(1-half, 1+half, w) }},
		"short and long": {static.Jump{Mean: 1, Support: math.Inf(1), CDF: func(x float64) float64 {
			return (1-few)*narrow(0, 2*half, x) + few*narrow(0, 2*long, x)
		}}, func(w float64) float64 { return (1-few)*short(0, 2*half, w) + few*short(0, 2*long, w) }},
	}
}

// Buckets may be much wider than any jump, or end just behind the place where the distribution
// changes: the bounds of section A.5 must have the right p. A rule of integration that looks inside
// the range alone sees nothing there, and says 0.
func TestBoundsOfWideBuckets(t *testing.T) {
	const n = 3
	for name, hit := range hits() {
		for _, width := range []float64{1e-6, 0.0021, 0.3, 1, 1.0011, 2, 30, 900, 1e4, 1e5, 1e6, 1e9, 1e12} {
			t.Run(fmt.Sprintf("%s, %g", name, width), func(t *testing.T) {
				p, empty := hit.p(width), 1/(1+n*width)
				want := (empty+empty*(n*(n-1)*p*p+2*n*p)/2)/(1-empty) + 1
				low, high, err := unit.PerEventBounds(n, hit.jump, width)
				if err != nil || !(math.Abs((low-1)/(want-1)-1) < 1e-9) || !(high >= low) {
					t.Errorf("from %v to %v, %v, want from %v: p is %v", low, high, err, want, p)
				}
			})
		}
	}
}
