package relaxed

import (
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// addLevel adds a level for n entries with keys from low to high, which all belong below the last
// level. The caller sets the end of the level above.
func (q *subqueue[V]) addLevel(n int, low, high uint64) *level {
	l := q.nextLevel()
	if l.size == 0 && len(q.levels) == 2 {
		l.size, l.through = 1, firstGrowth
	}
	l.shape(n, low, high)
	return l
}

// nextLevel is one more level below the last, as it was when it was last used.
func (q *subqueue[V]) nextLevel() *level {
	depth := len(q.levels)
	if depth == cap(q.levels) {
		q.levels = append(q.levels, level{})
	}
	q.levels = q.levels[:depth+1]
	return &q.levels[depth]
}

// shape makes l a level for n entries with keys from low to high.
func (l *level) shape(n int, low, high uint64) {
	wanted := uint64(min(max(float64(n)*l.growth()/perBucket, 4), maxBuckets-1))
	l.shift = uint8(bits.Len64((high - low) / wanted))
	l.base = low >> l.shift
	l.count = uint32(high>>l.shift-l.base) + 1
	l.end = l.base << l.shift
	l.open, l.settled, l.held, l.guessed = 0, 0, n, false
	l.size, l.through = n, 0
	l.coarse = pastAll
	if high>>63 == 1 && high < pastAll-timekey.Octave {
		l.coarse = high + timekey.Octave/2
	}
	if uint32(len(l.buckets)) < l.count {
		l.buckets = make([]bucket, 1<<bits.Len32(l.count-1))
	}
}

// growth is how many times as many entries passed through l, when it was last used, as it had been
// made for. While a level is worked off, events are scheduled into it: many if it spans several
// jumps, few if it spans a small part of one. The next level in its place will most likely be
// alike.
func (l *level) growth() float64 {
	if l.through <= l.size {
		return 1
	}
	return min(float64(l.through)/float64(l.size), maxGrowth)
}

const (
	// firstGrowth is what is expected of the first level below level 0 when nothing is known yet.
	// Were all jumps exponential it would be log n.
	firstGrowth = 8
	maxGrowth   = 32
)

// divide moves the entries of b, which was bucket i of the last level, into a level of their own.
//
// A bucket is probably one of many alike, filled all over. So its range is taken for that of its
// entries, and they are read once and not twice. If it turns out otherwise, nothing is guessed of
// the buckets that come of it.
func (q *subqueue[V]) divide(b bucket, i uint32) {
	depth := len(q.levels)
	l := &q.levels[depth-1]
	l.held -= int(b.n)
	l.through += int(b.n)
	low, high := max(l.end, (l.base+uint64(i))<<l.shift), l.ceiling(i)-1
	if depth > 1 {
		high = min(high, q.maxBelow(depth-2)) // the last bucket may reach beyond
	}
	guess := depth > 1 && !l.guessed
	if !guess {
		most := high
		low, high = q.keyRange(b)
		if depth == 1 {
			high = later(low, high, most)
		}
	}
	below := q.addLevel(int(b.n), low, high)
	below.guessed = guess
	l = &q.levels[depth-1]
	l.end = min(below.ceiling(below.count-1), l.ceiling(i), q.limit(depth-1)) // and bucket i is open for what comes later
	q.distribute(b, below)
	q.startPrefetch(&q.levels[depth-1], i+1)
}

// startPrefetch begins to prefetch the chunks of the first bucket of l from i on, one by one: see
// prefetchMore. That bucket is probably the next to be divided, and to follow its chunks from
// memory then takes longer than to divide them.
func (q *subqueue[V]) startPrefetch(l *level, i uint32) {
	q.prefetching.left = 0
	for end := min(i+8, l.count); i < end; i++ {
		if b := &l.buckets[i]; b.tail != 0 {
			q.prefetching.chunk, q.prefetching.left = b.head, b.n/(chunkSlots-1)
			q.prefetchChunk(b.head)
			return
		}
	}
}

// prefetchMore prefetches one more chunk of the bucket that startPrefetch has found. The chunk that
// has its number was prefetched some events ago. If that is in another bucket by now, only the time
// is lost.
func (q *subqueue[V]) prefetchMore() {
	if q.prefetching.left > 0 {
		q.prefetching.left--
		q.prefetching.chunk = q.next(q.prefetching.chunk)
		q.prefetchChunk(q.prefetching.chunk)
	}
}

// later is the end of a first level for keys from low to high: twice as far, so that there is room
// for what comes later (see roll), but not after most.
func later(low, high, most uint64) uint64 {
	if twice := 2*timekey.Time(high) - timekey.Time(low); twice < math.MaxFloat64 {
		return min(timekey.Of(twice), most)
	}
	return high
}

// keyRange finds the least and the greatest key of b.
func (q *subqueue[V]) keyRange(b bucket) (low, high uint64) {
	low, high = pastAll, 0
	last := b.last()
	ahead := q.prefetchNext(b.head, last)
	for c := b.head; ; c = q.next(c) {
		ahead = q.prefetchNext(ahead, last)
		for _, e := range q.entries(b, c) {
			low, high = min(low, e.Key), max(high, e.Key)
		}
		if c == last {
			return low, high
		}
	}
}

// distribute moves the entries of b into the buckets of l.
func (q *subqueue[V]) distribute(b bucket, l *level) {
	q.moved += uint64(b.n)
	shift, base, buckets, last := l.shift&63, l.base, l.buckets, b.last()
	ahead := q.prefetchNext(b.head, last)
	for c := b.head; ; {
		ahead = q.prefetchNext(ahead, last)
		for _, e := range q.entries(b, c) {
			// This is push by hand, which saves 2 ns.
			b := &buckets[e.Key>>shift-base]
			w := b.tail
			if w%chunkSlots == 0 {
				w = q.extend(b)
			}
			q.chunks[w] = e
			b.tail = w + 1
			b.n++
		}
		next := q.release(c)
		if c == last {
			return
		}
		c = next
	}
}
