package eventqueue

import (
	"github.com/almanac-sim/almanac/internal/ladder"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// The bottom of the ladder holds the events that are due first, sorted. They come from one bucket
// (see levels.go), and what is scheduled before the end of its range is inserted in its place. If
// too many are inserted, the bottom is divided into buckets in its turn.

const (
	// loadMax is the largest number of entries of a bucket that are sorted; a larger bucket is
	// divided.
	loadMax = 64
	// bottomJoinMax is how many entries may be inserted before the bottom is divided, if it has so
	// many.
	bottomJoinMax = 24

	bottomCap = 2 * loadMax
)

// insertBottom inserts e into the bottom, behind its equals.
func (q *Queue) insertBottom(e entry) {
	i := len(q.bottom)
	q.inserted++
	if q.inserted > bottomJoinMax && i-q.head >= bottomJoinMax {
		q.spill(e)
		return
	}
	full := i == cap(q.bottom)
	if full {
		i = copy(q.bottom, q.bottom[q.head:])
		q.bottom, q.head = q.bottom[:i], 0
		q.turned += bottomCap - uint64(i)
	}
	q.bottom = append(q.bottom, e)
	bottom := q.bottom
	for ; i > q.head && bottom[i-1].Key > e.Key; i-- {
		bottom[i] = bottom[i-1]
	}
	bottom[i] = e
	if full { // now and then, if a few events come and go at the bottom all the time
		q.shrink()
	}
}

// spill makes a new level of the bottom, and puts e where it then belongs.
//
// The spilled entries may lie before everything in the last level, again and again, if events are
// scheduled in descending order. So that this does not add level after level, small levels are
// merged into the new one. Each level then has at least twice the entries of the next, or more than
// a bucket may have, and an entry is merged only as often as its level can double.
//
//go:noinline
func (q *Queue) spill(e entry) {
	q.count()
	es := q.liveOf(q.bottom[q.head:]) // no bucket counts the others
	q.bottom, q.inserted = q.bottom[:q.head+len(es)], 0
	if len(es) == 0 {
		q.insertBottom(e)
		return
	}
	n, low, high := len(es), es[0].Key, es[len(es)-1].Key
	first := len(q.levels)
	q.resetPrefetch()
	if low == high && low == e.Key && low == timekey.Of(q.now) {
		// They leave now, one after the other. New events at the same time go into a bucket behind
		// them.
		l := q.divide(first, 1, low, high)
		l.end, l.to, l.open = low, q.levels[first-1].end, 1
		q.levels = append(q.levels, l)
		q.place(e)
		return
	}
	for ; first > 0; first-- {
		l := &q.levels[first-1]
		in, ok := q.small(l, n)
		if !ok {
			break
		}
		if in > 0 {
			n += in
			high = max(high, l.limit()-1)
		}
	}
	to := pastAll
	if first > 0 {
		to = q.levels[first-1].end
	}
	below := q.divide(first, n, low, min(high, to-1))
	below.to = to
	for _, e := range es {
		q.pool.push(&below.buckets[below.index(e.Key)], e)
	}
	q.moved += uint64(len(es))
	for i := first; i < len(q.levels); i++ {
		l := &q.levels[i]
		for ; l.open <= int(l.last); l.open++ {
			if b := l.buckets[l.open]; b.tail != 0 {
				l.buckets[l.open] = bucket{}
				q.distribute(b, &below)
			}
		}
		q.retire(i)
	}
	q.levels = append(q.levels[:first], below)
	q.bottom, q.head, q.inserted = q.bottom[:0], 0, 0
	q.place(e)
}

// small reports whether l is to be merged into a level with n entries, and how many entries it has.
func (q *Queue) small(l *level, n int) (in int, ok bool) {
	if l.size > 2*n || l.ties {
		return 0, false
	}
	for i := l.open; i < l.count(); i++ {
		b := &l.buckets[i]
		if b.tail == nested || b.tail != 0 && l.shift == 63 {
			return 0, false
		}
		in += int(b.n)
	}
	q.passed += uint64(l.count() - l.open)
	return in, n+in <= q.most
}

// load moves the live entries of a bucket to the bottom, which is empty, and sorts them: at most
// loadMax. The keys of the bucket are equal after a shift.
func (q *Queue) load(b bucket, shift uint8) {
	q.moved += uint64(b.n)
	bottom := q.bottom
	alive := q.allLive(b)
	for c, last := b.head, b.last(); ; {
		es := q.pool.entries(b, c)
		q.prefetchFollowing(b, c) // the records come while this chunk is sorted
		if !alive {
			es = q.liveOf(es)
		}
		for len(es) > 0 {
			run := es[:min(ladder.SortLen, len(es))]
			es = es[len(run):]
			sorted := len(bottom)
			bottom = bottom[:sorted+len(run)]
			ladder.Sort(bottom[sorted:], run, shift)
			if sorted > 0 {
				ladder.Merge(bottom, sorted)
			}
		}
		following := q.pool.release(c)
		if c == last {
			break
		}
		c = following
	}
	q.bottom = bottom
}

// allLive reports whether it is known that no entry of b is stale.
func (q *Queue) allLive(b bucket) bool { return q.stale == 0 || q.counted && b.stale == 0 }
