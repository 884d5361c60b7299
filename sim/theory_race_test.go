//go:build race

package sim_test

// The race detector makes coroutines some thirty times as slow. The models then run for so much
// less time, and their tolerances, which come from their own standard errors, are the wider.
const (
	shorter    = 30
	lessStrict = 8
)
