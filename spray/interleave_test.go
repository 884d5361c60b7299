//go:build !race

package spray

// interrupted runs f. Only in programs that are checked for races can operations be interrupted.
func interrupted(_ int, f func()) { f() }
