package rivals

import "github.com/almanac-sim/almanac/calendar"

// Quaternary is an implicit heap in which every entry has four children: half as deep as a binary
// one, and the four lie in one or two cache lines.
//
// Events with equal times leave in the order they were scheduled: a sequence number breaks the tie.
//
// Schedule costs O(log n) comparisons at worst and O(1) for most distributions, Next O(log n).
// Cancel and Reschedule leave the old entry where it is; when the stale outnumber the live, the
// heap is rebuilt without them, which is amortised constant. An event takes 40 bytes, an entry of
// 24 and a record of 16, and a stale entry 24.
type Quaternary struct {
	ledger
	heap []entry // the children of i are 4i+1 to 4i+4
}

// NewQuaternary returns an empty set whose clock stands at start.
func NewQuaternary(start float64, capacity int) *Quaternary {
	return &Quaternary{ledger: newLedger(start, capacity), heap: make([]entry, 0, capacity)}
}

// Schedule adds an event for an id that has none.
func (q *Quaternary) Schedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, q.pending(id)); err != nil {
		return err
	}
	q.push(q.open(id, at))
	return nil
}

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
func (q *Quaternary) Reschedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, false); err != nil {
		return err
	}
	q.Cancel(id)
	q.push(q.open(id, at))
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (q *Quaternary) Cancel(id calendar.ID) bool {
	if !q.pending(id) {
		return false
	}
	q.shut(id)
	q.stale++
	if q.overgrown() {
		q.rebuild()
	}
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Quaternary) Renumber(from, to calendar.ID) error {
	return renumber(q, from, to, func(id calendar.ID, at float64) { q.push(q.open(id, at)) })
}

// Next removes the earliest event and advances the clock to it.
func (q *Quaternary) Next() (id calendar.ID, at float64, ok bool) {
	if !q.settle() {
		return 0, 0, false
	}
	e := q.heap[0]
	q.pop()
	q.shut(e.id)
	q.now = e.at
	return e.id, e.at, true
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Quaternary) Peek() (id calendar.ID, at float64, ok bool) {
	if !q.settle() {
		return 0, 0, false
	}
	return q.heap[0].id, q.heap[0].at, true
}

// settle removes stale entries until a live one is first, and reports whether there is one.
func (q *Quaternary) settle() bool {
	if q.n == 0 {
		q.heap, q.stale = q.heap[:0], 0
		return false
	}
	for !q.live(&q.heap[0]) {
		q.pop()
		q.stale--
	}
	return true
}

// push lets a hole rise from the end and puts the entry where it stops: one copy per level instead
// of a swap.
func (q *Quaternary) push(e entry) {
	q.heap = append(q.heap, e)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		// The newcomer has the largest sequence number, so that times decide.
		if !(e.at < h[parent].at) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

func (q *Quaternary) pop() {
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.sink(0, e)
	}
}

// sink puts an entry at i, or where a hole that sinks from there stops.
func (q *Quaternary) sink(i int, e entry) {
	h := q.heap
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least, end := &h[child], min(child+4, len(h))
		for k := child + 1; k < end; k++ {
			if h[k].before(least) {
				child, least = k, &h[k]
			}
		}
		if !least.before(&e) {
			break
		}
		h[i] = *least
		i = child
	}
	h[i] = e
}

// rebuild drops the stale entries and puts the others in order again, from the last parent up.
func (q *Quaternary) rebuild() {
	kept := q.heap[:0]
	for i := range q.heap {
		if q.live(&q.heap[i]) {
			kept = append(kept, q.heap[i])
		}
	}
	q.heap, q.stale = kept, 0
	for i := (len(kept)+2)/4 - 1; i >= 0; i-- {
		q.sink(i, kept[i])
	}
}
