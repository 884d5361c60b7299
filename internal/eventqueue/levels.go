package eventqueue

import "math/bits"

// Beyond the events that are due first (bottom.go), entries lie in levels of buckets. A bucket of a
// level has the keys that are equal after a shift. The first bucket also has all the keys before it
// and the last one all those after it, so that a level has a bucket for every key.
//
//	level 0  <----|....|....|....|....|....|....|...|---->
//	                   ▲ open            ▲ nested: so many came that they were divided at once
//	level 1       <----|.|.|.|.|.|.|---->
//	                         ▲ open
//	bottom            [sorted]
//
// The path is the levels that lead to the events that are due first: of each, the buckets before
// the open one are empty, and so is the open one, since opening it moved its entries down: to the
// bottom if they are few, else into a level of its own (divide.go). A level whose last bucket has
// been opened leaves the path, because all that it could still have belongs further down.
//
// No bucket ever has more than q.most entries. One that reaches it is divided where it is, into a
// level that is nested in it (nest.go), and when its time comes that level goes onto the path as it
// is. So what a single call does is bounded, however many events there are: at most one bucket is
// divided, or swept, or those of deferred invalidations (deferred.go), and a few are opened.
//
// Why the order is exact: of two keys a < b, a is never in a later bucket of a level than b,
// because a shift and what is done at the ends keep order, and never further up the path, because
// the ends keep it. Why equal times stay in order: equal keys are in one bucket, and every step
// takes and appends entries in the order in which they lie.
type level struct {
	// What place needs, in one cache line.
	end     uint64 // keys below are further down the path; 0 while nothing was opened
	first   uint64 // the least key of bucket 0, apart from those that have no better place
	base    uint64 // a key k is in bucket k>>shift − base
	last    uint64 // the last bucket
	shift   uint8
	guessed bool // made without a look at the entries: see openBucket
	ties    bool // buckets are not by key, there is only one: see ties.go
	tailed  bool // made for less than the range of the entries: bucket 0 has what was left out, see leaveOutTail
	// Room for at least last+1 buckets; those outside open to last are empty.
	buckets []bucket

	to      uint64 // no key of this level reaches this
	open    int    // the buckets before this one are done with
	size    int    // how many entries it was made for
	through int    // how many have left it
	// Of ties: how many are stale, and one more than the bucket to be swept next, 0 if none is. See
	// countStale.
	stale, sweeping int
}

// count is how many buckets l has.
func (l *level) count() int { return int(l.last) + 1 }

// index is the bucket of l for key k, which must not be below l's end.
func (l *level) index(k uint64) uint64 {
	return min(max(k, l.first)>>(l.shift&63)-l.base, l.last)
}

// floor returns a key such that no key in bucket i of l is below it and all keys in the bucket
// before it are, if there is one.
func (l *level) floor(i int) uint64 {
	switch {
	case l.ties:
		return l.to - 1
	case i == 0:
		return 0
	}
	return (l.base + uint64(i)) << l.shift
}

// ceiling is the first key after those of bucket i of l. Ties stay where they are until all of them
// have left.
func (l *level) ceiling(i int) uint64 {
	switch {
	case l.ties:
		return l.to - 1
	case uint64(i) == l.last:
		return l.to
	}
	return (l.base + uint64(i) + 1) << l.shift
}

// single reports whether bucket i of l is for one key only.
func (l *level) single(i int) bool {
	return l.ties || l.shift == 0 && i > 0 && uint64(i) < l.last
}

// shape makes l a level of about fan buckets, or up to twice that, for keys from low to high. If
// there is a bucket for each key, there is one more before them all and one after.
func (l *level) shape(low, high, fan uint64) {
	l.shift = uint8(bits.Len64((high - low) / fan))
	if l.shift == 0 {
		low, high = low-1, high+1
	}
	l.base = low >> l.shift
	l.first = l.base << l.shift
	l.last = high>>l.shift - l.base
}

// limit is the first key after l's last bucket, apart from those for which there is no better
// level.
func (l *level) limit() uint64 {
	if end := (l.base + l.last + 1) << l.shift; end != 0 {
		return end
	}
	return pastAll
}

// allLevels calls yield for the levels of the path and for those nested in buckets.
func (q *Queue) allLevels(yield func(*level) bool) {
	for i := range q.levels {
		if !yield(&q.levels[i]) {
			return
		}
	}
	for _, l := range q.nests {
		if l != nil && !yield(l) {
			return
		}
	}
}

// restart prepares an empty queue for any keys: negative times in one bucket, all others in a
// second.
func (q *Queue) restart() {
	for i := range q.levels {
		q.retire(i)
	}
	q.levels = append(q.levels[:0], level{to: pastAll, shift: 63, last: 1, buckets: q.takeBuckets(2)})
}

// retire ends a level of the path: its buckets are used again, and how many entries passed through
// it is remembered.
func (q *Queue) retire(i int) {
	q.resetPrefetch()
	q.remember(i)
	q.keepBuckets(q.levels[i].buckets)
	q.levels[i].buckets = nil
}

// remember keeps the history of level i of the path.
func (q *Queue) remember(i int) {
	if l := &q.levels[i]; l.size > 0 && i < len(q.history) {
		q.history[i] = levelHistory{l.size, l.through}
	}
}

// descend adds a level to the path, for the keys of the last level's open bucket. If that is its
// last one, the new level takes its place.
func (q *Queue) descend(below level) {
	q.resetPrefetch()
	i := len(q.levels) - 1
	l := &q.levels[i]
	if l.open == int(l.last) && !l.ties {
		q.retire(i)
		*l = below
		return
	}
	q.levels = append(q.levels, below)
}

// takeBuckets returns at least n empty buckets. Their number is a power of two, so that arrays can
// be reused for levels of different sizes.
func (q *Queue) takeBuckets(n int) []bucket {
	class := bits.Len(uint(n - 1))
	if class < len(q.spare) {
		if kept := q.spare[class]; len(kept) > 0 {
			q.spare[class] = kept[:len(kept)-1]
			return kept[len(kept)-1]
		}
	}
	return make([]bucket, 1<<class)
}

// keepBuckets keeps empty buckets for use again.
func (q *Queue) keepBuckets(bs []bucket) {
	if class := bits.Len(uint(len(bs) - 1)); class < len(q.spare) && len(q.spare[class]) < maxSpare {
		q.spare[class] = append(q.spare[class], bs)
	}
}

const (
	// maxSpare bounds how many arrays of buckets of one size are kept for use again.
	maxSpare = 4
	// shrinkEvery is the number of buckets opened after which memory is checked. To check each time
	// costs a twentieth of a hold.
	shrinkEvery = 16
	// deep is from how many levels on it is better to search for the one wanted than to go through
	// them.
	deep = 24
)

// place puts an entry where it belongs.
func (q *Queue) place(e entry) {
	levels := q.levels
	if len(levels) > deep {
		levels = levels[q.levelOf(e.Key):]
	}
	for i := range levels {
		if l := &levels[i]; e.Key >= l.end {
			// This is pool.push by hand, which saves 2 ns.
			b := &l.buckets[l.index(e.Key)]
			for b.tail == nested {
				c := q.nests[b.head]
				b = &c.buckets[c.index(e.Key)]
			}
			w := b.tail
			if w%chunkSlots == 0 {
				b, w = q.room(l, e.Key)
			}
			q.pool.slabs[w>>slabBits][w&slabMask] = e
			b.tail = w + 1
			b.n++
			return
		}
	}
	q.insertBottom(e)
}

// levelOf is the first level of the path whose end is not after k, or their number. Ends fall from
// one to the next.
func (q *Queue) levelOf(k uint64) int {
	i, j := 0, len(q.levels)
	for i < j {
		if m := (i + j) / 2; k >= q.levels[m].end {
			j = m
		} else {
			i = m + 1
		}
	}
	return i
}

// leaf is the bucket for key k, which belongs into level l of the path, with the level that it is
// in.
func (q *Queue) leaf(l *level, k uint64) (*level, *bucket) {
	for {
		b := &l.buckets[l.index(k)]
		if b.tail != nested {
			return l, b
		}
		l = q.nests[b.head]
	}
}

// refill brings the entries that are due first to the bottom. It reports false, and is ready for a
// new start, if there are none.
//
// Ties are brought to the bottom only if take says that the first of them will be dispatched.
// Before that, earlier events may come and go between them and the clock, and they should not be
// moved about for each of those. If not taken, they are left in the open bucket of the last level,
// with a live entry in its first chunk.
//
//go:noinline
func (q *Queue) refill(take bool) bool {
	q.ready()
	q.bottom, q.head, q.inserted, q.maybeStale, q.bottomStale = q.bottom[:0], 0, 0, false, false
	swept := false
	if q.deferred.n > 0 {
		swept = q.applySomeDeferred()
		q.maybeStale = q.deferred.n > 0
	}
	if swept || q.opened%shrinkEvery == 0 {
		q.shrink()
	}
	for {
		if len(q.levels) == 1 {
			q.placeBuffered()
		}
		l := &q.levels[len(q.levels)-1]
		i, bs := l.open, l.buckets[:l.last+1]
		for i < len(bs) && bs[i].tail == 0 {
			i++
		}
		q.passed += uint64(i - l.open)
		l.open = i
		if i == len(bs) {
			if last := len(q.levels) - 1; last > 0 {
				q.retire(last)
				q.levels = q.levels[:last]
				q.shrink()
				continue
			}
			q.restart()
			q.shrink()
			return false
		}
		switch b := &bs[i]; {
		case b.tail == nested:
			q.enter(l, b)
		case l.shift > 0 || !q.isTied(l, i):
			q.openBucket(l)
		default:
			l.end = max(l.end, l.floor(i)) // what comes before it belongs to the bottom
			if take {
				q.loadTies(l, b)
			} else if q.tiesReady(l) {
				return true
			}
		}
		if len(q.bottom) > 0 {
			return true
		}
		q.shrink()
	}
}
