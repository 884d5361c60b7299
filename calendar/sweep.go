package calendar

// deadSlack is by how many dead entries may outnumber the live ones before they are swept out.
const deadSlack = 1024

// sweep drops all dead entries. It looks at every entry, and is called when more than half of them are dead, so that it
// costs a constant per cancellation.
func (q *Queue) sweep() {
	q.rebuild(&q.pool)
	q.sweeps++
}

// rebuild moves all live entries into chunks of the given pool, which may be the one they are in: each chunk is freed
// as soon as it has been read.
func (q *Queue) rebuild(to *pool) {
	es := q.near[:0]
	for _, e := range q.near[q.head:] {
		if q.live(e) {
			es = append(es, e)
		}
	}
	q.near, q.head = es, 0
	for i := range q.levels {
		l := &q.levels[i]
		for j := l.open; j < l.count; j++ {
			from := l.buckets[j]
			l.buckets[j] = bucket{}
			if from.tail == 0 {
				continue
			}
			q.prefetchAfter(l, j)
			ahead, last := q.startAhead(from), from.last()
			for c := from.head; ; {
				ahead = q.ahead(ahead, last)
				q.prefetchFollowing(from, c)
				for _, e := range q.pool.entries(from, c) {
					if q.live(e) {
						to.push(&l.buckets[j], e)
					}
				}
				following := q.pool.release(c)
				if c == last {
					break
				}
				c = following
			}
		}
	}
	q.dead = 0
}

const (
	roomy = 4        // how many times more room than needed is too much
	small = 4 * 1024 // fewer entries than this are never worth giving back
)

// tooLarge tells whether the queue holds several times the memory that it needs. It looks only once as many entries have
// been moved as there is room for, so that shrinking costs a constant per event, and at the most that was needed in the
// meantime, so that what is about to be filled again is not given back.
func (q *Queue) tooLarge() bool {
	room := int(q.pool.total)*chunkLen + q.ids
	if q.moved-q.movedAtLook <= uint64(room) {
		return false
	}
	need := q.pool.peak*chunkLen + q.pending + q.dead + small
	q.pool.peak = q.pool.used
	q.movedAtLook = q.moved
	return room > roomy*need
}

// shrink moves the queue into memory of the right size and lets go of the rest, including the records of ids above all
// that are pending.
func (q *Queue) shrink() {
	var fresh pool
	q.rebuild(&fresh)
	q.pool = fresh
	if cap(q.near) > roomy*(len(q.near)+small) {
		q.near = append(make([]entry, 0, max(nearCap, len(q.near))), q.near...)
	}
	// The spare levels go with their buckets.
	q.levels = append(make([]level, 0, len(q.levels)), q.levels...)
	q.forget()
	q.shrinks++
}
