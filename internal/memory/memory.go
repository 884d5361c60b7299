// Package memory tells how much memory the program has taken, and how much there is.
package memory

import "runtime"

// Peak is the most memory that the program has had at once, in bytes: what the system says, or,
// where it says nothing, what the Go runtime has asked it for.
func Peak() uint64 {
	if n := peak(); n > 0 {
		return n
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// Available is how much memory, in bytes, the system says that a program could take without others
// having to make room, or 0 where it does not say.
func Available() uint64 {
	s := system{root: "/"}
	return s.available()
}
