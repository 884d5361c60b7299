package eventqueue

import (
	"math"
	"math/bits"
)

// A bucket that is opened and has more entries than are worth sorting at once is divided into a
// level of its own. How finely is decided then, by what is in it: this is all the tuning there is.
//
// Why the cost is constant: a bucket is divided so that the new ones will have about perBucket
// entries when they are opened, if the entries are spread out at all evenly. If they are not, the
// fuller ones are divided again, each time with at least two bits of the key fewer. There are at
// most a few times as many new buckets as there were entries, so passing over those that stay empty
// is paid for by the moves.

const (
	// perBucket is how many entries a bucket should have when it is opened. Since shifts are powers
	// of two it will be up to twice that, and the sum of what buckets cost and what sorting costs
	// is flat between 4 and 16.
	perBucket = 6
	// maxFan bounds how many buckets a level has: each has a cache line that is written next, and
	// all of those should be in the cache of the second level. If more are wanted, there are two
	// levels of about the root of their number: one more move between few places takes less than
	// buckets of several times as many entries, 85 ns a hold instead of 98 at 10⁸ events.
	maxFan = 8192
	// maxGrowth bounds how many times the entries that a level is made for are expected to pass
	// through it.
	maxGrowth = 32
	// guessMin is the number of entries from which it is better to guess at their range than to
	// read them.
	guessMin = 2048
	// fairShare is how many times the mean of its level a bucket may have for that.
	fairShare = 4
	// chunksAhead is how many chunks ahead of reading them they are prefetched.
	chunksAhead = 3
)

// openBucket moves the entries of the open bucket of l, the last level, down. It may leave the
// bottom empty: if there is a new level, or if all entries were stale.
func (q *Queue) openBucket(l *level) {
	b := l.buckets[l.open]
	l.buckets[l.open] = bucket{}
	ends := l.open == 0 || l.open == int(l.last) // it also has what has no better place
	l.end = l.ceiling(l.open)
	l.through += int(b.n)
	q.opened++
	if b.n <= loadMax {
		q.finishPrefetch(l.open, b)
		shift := l.shift
		if ends {
			shift = q.differ(b)
		}
		q.load(b, shift)
		return
	}
	// A large bucket is probably one of many alike, full over its whole range. So its range is
	// taken for that of its entries, and they are read once and not twice. If that is wrong,
	// nothing is guessed for the buckets made from it. The same holds for any bucket that has about
	// its share of its level, as it would if the entries were spread evenly.
	low, high := l.floor(l.open), l.end-1
	guess, least := !ends && (b.n >= guessMin && !l.guessed || int(b.n)*l.count() <= fairShare*l.size), low
	if !guess {
		least, high = q.keyRange(b)
		low = q.leaveOutTail(b, least, high, l.tailed && l.open == 0)
	}
	depth := len(q.levels)
	if l.open == int(l.last) { // it will take the place of l
		depth--
		q.remember(depth)
	}
	below := q.divide(depth, int(b.n), low, high)
	below.to, below.guessed, below.tailed = l.end, guess, low > least
	if low == high {
		below.buckets[1] = b // ties need not be moved
	} else {
		q.distribute(b, &below)
	}
	q.descend(below)
}

// leaveOutTail raises low if the keys from low to high are spread over so many orders of magnitude
// that dividing them evenly would suit few of the entries: half of the numbers below 1 are above
// 1/2, but only a thousandth of their keys. This happens when a simulation starts at time zero. At
// most a quarter of the entries should be left out; the first chunk is taken as a sample. With
// sure, all entries are counted: it is set for entries that were left out before. Without the
// count, entries that came in descending order would all be left out except those of one chunk,
// hundreds of times in one call.
func (q *Queue) leaveOutTail(b bucket, low, high uint64, sure bool) uint64 {
	const decent = 6 << 52 // keys of six powers of two
	if low < signBit || high-low <= decent {
		return low
	}
	from := high - decent
	if sample := q.pool.chunk(b.head); below(sample[:], from) > len(sample)/4 {
		return low
	}
	if !sure {
		return from
	}
	q.scanned += uint64(b.n)
	out, last := 0, b.last()
	for c := b.head; ; c = q.pool.next(c) {
		if out += below(q.pool.entries(b, c), from); out > int(b.n)/4 {
			return low
		}
		if c == last {
			return from
		}
	}
}

// below is how many entries have a key below one.
func below(es []entry, key uint64) (n int) {
	for i := range es {
		if es[i].Key < key {
			n++
		}
	}
	return n
}

// divide makes a level, at the given depth, for n entries with keys from low to high.
func (q *Queue) divide(depth, n int, low, high uint64) level {
	var l level
	l.shape(low, high, fan(float64(n)*q.growth(depth)))
	l.size = n
	l.buckets = q.takeBuckets(l.count())
	q.divided++
	return l
}

// A levelHistory says how many entries a level was made for, and how many went through it.
type levelHistory struct{ size, through int }

// growth is the ratio of the number of entries that passed through the last level of this depth to
// the number that it was made for. While a level is processed, events are scheduled into it: many
// if it spans several jumps, few if it spans a small part of one. The next level in its place will
// probably be similar.
func (q *Queue) growth(depth int) float64 {
	if depth >= len(q.history) {
		return 1
	}
	f := q.history[depth]
	if f.size == 0 && depth == 0 {
		return firstGrowth
	}
	if f.through <= f.size {
		return 1
	}
	return min(float64(f.through)/float64(f.size), maxGrowth)
}

// firstGrowth is the expected growth of the first level, when nothing is known yet. If all jumps
// were exponential it would be log n.
const firstGrowth = 8

// fan is how many buckets to make for so many entries.
func fan(entries float64) uint64 {
	wanted := entries / perBucket
	for levels := 1.0; ; levels++ {
		if f := math.Pow(wanted, 1/levels); f <= maxFan {
			return uint64(min(max(f, 4), maxFan-1))
		}
	}
}

// distribute moves the entries of b into the buckets of l, and drops the stale ones if they are
// counted and there are any.
func (q *Queue) distribute(b bucket, l *level) {
	q.moved += uint64(b.n)
	if q.counted && b.stale > 0 {
		q.takeLive(b, func(es []entry) { q.pushAll(l, es) })
		return
	}
	ahead, end := q.startPrefetch(b), b.last()
	for c := b.head; ; {
		ahead = q.prefetchNext(ahead, end)
		q.pushAll(l, q.pool.entries(b, c))
		following := q.pool.release(c)
		if c == end {
			return
		}
		c = following
	}
}

// checkLen is the number of entries that are checked before the live ones among them are moved.
// Meanwhile the records of as many entries of the next chunk are prefetched. More prefetches at a
// time would stall the processor.
const checkLen = 8

// takeLive releases the chunks of b, drops its stale entries, and calls do with the live ones, some
// at a time and in their order.
func (q *Queue) takeLive(b bucket, do func([]entry)) {
	ahead, end := q.startPrefetch(b), b.last()
	q.prefetchRecords(q.pool.entries(b, b.head))
	for c := b.head; ; {
		ahead = q.prefetchNext(ahead, end)
		var next []entry
		if c != end {
			next = q.pool.entries(b, q.pool.next(c))
		}
		for es := q.pool.entries(b, c); len(es) > 0; {
			n := min(checkLen, len(next))
			q.prefetchRecords(next[:n])
			next = next[n:]
			n = min(checkLen, len(es))
			do(q.liveOf(es[:n]))
			es = es[n:]
		}
		following := q.pool.release(c)
		if c == end {
			return
		}
		c = following
	}
}

// pushAll puts entries into the buckets of l, of which none is nested.
func (q *Queue) pushAll(l *level, es []entry) {
	first, shift, base, last, bs := l.first, l.shift, l.base, l.last, l.buckets
	for i := range es {
		// This is pool.push by hand, which saves 2 ns.
		b := &bs[min(max(es[i].Key, first)>>(shift&63)-base, last)]
		w := b.tail
		if w%chunkSlots == 0 {
			w = q.pool.extend(b)
		}
		q.pool.slabs[w>>slabBits][w&slabMask] = es[i]
		b.tail = w + 1
		b.n++
	}
}

// liveOf moves the live entries among some to their front, and drops the others.
func (q *Queue) liveOf(es []entry) []entry {
	live, pages := 0, q.pages
	if len(pages) == 1 { // which saves a hold at 10³ events 1 ns
		page := pages[0]
		for i := range es {
			e := es[i]
			es[live] = e
			if page[e.ID].version == e.Version {
				live++
			}
		}
	} else {
		for i := range es {
			e := es[i]
			es[live] = e
			if pages[e.ID>>pageBits][e.ID&pageMask].version == e.Version {
				live++
			}
		}
	}
	q.stale -= len(es) - live
	return es[:live]
}

// differ is the shift after which the keys of b are equal.
func (q *Queue) differ(b bucket) uint8 {
	var or uint64
	key := q.pool.chunk(b.head)[0].Key
	for c := b.head; ; c = q.pool.next(c) {
		es := q.pool.entries(b, c)
		for i := range es {
			or |= es[i].Key ^ key
		}
		if c == b.last() {
			return uint8(bits.Len64(or))
		}
	}
}

// keyRange finds the least and greatest keys of b.
func (q *Queue) keyRange(b bucket) (low, high uint64) {
	q.scanned += uint64(b.n)
	low, high = pastAll, 0
	ahead, last := q.startPrefetch(b), b.last()
	for c := b.head; ; c = q.pool.next(c) {
		ahead = q.prefetchNext(ahead, last)
		es := q.pool.entries(b, c)
		for i := range es {
			low = min(low, es[i].Key)
			high = max(high, es[i].Key)
		}
		if c == last {
			return low, high
		}
	}
}
