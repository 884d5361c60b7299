package slots

// An Item waits for a slot. It has its own links, so that it moves from one queue to another, or
// leaves, in constant time and without allocation. It may be in two queues at once, one for each of
// its links.
type Item[V any] struct {
	Value   V
	Seq     uint64 // the order of arrival; unique
	Arrival int64  // the time of arrival, or the time that is taken for it

	Links [2]struct{ Prev, Next *Item[V] } // Links[q.Link] are those in a queue q, and only read
}

// A Queue has items from the oldest to the youngest. The zero value is empty. Link and ByArrival are
// set before the first item comes; the other fields are only read.
type Queue[V any] struct {
	Head, Tail *Item[V]
	Len        int
	Link       int  // the index of the links that it uses
	ByArrival  bool // order by Arrival, and by Seq only among equal times; otherwise by Seq alone
	Walked     int  // how many items Insert has passed, for tests
}

func (q *Queue[V]) before(a, b *Item[V]) bool {
	if q.ByArrival && a.Arrival != b.Arrival {
		return a.Arrival < b.Arrival
	}
	return a.Seq < b.Seq
}

// Push appends an item.
func (q *Queue[V]) Push(it *Item[V]) { q.insertAfter(q.Tail, it) }

// Insert inserts an item by its age. It walks in either direction from near, an item of the queue,
// or from the head if near is nil. The two ends of the queue are found without walking.
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
	q.insertAfter(near, it)
}

// insertAfter inserts an item after another, or first if that is nil.
func (q *Queue[V]) insertAfter(other, it *Item[V]) {
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

// Remove removes an item.
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
