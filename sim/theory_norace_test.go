//go:build !race

package sim_test

const (
	shorter    = 1
	lessStrict = 1
)
