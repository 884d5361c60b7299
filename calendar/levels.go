package calendar

import "math/bits"

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
// buckets divide the range of keys that they span.
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
//
// Why the cost is constant: a bucket of n entries is divided into about n/perBucket, so that what follows is a few
// entries per bucket if the n are spread out at all evenly. If they are not, the crowded buckets are divided again, each
// time with at least two bits of the key fewer. The empty buckets passed over are fewer than the entries that were moved
// to make them.
type level struct {
	end     uint64 // keys below are in the levels below, or near
	base    uint64 // a key k is in bucket k>>shift − base
	shift   uint8
	open    int // the buckets before this one are done with
	count   int // how many buckets there are
	size    int // how many entries it was made for
	through int // how many have left it
	// Room for at least count buckets; those outside open to count−1 are empty.
	buckets []bucket
}

const (
	// perBucket is how many entries a bucket should get when it is made.
	perBucket = 8
	// maxFan bounds how many buckets are filled at once: each has a cache line that is written next.
	maxFan = 4096
	// touchMax is up to how many entries are checked for life when they are moved: of more than that, the records
	// would not stay in the cache until they are due, and looking would cost more than carrying the dead along.
	touchMax = 1 << 14
)

// bucketOf is the bucket of l for key k, which must not be below l's end.
func (l *level) bucketOf(k uint64) *bucket { return &l.buckets[k>>(l.shift&63)-l.base] }

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
			if w%chunkLen == 0 {
				w = q.pool.extend(b)
			}
			q.pool.slabs[w>>slabBits][w&slabMask] = e
			b.tail = w + 1
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
	q.near, q.head = q.near[:0], 0
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

// openBucket moves the entries of the level's open bucket down. It may leave near empty: if there is a new level, or if
// all entries were dead.
func (q *Queue) openBucket(l *level) {
	b := l.buckets[l.open]
	l.buckets[l.open] = bucket{}
	l.end = bucketEnd(l.base+uint64(l.open), l.shift)
	q.opened++
	if b.head == b.last() {
		l.through += q.loadChunk(b)
		return
	}
	n, low, high := q.survey(b)
	l.through += n
	if n <= loadMax || l.shift == 0 {
		q.load(b)
		return
	}
	below := q.divide(n, low, high)
	parent := &q.levels[len(q.levels)-2]
	parent.end = min(parent.end, below.limit())
	if low == high {
		below.buckets[0] = b
		return
	}
	q.moved += uint64(n)
	check := n <= touchMax
	shift, base, bs := below.shift, below.base, below.buckets
	for c, last := b.head, b.last(); ; {
		es := q.pool.chunk(c)
		if c == last {
			es = es[:b.inLast()]
		}
		for i := range es {
			e := es[i]
			if check && !q.live(e) {
				q.dead--
				continue
			}
			b := &bs[e.key>>(shift&63)-base]
			w := b.tail
			if w%chunkLen == 0 {
				w = q.pool.extend(b)
			}
			q.pool.slabs[w>>slabBits][w&slabMask] = e
			b.tail = w + 1
		}
		following := q.pool.release(c)
		if c == last {
			return
		}
		c = following
	}
}

// survey counts the entries of b and finds their least and greatest keys.
func (q *Queue) survey(b bucket) (n int, low, high uint64) {
	low, high = pastAll, 0
	for c := b.head; ; c = q.pool.next[c] {
		es := q.pool.chunk(c)
		if c == b.last() {
			es = es[:b.inLast()]
		}
		n += len(es)
		for i := range es {
			low = min(low, es[i].key)
			high = max(high, es[i].key)
		}
		if c == b.last() {
			return n, low, high
		}
	}
}

// divide adds a level for n entries with keys from low to high, which all belong below the last level. The caller sets
// the end of the level above.
func (q *Queue) divide(n int, low, high uint64) *level {
	depth := len(q.levels)
	if depth == cap(q.levels) {
		q.levels = append(q.levels, level{})
	}
	q.levels = q.levels[:depth+1]
	l := &q.levels[depth]
	want := uint64(min(max(int(float64(n)*l.growth()/perBucket), 4), maxFan))
	l.shift = uint8(bits.Len64((high - low) / want))
	l.base = low >> l.shift
	l.end = l.base << l.shift
	l.open = 0
	l.count = int(high>>l.shift-l.base) + 1
	l.size, l.through = n, 0
	if len(l.buckets) < l.count {
		l.buckets = make([]bucket, max(l.count, min(2*len(l.buckets), maxFan+1)))
	}
	q.divided++
	return l
}

func (l *level) growth() float64 {
	if l.through <= l.size {
		return 1
	}
	return min(float64(l.through)/float64(l.size), 32)
}

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

// crowd tells whether the open bucket of l, whose entries are all for one time, has many of them, and sees to it that
// there is a live one in its first chunk.
func (q *Queue) crowd(l *level) bool {
	b := &l.buckets[l.open]
	for b.head != b.last() {
		if _, ok := q.crowdFirst(); ok {
			return true
		}
		b.head = q.pool.release(b.head)
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
