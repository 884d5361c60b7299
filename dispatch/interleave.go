//go:build !race

package dispatch

// interleave and audit are hooks for tests: to yield between two steps of a scheduler, and to check
// its invariants after each. They exist only in programs that are built with the race detector;
// elsewhere the calls are inlined away.
func interleave() {}

func audit(any) {}
