//go:build !race && !soak

package sim_test

// Four standard errors are then at most 6.3 % of what is known, which every wrong formula that was
// tried exceeds; make soak has 3 %.
const (
	shorter    = 4
	lessStrict = 2.1
)
