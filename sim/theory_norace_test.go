//go:build !race && !soak

package sim_test

// Four standard errors are then at most 5.4 % of what is known, which every wrong formula that was
// tried exceeds; make soak has 3 %.
const (
	shorter    = 3
	lessStrict = 1.8
)
