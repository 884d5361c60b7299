//go:build race

package dispatch

import "sync/atomic"

var (
	// interleaved is what tests have done before a step takes the lock and after it gave it back.
	interleaved atomic.Pointer[func()]
	// audited is what tests have looked at when a step is done, with the lock held.
	audited atomic.Pointer[func(desk any)]
)

func interleave() {
	if f := interleaved.Load(); f != nil {
		(*f)()
	}
}

func audit(desk any) {
	if f := audited.Load(); f != nil {
		(*f)(desk)
	}
}
