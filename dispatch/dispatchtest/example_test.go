package dispatchtest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/dispatch/dispatchtest"
)

// Two workers with a capacity of two. The third item waits behind the first, and the worker that
// finishes first steals it.
func ExampleReference() {
	d := &dispatchtest.Reference{
		Capacity: 2, PoolLimit: 10,
		Choose: func(_ int, workers []int) int { return workers[0] },
	}
	d.Add(0)
	d.Add(1)
	for item := range 3 {
		d.Arrive(item, 0)
	}
	show := func() {
		for _, w := range d.Workers {
			fmt.Print("worker ", w.ID, ": ", w.Load(), " items, in service ", w.Serving.ID, "; ")
		}
		fmt.Println(d.Check())
	}
	show()
	d.Finish(1)
	show()
	// Output:
	// worker 0: 2 items, in service 0; worker 1: 1 items, in service 1; <nil>
	// worker 0: 1 items, in service 0; worker 1: 1 items, in service 2; <nil>
}

// An item that asks once and then waits to be pulled may wait beside an idle worker.
func ExampleWorker() {
	d := &dispatchtest.Reference{
		Capacity: 1, PoolLimit: 10, OnlyPull: true,
		Choose: func(_ int, workers []int) int { return workers[0] },
	}
	d.Add(0)
	d.Add(1)
	d.Arrive(0, 0)
	d.Arrive(1, 0)
	fmt.Println(d.Workers[0].Load(), d.Workers[1].Load(), d.Check())
	// Output: 1 0 worker 1 is idle and [{1 0}] wait in the pool
}

// Items that have not begun are returned by age.
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
