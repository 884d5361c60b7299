package relaxed

// sweep drops all stale entries. It looks at every entry, and is called when more than half of them
// are stale, so that it costs a constant per cancellation.
func (q *subqueue[V]) sweep() {
	n := q.head
	for i := q.head; i < q.tail; i++ {
		if e := q.bottom[i]; q.isCurrent(&e) {
			q.bottom[n] = e
			n++
		}
	}
	q.tail = n
	for i := range q.levels {
		q.sweepLevel(&q.levels[i])
	}
	q.stale = 0
}

// sweepLevel drops the stale entries of a level. A nested level that has become small is put back
// into its bucket, so that there are few levels where there are few events.
func (q *subqueue[V]) sweepLevel(l *level) {
	for k := l.open; k < l.count; k++ {
		b := l.buckets[k]
		if b.n == 0 {
			continue
		}
		if b.isNested() {
			below := q.nested[b.head]
			q.sweepLevel(below)
			l.buckets[k].n = uint32(below.held)
			if below.held < int(q.maxInBucket) {
				l.buckets[k] = q.flatten(b.head)
			}
		} else {
			l.buckets[k] = bucket{}
			q.sweepBucket(b, &l.buckets[k])
		}
		l.held -= int(b.n - l.buckets[k].n)
	}
}

// sweepBucket moves the current entries of a bucket into another one.
func (q *subqueue[V]) sweepBucket(b bucket, to *bucket) {
	q.drain(b, func(es []entry) {
		for _, e := range es {
			if q.isCurrent(&e) {
				q.push(to, e)
			}
		}
	})
}
