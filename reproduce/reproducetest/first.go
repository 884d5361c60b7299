//go:build !soak

package reproducetest

// EveryWrong says that all theories that are wrong are tried on a claim. Otherwise the first is, so that a test of all claims takes
// seconds.
const EveryWrong = false
