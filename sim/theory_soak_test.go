//go:build !race && soak

package sim_test

const (
	shorter    = 1
	lessStrict = 1
)
