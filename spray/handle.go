package spray

import "sync/atomic"

// A Handle names an element of a [List]. It is valid until the element is removed, and refused
// afterwards: it never touches another element, nor one of another list. Handles can be compared.
// The zero Handle names none.
type Handle struct {
	owner   uint32 // the List: see newOwner
	place   uint32 // the node
	version uint32 // tells apart the elements that use the node one after the other
}

// owners counts the lists that were made. It is all that they share.
var owners atomic.Uint32

// newOwner returns a number that no other list has, unless four billion were made, and never 0.
func newOwner() uint32 {
	for {
		if owner := owners.Add(1); owner != 0 {
			return owner
		}
	}
}
