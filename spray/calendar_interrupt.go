//go:build !race

package spray

// interrupting is whether operations can be interrupted by tests: in programs that are checked for races.
const interrupting = false

func interrupt() {}
