package eventqueue

import "math"

// Reset removes all events, sets the clock, and keeps the memory.
func (q *Queue) Reset(start float64) {
	if math.IsNaN(start) || math.IsInf(start, 0) {
		panic("calendar: Reset needs a finite time")
	}
	q.ready()
	for _, page := range q.pages {
		clear(page)
	}
	for _, bits := range q.bits {
		if bits != nil {
			clear(bits[:])
		}
	}
	q.discard()
	q.writes = writeBuffer{}
	q.now, q.pending, q.version = start+0, 0, 0
	paid := min(q.returned, bytesPerMove*(q.moved+q.turned))
	q.counters = counters{returned: q.returned - paid} // lest memory go back and forth with every reset
	q.history, q.arrays = [len(q.history)]levelHistory{}, nil
}

// discard drops all entries.
func (q *Queue) discard() {
	for i := range q.levels {
		clear(q.levels[i].buckets)
	}
	for _, l := range q.nests {
		if l != nil {
			clear(l.buckets)
			q.keepBuckets(l.buckets)
		}
	}
	clear(q.nests)
	q.nests, q.vacant = q.nests[:0], q.vacant[:0]
	q.pool.clear()
	q.bottom, q.head, q.inserted = q.bottom[:0], 0, 0
	q.restart()
	q.stale, q.counted = 0, false
	q.deferred = invalidations{}
}

// clear makes all chunks free.
func (p *pool) clear() {
	if len(p.holes) > 0 { // it was much larger once
		*p = pool{}
	}
	p.free, p.used = p.free[:0], 0
	p.fresh = min(1, p.total)
}
