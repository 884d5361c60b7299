//go:build race

package spray

import "sync/atomic"

// interrupting is whether operations can be interrupted by tests: in programs that are checked for races.
const interrupting = true

// interruption is what tests do to operations: before and after a queue is locked, before it is given back, and before each look at
// a queue by one who looks whether all are empty.
var interruption atomic.Pointer[func()]

func interrupt() {
	if f := interruption.Load(); f != nil {
		(*f)()
	}
}
