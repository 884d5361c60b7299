package dispatchtest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/dispatch/dispatchtest"
)

// Two workers with room for two each. The third item waits behind the first, and is taken by whoever is done first.
func ExampleReference() {
	d := &dispatchtest.Reference{Capacity: 2, PoolLimit: 10, Choose: func(_ int, workers []int) int { return workers[0] }}
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
func ExampleWorker() {
	d := &dispatchtest.Reference{Capacity: 1, PoolLimit: 10, OnlyPull: true, Choose: func(_ int, workers []int) int { return workers[0] }}
	d.Add(0, 0)
	d.Add(1, 0)
	d.Arrive(0, 0)
	d.Arrive(1, 0)
	fmt.Println(d.Workers[0].Load(), d.Workers[1].Load(), d.Check())
	// Output: 1 0 worker 1 is idle and [{1 0}] wait in the pool
}

// What has not begun comes back by age.
func ExampleItem() {
	d := &dispatchtest.Reference{Capacity: 1, PoolLimit: 10}
	for item := range 3 {
		d.Arrive(item, int64(10*item))
	}
	for _, item := range d.Abort() {
		fmt.Print("item ", item.ID, " of ", item.Arrival, "; ")
	}
	// Output: item 0 of 0; item 1 of 10; item 2 of 20;
}
