package capped

// Items that have not begun are in lists, linked through themselves, so that one goes from the pool to a worker, back, or out, in
// constant time and without memory being asked for.

// An item is something that was submitted and has not begun. When it begins, its value is the worker's and the item is used again for
// another.
type item[P any] struct {
	v     P
	stamp uint64 // the order in which items came; never the same twice, so that who holds an old one can tell
	born  int64  // when it came

	in     place
	worker *worker[P] // that has accepted it
	waiter *waiter    // who waits until there is room for it in the pool

	links [2]struct{ prev, next *item[P] }
}

// place is where an item is.
type place uint8

const (
	nowhere  place = iota
	outside        // no room in the pool yet, and somebody waits
	pooled         // in the pool
	accepted       // by a worker, and not begun
)

// An item may be in two lists at once: one of where it is, and that of all that workers have accepted.
const (
	byPlace = iota
	byAge
)

// A list is of items, from the oldest to the youngest.
type list[P any] struct {
	head, tail *item[P]
	n          int
	link       int // byPlace or byAge
}

// push appends an item.
func (l *list[P]) push(it *item[P]) { l.insert(l.tail, it) }

// insert puts an item behind another, or first if that is nil.
func (l *list[P]) insert(after, it *item[P]) {
	k := &it.links[l.link]
	k.prev = after
	if after == nil {
		k.next, l.head = l.head, it
	} else {
		k.next, after.links[l.link].next = after.links[l.link].next, it
	}
	if k.next == nil {
		l.tail = it
	} else {
		k.next.links[l.link].prev = it
	}
	l.n++
}

// old inserts an item by its age where most others are younger. It looks behind an item that is known to be older, or from the beginning if
// that is nil.
func (l *list[P]) old(after, it *item[P]) {
	next := l.head
	if after != nil {
		next = after.links[l.link].next
	}
	for ; next != nil && next.stamp < it.stamp; next = next.links[l.link].next {
		after = next
	}
	l.insert(after, it)
}

// young inserts an item by its age where most others are older.
func (l *list[P]) young(it *item[P]) {
	after := l.tail
	for after != nil && after.stamp > it.stamp {
		after = after.links[l.link].prev
	}
	l.insert(after, it)
}

// remove takes an item out.
func (l *list[P]) remove(it *item[P]) {
	k := &it.links[l.link]
	if k.prev == nil {
		l.head = k.next
	} else {
		k.prev.links[l.link].next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		k.next.links[l.link].prev = k.prev
	}
	k.prev, k.next = nil, nil
	l.n--
}
