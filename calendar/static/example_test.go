package static_test

import (
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
)

// Eight events on a calendar of ten days, ten time units each: the example of Erickson, Ladner and
// LaMarca.
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
	// {EmptyBuckets:8 Traversed:11 Stops:0 Dispatched:5}
}

// A configuration says how many buckets there are and how wide they are; all memory is reserved
// when the calendar is made.
func ExampleConfig() {
	q, err := static.New(static.Config{Buckets: 2000, Width: 0.001, Capacity: 1000, Discipline: static.JustInTime})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Bytes(), "bytes")
	// Output: 20012 bytes
}

// Many events at one time, under each discipline: what they cost differs.
func ExampleDiscipline() {
	for _, d := range []static.Discipline{static.Unordered, static.Ordered, static.JustInTime} {
		q, err := static.New(static.Config{Buckets: 2, Width: 1, Capacity: 100, Discipline: d})
		if err != nil {
			log.Fatal(err)
		}
		for id := range calendar.ID(100) {
			_ = q.Schedule(id, 0.5)
		}
		for range q.Until(1) {
		}
		fmt.Println(d, q.Work().Traversed)
	}
	// Output:
	// unordered 5050
	// ordered 5050
	// just-in-time 199
}

// Work between two readings, in the units of the papers.
func ExampleWork() {
	q, err := static.New(static.Config{Buckets: 10, Width: 1, Capacity: 2})
	if err != nil {
		log.Fatal(err)
	}
	_ = q.Schedule(0, 0.5)
	_ = q.Schedule(1, 4.5)
	q.Next()
	before := q.Work()
	q.Next()
	fmt.Printf("%+v\n", q.Work().Since(before))
	// Output: {EmptyBuckets:4 Traversed:1 Stops:0 Dispatched:1}
}
