package calendar

// Beyond the events that are due first (near.go), entries lie in levels of buckets.
//
//	level 0   |- negative times -|------------- all other times --------------|
//	                              ▲ open: its entries went to level 1
//	level 1                       |....|....|....|....|....|....|....|  end of level 0
//	                                     ▲ open
//	level 2                              |.|.|.|.|.|.|.|  end of level 1
//	                                         ▲ open
//	near                                     [sorted]  end of level 2
//
// A bucket of a level is the keys that are equal after a shift. The buckets before the open one are empty; so, at first,
// is the open one, since opening it moves its entries down: into near if they are few, else into a new level whose
// buckets divide the range of keys that they span (divide.go).
//
// Each level has an end: the keys below it belong further down. Where the entries of an opened bucket span less than
// the bucket does, the end is drawn in to what they span, and keys beyond it fall into the open bucket again, which is
// then opened once more. So a level is always as fine as the events it was made for, and events beyond them wait
// unsorted for their own turn. In particular level 0 collects all that lies beyond the present horizon, and all that is
// scheduled before the first event is taken.
//
// Why the order is exact: of two keys a < b, a is never in a later bucket of a level than b, because a shift keeps
// order, and never in a level above b's, because the ends keep it. Why equal times stay in order: equal keys are in one
// bucket, and every step takes and appends entries in the order in which they lie.
type level struct {
	end     uint64 // keys below are in the levels below, or near
	base    uint64 // a key k is in bucket k>>shift − base
	shift   uint8
	guessed bool // made without a look at the entries: see openBucket
	open    int  // the buckets before this one are done with
	count   int  // how many buckets there are
	size    int  // how many entries it was made for
	through int  // how many have left it
	// Room for at least count buckets; those outside open to count−1 are empty.
	buckets []bucket
}

// bucketOf is the bucket of l for key k, which must not be below l's end.
func (l *level) bucketOf(k uint64) *bucket { return &l.buckets[k>>(l.shift&63)-l.base] }

// limit is the first key after l's last bucket. The level above must not end later, and may have to end earlier: l's last
// bucket can reach into keys that are not below it.
func (l *level) limit() uint64 { return bucketEnd(l.base+uint64(l.count-1), l.shift) }

// bucketEnd is the first key after bucket x of a level with the given shift.
func bucketEnd(x uint64, shift uint8) uint64 {
	end := (x + 1) << shift
	if end == 0 { // 2⁶⁴
		return pastAll
	}
	return end
}

// restart makes an empty queue collect whatever comes in level 0.
func (q *Queue) restart() {
	if q.levels == nil {
		q.levels = []level{{buckets: make([]bucket, 2)}}
	}
	q.levels = q.levels[:1]
	l := &q.levels[0]
	l.end, l.base, l.shift, l.open, l.count = 0, 0, 63, 0, 2
}

// place puts an entry where it belongs.
func (q *Queue) place(e entry) {
	for i := range q.levels {
		if l := &q.levels[i]; e.key >= l.end {
			// This is pool.push by hand, which saves 2 ns.
			b := l.bucketOf(e.key)
			w := b.tail
			if w%chunkSlots == 0 {
				w = q.pool.extend(b)
			}
			q.pool.slabs[w>>slabBits][w&slabMask] = e
			b.tail = w + 1
			b.n++
			return
		}
	}
	q.insertNear(e)
}

// refill brings the entries that are due first near. It reports false, and is ready for a new start, if there are none.
//
// A crowd, many entries for the same time, is brought near only if take says that the first of them will be dispatched.
// Before that, earlier events may come and go between it and the clock, and it should not be moved about for each of
// them. If not taken, it is left in the open bucket of the last level, with a live entry in its first chunk.
//
//go:noinline
func (q *Queue) refill(take bool) bool {
	q.near, q.head, q.inserted = q.near[:0], 0, 0
	for {
		l := &q.levels[len(q.levels)-1]
		i, bs := l.open, l.buckets[:l.count]
		for i < len(bs) && bs[i].tail == 0 {
			i++
		}
		q.passed += uint64(i - l.open)
		l.open = i
		if i < len(bs) {
			if l.shift == 0 && !take && q.crowd(l) {
				l.end = max(l.end, l.base+uint64(i)) // what comes before it belongs near
				return true
			}
			q.openBucket(l)
			if len(q.near) > 0 {
				return true
			}
			continue
		}
		if len(q.levels) == 1 {
			q.restart()
			return false
		}
		q.levels = q.levels[:len(q.levels)-1]
		if q.tooLarge() {
			q.shrink()
		}
	}
}

// crowd tells whether the open bucket of l, whose entries are all for one time, has many of them, and sees to it that
// there is a live one in its first chunk.
func (q *Queue) crowd(l *level) bool {
	b := &l.buckets[l.open]
	for b.head != b.last() {
		if _, ok := q.crowdFirst(); ok {
			return true
		}
		b.head = q.pool.release(b.head)
		b.n -= chunkLen
		q.dead -= chunkLen
	}
	return false
}

// crowdFirst is the first live entry in the first chunk of the last level's open bucket, if there is one.
func (q *Queue) crowdFirst() (entry, bool) {
	l := &q.levels[len(q.levels)-1]
	for _, e := range q.pool.chunk(l.buckets[l.open].head) {
		if q.live(e) {
			return e, true
		}
	}
	return entry{}, false
}
