package relaxed

// How a subqueue never has to move many entries at once. While a bucket is divided the subqueue is
// locked, and its events cannot be taken: the others run ahead, which is where large rank errors
// come from. So no bucket waits until its time comes with more than 8,192 entries in it, or so:
// when it gets them it is divided at once, where it is.
//
//	level 1       |....|....|....|....|....|....|....|....|  end of level 0
//	                                   ▼ a level of its own, nested
//	                                   |.|.|.|.|.|.|.|
//
// What is scheduled from then on goes straight into the nested level, and to open the bucket means
// to put that level below the last one: no entry is moved. A bucket of level 0, which is half of
// all times there are, is not nested but opened early: the level that comes of it goes between
// level 0 and those that are below it already.
//
// There are three exceptions. Events that are scheduled backwards, each before all others, have
// levels taken up into one, up to all of them, so that the levels stay few: see spill. When more
// than half of the entries are stale, all are looked at: see sweep. In the mean that is a logarithm
// of moves for an event, and two. And many events of one time are divided as often as it takes
// until its bucket has one key, half a dozen times.

// maxInBucket is how many entries a bucket has at most, and a chunk more, before it is divided:
// some 80 µs of work. With fewer, rank errors are a little less, and more events go straight into
// nested levels, whose buckets together do not fit into the cache: docs/design/relaxed.md.
const maxInBucket = 8192

// maxInFirst is the same for level 0, from which all levels come.
const maxInFirst = 1024

// maxLevels is how many levels there are when level 0 is opened early for the last time. Each is
// looked at when an event is placed.
const maxLevels = 12

// isNested reports whether a bucket's entries are in a level of its own: head is the number of
// that. Of the others only those that are empty have no tail.
func (b *bucket) isNested() bool { return b.tail == 0 && b.n > 0 }

// placeFull puts an entry into the level with this number, into a bucket that is nested or about to
// be, and has been counted there.
//
//go:noinline
func (q *subqueue[V]) placeFull(depth int, e entry) {
	if depth == 0 {
		q.openEarly(e)
		return
	}
	l := &q.levels[depth]
	for {
		i := uint32(e.Key>>l.shift - l.base)
		b := &l.buckets[i]
		if !b.isNested() && (b.tail%chunkSlots != 0 || b.n < q.maxInBucket || l.shift == 0) {
			q.push(b, e)
			return
		}
		if !b.isNested() {
			q.nest(l, i, l == &q.levels[depth])
		}
		b.n++
		l = q.nested[b.head]
		l.held++
	}
}

// nest divides bucket i of a level where it is. As it is not known where in the bucket events are
// yet to come, the new level spans all of it.
//
// If most of them are yet to come, it has few buckets, which will be divided in their turn:
// otherwise each event would find one that is not in the cache. But not if the bucket is in a
// nested level itself: many events of one time should soon come to where their bucket has one key.
func (q *subqueue[V]) nest(l *level, i uint32, first bool) {
	if q.unused == 0 {
		q.nested = append(q.nested, &level{size: 1, through: 1})
		q.unused = uint32(len(q.nested))
	}
	number := q.unused - 1
	below := q.nested[number]
	q.unused = below.next
	b := l.buckets[i]
	n := int(b.n)
	if expected := q.pace * l.duration(i); first && expected > 2*float64(b.n) {
		n = int(min(2*expected/q.roomy(), maxBuckets)) * perBucket
		below.size, below.through = 1, 1 // no growth
	}
	below.shape(n, (l.base+uint64(i))<<l.shift, l.ceiling(i)-1)
	below.held = int(b.n)
	below.guessed = true
	l.buckets[i] = bucket{head: number, n: b.n}
	q.distribute(b, below)
}

// unnest puts the level of bucket i of the last level, which is nested, below it. What is there is
// not moved.
func (q *subqueue[V]) unnest(i uint32) {
	depth := len(q.levels)
	l := &q.levels[depth-1]
	b := l.buckets[i]
	l.buckets[i] = bucket{}
	l.held -= int(b.n)
	l.through += int(b.n)
	below := q.nextLevel()
	*below, *q.nested[b.head] = *q.nested[b.head], *below
	q.discard(b.head)
	l = &q.levels[depth-1]
	below.end = max(below.end, l.end)
	l.end = min(below.ceiling(below.count-1), l.ceiling(i), q.limit(depth-1))
}

// discard has a nested level, which is empty, be used again.
func (q *subqueue[V]) discard(number uint32) {
	q.nested[number].next = q.unused
	q.unused = number + 1
}

// flat is the entries of a bucket, which it is not any more, in one list.
func (q *subqueue[V]) flat(b bucket) bucket {
	if b.isNested() {
		return q.flatten(b.head)
	}
	return b
}

// flatten is the entries of a nested level, which is discarded.
func (q *subqueue[V]) flatten(number uint32) bucket {
	var one [1]bucket
	to := level{shift: 63, buckets: one[:]}
	l := q.nested[number]
	for i := range l.buckets[:l.count] {
		if l.buckets[i].n == 0 {
			continue
		}
		b := q.flat(l.buckets[i])
		l.buckets[i] = bucket{}
		to.base = q.entries(b, b.head)[0].Key >> 63
		q.distribute(b, &to)
	}
	q.discard(number)
	return one[0]
}

// openEarly puts an entry into the bucket of level 0 that is open, and divides that into a level
// between level 0 and level 1. The new one spans as much time as there is from the first event to
// where it begins, or more, unless it would be too coarse: see fine. So levels become longer from
// one to the next above, and are few even if every event is later than all before. If they become
// many nevertheless, the last one spans all the rest: what is scheduled there is divided bucket by
// bucket, where level 0 would have to be divided all at once when its time comes.
func (q *subqueue[V]) openEarly(e entry) {
	above := &q.levels[0]
	i := uint32(e.Key >> 63)
	b := above.buckets[i]
	depth := len(q.levels)
	if i != uint32(above.end>>63) {
		q.push(&above.buckets[i], e)
		return
	}
	end := above.end
	low, high := q.keyRange(b)
	if depth > 1 {
		low = end // where the levels below end
	}
	high = max(later(low, high, above.ceiling(i)-1), later(min(q.bottom[q.head].Key, low), low, above.ceiling(i)-1))
	if depth < maxLevels-1 {
		high = q.fine(low, high)
	} else {
		high = above.ceiling(i) - 1
	}
	above.buckets[i] = bucket{}
	above.held -= int(b.n)
	above.through += int(b.n)
	l := q.insertLevel()
	l.shape(maxBuckets, low, high) // as many buckets as fine expects
	l.end, l.held = max(l.end, end), 0
	above = &q.levels[0]
	above.end = min(l.ceiling(l.count-1), above.ceiling(i))
	q.split(b, l, above)
	above.held-- // it was counted there
	q.place(e)
}
