//go:build !race

package spray

// interleaving reports whether tests can have others run between two steps of an operation: in programs that are checked for races.
// In others nothing is left of it.
const interleaving = false

func interleave() {}
