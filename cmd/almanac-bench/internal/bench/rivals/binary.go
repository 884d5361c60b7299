package rivals

import (
	"container/heap"

	"github.com/almanac-sim/almanac/calendar"
)

// Binary is the priority queue of container/heap's documentation: a binary heap whose elements know
// their index, so that any of them can be moved or removed.
//
// Events with equal times leave in the order they were scheduled: a sequence number breaks the tie.
//
// Schedule, Reschedule, Cancel and Next cost O(log n) comparisons, each through an interface. An
// event takes 28 bytes: an entry of 24 and the index.
//
// It differs from the documentation's example in that its elements are values and not pointers, and
// in that it goes round heap.Push, which would put each entry into an allocation of its own.
type Binary struct {
	clock
	heap binaryHeap
}

// NewBinary returns an empty set whose clock stands at start.
func NewBinary(start float64, capacity int) *Binary {
	return &Binary{
		clock: clock{now: start + 0},
		heap:  binaryHeap{entries: make([]entry, 0, capacity), index: make([]uint32, capacity)},
	}
}

// Schedule adds an event for an id that has none.
func (q *Binary) Schedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, q.heap.has(id)); err != nil {
		return err
	}
	q.push(id, at)
	return nil
}

func (q *Binary) push(id calendar.ID, at float64) {
	h := &q.heap
	h.index = grown(h.index, int(id)+1)
	h.entries = append(h.entries, entry{at: at + 0, seq: q.nextSeq(), id: id})
	q.n++
	h.index[id] = uint32(q.n)
	heap.Fix(h, q.n-1) // the same as heap.Push would do now
}

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
func (q *Binary) Reschedule(id calendar.ID, at float64) error {
	if !q.heap.has(id) {
		return q.Schedule(id, at)
	}
	if err := q.refuse(at, false); err != nil {
		return err
	}
	i := int(q.heap.index[id] - 1)
	e := &q.heap.entries[i]
	e.at, e.seq = at+0, q.nextSeq()
	heap.Fix(&q.heap, i)
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (q *Binary) Cancel(id calendar.ID) bool {
	if !q.heap.has(id) {
		return false
	}
	heap.Remove(&q.heap, int(q.heap.index[id]-1))
	q.n--
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Binary) Renumber(from, to calendar.ID) error { return renumber(q, from, to, q.push) }

// Next removes the earliest event and advances the clock to it.
func (q *Binary) Next() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	e := q.heap.entries[0]
	heap.Pop(&q.heap)
	q.n--
	q.now = e.at
	return e.id, e.at, true
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Binary) Peek() (id calendar.ID, at float64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	e := &q.heap.entries[0]
	return e.id, e.at, true
}

// Due returns the time at which an id's event is due.
func (q *Binary) Due(id calendar.ID) (at float64, ok bool) {
	if !q.heap.has(id) {
		return 0, false
	}
	return q.heap.entries[q.heap.index[id]-1].at, true
}

// binaryHeap implements heap.Interface.
type binaryHeap struct {
	entries []entry
	index   []uint32 // by id: its place among the entries, counted from one; zero if it has none
}

func (h *binaryHeap) has(id calendar.ID) bool { return int(id) < len(h.index) && h.index[id] != 0 }

func (h *binaryHeap) Len() int { return len(h.entries) }

func (h *binaryHeap) Less(i, j int) bool { return h.entries[i].before(&h.entries[j]) }

func (h *binaryHeap) Swap(i, j int) {
	h.entries[i], h.entries[j] = h.entries[j], h.entries[i]
	h.index[h.entries[i].id] = uint32(i + 1)
	h.index[h.entries[j].id] = uint32(j + 1)
}

// Push is not called, see push.
func (h *binaryHeap) Push(any) { panic("rivals: Push is not used") }

// Pop removes the last entry. It returns nothing, because that would be an allocation.
func (h *binaryHeap) Pop() any {
	last := len(h.entries) - 1
	h.index[h.entries[last].id] = 0
	h.entries = h.entries[:last]
	return nil
}
