package calendar

// A crowd is many entries for the same time. There is nothing to divide, but what is done at once must be bounded all the same: it is
// brought near a few chunks at a time, and if it has more than q.most entries they are in a level of their own, whose buckets
// are filled and emptied one after the other.
//
// What is near is the first of it only after the clock has come to its time. Then nothing can be scheduled before it, and what is
// scheduled for the same time goes behind it, into the bucket: the end of its level stays before it.

const (
	// crowdChunks is how many chunks of a crowd are brought near at once: no more entries than there is room for.
	crowdChunks = nearCap / chunkSlots
	// crowdBase puts every key beyond all buckets, hence into the last.
	crowdBase = ^uint64(0) - 1<<40
	// crowdLook is after how many more dead entries a crowd is looked at.
	crowdLook = 1024
)

// lengthen adds a bucket to a crowd.
func (q *Queue) lengthen(l *level) {
	if l.count() == len(l.buckets) {
		longer := make([]bucket, 2*l.count())
		copy(longer, l.buckets)
		l.buckets = longer
	}
	l.last++
}

// isCrowd tells whether bucket i of l has many entries for the same time, or is one of several that do.
func (q *Queue) isCrowd(l *level, i int) bool {
	b := &l.buckets[i]
	return b.tail != 0 && l.single(i) && (l.crowd || b.head != b.last())
}

// crowdWaits sees to it that there is a live entry in the first chunk of l's open bucket, and reports false if it is no crowd then.
func (q *Queue) crowdWaits(l *level) bool {
	for q.isCrowd(l, l.open) {
		if _, ok := q.crowdFirst(); ok {
			return true
		}
		b := &l.buckets[l.open]
		n := len(q.pool.entries(*b, b.head))
		q.swept += uint64(n)
		q.dead -= n
		q.dropChunk(l, b, n)
	}
	return false
}

// crowdFirst is the first live entry in the first chunk of the last level's open bucket, if there is one.
func (q *Queue) crowdFirst() (entry, bool) {
	l := &q.levels[len(q.levels)-1]
	b := l.buckets[l.open]
	for _, e := range q.pool.entries(b, b.head) {
		if q.live(e) {
			return e, true
		}
	}
	return entry{}, false
}

// loadCrowd brings the first few chunks of b, a crowd in the open bucket of l, near, and more if nobody is alive in them.
func (q *Queue) loadCrowd(l *level, b *bucket) {
	q.opened++
	for b.tail != 0 && len(q.near) == 0 {
		for n := 0; n < crowdChunks && b.tail != 0; n++ {
			es := q.pool.entries(*b, b.head)
			q.prefetchFollowing(*b, b.head)
			live := q.livingOf(es)
			q.near = append(q.near, live...)
			q.moved += uint64(len(es))
			l.through += len(es)
			q.dropChunk(l, b, len(es)-len(live))
		}
	}
	// Those that are dead should not come to be the majority because others leave.
	switch {
	case l.crowd:
		if b.tail == 0 {
			q.lookAtCrowd(l)
		}
		q.sweepCrowd(l)
	case b.n > chunkLen && 2*b.dead > b.n:
		q.sweepBucket(b)
	}
}

// dropChunk takes the first chunk from b, a crowd in level l, in which so many were dead. The deaths that wait may be theirs: those have not been
// counted, and to take them off would leave others that have been out of the count.
func (q *Queue) dropChunk(l *level, b *bucket, dead int) {
	counted := max(dead-int(q.deaths.n), 0)
	if l.crowd {
		l.dead = max(l.dead-counted, 0)
	} else {
		b.dead -= min(uint32(counted), b.dead)
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
