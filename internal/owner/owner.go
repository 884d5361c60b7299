// Package owner numbers the structures that hand out handles, so that each refuses those of others.
package owner

import "sync/atomic"

// owners counts the structures that were made. It is all that they share.
var owners atomic.Uint32

// New returns a number that no other structure has, unless four billion were made, and never 0.
func New() uint32 {
	for {
		if n := owners.Add(1); n != 0 {
			return n
		}
	}
}
