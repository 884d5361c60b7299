package eventqueue

// Ties are many entries for the same time. There is nothing to divide, but what a call does must be
// bounded all the same: ties are brought to the bottom a few chunks at a time, and if there are
// more than q.most of them they have a level of their own, whose buckets are filled and emptied one
// after the other.
//
// Some of them are at the bottom only after the clock has come to their time. Then nothing can be
// scheduled before them, and what is scheduled for the same time goes behind them, into the bucket:
// the end of its level stays before it.

const (
	// tieChunks is how many chunks are brought to the bottom at once: no more entries than it has
	// room for.
	tieChunks = bottomCap / chunkSlots
	// tieBase puts every key beyond all buckets, hence into the last.
	tieBase = ^uint64(0) - 1<<40
	// tieCheckEvery is the number of further stale entries after which ties are checked.
	tieCheckEvery = 1024
)

// lengthen adds a bucket to a level of ties.
func (q *Queue) lengthen(l *level) {
	if l.count() == len(l.buckets) {
		longer := make([]bucket, 2*l.count())
		copy(longer, l.buckets)
		l.buckets = longer
	}
	l.last++
}

// isTied reports whether bucket i of l has many entries for the same time, or is one of several
// that do.
func (q *Queue) isTied(l *level, i int) bool {
	b := &l.buckets[i]
	return b.tail != 0 && l.single(i) && (l.ties || b.head != b.last())
}

// tiesReady makes sure that there is a live entry in the first chunk of l's open bucket, and
// reports false if the bucket has no ties then.
func (q *Queue) tiesReady(l *level) bool {
	for q.isTied(l, l.open) {
		if _, ok := q.firstTie(); ok {
			return true
		}
		b := &l.buckets[l.open]
		n := len(q.pool.entries(*b, b.head))
		q.swept += uint64(n)
		q.stale -= n
		q.dropChunk(l, b, n)
	}
	return false
}

// firstTie is the first live entry in the first chunk of the last level's open bucket, if there is
// one.
func (q *Queue) firstTie() (entry, bool) {
	l := &q.levels[len(q.levels)-1]
	b := l.buckets[l.open]
	for _, e := range q.pool.entries(b, b.head) {
		if q.live(e) {
			return e, true
		}
	}
	return entry{}, false
}

// loadTies brings the first few chunks of b, the open bucket of l, to the bottom, and more if no
// entry in them is live.
func (q *Queue) loadTies(l *level, b *bucket) {
	q.opened++
	for b.tail != 0 && len(q.bottom) == 0 {
		for n := 0; n < tieChunks && b.tail != 0; n++ {
			es := q.pool.entries(*b, b.head)
			q.prefetchFollowing(*b, b.head)
			live := q.liveOf(es)
			q.bottom = append(q.bottom, live...)
			q.moved += uint64(len(es))
			l.through += len(es)
			q.dropChunk(l, b, len(es)-len(live))
		}
	}
	// Stale entries should not become the majority because others leave.
	switch {
	case l.ties:
		if b.tail == 0 {
			q.checkTies(l)
		}
		q.sweepTies(l)
	case b.n > chunkLen && 2*b.stale > b.n:
		q.sweepBucket(b)
	}
}

// dropChunk takes the first chunk from b, a bucket of ties in level l, in which so many entries
// were stale. Some of them may be stale by a deferred invalidation: those are not in the count, and
// to subtract them would leave others out of it.
func (q *Queue) dropChunk(l *level, b *bucket, stale int) {
	counted := max(stale-int(q.deferred.n), 0)
	if l.ties {
		l.stale = max(l.stale-counted, 0)
	} else {
		b.stale -= min(uint32(counted), b.stale)
	}
	c, last := b.head, b.last()
	n := uint32(len(q.pool.entries(*b, c)))
	following := q.pool.release(c)
	if c == last {
		*b = bucket{}
		return
	}
	b.head = following
	b.n -= n
}
