package calendar

import "slices"

// The events that are due first lie in near, sorted. They come from one bucket (see levels.go), and what is scheduled
// before the end of its range joins them in its place. If too many join they are divided into buckets in their turn,
// unless they are all for the same time, when there is nothing to sort.

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
		if first := q.near[q.head].key; first != q.near[i-1].key || first != e.key {
			q.spill()
			q.place(e)
			return
		}
	}
	if i == cap(q.near) && q.head > i/2 {
		i = copy(q.near, q.near[q.head:])
		q.near, q.head = q.near[:i], 0
	}
	q.near = append(q.near, e)
	near := q.near
	for ; i > q.head && near[i-1].key > e.key; i-- {
		near[i] = near[i-1]
	}
	near[i] = e
}

// spill divides the near entries into a new level.
//
// What spills may lie before all that is in the last level, time and again, if events are scheduled backwards. So that
// this does not add level upon level, small ones are taken up into the new one: each then has at least twice the
// entries of the next, and no entry is taken up more often than its level can double.
func (q *Queue) spill() {
	es := q.near[q.head:]
	n, low, high := len(es), es[0].key, es[len(es)-1].key
	depth := len(q.levels)
	first := depth
	for first > 1 && q.levels[first-1].size <= 2*n {
		first--
		n += q.levels[first].size
		high = q.levels[first-1].end - 1
	}
	above, made := first-1, depth // where the level above will be, and what is made here
	if q.bridge(first-1, n, low, high) {
		above++
	}
	below := q.divide(n, low, high)
	for _, e := range es {
		q.pool.push(below.bucketOf(e.key), e)
	}
	q.moved += uint64(len(es))
	for i := first; i < depth; i++ {
		l := &q.levels[i]
		for ; l.open < l.count; l.open++ {
			if b := l.buckets[l.open]; b.tail != 0 {
				l.buckets[l.open] = bucket{}
				q.distribute(b, below)
			}
		}
	}
	limit := below.limit()
	for to := first; made < len(q.levels); to, made = to+1, made+1 {
		q.levels[to], q.levels[made] = q.levels[made], q.levels[to]
	}
	q.levels = q.levels[:above+2]
	q.levels[above].end = min(q.levels[above].end, limit)
	q.near, q.head, q.inserted = q.near[:0], 0, 0
}

// load moves the live entries of a bucket near, which is empty, and sorts them. The keys of the bucket are equal after a
// shift; if that is 0 they are all equal, and there may be any number of them.
func (q *Queue) load(b bucket, shift uint8) {
	q.moved += uint64(b.n)
	near := slices.Grow(q.near, int(b.n))
	for c, last := b.head, b.last(); ; {
		es := q.pool.entries(b, c)
		q.prefetchFollowing(b, c) // the records come while this chunk is sorted
		live := 0
		for i := range es {
			if q.live(es[i]) {
				es[live] = es[i]
				live++
			}
		}
		q.dead -= len(es) - live
		if shift == 0 {
			near = append(near, es[:live]...)
		} else {
			for es = es[:live]; len(es) > 0; {
				run := es[:min(sortLen, len(es))]
				es = es[len(run):]
				sorted := len(near)
				near = near[:sorted+len(run)]
				sortRun(near[sorted:], run, shift)
				if sorted > 0 {
					mergeRun(near, sorted)
				}
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
