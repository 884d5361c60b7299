// Package dispatchtest has a reference implementation of the rule of package dispatch, as plain as
// possible and without concurrency.
//
//	r := &dispatchtest.Reference{
//		Capacity: 2, PoolLimit: 10,
//		Choose: func(_ int, workers []int) int { return workers[0] },
//	}
//	r.Add(0, 0)    // worker 0, at time 0
//	r.Arrive(7, 1) // item 7, at time 1
//	r.Finish(0, 5) // worker 0 has served its item at time 5
//	err := r.Check()
//
// Package dispatch is compared with it step by step and shares no code with it. Other
// implementations can be compared in the same way.
//
// reference.go has the rule, and a check of its guarantees.
package dispatchtest
