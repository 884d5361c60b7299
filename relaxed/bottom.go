package relaxed

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/ladder"
)

// place puts an entry where it belongs.
func (q *subqueue[V]) place(e entry) {
	for i := range q.levels {
		if l := &q.levels[i]; e.Key >= l.end {
			l.held++
			// This is push by hand, which saves 2 ns.
			b := &l.buckets[e.Key>>(l.shift&63)-l.base]
			w := b.tail
			if w%chunkSlots == 0 {
				if b.n >= q.maxInBucket || i == 0 && b.n >= q.maxInFirst {
					q.placeFull(i, e)
					return
				}
				w = q.extend(b)
			}
			q.chunks[w] = e
			b.tail = w + 1
			b.n++
			return
		}
	}
	q.insertBottom(e)
}

// insertBottom inserts an entry into the bottom, behind its equals.
func (q *subqueue[V]) insertBottom(e entry) {
	if q.tail-q.head >= bottomMax {
		q.spill()
		q.place(e)
		return
	}
	if q.tail == bottomLen {
		q.tail = int32(copy(q.bottom[:], q.bottom[q.head:q.tail]))
		q.head = 0
	}
	i := q.tail
	for ; i > q.head && q.bottom[i-1].Key > e.Key; i-- {
		q.bottom[i] = q.bottom[i-1]
	}
	q.bottom[i] = e
	q.tail++
}

// load appends the current entries of a bucket to the bottom, in order. There are at most loadMax,
// in one or two chunks, and their keys are equal after a shift.
//
// Where nothing is stale the slots need not be read yet. They are prefetched, and are in the cache
// when the events are taken: some others are at the bottom, and come first.
func (q *subqueue[V]) load(b bucket, shift uint8) {
	n := 0
	last := b.last()
	for c := b.head; ; {
		if q.stale == 0 {
			n += copy(q.loaded[n:], q.entries(b, c))
		} else {
			n += q.liveOf(q.loaded[n:], q.entries(b, c))
		}
		next := q.release(c)
		if c == last {
			break
		}
		c = next
	}
	if q.stale == 0 {
		cpu.PrefetchGather(unsafe.Pointer(unsafe.SliceData(q.slots)), unsafe.Sizeof(slot[V]{}),
			unsafe.Pointer(&q.loaded[0].ID), unsafe.Sizeof(entry{}), n)
	}
	q.stale -= int(b.n) - n
	q.moved += uint64(b.n)
	ladder.Sort(q.bottom[q.tail:int(q.tail)+n], q.loaded[:n], shift)
	q.tail += int32(n)
}

// liveOf copies the entries that are current, and returns how many there are.
func (q *subqueue[V]) liveOf(to, es []entry) (n int) {
	for _, e := range es {
		to[n%len(to)] = e
		if q.isCurrent(&e) {
			n++
		}
	}
	return n
}

// prefetchAfter prefetches the slots of the entries in the bucket after bucket i. Between two
// buckets several events are taken, which is about as long as memory takes. Where nothing is stale
// it is soon enough to do that when they are at the bottom.
func (q *subqueue[V]) prefetchAfter(l *level, i uint32) {
	if q.stale == 0 || i+1 >= l.count {
		return
	}
	if b := &l.buckets[i+1]; b.tail != 0 {
		first := &q.chunks[b.head*chunkSlots+1]
		cpu.PrefetchGather(unsafe.Pointer(unsafe.SliceData(q.slots)), unsafe.Sizeof(slot[V]{}),
			unsafe.Pointer(&first.ID), unsafe.Sizeof(entry{}), int(min(b.n, chunkSlots-1)))
	}
}

// spill divides the bottom, which has become too long, into a new level, and brings the first
// entries back.
//
// What spills may lie before all that is in the last level, time and again, if events are scheduled
// backwards. So that this does not add level upon level, small ones are taken up into the new one:
// each then has at least twice the entries of the next, and no entry is taken up more often than
// its level can double.
func (q *subqueue[V]) spill() {
	es := q.bottom[q.head:q.tail]
	n, low, high := len(es), es[0].Key, es[len(es)-1].Key
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
		q.push(&l.buckets[e.Key>>l.shift-l.base], e)
	}
	q.moved += uint64(len(es))
	for i := depth - 1; i >= first; i-- { // of ties, those further down came before the others
		old := &q.levels[i]
		for ; old.open < old.count; old.open++ {
			if b := old.buckets[old.open]; b.n != 0 {
				old.buckets[old.open] = bucket{}
				q.distribute(q.flat(b), l)
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
