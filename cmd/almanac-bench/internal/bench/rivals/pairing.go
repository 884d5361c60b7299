package rivals

import "github.com/almanac-sim/almanac/calendar"

// Pairing is a pairing heap with two-pass melding [Fredman86], its nodes in one array by id.
//
// Events with equal times leave in the order they were scheduled: a sequence number breaks the tie.
//
// Schedule costs one comparison, Next and Cancel O(log n) amortised, Reschedule to an earlier time
// one comparison and otherwise as much as Cancel. An event takes 32 bytes.
//
// [Fredman86]: https://doi.org/10.1007/BF01840439
type Pairing struct {
	clock
	nodes []node // that of an id is at id+1: links are then zero where there is nothing
	root  uint32
}

type node struct {
	at    float64
	seq   uint64 // zero if the id has no pending event
	child uint32 // the first
	next  uint32 // sibling
	prev  uint32 // sibling, or the parent of a first child
}

// NewPairing returns an empty set whose clock stands at start.
func NewPairing(start float64, capacity int) *Pairing {
	return &Pairing{clock: clock{now: start + 0}, nodes: make([]node, capacity+1)}
}

func (q *Pairing) pending(id calendar.ID) bool {
	return int(id)+1 < len(q.nodes) && q.nodes[id+1].seq != 0
}

// Schedule adds an event for an id that has none.
func (q *Pairing) Schedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, q.pending(id)); err != nil {
		return err
	}
	q.insert(id, at)
	return nil
}

func (q *Pairing) insert(id calendar.ID, at float64) {
	q.nodes = grown(q.nodes, int(id)+2)
	q.nodes[id+1] = node{at: at + 0, seq: q.nextSeq()}
	q.n++
	q.root = q.meld(q.root, uint32(id+1))
}

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
func (q *Pairing) Reschedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, false); err != nil {
		return err
	}
	x := uint32(id + 1)
	switch {
	case !q.pending(id):
		q.insert(id, at)
	case at < q.nodes[x].at: // its children stay behind it and come along
		if x != q.root {
			q.cut(x)
		}
		q.nodes[x].at, q.nodes[x].seq = at+0, q.nextSeq()
		if x != q.root {
			q.root = q.meld(q.root, x)
		}
	default:
		q.Cancel(id)
		q.insert(id, at)
	}
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (q *Pairing) Cancel(id calendar.ID) bool {
	if !q.pending(id) {
		return false
	}
	x := uint32(id + 1)
	if x == q.root {
		q.root = q.gather(q.nodes[x].child)
	} else {
		q.cut(x)
		q.root = q.meld(q.root, q.gather(q.nodes[x].child))
	}
	q.nodes[x].seq = 0
	q.n--
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Pairing) Renumber(from, to calendar.ID) error { return renumber(q, from, to, q.insert) }

// Next removes the earliest event and advances the clock to it.
func (q *Pairing) Next() (id calendar.ID, at float64, ok bool) {
	x := q.root
	if x == 0 {
		return 0, 0, false
	}
	first := &q.nodes[x]
	q.root = q.gather(first.child)
	first.seq = 0
	q.n--
	q.now = first.at
	return calendar.ID(x - 1), first.at, true
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Pairing) Peek() (id calendar.ID, at float64, ok bool) {
	if q.root == 0 {
		return 0, 0, false
	}
	return calendar.ID(q.root - 1), q.nodes[q.root].at, true
}

// Due returns the time at which an id's event is due.
func (q *Pairing) Due(id calendar.ID) (at float64, ok bool) {
	if !q.pending(id) {
		return 0, false
	}
	return q.nodes[id+1].at, true
}

// meld makes the later of two roots the first child of the earlier, which it returns. Either may be
// zero. It leaves the siblings of the root alone.
func (q *Pairing) meld(x, y uint32) uint32 {
	if x == 0 {
		return y
	}
	if y == 0 {
		return x
	}
	a, b := &q.nodes[x], &q.nodes[y]
	if b.at < a.at || b.at == a.at && b.seq < a.seq {
		x, y, a, b = y, x, b, a
	}
	b.prev, b.next = x, a.child
	if a.child != 0 {
		q.nodes[a.child].prev = y
	}
	a.child = y
	return x
}

// cut takes a node that is not the root out of its parent's children. It keeps its own.
func (q *Pairing) cut(x uint32) {
	n := &q.nodes[x]
	if p := &q.nodes[n.prev]; p.child == x {
		p.child = n.next
	} else {
		p.next = n.next
	}
	if n.next != 0 {
		q.nodes[n.next].prev = n.prev
	}
	n.prev, n.next = 0, 0
}

// gather melds a list of siblings into one tree: in pairs from the left, then the pairs from the
// right.
func (q *Pairing) gather(first uint32) uint32 {
	pairs := uint32(0) // the pairs so far, the last one first, linked by next
	for first != 0 {
		x := first
		y := q.nodes[x].next
		first = 0
		if y != 0 {
			first = q.nodes[y].next
		}
		pair := q.meld(x, y)
		q.nodes[pair].next = pairs
		pairs = pair
	}
	root := uint32(0)
	for pairs != 0 {
		next := q.nodes[pairs].next
		root = q.meld(root, pairs)
		pairs = next
	}
	if root != 0 {
		q.nodes[root].prev, q.nodes[root].next = 0, 0
	}
	return root
}
