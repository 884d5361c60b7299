package calendar

// A bucket that has got as many entries as a single call should have to deal with is divided at once, wherever it is. So are the
// events that are scheduled before the first is taken, all of which belong into one bucket: the first ones to come tell how they
// are spread, and the others go where they belong straight away.

const (
	// most is how many entries a bucket may have. To look at them and to divide them takes about a millisecond.
	most = 1 << 15
	// nestFan is into how many entries each such a bucket is divided. There are many of them if there are any, and each of the
	// new ones has a chunk that is not full.
	nestFan = 64
	// nested, as the tail of a bucket, says that head is the number of a level. No slot that an entry could take is there.
	nested = ^uint32(chunkSlots - 1)
	// stretch is how many times as far as its predecessor a level should reach that is nested in the end of another.
	stretch = 4
)

// room makes room for an entry in the bucket for key k, which belongs into level l of the path, and returns it with the slot.
//
//go:noinline
func (q *Queue) room(l *level, k uint64) (*bucket, uint32) {
	for depth, divided := 0, false; ; {
		i := l.index(k)
		b := &l.buckets[i]
		switch {
		case b.tail == nested:
			l = q.nests[b.head]
			depth++
		case b.tail%chunkSlots != 0:
			return b, b.tail
		case int(b.n) < q.most || divided:
			return b, q.pool.extend(b)
		case l.crowd:
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
		c.crowd, c.to = true, l.floor(i)+1
		c.base, c.count = crowdBase, 1
		c.buckets = q.takeBuckets(1)
		c.dead, b.dead = int(b.dead), 0
		c.buckets[0] = b
	} else {
		low, high := q.survey(b)
		fan := uint64(max(q.most/nestFan, 4))
		if i == l.count-1 && l.to == pastAll || l.shift == 63 {
			// The future, of which there is more to come than anywhere else.
			fan = maxFan - 1
			low = q.leaveOutTail(b, low, high)
			high = extend(l, depth, low, high)
		} else if i == 0 && depth > 0 {
			low -= min(times(high-low, stretch-1), low-firstKey)
		}
		c.shape(low, high, fan)
		c.size = int(b.n)
		c.buckets = q.takeBuckets(c.count)
		if low == high {
			c.buckets[1] = b // a crowd need not be moved
		} else {
			q.distribute(b, c)
		}
		q.divided++
	}
	l.buckets[i] = bucket{head: q.addNest(c), tail: nested}
}

// extend tells how far a level should reach whose entries so far have keys from low to high, and that will have all that comes
// later. It should not have to be followed by another soon, and that not by a third: if l is a level of the path, it should
// reach half as far as that did; if it is itself nested in such a level, several times as far as what there is.
func extend(l *level, depth int, low, high uint64) uint64 {
	reach, before := high-low, (l.limit()-l.first)/2
	if depth > 0 {
		reach = times(max(reach, before), stretch)
	} else if l.size > 0 {
		reach = max(reach, before)
	}
	return low + min(reach, lastKey-low)
}

// times multiplies, up to the largest key.
func times(x, by uint64) uint64 { return min(x, lastKey/by) * by }

// addNest takes note of a level that is nested in a bucket.
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
	if c.crowd {
		c.end = c.to - 1
	}
	q.opened++
	q.descend(*c)
}
