package spray

import (
	"math/bits"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/prefetch"
)

// A sheet is one of the calendars of a [Calendar], for one goroutine at a time. It is built as the queue of package calendar is:
// levels of buckets, each of which is opened into finer ones when its time comes, by as many as suit what it then holds, and
// before them all the front, in order. Buckets are ranges of the bits of a time. So it needs no tuning, and an event is moved two or
// three times, whatever the times are.
//
//	tier 0   |- negative times -|------------- all other times --------------|
//	                             ▲ open: its events went to tier 1
//	tier 1                       |....|....|....|....|....|....|....|  end of tier 0
//	                                    ▲ open
//	tier 2                              |.|.|.|.|.|.|.|  end of tier 1
//	                                        ▲ open
//	front                                   [in order]  end of tier 2
//
// It is not that queue because several of them share a processor's cache: buckets are fewer, at most 1,024 on a level rather than
// 8,192, and their chunks half as long, so that ten thousand events take half a megabyte and not four; because there is no clock,
// so that events can come that are earlier than all that have been taken; and because an event needs its value and its stamp, and
// these lie together, where with ids of a queue they would be in two places, and each of them be waited for.
type sheet[V any] struct {
	_ [64]byte // so that neighbours are not in the same lines

	// The front: what is due first, in order, at head … tail−1. If there is any event, the first of these is alive.
	head, tail int32
	toTell     int32  // events to take before others are told: see tell
	toLook     int32  // events to take before looking at others: see consider
	other      uint32 // desk that was looked at last: see consider
	watched    uint32 // desk that an eye is on: see stalled
	idle       uint32 // how many looks there found nothing new
	seen       uint64 // what was told there
	operations uint32 // for tick
	live, dead int
	free       uint32 // first free slot plus one, 0 if there is none
	spare      uint32 // first free chunk, 0 if there is none
	fresh      uint32 // chunks from here on were never used
	slots      []slot[V]
	chunks     []item // chunk after chunk; the first is not used, and its number stands for none
	tiers      []tier

	looked     time.Duration // when one who used it last looked at the time
	user       *perch        // who that was
	waited     uint64        // waits before
	last       uint64        // key of the last event taken
	version    uint64        // how often it has become empty
	dispatched uint64
	cancelled  uint64
	late       uint64
	helped     uint64
	waits      uint64
	moved      uint64

	front  [frontLen]item
	loaded [32]item // of use to load

	_ [64]byte
}

// A slot holds the value of one event after the other. Each has its own stamp, so that the names of others, and items that
// stand for others, are known to be stale.
type slot[V any] struct {
	stamp uint32 // of the event that is here, or of the next one; none has 0
	next  uint32 // while free: the next free slot plus one
	value V
}

// An item is an event as it lies in a bucket. It is alive while its slot has its stamp.
type item struct {
	key         uint64
	slot, stamp uint32
}

// A bin is a bucket: items in the order in which they came. Its zero value is empty.
//
// Items lie in chunks of consecutive places, of which the first tells the chunk that follows. The place that the next item would
// take is tail; where that is the first of a chunk, the last chunk is full, or, at 0, there is none.
type bin struct {
	head uint32 // first chunk
	tail uint32 // place after the last item, 0 when empty
	n    uint32 // items
}

// last is the last chunk of a bin that is not empty.
func (b bin) last() uint32 { return (b.tail - 1) / chunkLen }

// A tier is a level of bins. Keys that are equal after a shift are in the same.
type tier struct {
	end     uint64 // keys below are in the tiers below, or in the front
	base    uint64 // a key k is in bin k>>shift − base
	shift   uint8
	guessed bool   // made without a look at the items: see divide
	open    uint32 // the bins before this one are empty
	count   uint32 // how many bins there are
	size    int    // how many items are in them
	coarse  uint64 // beyond this key, that of 1½ times the time it was made for, its bins are too long: see collapse
	made    int    // how many it was made for
	through int    // how many have left it
	bins    []bin  // room for at least count
}

const (
	chunkLen  = 16 // places: 256 bytes
	loadMost  = 2 * (chunkLen - 1)
	frontLow  = 16 // items in the front, below which more are brought there
	spillAt   = 64 // items in the front that are too many
	frontLen  = 96
	perBin    = 6    // items that a bin should have when it is opened
	mostBins  = 1024 // of a tier
	sweepLate = 1024 // by how many dead items may outnumber the others before they are swept out

	pastAll = ^uint64(0) // above all keys

	// retired is the stamp at which a slot is not used any more, so that stamps never repeat.
	retired = ^uint32(0)
)

func newSheet[V any](room int) *sheet[V] {
	s := &sheet[V]{fresh: 1, chunks: make([]item, 2*chunkLen), slots: make([]slot[V], 0, room)}
	if room > 0 {
		// Chunks are not all full.
		s.chunks = make([]item, 1<<bits.Len(uint(room+room/4)))
		huge.Advise(s.chunks)
		huge.Advise(s.slots)
	}
	s.tiers = append(make([]tier, 0, 4), tier{shift: 63, count: 2, bins: make([]bin, 2)})
	return s
}

// occupy puts an event into a slot.
func (s *sheet[V]) occupy(key uint64, v V) item {
	if s.free == 0 {
		s.enlarge()
	}
	place := s.free - 1
	q := &s.slots[place]
	s.free = q.next
	q.value = v
	s.live++
	return item{key, place, q.stamp}
}

// begin puts the item of the only event there is to the front. That takes all that is not later, until there are too many.
func (s *sheet[V]) begin(e item) {
	s.front[0], s.head, s.tail = e, 0, 1
	s.tiers = s.tiers[:1]
	t := &s.tiers[0]
	t.end = e.key + 1
	t.open = uint32(t.end >> 63)
}

// enlarge makes a new slot.
//
//go:noinline
func (s *sheet[V]) enlarge() {
	if len(s.slots) == cap(s.slots) {
		wider := make([]slot[V], len(s.slots), max(16, 2*len(s.slots)))
		huge.Advise(wider)
		copy(wider, s.slots)
		s.slots = wider
	}
	if uint64(len(s.slots)) == 1<<32-2 {
		panic("spray: more than four billion events in one of the calendars")
	}
	s.slots = append(s.slots, slot[V]{stamp: 1})
	s.free = uint32(len(s.slots))
}

// vacate frees a slot and returns the value that was there.
func (s *sheet[V]) vacate(place uint32) V {
	q := &s.slots[place]
	v := q.value
	var none V
	q.value = none
	q.stamp++
	if q.stamp != retired {
		q.next = s.free
		s.free = place + 1
	}
	s.live--
	return v
}

// take removes the first event, whose key is given.
func (s *sheet[V]) take(key uint64) V {
	v := s.vacate(s.front[s.head].slot)
	s.head++
	s.last = key
	s.dispatched++
	if s.tail-s.head < frontLow || !s.alive(&s.front[s.head]) {
		s.tidy()
	}
	return v
}

// cancel removes an event, if it is there.
func (s *sheet[V]) cancel(place, stamp uint32) bool {
	if int64(place) >= int64(len(s.slots)) || s.slots[place].stamp != stamp {
		return false
	}
	s.vacate(place)
	s.cancelled++
	s.dead++
	if s.live == 0 || s.dead > s.live+sweepLate {
		s.sweep()
	}
	s.tidy()
	return true
}

// tidy sees to it that the first item of the front is alive, if there is any, and that there are some more behind it.
func (s *sheet[V]) tidy() {
	for {
		if s.tail-s.head < frontLow && s.live+s.dead > int(s.tail-s.head) {
			s.refill()
		}
		if s.head == s.tail {
			s.version++
			return
		}
		if s.alive(&s.front[s.head]) {
			return
		}
		s.head++
		s.dead--
	}
}

func (s *sheet[V]) alive(e *item) bool { return s.slots[e.slot].stamp == e.stamp }

// word is the sheet's word: see [desk].
func (s *sheet[V]) word() uint64 {
	if s.live == 0 {
		return empty + s.version
	}
	return s.front[s.head].key
}

// tick counts operations, and tells from time to time what the goroutine should do when it has given the sheet back.
func (s *sheet[V]) tick(p *perch) turn {
	s.operations++
	if s.operations%clockEvery != 0 {
		return goOn
	}
	return s.due(p)
}

// due looks at the time, and at who else is here.
//
//go:noinline
func (s *sheet[V]) due(p *perch) turn {
	waits := s.waits - s.waited
	s.waited = s.waits
	if waits > crowd {
		return leave
	}
	now := time.Since(epoch)
	if now-s.looked < lookAfter {
		return goOn
	}
	alone := s.user == p
	s.looked, s.user = now, p
	if alone {
		return look
	}
	return settle
}

// epoch is when the program began.
var epoch = time.Now()

// after is a key before which about n events lie, or all, if there are fewer; and how many of them that is. If there are no events,
// it is pastAll.
func (s *sheet[V]) after(n int) (key uint64, events int) {
	if s.live == 0 {
		return pastAll, 0
	}
	front := s.front[s.head:s.tail]
	last := len(front) - 1
	if n <= last || s.live+s.dead == len(front) {
		n = min(n, last)
		return front[n].key, n
	}
	// Those behind the front are taken to be as far from one another as those in it.
	high, low := bits.Mul64(front[last].key-front[0].key, uint64(n))
	if high >= uint64(last) {
		return pastAll - 1, n
	}
	ahead, _ := bits.Div64(high, low, uint64(last))
	key, over := bits.Add64(front[0].key, ahead, 0)
	if over != 0 {
		key = pastAll - 1
	}
	return min(key, pastAll-1), n
}

// place puts an item where it belongs.
func (s *sheet[V]) place(e item) {
	for i := range s.tiers {
		if t := &s.tiers[i]; e.key >= t.end {
			t.size++
			// This is push by hand, which saves 2 ns.
			b := &t.bins[e.key>>(t.shift&63)-t.base]
			w := b.tail
			if w%chunkLen == 0 {
				w = s.extend(b)
			}
			s.chunks[w] = e
			b.tail = w + 1
			b.n++
			return
		}
	}
	s.join(e)
}

// join puts an item into the front, behind its equals.
func (s *sheet[V]) join(e item) {
	if s.tail-s.head >= spillAt {
		s.spill()
		s.place(e)
		return
	}
	if s.tail == frontLen {
		s.tail = int32(copy(s.front[:], s.front[s.head:s.tail]))
		s.head = 0
	}
	i := s.tail
	for ; i > s.head && s.front[(i-1)].key > e.key; i-- {
		s.front[i] = s.front[(i - 1)]
	}
	s.front[i] = e
	s.tail++
}

// push appends an item to a bin.
func (s *sheet[V]) push(b *bin, e item) {
	w := b.tail
	if w%chunkLen == 0 {
		w = s.extend(b)
	}
	s.chunks[w] = e
	b.tail = w + 1
	b.n++
}

// extend gives b one more chunk and returns its first place.
//
//go:noinline
func (s *sheet[V]) extend(b *bin) uint32 {
	c := s.spare
	if c != 0 {
		s.spare = s.following(c)
	} else {
		c = s.fresh
		if int(c)*chunkLen >= len(s.chunks) {
			if uint64(len(s.chunks)) == 1<<32 {
				panic("spray: more than four billion events in one of the calendars")
			}
			wider := make([]item, 2*len(s.chunks))
			huge.Advise(wider)
			copy(wider, s.chunks)
			s.chunks = wider
		}
		s.fresh++
	}
	if b.tail == 0 {
		b.head = c
	} else {
		s.chunks[b.last()*chunkLen].key = uint64(c)
	}
	return c*chunkLen + 1
}

// following is the chunk after c, in its bin or among the spare ones.
func (s *sheet[V]) following(c uint32) uint32 { return uint32(s.chunks[c*chunkLen].key) }

// release makes chunk c a spare one and returns the one that followed it.
func (s *sheet[V]) release(c uint32) uint32 {
	link := &s.chunks[c*chunkLen].key
	following := uint32(*link)
	*link = uint64(s.spare)
	s.spare = c
	return following
}

// items returns the items in chunk c of bin b.
func (s *sheet[V]) items(b bin, c uint32) []item {
	es := s.chunks[c*chunkLen+1 : (c+1)*chunkLen]
	if c == b.last() {
		es = es[:(b.tail-1)%chunkLen]
	}
	return es
}

// ahead asks for the chunk after c and returns it, unless c is the last.
func (s *sheet[V]) ahead(c, last uint32) uint32 {
	if c == last {
		return c
	}
	c = s.following(c)
	prefetch.Lines(unsafe.Pointer(&s.chunks[c*chunkLen]), chunkLen*int(unsafe.Sizeof(item{}))/64)
	return c
}

// stats is what the sheet has done and holds.
func (s *sheet[V]) stats() CalendarStats {
	t := CalendarStats{
		Pending:    s.live,
		Dead:       s.dead,
		Scheduled:  uint64(s.live) + s.dispatched + s.cancelled,
		Dispatched: s.dispatched,
		Cancelled:  s.cancelled,
		Late:       s.late,
		Helped:     s.helped,
		Waits:      s.waits,
		Moved:      s.moved,
		Bytes: int(unsafe.Sizeof(*s)) + cap(s.slots)*int(unsafe.Sizeof(slot[V]{})) + cap(s.chunks)*int(unsafe.Sizeof(item{})) +
			cap(s.tiers)*int(unsafe.Sizeof(tier{})),
	}
	for _, l := range s.tiers[:cap(s.tiers)] {
		t.Bytes += cap(l.bins) * int(unsafe.Sizeof(bin{}))
	}
	return t
}
