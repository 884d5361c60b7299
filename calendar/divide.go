package calendar

import (
	"math"
	"math/bits"
)

// A bucket that is opened and has more entries than are worth sorting at once is divided into a level of its own. How
// finely is decided then, by what is in it: this is all the tuning there is.
//
// Why the cost is constant: a bucket is divided so that the new ones will have about perBucket entries when they are
// opened, if the entries are spread out at all evenly. If they are not, the crowded ones are divided again, each time
// with at least two bits of the key fewer. There are at most a few times as many new buckets as there were entries, so
// passing over those that stay empty is paid for by the moves.

const (
	// perBucket is how many entries a bucket should have when it is opened. Since shifts are powers of two it will be
	// up to twice that, and the sum of what buckets cost and what sorting costs is flat between 4 and 16.
	perBucket = 6
	// maxFan bounds how many buckets a level has: each has a cache line that is written next, and all of those should
	// be in the cache of the second level. If more are wanted, a level is divided once more, or else buckets get up to
	// maxCrowding times as many entries, which takes no longer.
	maxFan      = 8192
	maxCrowding = 8
	// maxGrowth bounds how many times the entries that a level is made for are expected to pass through it.
	maxGrowth = 32
	// guessMin is from how many entries on it is better to guess at their range than to look at them.
	guessMin = 2048
	// chunksAhead is how many chunks before they are read the processor is asked for them.
	chunksAhead = 3
)

// openBucket moves the entries of the level's open bucket down. It may leave near empty: if there is a new level, or if
// all entries were dead.
func (q *Queue) openBucket(l *level) {
	b := l.buckets[l.open]
	l.buckets[l.open] = bucket{}
	x := l.base + uint64(l.open)
	l.end = bucketEnd(x, l.shift)
	if depth := len(q.levels); depth > 1 {
		l.end = min(l.end, q.levels[depth-2].end) // the last bucket may reach beyond
	}
	l.through += int(b.n)
	q.opened++
	if b.n <= loadMax || l.shift == 0 {
		q.prefetchAfter(l, l.open)
		q.load(b, l.shift)
		return
	}
	// A large bucket is probably one of many alike, filled all over. So its range is taken for that of its entries, and
	// they are read once and not twice. If it turns out otherwise, nothing is guessed of the buckets that come of it.
	low, high := x<<l.shift, l.end-1
	guess := b.n >= guessMin && !l.guessed && len(q.levels) > 1
	if !guess {
		low, high = q.survey(b)
		low = q.leaveOutTail(b, low, high)
	}
	below := q.divide(int(b.n), low, high)
	below.guessed = guess
	above := &q.levels[len(q.levels)-2]
	above.end = min(above.end, below.limit())
	if low == high {
		below.buckets[0] = b // a crowd need not be moved
		return
	}
	tail := q.distribute(b, below)
	if tail.tail != 0 {
		q.openTail(tail)
	}
}

// leaveOutTail raises low if the keys from low to high are spread over so many orders of magnitude that dividing them
// evenly would not do justice to most of the entries: half of the numbers below 1 are above 1/2, but so is only a
// thousandth of their keys. It is so when a simulation starts at time zero. What is left out should be few.
func (q *Queue) leaveOutTail(b bucket, low, high uint64) uint64 {
	const decent = 6 << 52 // keys of six powers of two
	if low < signBit || high-low <= decent {
		return low
	}
	sample := q.pool.chunk(b.head)
	below := 0
	for _, e := range sample {
		if e.key < high-decent {
			below++
		}
	}
	if below > len(sample)/4 {
		return low
	}
	return high - decent
}

// openTail brings down entries that lie before all of the last level.
func (q *Queue) openTail(b bucket) {
	if b.n <= loadMax {
		q.load(b, 64)
		return
	}
	low, high := q.survey(b)
	q.bridge(len(q.levels)-1, int(b.n), low, high)
	below := q.divide(int(b.n), low, high)
	if low == high {
		below.buckets[0] = b
	} else {
		q.distribute(b, below)
	}
	above := &q.levels[len(q.levels)-2]
	above.end = min(above.end, below.limit())
}

// bridge adds a level if n entries with keys from low to high, which belong below level i, all lie before its open bucket.
// What comes between them and that bucket must have a place too: the new level has it all in one bucket, two if zero is
// among it, and counts as opened. It reports whether it was needed.
func (q *Queue) bridge(i, n int, low, high uint64) bool {
	above := &q.levels[i]
	start := (above.base + uint64(above.open)) << above.shift
	if high+1 >= start {
		return false
	}
	above.end = start
	l := q.addLevel()
	l.shift = uint8(min(bits.Len64(low^(start-1)), 63))
	l.base = low >> l.shift
	l.count = int((start-1)>>l.shift-l.base) + 1
	l.end = start
	l.size = n
	l.makeBuckets()
	return true
}

// addLevel adds a level, of which only the buckets may be of use, and what they were used for.
func (q *Queue) addLevel() *level {
	depth := len(q.levels)
	if depth == cap(q.levels) {
		q.levels = append(q.levels, level{})
	}
	q.levels = q.levels[:depth+1]
	l := &q.levels[depth]
	l.open, l.guessed = 0, false
	return l
}

// makeBuckets makes room for l's buckets: for a power of two of them, so that it soon fits for good.
func (l *level) makeBuckets() {
	if len(l.buckets) < l.count {
		l.buckets = make([]bucket, 1<<bits.Len(uint(l.count-1)))
	}
}

// divide adds a level for n entries with keys from low to high, which all belong below the last level. The caller sets
// the end of the level above.
func (q *Queue) divide(n int, low, high uint64) *level {
	l := q.addLevel()
	if len(q.levels) == 2 && l.size == 0 {
		l.size, l.through = 1, firstGrowth
	}
	l.shift = uint8(bits.Len64((high - low) / fan(float64(n)*l.growth())))
	l.base = low >> l.shift
	l.count = int(high>>l.shift-l.base) + 1
	l.end = l.base << l.shift
	l.size, l.through = n, 0
	l.makeBuckets()
	q.divided++
	return l
}

// growth is how many times as many entries passed through l, when it was last used, as it had been made for. While a level
// is worked off, events are scheduled into it: many if it spans several jumps, few if it spans a small part of one. The
// next level in its place will most likely fare alike.
func (l *level) growth() float64 {
	if l.through <= l.size {
		return 1
	}
	return min(float64(l.through)/float64(l.size), maxGrowth)
}

// firstGrowth is the growth that is expected of the first level below level 0 when nothing is known yet. Were all jumps
// exponential it would be log n.
const firstGrowth = 8

// fan is how many buckets to make for so many entries.
func fan(entries float64) uint64 {
	wanted := entries / perBucket
	for levels := 1.0; ; levels++ {
		if f := math.Pow(wanted, 1/levels); f <= maxCrowding*maxFan {
			return uint64(min(max(f, 4), maxFan-1))
		}
	}
}

// distribute moves the entries of b into the buckets of l. It returns those that lie before them all.
func (q *Queue) distribute(b bucket, l *level) (tail bucket) {
	q.moved += uint64(b.n)
	from := l.end
	shift, base, bs := l.shift, l.base, l.buckets
	ahead, last := q.startAhead(b), b.last()
	for c := b.head; ; {
		ahead = q.ahead(ahead, last)
		es := q.pool.entries(b, c)
		for i := range es {
			if es[i].key < from {
				q.pool.push(&tail, es[i])
				continue
			}
			// This is pool.push by hand, which saves 2 ns.
			b := &bs[es[i].key>>(shift&63)-base]
			w := b.tail
			if w%chunkSlots == 0 {
				w = q.pool.extend(b)
			}
			q.pool.slabs[w>>slabBits][w&slabMask] = es[i]
			b.tail = w + 1
			b.n++
		}
		following := q.pool.release(c)
		if c == last {
			return tail
		}
		c = following
	}
}

// survey finds the least and greatest keys of b.
func (q *Queue) survey(b bucket) (low, high uint64) {
	low, high = pastAll, 0
	ahead, last := q.startAhead(b), b.last()
	for c := b.head; ; c = q.pool.next(c) {
		ahead = q.ahead(ahead, last)
		es := q.pool.entries(b, c)
		for i := range es {
			low = min(low, es[i].key)
			high = max(high, es[i].key)
		}
		if c == last {
			return low, high
		}
	}
}
