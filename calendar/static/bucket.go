package static

// The list of a bucket begins with a link in heads, goes on with links in next, and ends with a
// zero. A link is the number of an event, with a sign that matters to JustInTime only:
//
//	heads[b] = -7    next[7] = -2    next[2] = 5    next[5] = 9    next[9] = 0
//	            └── fresh ──────────────┘           └── sorted ───────┘
//
// A negative link leads to a fresh event: one dropped on the list and not yet sorted. Fresh events
// are on top, the newest first; below them are the sorted ones, all of which were scheduled before
// any of the fresh. In the paper a sign in the head alone says that something is fresh. Here the
// links say what is, so sorting knows which of two equal events is the older. And because each link
// carries the sign of its own end, taking out any event leaves the rest correct.

// eventOf returns the number of the event that a link leads to, or 0 at the end of a list.
func eventOf(link int32) int32 {
	if link < 0 {
		return -link
	}
	return link
}

// put adds n to bucket b, as the discipline has it.
func (q *Queue) put(b int, n int32) {
	switch q.discipline {
	case Unordered:
		q.next[n], q.heads[b] = q.heads[b], n
	case JustInTime:
		q.next[n], q.heads[b] = q.heads[b], -n
	case Ordered:
		at, next := q.at, q.next
		before, after := int32(0), q.heads[b]
		for after != 0 && at[after] <= at[n] { // behind its equals
			before, after = after, next[after]
			q.work.Traversed++
		}
		if after != 0 {
			q.work.Stops++
		}
		next[n] = after
		if before == 0 {
			q.heads[b] = n
		} else {
			next[before] = n
		}
	}
}

// earliest returns the earliest event of bucket b, of whatever year, and the one before it in the
// list. The bucket is not empty.
func (q *Queue) earliest(b int) (n, before int32) {
	if q.discipline == Unordered {
		return q.scan(q.heads[b])
	}
	if q.heads[b] < 0 {
		q.heads[b] = q.sort(q.heads[b])
	}
	q.work.Traversed++
	return q.heads[b], 0
}

// scan searches the list from top to bottom. The newest is on top, so of equals the last one met
// was scheduled first.
func (q *Queue) scan(top int32) (n, before int32) {
	at, next := q.at, q.next
	n = top
	length := uint64(1)
	for p, m := top, next[top]; m != 0; p, m = m, next[m] {
		if at[m] <= at[n] {
			n, before = m, p
		}
		length++
	}
	q.work.Traversed += length
	return n, before
}

// unlink takes n out of bucket b, where it follows before, or is the first if that is 0.
func (q *Queue) unlink(b int, before, n int32) {
	if before == 0 {
		q.heads[b] = q.next[n]
	} else {
		q.next[before] = q.next[n]
	}
	q.next[n] = idle
	q.count--
}
