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
	walked     int // how many items byItsAge has passed, for tests
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

// byItsAge inserts an item by its age. It walks from an item of the list that is likely to be near, or from the beginning if that is nil, in the direction
// in which it has to. The places before and behind all others are found at once.
func (l *list[P]) byItsAge(near, it *item[P]) {
	switch {
	case l.tail == nil || l.tail.stamp < it.stamp:
		near = l.tail
	case it.stamp < l.head.stamp:
		near = nil
	}
	for ; near != nil && near.stamp > it.stamp; near = near.links[l.link].prev {
		l.walked++
	}
	next := l.head
	if near != nil {
		next = near.links[l.link].next
	}
	for ; next != nil && next.stamp < it.stamp; next = next.links[l.link].next {
		near = next
		l.walked++
	}
	l.insert(near, it)
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
