package store

// A DueHeap is a binary min-heap of what is due, earliest first. Entries with equal times leave in
// the order of their ids.
//
// Push and Pop take O(log n) steps. An entry takes 16 bytes.
//
// The engine uses it as a lazy heap for the individuals that are due in a window run in order: an
// entry is valid only if its time equals the individual's own due time. An individual that is
// rescheduled is pushed again, and its old entry is skipped when it is popped.
//
// Invariant: no entry is before its parent, which is at index (i−1)/2.
//
// A DueHeap must not be used from several goroutines at once.
type DueHeap []Due

// A Due is the time at which something is due, and what: an individual, a source of immigration, or
// a contact of a shard, of which ID is the index.
type Due struct {
	At    float64
	ID    uint32
	Shard int32 // of a contact
}

func (a Due) before(b Due) bool { return a.At < b.At || a.At == b.At && a.ID < b.ID }

// Push adds an entry.
func (q *DueHeap) Push(d Due) {
	h := append(*q, d)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	*q = h
}

// Pop removes and returns the earliest entry. The heap must not be empty.
func (q *DueHeap) Pop() Due {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(h[i]) {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	*q = h
	return top
}
