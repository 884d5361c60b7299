package spray

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
)

// How events come down the tiers of a sheet. Each tier has an end: the keys below it belong further down. Of two keys a < b, a is
// never in a later bin of a tier than b, because a shift keeps order, and never in a tier above b's, because the ends keep it.
// Equal keys are in one bin, and every step takes and appends items in the order in which they lie.
//
// Where the items of a bin that is opened span less than the bin does, the end is drawn in to what they span, and keys beyond it fall
// into the bin again, which is then opened once more. So a tier is as fine as the events it was made for.

// endOf is the first key after bin i.
func (t *tier) endOf(i uint32) uint64 {
	end := (t.base + uint64(i) + 1) << t.shift
	if end == 0 { // 2⁶⁴
		return pastAll
	}
	return end
}

// mostBelow is the largest key that may be below tier i. Usually it is not the tier's end, but of a crowd some are below and others
// are not.
func (s *sheet[V]) mostBelow(i int) uint64 {
	end := s.tiers[i].end
	for ; i >= 0 && s.tiers[i].end == end; i-- {
		if s.tiers[i].shift == 0 {
			return end
		}
	}
	return end - 1
}

// refill brings more of what is due first to the front. There must be something in the tiers. It may all be dead.
//
//go:noinline
func (s *sheet[V]) refill() {
	s.tail = int32(copy(s.front[:], s.front[s.head:s.tail]))
	s.head = 0
	for had := s.tail; s.tail == had && s.live+s.dead > int(had); {
		depth := len(s.tiers)
		t := &s.tiers[depth-1]
		i := t.open
		for i < t.count && t.bins[i].tail == 0 {
			i++
		}
		t.open = i
		if i == t.count {
			s.tiers = s.tiers[:depth-1]
			continue
		}
		if depth == 2 && (t.base+uint64(i))<<t.shift > t.coarse {
			s.collapse()
			continue
		}
		if depth == 2 && i > t.count/2 && s.worthRolling() {
			s.roll()
			continue
		}
		b := t.bins[i]
		if b.n > loadMost && t.shift > 0 {
			t.bins[i] = bin{}
			s.divide(b, i)
			continue
		}
		s.prefetchAfter(t, i)
		if b.n <= loadMost {
			t.bins[i] = bin{}
			t.end = min(t.endOf(i), s.limit(depth-1))
		} else {
			// A crowd: all are for the same time. Some of them come to the front, and the others stay, with those that are yet
			// to come behind them.
			rest := b
			rest.head = s.following(s.following(b.head))
			rest.n -= loadMost
			b.tail, b.n = (s.following(b.head)+1)*chunkLen, loadMost
			t.bins[i] = rest
			t.end = t.endOf(i) - 1
		}
		t.size -= int(b.n)
		t.through += int(b.n)
		s.load(b)
	}
}

// worthRolling reports whether the bins of tier 1 may as well be used for what comes after it: if there are not too few events for
// them, and there is not much in tier 0 to be looked through.
func (s *sheet[V]) worthRolling() bool {
	above, t := &s.tiers[0], &s.tiers[1]
	return t.size >= int(t.count) && above.size <= t.size/16 && above.end < above.endOf(uint32(t.end>>63))
}

// roll has the empty bins of tier 1, those before the open one, follow after the others, as the days of a calendar queue do that
// come round in the next year. If events are usually scheduled less than a year ahead, tier 0 so remains all but empty. Otherwise all of
// them would be found there when tier 1 is done, and to divide them takes so long that others would be far ahead.
func (s *sheet[V]) roll() {
	above, t := &s.tiers[0], &s.tiers[1]
	i := uint32(t.end >> 63)
	n := copy(t.bins, t.bins[t.open:t.count])
	clear(t.bins[n:t.count])
	t.base += uint64(t.open)
	t.open = 0
	t.count = uint32(min(uint64(t.count), (above.endOf(i)-1)>>t.shift-t.base+1))
	t.made, t.through = t.size, 0
	above.end = min(t.endOf(t.count-1), above.endOf(i))
	b := above.bins[i]
	if b.tail == 0 {
		return
	}
	above.bins[i] = bin{}
	s.moved += uint64(b.n)
	last := b.last()
	ahead := s.ahead(b.head, last)
	for c := b.head; ; {
		ahead = s.ahead(ahead, last)
		for _, e := range s.items(b, c) {
			if e.key < above.end {
				s.push(&t.bins[e.key>>t.shift-t.base], e)
				t.size++
				above.size--
			} else {
				s.push(&above.bins[i], e)
			}
		}
		following := s.release(c)
		if c == last {
			return
		}
		c = following
	}
}

// collapse takes tier 1 back into tier 0, which is then divided anew. A bin is a range of keys, and as time goes on the same range stands
// for a longer and longer time.
func (s *sheet[V]) collapse() {
	above, t := &s.tiers[0], &s.tiers[1]
	to := tier{shift: 63, bins: above.bins}
	for ; t.open < t.count; t.open++ {
		if b := t.bins[t.open]; b.tail != 0 {
			t.bins[t.open] = bin{}
			s.distribute(b, &to)
		}
	}
	above.end = t.end
	above.size += t.size
	s.tiers = s.tiers[:1]
}

// limit is the first key that is too large for tier i.
func (s *sheet[V]) limit(i int) uint64 {
	if i == 0 {
		return pastAll
	}
	return s.tiers[i-1].end
}

// load appends the items of a bin that are alive to the front, in order. There are at most loadMost, in one or two chunks.
func (s *sheet[V]) load(b bin) {
	n := 0
	last := b.last()
	for c := b.head; ; {
		for _, e := range s.items(b, c) {
			s.loaded[n%len(s.loaded)] = e
			if s.alive(&e) {
				n++
			}
		}
		following := s.release(c)
		if c == last {
			break
		}
		c = following
	}
	s.dead -= int(b.n) - n
	s.moved += uint64(b.n)
	sortItems(s.front[s.tail:int(s.tail)+n], s.loaded[:n])
	s.tail += int32(n)
}

// sortItems sorts up to 32 items by key into to, leaving equals in their order. It counts, for each of them, how many come before
// it. For the few that a bin has that is as fast as anything, because no branch depends on the keys: the processor would
// guess every other one wrong.
func sortItems(to, es []item) {
	var place [32]uint8
	for i := range es {
		key, before := es[i].key, uint8(i)
		for k := range i {
			_, less := bits.Sub64(key, es[k].key, 0)
			place[k%len(place)] += uint8(less)
			before -= uint8(less)
		}
		place[i%len(place)] = before
	}
	for i := range es {
		to[place[i%len(place)]] = es[i]
	}
}

// prefetchAfter asks for the slots of the items in the bin after bin i. Between two bins several events are taken, which is about as long
// as memory takes.
func (s *sheet[V]) prefetchAfter(t *tier, i uint32) {
	if i+1 >= t.count {
		return
	}
	if b := &t.bins[i+1]; b.tail != 0 {
		first := &s.chunks[b.head*chunkLen+1]
		prefetch.Gather(unsafe.Pointer(unsafe.SliceData(s.slots)), unsafe.Sizeof(slot[V]{}),
			unsafe.Pointer(&first.slot), unsafe.Sizeof(item{}), int(min(b.n, chunkLen-1)))
	}
}

// addTier adds a tier for n items with keys from low to high, which all belong below the last tier. The caller sets the end of
// the tier above.
func (s *sheet[V]) addTier(n int, low, high uint64) *tier {
	depth := len(s.tiers)
	if depth == cap(s.tiers) {
		s.tiers = append(s.tiers, tier{})
	}
	s.tiers = s.tiers[:depth+1]
	t := &s.tiers[depth]
	if t.made == 0 && depth == 1 {
		t.made, t.through = 1, firstGrowth
	}
	wanted := uint64(min(max(float64(n)*t.growth()/perBin, 4), mostBins-1))
	t.shift = uint8(bits.Len64((high - low) / wanted))
	t.base = low >> t.shift
	t.count = uint32(high>>t.shift-t.base) + 1
	t.end = t.base << t.shift
	t.open, t.size, t.guessed = 0, n, false
	t.made, t.through = n, 0
	t.coarse = pastAll
	if high>>63 == 1 && high < pastAll-octave {
		t.coarse = high + octave/2
	}
	if uint32(len(t.bins)) < t.count {
		t.bins = make([]bin, 1<<bits.Len32(t.count-1))
	}
	return t
}

// growth is how many times as many items passed through t, when it was last used, as it had been made for. While a tier is worked
// off, events are scheduled into it: many if it spans several jumps, few if it spans a small part of one. The next tier in its
// place will most likely fare alike.
func (t *tier) growth() float64 {
	if t.through <= t.made {
		return 1
	}
	return min(float64(t.through)/float64(t.made), mostGrowth)
}

const (
	octave = 1 << 52 // from the key of a positive time to that of twice the time
	// firstGrowth is what is expected of the first tier below tier 0 when nothing is known yet. Were all jumps exponential it
	// would be log n.
	firstGrowth = 8
	mostGrowth  = 32
)

// divide moves the items of b, which was bin i of the last tier, into a tier of their own.
//
// A bin is probably one of many alike, filled all over. So its range is taken for that of its items, and they are read once
// and not twice. If it turns out otherwise, nothing is guessed of the bins that come of it.
func (s *sheet[V]) divide(b bin, i uint32) {
	depth := len(s.tiers)
	t := &s.tiers[depth-1]
	t.size -= int(b.n)
	t.through += int(b.n)
	low, high := max(t.end, (t.base+uint64(i))<<t.shift), t.endOf(i)-1
	if depth > 1 {
		high = min(high, s.mostBelow(depth-2)) // the last bin may reach beyond
	}
	guess := depth > 1 && !t.guessed
	if !guess {
		most := high
		low, high = s.survey(b)
		if twice := 2*timeOf(high) - timeOf(low); depth == 1 && twice < math.MaxFloat64 {
			high = min(keyOf(twice), most) // so that there is room for what comes later: see roll
		}
	}
	below := s.addTier(int(b.n), low, high)
	below.guessed = guess
	t = &s.tiers[depth-1]
	t.end = min(below.endOf(below.count-1), t.endOf(i), s.limit(depth-1)) // and bin i is open for what comes later
	s.distribute(b, below)
}

// survey finds the least and the greatest key of b.
func (s *sheet[V]) survey(b bin) (low, high uint64) {
	low, high = pastAll, 0
	last := b.last()
	ahead := s.ahead(b.head, last)
	for c := b.head; ; c = s.following(c) {
		ahead = s.ahead(ahead, last)
		for _, e := range s.items(b, c) {
			low, high = min(low, e.key), max(high, e.key)
		}
		if c == last {
			return low, high
		}
	}
}

// distribute moves the items of b into the bins of t.
func (s *sheet[V]) distribute(b bin, t *tier) {
	s.moved += uint64(b.n)
	shift, base, bins, last := t.shift&63, t.base, t.bins, b.last()
	ahead := s.ahead(b.head, last)
	for c := b.head; ; {
		ahead = s.ahead(ahead, last)
		for _, e := range s.items(b, c) {
			// This is push by hand, which saves 2 ns.
			b := &bins[e.key>>shift-base]
			w := b.tail
			if w%chunkLen == 0 {
				w = s.extend(b)
			}
			s.chunks[w] = e
			b.tail = w + 1
			b.n++
		}
		following := s.release(c)
		if c == last {
			return
		}
		c = following
	}
}

// spill divides the front, which has become too long, into a new tier, and brings the first of it back.
//
// What spills may lie before all that is in the last tier, time and again, if events are scheduled backwards. So that this does not
// add tier upon tier, small ones are taken up into the new one: each then has at least twice the items of the next, and no item is
// taken up more often than its tier can double.
func (s *sheet[V]) spill() {
	es := s.front[s.head:s.tail]
	n, low, high := len(es), es[0].key, es[len(es)-1].key
	depth := len(s.tiers)
	first := depth
	for first > 1 && s.tiers[first-1].size <= 2*n {
		first--
		n += s.tiers[first].size
		high = s.mostBelow(first - 1)
	}
	if above := &s.tiers[first-1]; high < above.base<<above.shift {
		high = above.base<<above.shift - 1 // what lies between must have a place, too
	}
	t := s.addTier(n, low, high)
	for _, e := range es {
		s.push(&t.bins[e.key>>t.shift-t.base], e)
	}
	s.moved += uint64(len(es))
	for i := depth - 1; i >= first; i-- { // of a crowd, those further down came before the others
		old := &s.tiers[i]
		for ; old.open < old.count; old.open++ {
			if b := old.bins[old.open]; b.tail != 0 {
				old.bins[old.open] = bin{}
				s.distribute(b, t)
			}
		}
	}
	limit := t.endOf(t.count - 1)
	s.tiers[first], s.tiers[depth] = s.tiers[depth], s.tiers[first]
	s.tiers = s.tiers[:first+1]
	above := &s.tiers[first-1]
	above.end = min(above.end, limit)
	above.open = min(uint32(above.end>>above.shift-above.base), above.count)
	s.head, s.tail = 0, 0
	s.refill()
}

// sweep drops all dead items. It looks at every item, and is called when more than half of them are dead, so that it costs a
// constant per cancellation.
func (s *sheet[V]) sweep() {
	n := s.head
	for i := s.head; i < s.tail; i++ {
		if e := s.front[i]; s.alive(&e) {
			s.front[n] = e
			n++
		}
	}
	s.tail = n
	for i := range s.tiers {
		t := &s.tiers[i]
		for k := t.open; k < t.count; k++ {
			b := t.bins[k]
			if b.tail == 0 {
				continue
			}
			t.bins[k] = bin{}
			last := b.last()
			ahead := s.ahead(b.head, last)
			for c := b.head; ; {
				ahead = s.ahead(ahead, last)
				for _, e := range s.items(b, c) {
					if s.alive(&e) {
						s.push(&t.bins[k], e)
					}
				}
				following := s.release(c)
				if c == last {
					break
				}
				c = following
			}
			t.size -= int(b.n - t.bins[k].n)
		}
	}
	s.dead = 0
}
