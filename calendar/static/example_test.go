package static_test

import (
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
)

// Eight events on a calendar of ten days, ten time units each: the example of Erickson, Ladner and LaMarca.
func ExampleQueue() {
	s, err := static.New(static.Config{
		Buckets:    10,
		Width:      10,
		Discipline: static.Unordered,
		Capacity:   8,
		Start:      30,
	})
	if err != nil {
		log.Fatal(err)
	}
	for id, at := range []float64{31, 54, 85, 98, 111, 128, 138, 251} {
		if err := s.Schedule(calendar.ID(id), at); err != nil {
			log.Fatal(err)
		}
	}

	// The first event is processed, and makes a new one.
	id, at, _ := s.Next()
	fmt.Println("event", id, "at", at)
	if err := s.Schedule(id, 87); err != nil {
		log.Fatal(err)
	}

	for id, at := range s.Until(100) {
		fmt.Println("event", id, "at", at)
	}
	fmt.Println(s.Len(), "pending")
	fmt.Printf("%+v\n", s.Work())
	// Output:
	// event 0 at 31
	// event 1 at 54
	// event 2 at 85
	// event 0 at 87
	// event 3 at 98
	// 4 pending
	// {EmptyBuckets:8 Traversed:11 Dispatched:5}
}
