package calendar

import "github.com/almanac-sim/almanac/internal/timekey"

// The events that are due first lie in near, sorted. They come from one bucket (see levels.go), and what is scheduled
// before the end of its range joins them in its place. If too many join they are divided into buckets in their turn.

const (
	// loadMax is up to how many entries of a bucket are sorted rather than divided again.
	loadMax = 64
	// nearMax is how many entries may join the near ones before these are divided, if there are so many.
	nearMax = 24

	nearCap = 2 * loadMax
)

// insertNear puts e among the near entries, behind its equals.
func (q *Queue) insertNear(e entry) {
	i := len(q.near)
	q.inserted++
	if q.inserted > nearMax && i-q.head >= nearMax {
		q.spill(e)
		return
	}
	full := i == cap(q.near)
	if full {
		i = copy(q.near, q.near[q.head:])
		q.near, q.head = q.near[:i], 0
		q.turned += nearCap - uint64(i)
	}
	q.near = append(q.near, e)
	near := q.near
	for ; i > q.head && near[i-1].key > e.key; i-- {
		near[i] = near[i-1]
	}
	near[i] = e
	if full { // which happens now and then if a few events stay near all the time
		q.tidy()
	}
}

// spill makes a new level of the near entries, and puts e where it then belongs.
//
// What spills may lie before all that is in the last level, time and again, if events are scheduled backwards. So that
// this does not add level upon level, small ones are taken up into the new one: each then has at least twice the
// entries of the next, or more than a bucket may have, and no entry is taken up more often than its level can double.
//
//go:noinline
func (q *Queue) spill(e entry) {
	q.count()
	es := q.livingOf(q.near[q.head:]) // nobody knows of the others
	q.near, q.inserted = q.near[:q.head+len(es)], 0
	if len(es) == 0 {
		q.insertNear(e)
		return
	}
	n, low, high := len(es), es[0].key, es[len(es)-1].key
	first := len(q.levels)
	q.lookAnew()
	if low == high && low == e.key && low == timekey.Of(q.now) {
		// They leave now, one after the other. What comes for the same time waits in a bucket behind them.
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
		q.pool.push(&below.buckets[below.index(e.key)], e)
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
	q.near, q.head, q.inserted = q.near[:0], 0, 0
	q.place(e)
}

// small tells whether l is to be taken up into a level with n entries, and how many entries it has.
func (q *Queue) small(l *level, n int) (in int, ok bool) {
	if l.size > 2*n || l.crowd {
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

// load moves the live entries of a bucket near, which is empty, and sorts them: at most loadMax. The keys of the bucket are equal after
// a shift.
func (q *Queue) load(b bucket, shift uint8) {
	q.moved += uint64(b.n)
	near := q.near
	alive := q.allAlive(b)
	for c, last := b.head, b.last(); ; {
		es := q.pool.entries(b, c)
		q.prefetchFollowing(b, c) // the records come while this chunk is sorted
		if !alive {
			es = q.livingOf(es)
		}
		for len(es) > 0 {
			run := es[:min(sortLen, len(es))]
			es = es[len(run):]
			sorted := len(near)
			near = near[:sorted+len(run)]
			sortRun(near[sorted:], run, shift)
			if sorted > 0 {
				mergeRun(near, sorted)
			}
		}
		following := q.pool.release(c)
		if c == last {
			break
		}
		c = following
	}
	q.near = near
}

// allAlive reports whether it is known that no entry of b is dead.
func (q *Queue) allAlive(b bucket) bool { return q.dead == 0 || q.counted && b.dead == 0 }
