package relaxed

import (
	"math/bits"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// How the first level stays as fine as it should be. A bucket is a range of keys, and as time goes
// on the same range stands for a longer and longer time, so that the events that it gets become
// more. To divide all events anew takes as long as others need to run far ahead. So only what comes
// last is taken out of the level, where there is little, into a finer one, which goes between it
// and level 0, and ends where it would be too coarse itself:
//
//	level 0   |- negative times -|---------------- all other times ----------------|
//	level 1                                        |..|..|..|..|..|..|..|..|..|
//	level 2                      |....|....|....|....|  was level 1, and longer
//	                               ▲ open
//
// When time has come there, the finer level has got most of the events by itself.

// refined is how many entries are moved at most when a level is refined. It is less than
// maxInBucket, so that no nested bucket is among them.
const refined = 2048

// reshape looks, before bucket i of level 1, which is the last, is opened, whether the level still
// is as it should be. It reports whether it has changed anything.
func (q *subqueue[V]) reshape(l *level, i uint32) bool {
	if (l.base+uint64(i))<<l.shift > l.coarse && l.held+q.levels[0].held <= int(q.maxInBucket) {
		q.collapse()
		return true
	}
	if i >= l.settled && q.coarsens(l, i, l.count-1) {
		if q.refine(l, i) {
			return true
		}
		l.settled = i + (l.count-i)/8 + 1
	}
	if i > l.count/2 && q.worthRolling() && !q.coarsens(l, i, l.count-1+l.open) {
		q.roll()
		return true
	}
	return false
}

// coarsens reports whether bucket k, which is later, would get too many events if it got as many in
// the same time as bucket i, which is due.
func (q *subqueue[V]) coarsens(l *level, i, k uint32) bool {
	n := l.buckets[i].n
	return n > loadMax && !(float64(n)*l.duration(k) <= q.roomy()*l.duration(i))
}

// roomy is how many events a bucket should get at most: so many fewer than maxInBucket that chance
// does not reach it.
func (q *subqueue[V]) roomy() float64 { return float64(q.maxInBucket - q.maxInBucket/8) }

// notePace takes note of how fast time goes on, when bucket i of a level is opened: how many events
// were taken since the last time, and what time that was. The bucket alone would not tell, since it
// may be that only there are many.
func (q *subqueue[V]) notePace(l *level, i uint32) {
	n := q.dispatched - q.paced.dispatched
	if n < uint64(q.refined) || len(q.levels) == 1 {
		return
	}
	at := timekey.Time((l.base + uint64(i)) << l.shift)
	if passed := at - q.paced.at; passed > 0 {
		q.pace = float64(n) / passed
	}
	q.paced.at, q.paced.dispatched = at, q.dispatched
}

// fine is where a level from low to high should end, so that no bucket of it gets too many events
// if they go on to come as fast as they do. A level has so many buckets and no more, so the finer
// it is the less time it spans. What comes later has a level of its own in turn. So that these do
// not become too many, it spans an eighth at least of what it is wanted for.
func (q *subqueue[V]) fine(low, high uint64) uint64 {
	longest := q.roomy() / q.pace
	begin := timekey.Time(low)
	least := begin + (timekey.Time(high)-begin)/8
	to := high
	for shift := bits.Len64((high - low) / (maxBuckets - 1)); shift >= 0; shift-- {
		end := high
		if span := uint64(maxBuckets-1)<<shift - 1; span < high-low {
			end = low + span // for which shape has this shift
		}
		at := timekey.Time(end)
		if at < least {
			break
		}
		to = end
		// The first bucket is the longest before time 0, and the last after it.
		if !(max(timekey.Time(low+1<<shift)-begin, at-timekey.Time(end-1<<shift)) > longest) {
			break
		}
	}
	return to
}

// duration is how long a bucket is, in time.
func (l *level) duration(i uint32) float64 {
	return timekey.Time(l.ceiling(i)) - timekey.Time((l.base+uint64(i))<<l.shift)
}

// insertLevel is one more level between level 0 and what was level 1, of which nothing is known
// yet.
func (q *subqueue[V]) insertLevel() *level {
	q.nextLevel()
	for k := len(q.levels) - 1; k > 1; k-- {
		q.levels[k], q.levels[k-1] = q.levels[k-1], q.levels[k]
	}
	l := &q.levels[1]
	l.size, l.through = 1, firstGrowth
	return l
}

// refine takes what comes last in level 1, of which bucket i is due, into a finer level between it
// and level 0. That spans as much time again as is pending before it, or as much as it can: see
// fine. What is later still goes to level 0. If a level would not be any finer, it does nothing and
// reports false.
func (q *subqueue[V]) refine(l *level, i uint32) bool {
	if len(q.levels) >= maxLevels {
		return false
	}
	n, first := uint32(0), l.count
	for first > i+1 && n+l.buckets[first-1].n <= q.refined {
		first--
		n += l.buckets[first].n
	}
	above := &q.levels[0]
	low, end := (l.base+uint64(first))<<l.shift, above.end
	if first == l.count || low >= end {
		return false
	}
	high := q.fine(low, later((l.base+uint64(i))<<l.shift, low, end-1))
	if bits.Len64((high-low)/(maxBuckets-1)) >= int(l.shift) {
		return false
	}
	last := l.count
	l.count = first
	l.held -= int(n)
	next := q.insertLevel() // and l is the one below
	l, above = &q.levels[2], &q.levels[0]
	// which makes as many buckets as it was just asked for, since insertLevel expects growth
	next.shape(maxBuckets, low, high)
	next.held = 0
	above.end = min(next.ceiling(next.count-1), end)
	above.open = min(above.open, uint32(above.end>>63))
	for k := first; k < last; k++ {
		if b := l.buckets[k]; b.n > 0 {
			l.buckets[k] = bucket{}
			q.split(b, next, above)
		}
	}
	return true
}

// split moves the entries of b into those of the levels that they belong to: next, or above, which
// is level 0.
func (q *subqueue[V]) split(b bucket, next, above *level) {
	q.drain(b, func(es []entry) {
		for _, e := range es {
			to := next
			if e.Key >= above.end {
				to = above
			}
			to.held++
			q.push(&to.buckets[e.Key>>to.shift-to.base], e)
		}
	})
}
