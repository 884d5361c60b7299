package cappedtest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/capped/cappedtest"
)

// Three balls and one bin that holds two: one ball is served in the round, one waits in the bin and one in the pool.
func ExampleSystem_Capped() {
	s := cappedtest.New(1, 1)
	s.Capped(2, 3)
	fmt.Println(len(s.Bins[0]), "in the bin,", len(s.Pool), "in the pool, waits", s.Waits)
	s.Capped(2, 0)
	fmt.Println(len(s.Bins[0]), "in the bin,", len(s.Pool), "in the pool, waits", s.Waits)
	// Output:
	// 1 in the bin, 1 in the pool, waits [0]
	// 1 in the bin, 0 in the pool, waits [1]
}

// The balls of the pool know when they came.
func ExampleBall() {
	s := cappedtest.New(1, 1)
	s.Capped(1, 3)
	for _, b := range s.Pool {
		fmt.Print("round ", b.Label, " ")
	}
	// Output: round 1 round 1
}

// Two workers with room for two each. The third item waits behind the first, and is taken by whoever is done first.
func ExampleDesk() {
	d := &cappedtest.Desk{Capacity: 2, PoolLimit: 10, Choose: func(_ int, workers []int) int { return workers[0] }}
	d.Add(0, 0)
	d.Add(1, 0)
	for item := range 3 {
		d.Arrive(item, 0)
	}
	show := func() {
		for _, w := range d.Workers {
			fmt.Print("worker ", w.ID, ": ", w.Load(), " items, of which it works on ", w.Serving.ID, "; ")
		}
		fmt.Println(d.Check())
	}
	show()
	d.Finish(1, 1)
	show()
	// Output:
	// worker 0: 2 items, of which it works on 0; worker 1: 1 items, of which it works on 1; <nil>
	// worker 0: 1 items, of which it works on 0; worker 1: 1 items, of which it works on 2; <nil>
}

// An item that throws once and then waits to be pulled may wait for a worker that is idle.
func ExampleServer() {
	d := &cappedtest.Desk{Capacity: 1, PoolLimit: 10, OnlyPull: true, Choose: func(_ int, workers []int) int { return workers[0] }}
	d.Add(0, 0)
	d.Add(1, 0)
	d.Arrive(0, 0)
	d.Arrive(1, 0)
	fmt.Println(d.Workers[0].Load(), d.Workers[1].Load(), d.Check())
	// Output: 1 0 worker 1 is idle and [{1 0}] wait in the pool
}

// What has not begun comes back by age.
func ExampleItem() {
	d := &cappedtest.Desk{Capacity: 1, PoolLimit: 10}
	for item := range 3 {
		d.Arrive(item, int64(10*item))
	}
	for _, item := range d.Abort() {
		fmt.Print("item ", item.ID, " of ", item.Born, "; ")
	}
	// Output: item 0 of 0; item 1 of 10; item 2 of 20;
}
