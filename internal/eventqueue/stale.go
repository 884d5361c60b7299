package eventqueue

// A stale entry, whose event was cancelled or moved, is left where it is. As long as there are few
// entries, those of a bucket or so, all of them are swept when the stale ones outnumber the others.
// With more, each bucket has a count of its stale entries, and the buckets are swept one by one.

// staleSlack is by how many stale entries may outnumber the live ones before all are swept.
const staleSlack = 1024

// invalidate makes the entry of a record stale, which has key k. It reports whether there was a
// sweep, so that there may be memory to give back.
func (q *Queue) invalidate(r *record, k uint64) (swept bool) {
	q.stale++
	if k <= q.levels[len(q.levels)-1].end {
		q.maybeStale, q.bottomStale = true, true
	}
	r.version = q.newVersion()
	return q.countStale(k)
}

// countStale counts a stale entry with key k where it lies, and sweeps the bucket if more than half
// of it is stale. So sweeping costs a constant per cancellation, and each stale entry that is
// counted sweeps one bucket at most. A single chunk would give nothing back, and is left alone
// until all of it is stale.
//
// No bucket is ever all stale, then, apart from deferred invalidations, and opening one finds a
// live entry. That does not hold for ties in more than one bucket: in which one the entry is, is
// not known. They are counted together, and when more than an eighth are stale the next calls sweep
// one bucket each, the first ones first. A call may then have to pass over an eighth of the ties,
// or so. Nor is it known of ties that are partly at the bottom whether the entry is there. The
// count of ties can therefore be too high; that costs a sweep, and does no harm.
func (q *Queue) countStale(k uint64) (swept bool) {
	if !q.counted {
		if q.stale > q.pending+staleSlack {
			q.sweep()
			return true
		}
		return false
	}
	levels := q.levels
	if len(levels) > deep {
		levels = levels[q.levelOf(k):]
	}
	for i := range levels {
		l := &levels[i]
		if k < l.end {
			continue
		}
		b := &l.buckets[l.index(k)]
		if b.tail == nested {
			l, b = q.leaf(l, k)
		}
		switch {
		case l.ties:
			return q.countStaleTie(l)
		case b.tail == 0: // it was at the bottom, one of several ties
			return false
		}
		b.stale++
		switch {
		case b.n > chunkLen && 2*b.stale > b.n:
			q.sweepBucket(b)
			return true
		case b.stale >= b.n && l.shift > 0:
			q.sweepBucket(b)
			return true
		}
		return false
	}
	return false // it was at the bottom
}

func (q *Queue) countStaleTie(l *level) (swept bool) {
	l.stale++
	if l.stale%tieCheckEvery == 0 {
		q.checkTies(l)
	}
	return q.sweepTies(l)
}

// checkTies has ties swept if more than an eighth of them are stale.
func (q *Queue) checkTies(l *level) {
	if l.sweeping == 0 {
		n := 0
		for _, b := range l.buckets[l.open:l.count()] {
			n += int(b.n)
		}
		if 8*l.stale > n {
			l.stale, l.sweeping = 0, l.open+1
		}
	}
}

// sweepTies sweeps the next bucket of ties, if they are being swept.
func (q *Queue) sweepTies(l *level) (swept bool) {
	if l.sweeping == 0 {
		return false
	}
	i := max(l.sweeping-1, l.open)
	for i < l.count() && l.buckets[i].tail == 0 {
		i++
	}
	if i < l.count() {
		q.sweepBucket(&l.buckets[i])
		i++
	}
	if l.sweeping = i + 1; i >= l.count() {
		l.sweeping = 0
	}
	return true
}

// sweepBucket drops the stale entries of b.
func (q *Queue) sweepBucket(b *bucket) {
	from := *b
	*b = bucket{}
	q.swept += uint64(from.n)
	q.sweeps++
	q.takeLive(from, func(es []entry) {
		for _, e := range es {
			q.pool.push(b, e)
		}
	})
}

// count begins to count the stale entries of each bucket if there are too many entries to sweep
// them all at once.
func (q *Queue) count() {
	if !q.counted && q.pending+q.stale > q.most {
		q.sweep() // so that all counts are zero
		q.counted = true
	}
}

// sweep drops all stale entries. It looks at every entry: there are few, or it is called once in
// 2³² cancellations.
func (q *Queue) sweep() {
	bottom := q.liveOf(q.bottom[q.head:])
	q.bottom = q.bottom[:q.head+len(bottom)]
	for l := range q.allLevels {
		l.stale, l.sweeping = 0, 0
		for i := l.open; i < l.count(); i++ {
			if b := &l.buckets[i]; b.tail != 0 && b.tail != nested {
				q.sweepBucket(b)
			}
		}
	}
}
