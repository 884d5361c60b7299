package spray

import "sync/atomic"

// A Handle names an element of a [List] or an event of a [Calendar]. It is valid until that is removed, and refused afterwards: it never
// touches another element, nor one of another list or calendar. Handles can be compared. The zero Handle names none.
type Handle struct {
	owner uint32 // the list or calendar: see newOwner
	queue uint32 // of a calendar
	place uint32 // the slot of a queue, or the node of a list
	stamp uint32 // of those that are in this place one after the other
}

// owners is how many lists and calendars there have been. It is all that they share.
var owners atomic.Uint32

// newOwner is a number that no other list or calendar has, unless four billion were made, and never 0.
func newOwner() uint32 {
	for {
		if owner := owners.Add(1); owner != 0 {
			return owner
		}
	}
}
