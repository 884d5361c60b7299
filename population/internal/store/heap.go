package store

// A DueHeap is a heap of moments, the earliest first. For what is due in a window that is carried out in order it is a lazy one: an entry is valid only if it equals
// what the individual says itself. Who is planned anew is put in again, and what it was put in for before is passed over when its turn comes.
type DueHeap []Due

// A Due is when something is due, and what: an individual or a source of immigration, or a contact of a shard.
type Due struct {
	At    float64
	Id    uint32
	Shard int32 // of a contact
}

func (a Due) before(b Due) bool { return a.At < b.At || a.At == b.At && a.Id < b.Id }

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
