package cappedhttp

// An age is that of a request, which it keeps over all its tries.
type age struct {
	born, came int64
	stamp      uint64 // among those born at once, the order in which they came
}

// before reports whether a request of age a is older than one of age b.
func (a *age) before(b *age) bool { return a.born < b.born || a.born == b.born && a.stamp < b.stamp }

// A waiter is a request that waits for a slot. It is linked into the line through itself, so that it leaves in constant time.
type waiter struct {
	age
	avoid *server // where it has just failed: another one if there is a choice

	ready  chan struct{} // has a token when it has left the line and ticket or err is there
	ticket ticket
	err    error

	prev, next *waiter
}

// A line is of waiters, from the oldest to the youngest.
type line struct {
	head, tail *waiter
	n          int
}

// young puts in one that is younger than most. It takes as many steps as there are that are younger still: none, unless births come from elsewhere.
func (l *line) young(w *waiter) {
	after := l.tail
	for after != nil && w.before(&after.age) {
		after = after.prev
	}
	l.insert(after, w)
}

// old puts in one that is older than most: it was once out of the line already.
func (l *line) old(w *waiter) {
	var after *waiter
	for next := l.head; next != nil && next.before(&w.age); next = next.next {
		after = next
	}
	l.insert(after, w)
}

// insert puts in one behind another, or first if that is nil.
func (l *line) insert(after, w *waiter) {
	w.prev = after
	if after == nil {
		w.next, l.head = l.head, w
	} else {
		w.next, after.next = after.next, w
	}
	if w.next == nil {
		l.tail = w
	} else {
		w.next.prev = w
	}
	l.n++
}

// remove takes one out.
func (l *line) remove(w *waiter) {
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
	l.n--
}
