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
