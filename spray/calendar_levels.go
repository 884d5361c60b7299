package spray

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
)

// How events come down the levels of a queue. Each level has an end: the keys below it belong further down. Of two keys a < b, a is
// never in a later bucket of a level than b, because a shift keeps order, and never in a level above b's, because the ends keep it.
// Equal keys are in one bucket, and every step takes and appends entries in the order in which they lie.
//
// Where the entries of a bucket that is opened span less than the bucket does, the end is drawn in to what they span, and keys beyond it fall
// into the bucket again, which is then opened once more. So a level is as fine as the events it was made for.

// endOf is the first key after bucket i.
func (l *level) ceiling(i uint32) uint64 {
	end := (l.base + uint64(i) + 1) << l.shift
	if end == 0 { // 2⁶⁴
		return pastAll
	}
	return end
}

// mostBelow is the largest key that may be below level i. Usually it is not the level's end, but of a crowd some are below and others
// are not.
func (q *queue[V]) maxBelow(i int) uint64 {
	end := q.levels[i].end
	for ; i >= 0 && q.levels[i].end == end; i-- {
		if q.levels[i].shift == 0 {
			return end
		}
	}
	return end - 1
}

// refill brings more of what is due first to the front. There must be something in the levels. It may all be dead.
//
//go:noinline
func (q *queue[V]) refill() {
	q.tail = int32(copy(q.near[:], q.near[q.head:q.tail]))
	q.head = 0
	for had := q.tail; q.tail == had && q.live+q.dead > int(had); {
		depth := len(q.levels)
		l := &q.levels[depth-1]
		i := l.open
		for i < l.count && l.buckets[i].tail == 0 {
			i++
		}
		l.open = i
		if i == l.count {
			q.levels = q.levels[:depth-1]
			continue
		}
		if depth == 2 && (l.base+uint64(i))<<l.shift > l.coarse {
			q.collapse()
			continue
		}
		if depth == 2 && i > l.count/2 && q.worthRolling() {
			q.roll()
			continue
		}
		b := l.buckets[i]
		if b.n > loadMax && l.shift > 0 {
			l.buckets[i] = bucket{}
			q.divide(b, i)
			continue
		}
		q.prefetchAfter(l, i)
		if b.n <= loadMax {
			l.buckets[i] = bucket{}
			l.end = min(l.ceiling(i), q.limit(depth-1))
		} else {
			// A crowd: all are for the same time. Some of them come to the front, and the others stay, with those that are yet
			// to come behind them.
			follow := b
			follow.head = q.next(q.next(b.head))
			follow.n -= loadMax
			b.tail, b.n = (q.next(b.head)+1)*chunkSlots, loadMax
			l.buckets[i] = follow
			l.end = l.ceiling(i) - 1
		}
		l.held -= int(b.n)
		l.through += int(b.n)
		q.load(b)
	}
}

// worthRolling reports whether the buckets of level 1 may as well be used for what comes after it: if there are not too few events for
// them, and there is not much in level 0 to be looked through.
func (q *queue[V]) worthRolling() bool {
	above, l := &q.levels[0], &q.levels[1]
	return l.held >= int(l.count) && above.held <= l.held/16 && above.end < above.ceiling(uint32(l.end>>63))
}

// roll has the empty buckets of level 1, those before the open one, follow after the others, as the days of a calendar queue do that
// come round in the next year. If events are usually scheduled less than a year ahead, level 0 so remains all but empty. Otherwise all of
// them would be found there when level 1 is done, and to divide them takes so long that others would be far ahead.
func (q *queue[V]) roll() {
	above, l := &q.levels[0], &q.levels[1]
	i := uint32(l.end >> 63)
	n := copy(l.buckets, l.buckets[l.open:l.count])
	clear(l.buckets[n:l.count])
	l.base += uint64(l.open)
	l.open = 0
	l.count = uint32(min(uint64(l.count), (above.ceiling(i)-1)>>l.shift-l.base+1))
	l.size, l.through = l.held, 0
	above.end = min(l.ceiling(l.count-1), above.ceiling(i))
	b := above.buckets[i]
	if b.tail == 0 {
		return
	}
	above.buckets[i] = bucket{}
	q.moved += uint64(b.n)
	last := b.last()
	ahead := q.ahead(b.head, last)
	for c := b.head; ; {
		ahead = q.ahead(ahead, last)
		for _, e := range q.entries(b, c) {
			if e.key < above.end {
				q.push(&l.buckets[e.key>>l.shift-l.base], e)
				l.held++
				above.held--
			} else {
				q.push(&above.buckets[i], e)
			}
		}
		next := q.release(c)
		if c == last {
			return
		}
		c = next
	}
}

// collapse takes level 1 back into level 0, which is then divided anew. A bucket is a range of keys, and as time goes on the same range stands
// for a longer and longer time.
func (q *queue[V]) collapse() {
	above, l := &q.levels[0], &q.levels[1]
	to := level{shift: 63, buckets: above.buckets}
	for ; l.open < l.count; l.open++ {
		if b := l.buckets[l.open]; b.tail != 0 {
			l.buckets[l.open] = bucket{}
			q.distribute(b, &to)
		}
	}
	above.end = l.end
	above.held += l.held
	q.levels = q.levels[:1]
}

// limit is the first key that is too large for level i.
func (q *queue[V]) limit(i int) uint64 {
	if i == 0 {
		return pastAll
	}
	return q.levels[i-1].end
}

// load appends the entries of a bucket that are alive to the front, in order. There are at most loadMax, in one or two chunks.
func (q *queue[V]) load(b bucket) {
	n := 0
	last := b.last()
	for c := b.head; ; {
		for _, e := range q.entries(b, c) {
			q.loaded[n%len(q.loaded)] = e
			if q.alive(&e) {
				n++
			}
		}
		next := q.release(c)
		if c == last {
			break
		}
		c = next
	}
	q.dead -= int(b.n) - n
	q.moved += uint64(b.n)
	sortEntries(q.near[q.tail:int(q.tail)+n], q.loaded[:n])
	q.tail += int32(n)
}

// sortItems sorts up to 32 entries by key into to, leaving equals in their order. It counts, for each of them, how many come before
// it. For the few that a bucket has that is as fast as anything, because no branch depends on the keys: the processor would
// guess every other one wrong.
func sortEntries(to, es []entry) {
	var place [32]uint8
	for i := range es {
		key, before := es[i].key, uint8(i)
		for k := range i {
			_, less := bits.Sub64(key, es[k].key, 0)
			place[k%len(place)] += uint8(less)
			before -= uint8(less)
		}
		place[i%len(place)] = before
	}
	for i := range es {
		to[place[i%len(place)]] = es[i]
	}
}

// prefetchAfter asks for the slots of the entries in the bucket after bucket i. Between two buckets several events are taken, which is about as long
// as memory takes.
func (q *queue[V]) prefetchAfter(l *level, i uint32) {
	if i+1 >= l.count {
		return
	}
	if b := &l.buckets[i+1]; b.tail != 0 {
		first := &q.chunks[b.head*chunkSlots+1]
		prefetch.Gather(unsafe.Pointer(unsafe.SliceData(q.slots)), unsafe.Sizeof(slot[V]{}),
			unsafe.Pointer(&first.slot), unsafe.Sizeof(entry{}), int(min(b.n, chunkSlots-1)))
	}
}

// addTier adds a level for n entries with keys from low to high, which all belong below the last level. The caller sets the end of
// the level above.
func (q *queue[V]) addLevel(n int, low, high uint64) *level {
	depth := len(q.levels)
	if depth == cap(q.levels) {
		q.levels = append(q.levels, level{})
	}
	q.levels = q.levels[:depth+1]
	l := &q.levels[depth]
	if l.size == 0 && depth == 1 {
		l.size, l.through = 1, firstGrowth
	}
	wanted := uint64(min(max(float64(n)*l.growth()/perBucket, 4), maxBuckets-1))
	l.shift = uint8(bits.Len64((high - low) / wanted))
	l.base = low >> l.shift
	l.count = uint32(high>>l.shift-l.base) + 1
	l.end = l.base << l.shift
	l.open, l.held, l.guessed = 0, n, false
	l.size, l.through = n, 0
	l.coarse = pastAll
	if high>>63 == 1 && high < pastAll-octave {
		l.coarse = high + octave/2
	}
	if uint32(len(l.buckets)) < l.count {
		l.buckets = make([]bucket, 1<<bits.Len32(l.count-1))
	}
	return l
}

// growth is how many times as many entries passed through t, when it was last used, as it had been made for. While a level is worked
// off, events are scheduled into it: many if it spans several jumps, few if it spans a small part of one. The next level in its
// place will most likely fare alike.
func (l *level) growth() float64 {
	if l.through <= l.size {
		return 1
	}
	return min(float64(l.through)/float64(l.size), maxGrowth)
}

const (
	octave = 1 << 52 // from the key of a positive time to that of twice the time
	// firstGrowth is what is expected of the first level below level 0 when nothing is known yet. Were all jumps exponential it
	// would be log n.
	firstGrowth = 8
	maxGrowth  = 32
)

// divide moves the entries of b, which was bucket i of the last level, into a level of their own.
//
// A bucket is probably one of many alike, filled all over. So its range is taken for that of its entries, and they are read once
// and not twice. If it turns out otherwise, nothing is guessed of the buckets that come of it.
func (q *queue[V]) divide(b bucket, i uint32) {
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
		low, high = q.survey(b)
		if twice := 2*timeOf(high) - timeOf(low); depth == 1 && twice < math.MaxFloat64 {
			high = min(keyOf(twice), most) // so that there is room for what comes later: see roll
		}
	}
	below := q.addLevel(int(b.n), low, high)
	below.guessed = guess
	l = &q.levels[depth-1]
	l.end = min(below.ceiling(below.count-1), l.ceiling(i), q.limit(depth-1)) // and bucket i is open for what comes later
	q.distribute(b, below)
}

// survey finds the least and the greatest key of b.
func (q *queue[V]) survey(b bucket) (low, high uint64) {
	low, high = pastAll, 0
	last := b.last()
	ahead := q.ahead(b.head, last)
	for c := b.head; ; c = q.next(c) {
		ahead = q.ahead(ahead, last)
		for _, e := range q.entries(b, c) {
			low, high = min(low, e.key), max(high, e.key)
		}
		if c == last {
			return low, high
		}
	}
}

// distribute moves the entries of b into the buckets of t.
func (q *queue[V]) distribute(b bucket, l *level) {
	q.moved += uint64(b.n)
	shift, base, buckets, last := l.shift&63, l.base, l.buckets, b.last()
	ahead := q.ahead(b.head, last)
	for c := b.head; ; {
		ahead = q.ahead(ahead, last)
		for _, e := range q.entries(b, c) {
			// This is push by hand, which saves 2 ns.
			b := &buckets[e.key>>shift-base]
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

// spill divides the front, which has become too long, into a new level, and brings the first of it back.
//
// What spills may lie before all that is in the last level, time and again, if events are scheduled backwards. So that this does not
// add level upon level, small ones are taken up into the new one: each then has at least twice the entries of the next, and no entry is
// taken up more often than its level can double.
func (q *queue[V]) spill() {
	es := q.near[q.head:q.tail]
	n, low, high := len(es), es[0].key, es[len(es)-1].key
	depth := len(q.levels)
	first := depth
	for first > 1 && q.levels[first-1].held <= 2*n {
		first--
		n += q.levels[first].held
		high = q.maxBelow(first - 1)
	}
	if above := &q.levels[first-1]; high < above.base<<above.shift {
		high = above.base<<above.shift - 1 // what lies between must have a place, too
	}
	l := q.addLevel(n, low, high)
	for _, e := range es {
		q.push(&l.buckets[e.key>>l.shift-l.base], e)
	}
	q.moved += uint64(len(es))
	for i := depth - 1; i >= first; i-- { // of a crowd, those further down came before the others
		old := &q.levels[i]
		for ; old.open < old.count; old.open++ {
			if b := old.buckets[old.open]; b.tail != 0 {
				old.buckets[old.open] = bucket{}
				q.distribute(b, l)
			}
		}
	}
	limit := l.ceiling(l.count - 1)
	q.levels[first], q.levels[depth] = q.levels[depth], q.levels[first]
	q.levels = q.levels[:first+1]
	above := &q.levels[first-1]
	above.end = min(above.end, limit)
	above.open = min(uint32(above.end>>above.shift-above.base), above.count)
	q.head, q.tail = 0, 0
	q.refill()
}

// sweep drops all dead entries. It looks at every entry, and is called when more than half of them are dead, so that it costs a
// constant per cancellation.
func (q *queue[V]) sweep() {
	n := q.head
	for i := q.head; i < q.tail; i++ {
		if e := q.near[i]; q.alive(&e) {
			q.near[n] = e
			n++
		}
	}
	q.tail = n
	for i := range q.levels {
		l := &q.levels[i]
		for k := l.open; k < l.count; k++ {
			b := l.buckets[k]
			if b.tail == 0 {
				continue
			}
			l.buckets[k] = bucket{}
			last := b.last()
			ahead := q.ahead(b.head, last)
			for c := b.head; ; {
				ahead = q.ahead(ahead, last)
				for _, e := range q.entries(b, c) {
					if q.alive(&e) {
						q.push(&l.buckets[k], e)
					}
				}
				next := q.release(c)
				if c == last {
					break
				}
				c = next
			}
			l.held -= int(b.n - l.buckets[k].n)
		}
	}
	q.dead = 0
}
