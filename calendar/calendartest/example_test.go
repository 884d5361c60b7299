package calendartest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// The hold model on a queue and on the reference: the same jumps bring both to the same time.
func ExampleHold() {
	dist, _ := calendartest.ByName("exponential")
	var ends []float64
	for _, set := range []calendartest.Set{calendar.New(), calendartest.NewReference(0)} {
		jumps := calendartest.NewJumps(dist, 100, 1)
		if err := calendartest.Fill(set, 100, jumps); err != nil {
			fmt.Println(err)
		}
		if err := calendartest.Hold(set, 10_000, jumps); err != nil {
			fmt.Println(err)
		}
		ends = append(ends, set.Now())
	}
	fmt.Println("both at the same time:", ends[0] == ends[1])
	// Output: both at the same time: true
}

// Anything with these methods can be tested and timed.
func ExampleSet() {
	var set calendartest.Set = calendar.New()
	_ = set.Schedule(1, 2.5)
	at, ok := set.Due(1)
	fmt.Println(at, ok)
	// Output: 2.5 true
}

// The reference is plainly right, and slow.
func ExampleReference() {
	r := calendartest.NewReference(0)
	_ = r.Schedule(1, 2)
	_ = r.Schedule(2, 1)
	id, at, _ := r.Next()
	fmt.Println(id, at)
	// Output: 2 1
}

// The distributions of jumps that the benchmarks use.
func ExampleDistribution() {
	d, ok := calendartest.ByName("exponential")
	fmt.Println(d.Name, d.Mean, ok)
	// Output: exponential 1 true
}

// The same arguments give the same jumps.
func ExampleJumps() {
	d, _ := calendartest.ByName("exponential")
	a, b := calendartest.NewJumps(d, 10, 1), calendartest.NewJumps(d, 10, 1)
	fmt.Println(a.Next() == b.Next(), a.Pick(10) == b.Pick(10))
	// Output: true true
}

// A slow structure is tested with at most a thousand events. In a test:
//
//	calendartest.Run(t, func(start float64) calendartest.Set {
//		return calendar.New(calendar.StartAt(start))
//	}, few)
func ExampleOption() {
	few := calendartest.AtMost(1000)
	fmt.Println(few != nil)
	// Output: true
}
