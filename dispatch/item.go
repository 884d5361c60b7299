package dispatch

import "github.com/almanac-sim/almanac/dispatch/internal/slots"

// An item is something that was submitted and has not begun. When it begins, its value is the worker's and the item is used again for
// another. Its stamp is never the same twice, so that who holds an old one can tell.
type item[P any] = slots.Item[content[P]]

// content is what an item has.
type content[P any] struct {
	v      P
	in     place
	worker *worker[P] // that has accepted it
	waiter *waiter    // who waits until there is room for it in the pool
}

// place is where an item is.
type place uint8

const (
	detached place = iota
	blocked        // no room in the pool yet, and somebody waits
	pooled         // in the pool
	accepted       // by a worker, and not begun
)

// An item may be in two lists at once: one of where it is, and that of all that workers have accepted.
const (
	byPlace = iota
	byAge
)
