package static_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar/static"
)

var extremes = []float64{
	math.NaN(), math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 1e-300, 1, 1e300, math.MaxFloat64, math.Inf(1),
}

// Whatever the arguments are, every formula returns, and a number of buckets is one.
func TestExtremeArguments(t *testing.T) {
	numbers := []int{math.MinInt, -1, 0, 1, 2, math.MaxInt32, math.MaxInt}
	isNumber := func(what string, m int, err error) {
		t.Helper()
		if err == nil && (m < 1 || m > static.MaxSize) {
			t.Errorf("%s: %d buckets", what, m)
		}
	}
	for _, x := range extremes {
		for _, y := range extremes {
			m, err := static.BucketsFor(x, y)
			isNumber(fmt.Sprintf("BucketsFor(%v, %v)", x, y), m, err)
			for _, z := range []float64{0, 1, math.MaxFloat64} {
				k := static.Costs{Empty: x, Entry: y, Fixed: z}
				_, _ = k.Least()
				for _, n := range numbers {
					_, _ = k.Width(n, x)
					_, _ = k.PerEvent(n, x, y)
					_, _ = k.WithBuckets(n, x, y, z, z)
					for _, degradation := range []float64{math.SmallestNonzeroFloat64, 0.05, math.MaxFloat64} {
						m, err := k.Buckets(n, degradation, static.ExponentialJump(1))
						isNumber(fmt.Sprintf("%+v.Buckets(%d, %v)", k, n, degradation), m, err)
					}
				}
				_, _ = k.DegradationExponential(x)
				_, _ = k.DegradationBound(x)
			}
			for _, n := range numbers {
				_, _ = static.EmptyShare(n, x, y)
				static.DefaultWidths(n)
				for _, fits := range []bool{false, true} {
					c := static.Calibration{Costs: static.Costs{Empty: x, Entry: y}, BestX: x, Fits: fits}
					cfg, err := c.Config(n, y, 0.01)
					isNumber(fmt.Sprintf("Config(%d) of %+v", n, c), cfg.Buckets, err)
				}
			}
		}
		// The series over years and the integrals.
		jumps := []static.Jump{static.ExponentialJump(1), static.UniformJump(1), static.ExponentialJump(x)}
		for _, jump := range jumps {
			_, _, _ = unit.PerEventBounds(3, jump, x)
			_, _ = unit.Degradation(x, jump)
			for _, n := range []int{math.MinInt, 1, math.MaxInt} {
				_, _, _ = static.ExcessBounds(n, n, jump, x)
				_, _ = static.Excess(n, n, jump, x)
			}
		}
	}
}

var unit = static.Costs{Empty: 1, Entry: 1, Fixed: 1}

// A distribution function that is not a number somewhere is the caller's mistake: the result is not
// a number either, and there soon.
func TestDistributionThatIsNoNumber(t *testing.T) {
	jump := static.Jump{Mean: 1, Support: math.Inf(1), CDF: func(x float64) float64 {
		if x > 0.5 {
			return math.NaN()
		}
		return x
	}}
	low, high, err := unit.PerEventBounds(3, jump, 1)
	if err != nil || !math.IsNaN(low) {
		t.Errorf("between %v and %v, %v", low, high, err)
	}
	if excess, err := static.Excess(10, 20, jump, 0.1); err != nil || !math.IsNaN(excess) {
		t.Errorf("%v, %v", excess, err)
	}
}

// impatient is cancelled after it was asked so often.
type impatient struct {
	context.Context
	asked int
}

func (c *impatient) Err() error {
	if c.asked--; c.asked < 0 {
		return context.Canceled
	}
	return nil
}

// However long a repetition should last, calibrating ends when it is cancelled.
func TestCalibrateIsCancelledWhileItWarmsUp(t *testing.T) {
	for asked := range 10 {
		ctx := &impatient{context.Background(), asked}
		_, err := static.Calibrate(ctx, static.CalibrateOptions{N: 100, Least: math.MaxInt64})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// What cannot be is refused; what takes memory is refused if it is not there.
func TestCalibrateRefusesExtremes(t *testing.T) {
	for _, o := range []static.CalibrateOptions{
		{N: math.MinInt}, {N: -1}, {N: 1}, {N: math.MaxInt}, {N: static.MaxSize},
		{Repetitions: math.MinInt}, {Repetitions: math.MaxInt}, {Least: math.MinInt64},
		{Discipline: math.MaxUint8},
		{Widths: []float64{1, 2, 3, math.NaN()}}, {Widths: []float64{1, 2, 3, math.Inf(1)}},
		{Widths: []float64{0, 1, 2, 3}},
	} {
		if _, err := static.Calibrate(context.Background(), o); err == nil {
			t.Errorf("%+v is not refused", o)
		}
	}
	// Widths of every size have a number of buckets.
	if _, err := static.Calibrate(context.Background(), static.CalibrateOptions{
		N: 2, Repetitions: 1, Least: time.Nanosecond,
		Widths: []float64{1, 2, 4, 8, math.MaxFloat64},
	}); err != nil {
		t.Log(err) // the costs may not be found; that is said
	}
}
