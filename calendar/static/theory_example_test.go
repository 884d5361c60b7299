package static_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/almanac-sim/almanac/calendar/static"
)

// The example of section 3: if all steps cost the same, 1.92 buckets for each event lose five per
// cent.
func ExampleCosts() {
	costs := static.Costs{Empty: 1, Entry: 1, Fixed: 1}
	const events, mean = 1000, 10.0
	width, err := costs.Width(events, mean)
	if err != nil {
		log.Fatal(err)
	}
	least, err := costs.Least()
	if err != nil {
		log.Fatal(err)
	}
	buckets, err := costs.Buckets(events, 0.05, static.ExponentialJump(mean))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("width %.5f: an event takes %.3f\n", width, least)
	fmt.Println(buckets, "buckets take at most 5 % more")
	// Output:
	// width 0.01414: an event takes 3.414
	// 1922 buckets take at most 5 % more
}

// A jump of one's own: triangular, from 0 to 2, with most of them near 0.
func ExampleJump() {
	jump := static.Jump{
		Mean:    2. / 3,
		Support: 2,
		CDF: func(x float64) float64 {
			x = min(max(x, 0), 2)
			return x - x*x/4
		},
	}
	const events, width = 100, 0.01
	low, high, err := static.Costs{Empty: 1, Entry: 1, Fixed: 1}.PerEventBounds(events, jump, width)
	if err != nil {
		log.Fatal(err)
	}
	buckets, err := static.BucketsFor(jump.Support, width)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("an event takes from %.2f to %.2f\n", low, high)
	fmt.Println("nothing is lost with", buckets, "buckets")
	// Output:
	// an event takes from 3.40 to 3.41
	// nothing is lost with 201 buckets
}

// Measure this machine, and make a calendar for it.
func ExampleCalibrate() {
	c, err := static.Calibrate(context.Background(), static.CalibrateOptions{
		N:           500,
		Repetitions: 2,
		Least:       100 * time.Microsecond, // far longer when it matters
	})
	if err != nil {
		log.Fatal(err)
	}
	s, err := c.New(500, 2.5)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Schedule(7, 1.5); err != nil {
		log.Fatal(err)
	}
	id, at, _ := s.Next()
	fmt.Println("event", id, "at", at)
	// Output: event 7 at 1.5
}

// Costs that were measured once can be kept and used again.
func ExampleCalibration() {
	c := static.Calibration{
		Discipline: static.Unordered,
		Costs:      static.Costs{Empty: 2e-9, Entry: 4e-9, Fixed: 30e-9},
		Fits:       true,
	}
	cfg, err := c.Config(10_000, 1, 0.01)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("width", cfg.Width, "and", cfg.Buckets, "buckets")
	// Output: width 0.0001 and 30935 buckets
}

// Calibration at a few widths only, of one discipline.
func ExampleCalibrateOptions() {
	c, err := static.Calibrate(context.Background(), static.CalibrateOptions{
		N:           200,
		Discipline:  static.JustInTime,
		Widths:      []float64{0.25, 1, 2, 4},
		Repetitions: 1,
		Least:       100 * time.Microsecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(c.Points), "widths,", c.Discipline)
	// Output: 4 widths, just-in-time
}

// How far prediction and measurement are apart at a width.
func ExampleCalibrationPoint() {
	p := static.CalibrationPoint{X: 1.4, Measured: 50e-9, Predicted: 48e-9}
	fmt.Printf("%.0f %% off\n", 100*(p.Measured-p.Predicted)/p.Measured)
	// Output: 4 % off
}
