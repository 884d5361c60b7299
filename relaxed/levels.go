package relaxed

// How events come down the levels of a queue. Each level has an end: the keys below it belong
// further down. Of two keys a < b, a is never in a later bucket of a level than b, because a shift
// keeps order, and never in a level above b's, because the ends keep it. Equal keys are in one
// bucket, and every step takes and appends entries in the order in which they lie.
//
// Where the entries of a bucket that is opened span less than the bucket does, the end is drawn in
// to what they span, and keys beyond it fall into the bucket again, which is then opened once more.
// So a level is as fine as the events it was made for.

// A level is a row of buckets. Keys that are equal after a shift are in the same.
type level struct {
	end     uint64 // keys below are in the levels below, or at the bottom
	base    uint64 // a key k is in bucket k>>shift − base
	shift   uint8
	guessed bool     // made without a look at the entries: see divide
	open    uint32   // the buckets before this one are empty
	count   uint32   // how many buckets there are
	held    int      // how many entries are in them
	coarse  uint64   // beyond this key, that of 1½ times the time it was made for, its buckets are too long: see collapse
	settled uint32   // of level 1: before this bucket it is not looked at again whether it is too coarse
	size    int      // how many it was made for
	through int      // how many have left it
	buckets []bucket // room for at least count
	next    uint32   // of a nested level that is not in use: the next one plus 1
}

// ceiling is the first key after bucket i.
func (l *level) ceiling(i uint32) uint64 {
	end := (l.base + uint64(i) + 1) << l.shift
	if end == 0 { // 2⁶⁴
		return pastAll
	}
	return end
}

// maxBelow is the largest key that may be below level i. Usually it is not the level's end, but of
// ties some are below and others are not.
func (q *subqueue[V]) maxBelow(i int) uint64 {
	end := q.levels[i].end
	for ; i >= 0 && q.levels[i].end == end; i-- {
		if q.levels[i].shift == 0 {
			return end
		}
	}
	return end - 1
}

// refill brings more of what is due first to the bottom. There must be something in the levels. It
// may all be stale.
//
//go:noinline
func (q *subqueue[V]) refill() {
	q.tail = int32(copy(q.bottom[:], q.bottom[q.head:q.tail]))
	q.head = 0
	for had := q.tail; q.tail == had && q.live+q.stale > int(had); {
		depth := len(q.levels)
		l := &q.levels[depth-1]
		i := l.open
		for i < l.count && l.buckets[i].n == 0 {
			i++
		}
		l.open = i
		if i == l.count {
			q.levels = q.levels[:depth-1]
			continue
		}
		if depth == 2 && q.reshape(l, i) {
			continue
		}
		b := l.buckets[i]
		q.notePace(l, i)
		if b.isNested() {
			q.unnest(i)
			continue
		}
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
			// Ties: all are for the same time. Some of them go to the bottom, and the others stay,
			// with those that are yet to come behind them.
			others := b
			others.head = q.next(q.next(b.head))
			others.n -= loadMax
			b.tail, b.n = (q.next(b.head)+1)*chunkSlots, loadMax
			l.buckets[i] = others
			l.end = l.ceiling(i) - 1
		}
		l.held -= int(b.n)
		l.through += int(b.n)
		q.load(b, l.shift)
		q.prefetchMore()
	}
}

// worthRolling reports whether the buckets of level 1 may as well be used for what comes after it:
// if there are not too few events for them, and there is not much in level 0 to be looked through.
func (q *subqueue[V]) worthRolling() bool {
	above, l := &q.levels[0], &q.levels[1]
	return l.held >= int(l.count) && above.held <= l.held/16 && above.end < above.ceiling(uint32(l.end>>63))
}

// roll has the empty buckets of level 1, those before the open one, follow after the others, as the
// days of a calendar queue do that come round in the next year. If events are usually scheduled
// less than a year ahead, level 0 so remains all but empty. Otherwise all of them would be found
// there when level 1 is done, and to divide them takes so long that other shards would be far
// ahead.
func (q *subqueue[V]) roll() {
	above, l := &q.levels[0], &q.levels[1]
	i := uint32(l.end >> 63)
	n := copy(l.buckets, l.buckets[l.open:l.count])
	clear(l.buckets[n:l.count])
	l.base += uint64(l.open)
	l.settled -= min(l.settled, l.open) // the same bucket, by its new number
	l.open = 0
	l.count = uint32(min(uint64(l.count), (above.ceiling(i)-1)>>l.shift-l.base+1))
	l.size, l.through = l.held, 0
	above.end = min(l.ceiling(l.count-1), above.ceiling(i))
	b := above.buckets[i]
	if b.tail == 0 {
		return
	}
	above.buckets[i] = bucket{}
	q.drain(b, func(es []entry) {
		for _, e := range es {
			if e.Key >= above.end {
				q.push(&above.buckets[i], e)
				continue
			}
			// The last bucket may have reached beyond the end before, and be nested.
			if to := &l.buckets[e.Key>>l.shift-l.base]; to.isNested() {
				q.placeFull(1, e)
			} else {
				q.push(to, e)
			}
			l.held++
			above.held--
		}
	})
}

// collapse takes level 1 back into level 0, which is then divided anew. A bucket is a range of
// keys, and as time goes on the same range stands for a longer and longer time.
func (q *subqueue[V]) collapse() {
	above, l := &q.levels[0], &q.levels[1]
	to := level{shift: 63, buckets: above.buckets}
	for ; l.open < l.count; l.open++ {
		if b := l.buckets[l.open]; b.n != 0 {
			l.buckets[l.open] = bucket{}
			q.distribute(q.flat(b), &to)
		}
	}
	above.end = l.end
	above.held += l.held
	q.levels = q.levels[:1]
}

// limit is the first key that is too large for level i.
func (q *subqueue[V]) limit(i int) uint64 {
	if i == 0 {
		return pastAll
	}
	return q.levels[i-1].end
}
