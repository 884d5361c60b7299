package slots

// An Item waits for a slot. It is linked into queues through itself, so that it goes from one to another, or out, in constant time and
// without memory being asked for. It may be in two queues at once, one for each of its links.
type Item[V any] struct {
	Value   V
	Seq     uint64 // the order in which items came; never the same twice
	Arrival int64  // when it came, or said that it did

	Links [2]struct{ Prev, Next *Item[V] }
}

// A Queue is of items, from the oldest to the youngest.
type Queue[V any] struct {
	Head, Tail *Item[V]
	Len        int
	Link       int  // which of the links it uses
	ByArrival  bool // items are ordered by birth, and by stamp only if they were born at once
	Walked     int  // how many items Insert has passed, for tests
}

func (q *Queue[V]) before(a, b *Item[V]) bool {
	if q.ByArrival && a.Arrival != b.Arrival {
		return a.Arrival < b.Arrival
	}
	return a.Seq < b.Seq
}

// Push appends an item.
func (q *Queue[V]) Push(it *Item[V]) { q.behind(q.Tail, it) }

// Insert puts an item where it belongs by its age. It walks from an item of the queue that is likely to be near, or from the head if that is nil, in the
// direction in which it has to. The places before and behind all others are found at once.
func (q *Queue[V]) Insert(near, it *Item[V]) {
	switch {
	case q.Tail == nil || q.before(q.Tail, it):
		near = q.Tail
	case q.before(it, q.Head):
		near = nil
	}
	for ; near != nil && q.before(it, near); near = near.Links[q.Link].Prev {
		q.Walked++
	}
	next := q.Head
	if near != nil {
		next = near.Links[q.Link].Next
	}
	for ; next != nil && q.before(next, it); next = next.Links[q.Link].Next {
		near = next
		q.Walked++
	}
	q.behind(near, it)
}

// behind puts an item behind another, or first if that is nil.
func (q *Queue[V]) behind(other, it *Item[V]) {
	k := &it.Links[q.Link]
	k.Prev = other
	if other == nil {
		k.Next, q.Head = q.Head, it
	} else {
		k.Next, other.Links[q.Link].Next = other.Links[q.Link].Next, it
	}
	if k.Next == nil {
		q.Tail = it
	} else {
		k.Next.Links[q.Link].Prev = it
	}
	q.Len++
}

// Remove takes an item out.
func (q *Queue[V]) Remove(it *Item[V]) {
	k := &it.Links[q.Link]
	if k.Prev == nil {
		q.Head = k.Next
	} else {
		k.Prev.Links[q.Link].Next = k.Next
	}
	if k.Next == nil {
		q.Tail = k.Prev
	} else {
		k.Next.Links[q.Link].Prev = k.Prev
	}
	k.Prev, k.Next = nil, nil
	q.Len--
}
