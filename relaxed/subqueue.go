package relaxed

import (
	"math/bits"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// A subqueue is one of the calendar queues of a [Queue], for one goroutine at a time. It is built
// as calendar.Queue is: levels of buckets, each of which is opened into finer ones when its time
// comes, by as many as suit what it then holds, and before them all the bottom, in order. Buckets
// are ranges of the bits of a time. So it needs no tuning, and an event is moved two or three
// times, whatever the times are.
//
//	level 0   |- negative times -|------------- all other times --------------|
//	                              ▲ open: its events went to level 1
//	level 1                       |....|....|....|....|....|....|....|  end of level 0
//	                                     ▲ open
//	level 2                              |.|.|.|.|.|.|.|  end of level 1
//	                                         ▲ open
//	bottom                                   [in order]  end of level 2
//
// It is not that queue because several of them share a processor's cache: buckets are fewer, at
// most 1,024 on a level rather than 8,192, and their chunks half as long, so that ten thousand
// events take half a megabyte and not four; because there is no clock, so that events can come that
// are earlier than all that have been taken; and because an event needs its value and its version,
// and these lie together, where with ids of a queue they would be in two places, and each of them
// be waited for.
type subqueue[V any] struct {
	_ [64]byte // so that neighbours are not in the same lines

	// The bottom: what is due first, in order, at head … tail−1. If there is any event, the first
	// of these is current.
	head, tail  int32
	toPublish   int32  // events to take before the horizon is published
	toChoose    int32  // events to take before choosing anew
	other       uint32 // shard that was read last: see choose
	watched     uint32 // shard that is watched: see stalled
	idle        uint32 // how many looks there found nothing new
	seen        uint64 // what was published there
	operations  uint32 // for tick
	live, stale int
	free        uint32 // first free slot plus one, 0 if there is none
	spare       uint32 // first free chunk, 0 if there is none
	fresh       uint32 // chunks from here on were never used
	slots       []slot[V]
	chunks      []entry // chunk after chunk; the first is not used, and its number stands for none
	levels      []level
	nested      []*level // the levels of buckets that are divided before their time: see nest.go
	unused      uint32   // first of these that is not in use plus one, 0 if there is none

	// As the constants say, but in tests: less, so that all that is done with many entries is done
	// with few.
	maxInBucket, maxInFirst, refined uint32
	slack                            int

	// the chunk that was prefetched last, and how many are yet to be: see startPrefetch
	prefetching struct{ chunk, left uint32 }

	pace  float64  // events in a unit of time
	paced struct { // when that was found out: see notePace
		at         float64
		dispatched uint64
	}

	inspected  time.Duration // when the time was last read here
	user       *affinity     // by which goroutine
	waited     uint64        // waits before
	last       uint64        // key of the last event taken
	emptied    uint64        // how often it has become empty
	dispatched uint64
	cancelled  uint64
	late       uint64
	helped     uint64
	waits      uint64
	moved      uint64

	bottom [bottomLen]entry
	loaded [32]entry // scratch of load

	_ [64]byte
}

// A slot holds the value of one event after the other. Each has its own version, so that handles
// and entries of others are known to be stale.
type slot[V any] struct {
	version uint32 // of the event that is here, or of the next one; none has 0
	next    uint32 // while free: the next free slot plus one
	value   V
}

const (
	chunkSlots = 16 // places: 256 bytes
	loadMax    = 2 * (chunkSlots - 1)
	bottomLow  = 16 // entries of the bottom, below which more are brought there
	bottomMax  = 64 // entries of the bottom that are too many
	bottomLen  = 96
	perBucket  = 6    // entries that a bucket should have when it is opened
	maxBuckets = 1024 // of a level
	staleSlack = 1024 // by how many stale entries may outnumber the others before they are swept

	pastAll = timekey.PastAll

	// retired is the version at which a slot is not used any more, so that versions never repeat.
	retired = ^uint32(0)
)

func newSubqueue[V any](capacity int) *subqueue[V] {
	q := &subqueue[V]{
		fresh: 1, chunks: make([]entry, 2*chunkSlots),
		maxInBucket: maxInBucket, maxInFirst: maxInFirst, refined: refined, slack: staleSlack,
	}
	if capacity > 0 {
		slots, entries := roomFor(capacity)
		q.slots = make([]slot[V], 0, slots)
		q.chunks = make([]entry, entries)
		cpu.AdviseHuge(q.chunks)
		cpu.AdviseHuge(q.slots)
	}
	q.levels = append(make([]level, 0, 4), level{shift: 63, count: 2, buckets: make([]bucket, 2)})
	return q
}

// roomFor is how long the arrays of a queue are that has room for so many events.
//
// Of several queues one gets a little more than the others. Chunks are not all full, and of a
// bucket's the last is half so.
func roomFor(capacity int) (slots, entries int) {
	capacity += capacity/16 + 1
	return capacity, 1 << bits.Len(uint(capacity+capacity/4+min(capacity, maxBuckets)*chunkSlots/2))
}

// subqueueBytes is about how much memory a queue takes that is made with a capacity.
func subqueueBytes[V any](capacity int) int {
	slots, entries := roomFor(capacity)
	return int(unsafe.Sizeof(subqueue[V]{})) + slots*int(unsafe.Sizeof(slot[V]{})) + entries*int(unsafe.Sizeof(entry{}))
}

// bytesPerEvent is about how much memory a capacity of many events takes for each: the length of
// the array of entries is a power of two, and so between 1.3 and 2.7 times as many.
func bytesPerEvent[V any]() int {
	return 2 * int(unsafe.Sizeof(slot[V]{})+unsafe.Sizeof(entry{}))
}

// occupy puts an event into a slot.
func (q *subqueue[V]) occupy(key uint64, v V) entry {
	if q.free == 0 {
		q.enlarge()
	}
	place := q.free - 1
	held := &q.slots[place]
	q.free = held.next
	held.value = v
	q.live++
	return entry{Key: key, ID: place, Version: held.version}
}

// begin puts the entry of the only event there is at the bottom. That takes all that is not later,
// until there are too many.
func (q *subqueue[V]) begin(e entry) {
	q.bottom[0], q.head, q.tail = e, 0, 1
	q.levels = q.levels[:1]
	l := &q.levels[0]
	l.end = e.Key + 1
	l.open = uint32(l.end >> 63)
}

// enlarge makes a new slot.
//
//go:noinline
func (q *subqueue[V]) enlarge() {
	if len(q.slots) == cap(q.slots) {
		q.slots = double(q.slots)[:len(q.slots)]
	}
	if uint64(len(q.slots)) == 1<<32-2 {
		panic("relaxed: more than four billion events in one of the queues")
	}
	q.slots = append(q.slots, slot[V]{version: 1})
	q.free = uint32(len(q.slots))
}

// double copies an array into one that is twice as long, and at least 16.
func double[T any](array []T) []T {
	wider := make([]T, max(16, 2*len(array)))
	cpu.AdviseHuge(wider)
	copy(wider, array)
	return wider
}

// vacate frees a slot and returns the value that was there.
func (q *subqueue[V]) vacate(place uint32) V {
	held := &q.slots[place]
	v := held.value
	var none V
	held.value = none
	held.version++
	if held.version != retired {
		held.next = q.free
		q.free = place + 1
	}
	q.live--
	return v
}

// take removes the first event, whose key is given.
func (q *subqueue[V]) take(key uint64) V {
	v := q.vacate(q.bottom[q.head].ID)
	q.head++
	q.last = key
	q.dispatched++
	if q.tail-q.head < bottomLow || q.stale > 0 && !q.isCurrent(&q.bottom[q.head]) {
		q.advanceBottom()
	}
	return v
}

// cancel removes an event, if it is there.
func (q *subqueue[V]) cancel(place, version uint32) bool {
	if int64(place) >= int64(len(q.slots)) || q.slots[place].version != version {
		return false
	}
	q.vacate(place)
	q.cancelled++
	q.stale++
	if q.live == 0 || q.stale > q.live+q.slack {
		q.sweep()
	}
	q.advanceBottom()
	return true
}

// advanceBottom makes sure that the first entry of the bottom is current, if there is any event,
// and that there are some more behind it.
func (q *subqueue[V]) advanceBottom() {
	for {
		if q.tail-q.head < bottomLow && q.live+q.stale > int(q.tail-q.head) {
			q.refill()
		}
		if q.head == q.tail {
			q.emptied++
			return
		}
		if q.isCurrent(&q.bottom[q.head]) {
			return
		}
		q.head++
		q.stale--
	}
}

func (q *subqueue[V]) isCurrent(e *entry) bool { return q.slots[e.ID].version == e.Version }

// top is the queue's top: see [shard].
func (q *subqueue[V]) top() uint64 {
	if q.live == 0 {
		return empty + q.emptied
	}
	return q.bottom[q.head].Key
}
