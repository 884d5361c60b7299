package spray_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/spray"
)

// A calendar for eight goroutines that run at once, which should stay in order rather closely and is going to have a million events.
func ExampleOption_calendar() {
	c := spray.NewCalendar[string](spray.Processes(8), spray.Sticky(8), spray.PerProcess(2), spray.Capacity(1_000_000))
	_, _ = c.Schedule(1, "first")
	what, at, ok := c.Next()
	fmt.Println(what, at, ok)
	// Output: first 1 true
}

// With one process nobody helps anybody, and nobody waits.
func ExampleCalendarStats() {
	c := spray.NewCalendar[int](spray.Processes(1))
	for i := range 50 {
		_, _ = c.Schedule(float64(i), i)
	}
	for range 20 {
		c.Next()
	}
	late, _ := c.Schedule(3, 0) // before what has been dispatched
	c.Cancel(late)
	sum, _ := c.Stats()
	fmt.Println(sum.Scheduled, "scheduled,", sum.Dispatched, "dispatched,", sum.Cancelled, "cancelled,", sum.Late, "late")
	fmt.Println(sum.Helped, "for others,", sum.Waits, "waits")
	// Output:
	// 51 scheduled, 20 dispatched, 1 cancelled, 1 late
	// 0 for others, 0 waits
}

// What a list of two goroutines has done: every fourth removal takes the first element, the others spray.
func ExampleStats() {
	l := spray.New[int, string](spray.Processes(2))
	for i := range 100 {
		l.Insert(i, "")
	}
	for range 40 {
		l.Spray()
	}
	var s spray.Stats = l.Stats()
	fmt.Println(s.Exact, "of 40 took the first;", s.Collisions, "collisions")
	// Output: 10 of 40 took the first; 0 collisions
}
