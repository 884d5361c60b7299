//go:build race

package spray

import "sync/atomic"

// interleaving reports whether tests can have others run between two steps of an operation: in programs that are checked for races.
// In others nothing is left of it.
const interleaving = true

// interleaved is what tests have done between two steps that others can see: before a compare-and-swap, where what was read may
// since have changed, and after it, where others see what is half done.
var interleaved atomic.Pointer[func()]

func interleave() {
	if f := interleaved.Load(); f != nil {
		(*f)()
	}
}
