package calendar

// An entry whose event was cancelled or moved is dead, and is left where it is. As long as there are few entries, those of a bucket or
// so, nothing is done about it but to sweep them all when the dead outnumber the others. Of more, it is counted how many are dead in each bucket,
// and the buckets are swept one by one.

// deadSlack is by how many the dead may outnumber the living before all are swept.
const deadSlack = 1024

// disown makes the entry of a record dead, which is for key k. It tells whether there was a sweep, so that there may be memory to give
// back.
func (q *Queue) disown(r *record, k uint64) (swept bool) {
	q.dead++
	if k <= q.levels[len(q.levels)-1].end {
		q.doubt, q.bereft = true, true
	}
	r.stamp = q.newStamp()
	return q.bereave(k)
}

// bereave counts a dead entry with key k where it is, and sweeps the bucket if more than half of it is dead. So sweeping costs a
// constant per cancellation, and each death that is counted sweeps one bucket at most. Of a single chunk nothing would come back, and it is
// left alone until all of it is dead.
//
// No bucket is ever all dead, then, but for deaths that wait, and whoever opens one finds a living entry. That does not hold of a crowd of more than one
// bucket: which one it was is not known. The count is of all of them, and when more than an eighth are dead the next calls sweep one
// bucket each, the first ones first. What a call may have to pass over is then an eighth of the crowd, or so. Nor is it known of a crowd that is partly near whether it was there. The count of what is for one time only can
// therefore be too high; that costs a sweep, and does no harm.
func (q *Queue) bereave(k uint64) (swept bool) {
	if !q.counted {
		if q.dead > q.pending+deadSlack {
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
		case l.crowd:
			return q.bereaveCrowd(l)
		case b.tail == 0: // it was near, of a crowd
			return false
		}
		b.dead++
		switch {
		case b.n > chunkLen && 2*b.dead > b.n:
			q.sweepBucket(b)
			return true
		case b.dead >= b.n && l.shift > 0:
			q.sweepBucket(b)
			return true
		}
		return false
	}
	return false // it was near
}

func (q *Queue) bereaveCrowd(l *level) (swept bool) {
	l.dead++
	if l.dead%crowdLook == 0 {
		q.lookAtCrowd(l)
	}
	return q.sweepCrowd(l)
}

// lookAtCrowd has a crowd swept if more than an eighth of it is dead.
func (q *Queue) lookAtCrowd(l *level) {
	if l.sweeping == 0 {
		n := 0
		for _, b := range l.buckets[l.open:l.count()] {
			n += int(b.n)
		}
		if 8*l.dead > n {
			l.dead, l.sweeping = 0, l.open+1
		}
	}
}

// sweepCrowd sweeps the next bucket of a crowd, if it is being swept.
func (q *Queue) sweepCrowd(l *level) (swept bool) {
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

// sweepBucket drops the dead entries of b.
func (q *Queue) sweepBucket(b *bucket) {
	from := *b
	*b = bucket{}
	q.swept += uint64(from.n)
	q.sweeps++
	q.takeLiving(from, func(es []entry) {
		for _, e := range es {
			q.pool.push(b, e)
		}
	})
}

// count begins to count the dead of each bucket if there are too many entries to sweep them all at once.
func (q *Queue) count() {
	if !q.counted && q.pending+q.dead > q.most {
		q.sweep() // so that all counts are zero
		q.counted = true
	}
}

// sweep drops all dead entries. It looks at every entry: there are few, or it is called once in 2³² cancellations.
func (q *Queue) sweep() {
	near := q.livingOf(q.near[q.head:])
	q.near = q.near[:q.head+len(near)]
	for l := range q.allLevels {
		l.dead, l.sweeping = 0, 0
		for i := l.open; i < l.count(); i++ {
			if b := &l.buckets[i]; b.tail != 0 && b.tail != nested {
				q.sweepBucket(b)
			}
		}
	}
}
