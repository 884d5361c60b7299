//go:build race

package dispatch

import "sync/atomic"

var (
	// interleaved is called before a step takes the lock and after it has released it.
	interleaved atomic.Pointer[func()]
	// audited is called at the end of a step, with the lock held.
	audited atomic.Pointer[func(scheduler any)]
)

func interleave() {
	if f := interleaved.Load(); f != nil {
		(*f)()
	}
}

func audit(scheduler any) {
	if f := audited.Load(); f != nil {
		(*f)(scheduler)
	}
}
