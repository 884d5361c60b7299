package spray

import (
	"math/bits"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/prefetch"
)

// A queue is one of the calendars of a [Calendar], for one goroutine at a time. It is built as the queue of package calendar is:
// levels of buckets, each of which is opened into finer ones when its time comes, by as many as suit what it then holds, and
// before them all the front, in order. Buckets are ranges of the bits of a time. So it needs no tuning, and an event is moved two or
// three times, whatever the times are.
//
//	level 0   |- negative times -|------------- all other times --------------|
//	                             ▲ open: its events went to level 1
//	level 1                       |....|....|....|....|....|....|....|  end of level 0
//	                                    ▲ open
//	level 2                              |.|.|.|.|.|.|.|  end of level 1
//	                                        ▲ open
//	front                                   [in order]  end of level 2
//
// It is not that queue because several of them share a processor's cache: buckets are fewer, at most 1,024 on a level rather than
// 8,192, and their chunks half as long, so that ten thousand events take half a megabyte and not four; because there is no clock,
// so that events can come that are earlier than all that have been taken; and because an event needs its value and its stamp, and
// these lie together, where with ids of a queue they would be in two places, and each of them be waited for.
type queue[V any] struct {
	_ [64]byte // so that neighbours are not in the same lines

	// The front: what is due first, in order, at head … tail−1. If there is any event, the first of these is alive.
	head, tail int32
	toPublish     int32  // events to take before others are told: see tell
	toChoose     int32  // events to take before looking at others: see consider
	other      uint32 // shard that was looked at last: see consider
	watched    uint32 // shard that an eye is on: see stalled
	idle       uint32 // how many looks there found nothing new
	seen       uint64 // what was told there
	operations uint32 // for tick
	live, dead int
	free       uint32 // first free slot plus one, 0 if there is none
	spare      uint32 // first free chunk, 0 if there is none
	fresh      uint32 // chunks from here on were never used
	slots      []slot[V]
	chunks     []entry // chunk after chunk; the first is not used, and its number stands for none
	levels      []level

	inspected     time.Duration // when one who used it last looked at the time
	user       *affinity        // who that was
	waited     uint64        // waits before
	last       uint64        // key of the last event taken
	version    uint64        // how often it has become empty
	dispatched uint64
	cancelled  uint64
	late       uint64
	helped     uint64
	waits      uint64
	moved      uint64

	near  [nearLen]entry
	loaded [32]entry // of use to load

	_ [64]byte
}

// A slot holds the value of one event after the other. Each has its own stamp, so that the names of others, and entries that
// stand for others, are known to be stale.
type slot[V any] struct {
	stamp uint32 // of the event that is here, or of the next one; none has 0
	next  uint32 // while free: the next free slot plus one
	value V
}

// An entry is an event as it lies in a bucket. It is alive while its slot has its stamp.
type entry struct {
	key         uint64
	slot, stamp uint32
}

// A bucket is a bucket: entries in the order in which they came. Its zero value is empty.
//
// Items lie in chunks of consecutive places, of which the first tells the chunk that follows. The place that the next entry would
// take is tail; where that is the first of a chunk, the last chunk is full, or, at 0, there is none.
type bucket struct {
	head uint32 // first chunk
	tail uint32 // place after the last entry, 0 when empty
	n    uint32 // entries
}

// last is the last chunk of a bucket that is not empty.
func (b bucket) last() uint32 { return (b.tail - 1) / chunkSlots }

// A level is a level of buckets. Keys that are equal after a shift are in the same.
type level struct {
	end     uint64 // keys below are in the levels below, or in the front
	base    uint64 // a key k is in bucket k>>shift − base
	shift   uint8
	guessed bool   // made without a look at the entries: see divide
	open    uint32 // the buckets before this one are empty
	count   uint32 // how many buckets there are
	held    int    // how many entries are in them
	coarse  uint64 // beyond this key, that of 1½ times the time it was made for, its buckets are too long: see collapse
	size    int    // how many it was made for
	through int    // how many have left it
	buckets    []bucket  // room for at least count
}

const (
	chunkSlots  = 16 // places: 256 bytes
	loadMax  = 2 * (chunkSlots - 1)
	nearLow  = 16 // entries in the front, below which more are brought there
	nearMax   = 64 // entries in the front that are too many
	nearLen  = 96
	perBucket    = 6    // entries that a bucket should have when it is opened
	maxBuckets  = 1024 // of a level
	deadSlack = 1024 // by how many dead entries may outnumber the others before they are swept out

	pastAll = ^uint64(0) // above all keys

	// retired is the stamp at which a slot is not used any more, so that stamps never repeat.
	retired = ^uint32(0)
)

func newQueue[V any](room int) *queue[V] {
	q := &queue[V]{fresh: 1, chunks: make([]entry, 2*chunkSlots), slots: make([]slot[V], 0, room)}
	if room > 0 {
		// Chunks are not all full.
		q.chunks = make([]entry, 1<<bits.Len(uint(room+room/4)))
		huge.Advise(q.chunks)
		huge.Advise(q.slots)
	}
	q.levels = append(make([]level, 0, 4), level{shift: 63, count: 2, buckets: make([]bucket, 2)})
	return q
}

// occupy puts an event into a slot.
func (q *queue[V]) occupy(key uint64, v V) entry {
	if q.free == 0 {
		q.enlarge()
	}
	place := q.free - 1
	held := &q.slots[place]
	q.free = held.next
	held.value = v
	q.live++
	return entry{key, place, held.stamp}
}

// begin puts the entry of the only event there is to the front. That takes all that is not later, until there are too many.
func (q *queue[V]) begin(e entry) {
	q.near[0], q.head, q.tail = e, 0, 1
	q.levels = q.levels[:1]
	t := &q.levels[0]
	t.end = e.key + 1
	t.open = uint32(t.end >> 63)
}

// enlarge makes a new slot.
//
//go:noinline
func (q *queue[V]) enlarge() {
	if len(q.slots) == cap(q.slots) {
		wider := make([]slot[V], len(q.slots), max(16, 2*len(q.slots)))
		huge.Advise(wider)
		copy(wider, q.slots)
		q.slots = wider
	}
	if uint64(len(q.slots)) == 1<<32-2 {
		panic("spray: more than four billion events in one of the calendars")
	}
	q.slots = append(q.slots, slot[V]{stamp: 1})
	q.free = uint32(len(q.slots))
}

// vacate frees a slot and returns the value that was there.
func (q *queue[V]) vacate(place uint32) V {
	held := &q.slots[place]
	v := held.value
	var none V
	held.value = none
	held.stamp++
	if held.stamp != retired {
		held.next = q.free
		q.free = place + 1
	}
	q.live--
	return v
}

// take removes the first event, whose key is given.
func (q *queue[V]) take(key uint64) V {
	v := q.vacate(q.near[q.head].slot)
	q.head++
	q.last = key
	q.dispatched++
	if q.tail-q.head < nearLow || !q.alive(&q.near[q.head]) {
		q.tidy()
	}
	return v
}

// cancel removes an event, if it is there.
func (q *queue[V]) cancel(place, stamp uint32) bool {
	if int64(place) >= int64(len(q.slots)) || q.slots[place].stamp != stamp {
		return false
	}
	q.vacate(place)
	q.cancelled++
	q.dead++
	if q.live == 0 || q.dead > q.live+deadSlack {
		q.sweep()
	}
	q.tidy()
	return true
}

// tidy sees to it that the first entry of the front is alive, if there is any, and that there are some more behind it.
func (q *queue[V]) tidy() {
	for {
		if q.tail-q.head < nearLow && q.live+q.dead > int(q.tail-q.head) {
			q.refill()
		}
		if q.head == q.tail {
			q.version++
			return
		}
		if q.alive(&q.near[q.head]) {
			return
		}
		q.head++
		q.dead--
	}
}

func (q *queue[V]) alive(e *entry) bool { return q.slots[e.slot].stamp == e.stamp }

// top is the queue's top: see [shard].
func (q *queue[V]) top() uint64 {
	if q.live == 0 {
		return empty + q.version
	}
	return q.near[q.head].key
}

// tick counts operations, and tells from time to time what the goroutine should do when it has given the queue back.
func (q *queue[V]) tick(p *affinity) turn {
	q.operations++
	if q.operations%clockEvery != 0 {
		return proceed
	}
	return q.inspect(p)
}

// due looks at the time, and at who else is here.
//
//go:noinline
func (q *queue[V]) inspect(p *affinity) turn {
	waits := q.waits - q.waited
	q.waited = q.waits
	if waits > crowd {
		return evade
	}
	now := time.Since(epoch)
	if now-q.inspected < yieldAfter {
		return proceed
	}
	alone := q.user == p
	q.inspected, q.user = now, p
	if alone {
		return yield
	}
	return rehome
}

// epoch is when the program began.
var epoch = time.Now()

// after is a key before which about n events lie, or all, if there are fewer; and how many of them that is. If there are no events,
// it is pastAll.
func (q *queue[V]) after(n int) (key uint64, events int) {
	if q.live == 0 {
		return pastAll, 0
	}
	near := q.near[q.head:q.tail]
	last := len(near) - 1
	if n <= last || q.live+q.dead == len(near) {
		n = min(n, last)
		return near[n].key, n
	}
	// Those behind the front are taken to be as far from one another as those in it.
	high, low := bits.Mul64(near[last].key-near[0].key, uint64(n))
	if high >= uint64(last) {
		return pastAll - 1, n
	}
	ahead, _ := bits.Div64(high, low, uint64(last))
	key, over := bits.Add64(near[0].key, ahead, 0)
	if over != 0 {
		key = pastAll - 1
	}
	return min(key, pastAll-1), n
}

// place puts an entry where it belongs.
func (q *queue[V]) place(e entry) {
	for i := range q.levels {
		if t := &q.levels[i]; e.key >= t.end {
			t.held++
			// This is push by hand, which saves 2 ns.
			b := &t.buckets[e.key>>(t.shift&63)-t.base]
			w := b.tail
			if w%chunkSlots == 0 {
				w = q.extend(b)
			}
			q.chunks[w] = e
			b.tail = w + 1
			b.n++
			return
		}
	}
	q.insertNear(e)
}

// join puts an entry into the front, behind its equals.
func (q *queue[V]) insertNear(e entry) {
	if q.tail-q.head >= nearMax {
		q.spill()
		q.place(e)
		return
	}
	if q.tail == nearLen {
		q.tail = int32(copy(q.near[:], q.near[q.head:q.tail]))
		q.head = 0
	}
	i := q.tail
	for ; i > q.head && q.near[(i-1)].key > e.key; i-- {
		q.near[i] = q.near[(i - 1)]
	}
	q.near[i] = e
	q.tail++
}

// push appends an entry to a bucket.
func (q *queue[V]) push(b *bucket, e entry) {
	w := b.tail
	if w%chunkSlots == 0 {
		w = q.extend(b)
	}
	q.chunks[w] = e
	b.tail = w + 1
	b.n++
}

// extend gives b one more chunk and returns its first place.
//
//go:noinline
func (q *queue[V]) extend(b *bucket) uint32 {
	c := q.spare
	if c != 0 {
		q.spare = q.next(c)
	} else {
		c = q.fresh
		if int(c)*chunkSlots >= len(q.chunks) {
			if uint64(len(q.chunks)) == 1<<32 {
				panic("spray: more than four billion events in one of the calendars")
			}
			wider := make([]entry, 2*len(q.chunks))
			huge.Advise(wider)
			copy(wider, q.chunks)
			q.chunks = wider
		}
		q.fresh++
	}
	if b.tail == 0 {
		b.head = c
	} else {
		q.chunks[b.last()*chunkSlots].key = uint64(c)
	}
	return c*chunkSlots + 1
}

// following is the chunk after c, in its bucket or among the spare ones.
func (q *queue[V]) next(c uint32) uint32 { return uint32(q.chunks[c*chunkSlots].key) }

// release makes chunk c a spare one and returns the one that followed it.
func (q *queue[V]) release(c uint32) uint32 {
	link := &q.chunks[c*chunkSlots].key
	next := uint32(*link)
	*link = uint64(q.spare)
	q.spare = c
	return next
}

// entries returns the entries in chunk c of bucket b.
func (q *queue[V]) entries(b bucket, c uint32) []entry {
	es := q.chunks[c*chunkSlots+1 : (c+1)*chunkSlots]
	if c == b.last() {
		es = es[:(b.tail-1)%chunkSlots]
	}
	return es
}

// ahead asks for the chunk after c and returns it, unless c is the last.
func (q *queue[V]) ahead(c, last uint32) uint32 {
	if c == last {
		return c
	}
	c = q.next(c)
	prefetch.Lines(unsafe.Pointer(&q.chunks[c*chunkSlots]), chunkSlots*int(unsafe.Sizeof(entry{}))/64)
	return c
}

// stats is what the queue has done and holds.
func (q *queue[V]) stats() CalendarStats {
	t := CalendarStats{
		Pending:    q.live,
		Dead:       q.dead,
		Scheduled:  uint64(q.live) + q.dispatched + q.cancelled,
		Dispatched: q.dispatched,
		Cancelled:  q.cancelled,
		Late:       q.late,
		Helped:     q.helped,
		Waits:      q.waits,
		Moved:      q.moved,
		Bytes: int(unsafe.Sizeof(*q)) + cap(q.slots)*int(unsafe.Sizeof(slot[V]{})) + cap(q.chunks)*int(unsafe.Sizeof(entry{})) +
			cap(q.levels)*int(unsafe.Sizeof(level{})),
	}
	for _, l := range q.levels[:cap(q.levels)] {
		t.Bytes += cap(l.buckets) * int(unsafe.Sizeof(bucket{}))
	}
	return t
}
