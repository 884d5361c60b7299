package calendar

// The events that are due first lie in near, sorted. They come from one bucket (see levels.go), and what is scheduled
// before the end of its range joins them in its place. If that makes them too many they are divided into buckets in
// their turn, unless they are all for the same time, when there is nothing to sort.

const (
	// loadMax is up to how many entries of a bucket are sorted rather than divided again.
	loadMax = 32
	// nearMax is how many entries near may hold before they are divided, unless all are equal.
	nearMax = 48
	nearCap = 4 * nearMax
)

// insertNear puts e among the near entries, behind its equals.
func (q *Queue) insertNear(e entry) {
	i := len(q.near)
	if i-q.head >= nearMax {
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
	below := q.divide(n, low, high)
	push := func(e entry) { q.pool.push(below.bucketOf(e.key), e) }
	for _, e := range es {
		push(e)
	}
	q.moved += uint64(len(es))
	for i := first; i < depth; i++ {
		l := &q.levels[i]
		for ; l.open < l.count; l.open++ {
			b := l.buckets[l.open]
			l.buckets[l.open] = bucket{}
			q.empty(b, false, push)
		}
	}
	parent := &q.levels[first-1]
	parent.end = min(parent.end, below.limit())
	q.levels[first], q.levels[depth] = q.levels[depth], q.levels[first]
	q.levels = q.levels[:first+1]
	q.near, q.head = q.near[:0], 0
}

// load moves the live entries of a bucket near, which is empty, and sorts them.
func (q *Queue) load(b bucket) {
	q.empty(b, true, func(e entry) { q.near = append(q.near, e) })
	sortNear(q.near)
}

func (q *Queue) loadChunk(b bucket) int {
	n := int(b.inLast())
	es := q.pool.chunk(b.head)[:n]
	live := 0
	for i := range es {
		if q.live(es[i]) {
			es[live] = es[i]
			live++
		}
	}
	q.dead -= n - live
	es = es[:live]
	q.near = q.near[:live]
	sortInto(q.near, es)
	q.moved += uint64(n)
	q.pool.release(b.head)
	return n
}

func sortInto(to, es []entry) {
	var rank [chunkLen]uint8
	for i := range es {
		k := es[i].key
		r := uint8(i)
		for j := range es[:i] {
			c := uint8(0)
			if es[j].key > k {
				c = 1
			}
			rank[j&15] += c
			r -= c
		}
		rank[i&15] = r
	}
	for i := range es {
		to[rank[i&15]&15] = es[i]
	}
}

// sortNear sorts a few entries by key, leaving equals in their order.
func sortNear(es []entry) {
	for i := 1; i < len(es); i++ {
		e := es[i]
		j := i
		for ; j > 0 && es[j-1].key > e.key; j-- {
			es[j] = es[j-1]
		}
		es[j] = e
	}
}
