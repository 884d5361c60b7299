//go:build !race

package spray

// between runs f. Only in programs that are checked for races can something be done between the steps of operations.
func between(_, f func()) { f() }
