package relaxed

import "sync/atomic"

// A Handle names an event of a [Queue]. It is valid until the event is dispatched or cancelled, and
// refused afterwards: it never touches another event, nor one of another queue. Handles can be
// compared. The zero Handle names none.
type Handle struct {
	owner   uint32 // the Queue: see newOwner
	queue   uint32 // the subqueue
	place   uint32 // the slot of the subqueue
	version uint32 // tells apart the events that use the slot one after the other
}

// owners counts the queues that were made. It is all that they share.
var owners atomic.Uint32

// newOwner returns a number that no other queue has, unless four billion were made, and never 0.
func newOwner() uint32 {
	for {
		if owner := owners.Add(1); owner != 0 {
			return owner
		}
	}
}
