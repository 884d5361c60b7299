package eventqueue

// A bucket that has reached the largest number of entries that a single call should process is
// divided at once, wherever it is. So are the events that are scheduled before the first is taken,
// all of which belong into one bucket: the first ones show how times are spread, and the others go
// directly into the right buckets.

const (
	// most is the largest number of entries of a bucket: checking them and dividing or sweeping
	// them takes about a millisecond. In a large queue it is a fixed share of all entries.
	most   = 1 << 16
	oneIn  = 64
	minFan = 2048 // buckets of a level for the future: see futureFan
	// nestFan is how many entries each bucket should have if another than that is divided. There
	// are many of them if there are any, and each of the new ones has a chunk that is not full.
	nestFan = 64
	// nested, as the tail of a bucket, says that head is the number of a level. No slot that an
	// entry could take is there.
	nested = ^uint32(chunkSlots - 1)
	// reachFactor is how many times as far as its predecessor a level should reach that is nested in
	// the end of another.
	reachFactor = 4
)

// limit is how many entries a bucket may have.
func (q *Queue) limit() int { return max(q.most, q.pending/oneIn) }

// futureFan is how many buckets to make for what is yet to come. As long as those will not have to
// be divided while they wait, fewer are better: the places where the next entries go should be in
// the cache of the second level, together with those of the level that is worked off. With 8192
// instead of 2048 a hold at 10⁶ events takes a tenth longer.
func (q *Queue) futureFan() uint64 { return uint64(min(max(q.pending/2048, minFan), maxFan)) - 1 }

// room makes room for an entry in the bucket for key k, which belongs into level l of the path, and
// returns it with the slot.
//
//go:noinline
func (q *Queue) room(l *level, k uint64) (*bucket, uint32) {
	q.count()
	for depth, divided := 0, false; ; {
		i := l.index(k)
		b := &l.buckets[i]
		switch {
		case b.tail == nested:
			l = q.nests[b.head]
			depth++
		case b.tail%chunkSlots != 0:
			return b, b.tail
		case int(b.n) < q.limit() || divided:
			return b, q.pool.extend(b)
		case l.ties:
			q.lengthen(l)
		default:
			q.nest(l, int(i), depth)
			divided = true
		}
	}
}

// nest divides bucket i of l where it is. The level l is nested in others, so many deep.
func (q *Queue) nest(l *level, i, depth int) {
	b := l.buckets[i]
	c := &level{to: l.ceiling(i)}
	if l.single(i) {
		c.ties, c.to = true, l.floor(i)+1
		c.base = tieBase
		c.buckets = q.takeBuckets(1)
		c.stale, b.stale = int(b.stale), 0
		c.buckets[0] = b
	} else {
		low, high := q.keyRange(b)
		fan := uint64(max(q.most/nestFan, 4))
		if i == int(l.last) && l.to == pastAll || l.shift == 63 {
			// The future, of which there is more to come than anywhere else.
			fan = q.futureFan()
			least := low
			low = q.leaveOutTail(b, least, high, l.tailed && i == 0)
			c.tailed = low > least
			high = extend(l, depth, low, high)
		} else if i == 0 && depth > 0 {
			low -= min(times(high-low, reachFactor-1), low-firstKey)
		}
		c.shape(low, high, fan)
		c.size = int(b.n)
		c.buckets = q.takeBuckets(c.count())
		if low == high {
			c.buckets[1] = b // ties need not be moved
		} else {
			q.distribute(b, c)
		}
		q.divided++
	}
	l.buckets[i] = bucket{head: q.addNest(c), tail: nested}
}

// extend returns how far a level should reach whose entries so far have keys from low to high, and
// that will receive everything later than that. It should not soon have to be followed by another
// level, and that by a third. So if l is a level of the path, the new one reaches at least half as
// far as l did; if l is itself nested in such a level, several times as far as its entries do.
func extend(l *level, depth int, low, high uint64) uint64 {
	reach, before := high-low, (l.limit()-l.first)/2
	if depth > 0 {
		reach = times(max(reach, before), reachFactor)
	} else if l.size > 0 {
		reach = max(reach, before)
	}
	return low + min(reach, lastKey-low)
}

// times multiplies, up to the largest key.
func times(x, by uint64) uint64 { return min(x, lastKey/by) * by }

// addNest registers a level that is nested in a bucket.
func (q *Queue) addNest(c *level) uint32 {
	if n := len(q.vacant); n > 0 {
		i := q.vacant[n-1]
		q.vacant = q.vacant[:n-1]
		q.nests[i] = c
		return i
	}
	q.nests = append(q.nests, c)
	return uint32(len(q.nests) - 1)
}

// enter puts the level that is nested in b, the open bucket of the last level l, onto the path.
func (q *Queue) enter(l *level, b *bucket) {
	i := b.head
	c := q.nests[i]
	q.nests[i] = nil
	q.vacant = append(q.vacant, i)
	*b = bucket{}
	l.end = max(l.end, c.to)
	if c.ties {
		c.end = c.to - 1
	}
	q.opened++
	q.descend(*c)
}
