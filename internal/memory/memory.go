// Package memory tells how much memory the program has taken.
package memory

import "runtime"

// Peak is the most memory that the program has had at once, in bytes: what the system says, or, where it says nothing,
// what the Go runtime has asked it for.
func Peak() uint64 {
	if n := peak(); n > 0 {
		return n
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
