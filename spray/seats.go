package spray

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
)

// Every operation takes a seat, which it has to itself until it is done. A seat holds what an operation needs: random numbers,
// nodes to use, nodes to be used again, and the epoch in which it began.
//
// Seats are made when they are wanted, so that a list that few goroutines use has few of them to look through.
type seat struct {
	// word is count<<epochBits | epoch. The epoch is the one in which the operation that has the seat began, and 0 if nobody has
	// it; the count is of elements inserted less removed from this seat, and only the sum over all seats means something. They are one
	// word because every atomic store takes its time.
	word   atomic.Uint64
	count  int64 // while it is taken
	random random.Stream
	frees  int               // how many nodes of free there are
	bagged int               // and of bag
	free   [batch]uint32     // nodes to use
	bag    [batch]uint32     // nodes that were unlinked
	near   [inline]uint32    // level by level, what a signpost names before the place
	preds  [maxHeight]uint32 // where a search came by, level by level
	succs  [maxHeight]uint32 // and what comes after

	scouted    uint64 // the bucket whose elements have been asked for
	operations int    // made from this seat
	removals   int    // that were sprayed
	dirt       int    // removals since it last swept
	survey     survey // of gaps
	visited    int    // nodes that searches and sweeps came by
	stats      counts
	published  [counters]atomic.Uint64 // stats as they were a while ago
	_          [64]byte
}

// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
const golden = 0x9e3779b97f4a7c15

const (
	epochBits = 24
	epochMask = 1<<epochBits - 1
)

// seats are all seats of a list.
type seats struct {
	epoch  atomic.Uint64
	_      [56]byte                               // what follows hardly ever changes
	places atomic.Pointer[[]atomic.Pointer[seat]] // a power of two of them; where there is none, none was wanted yet
	all    atomic.Pointer[[]*seat]                // those there are
	adding sync.Mutex
	seed   uint64
}

// firstSeats is so many that goroutines which run at once rarely want the same; there are more when goroutines that were descheduled in the
// middle of an operation have taken them all.
func firstSeats() int { return 1 << bits.Len(uint(16*runtime.GOMAXPROCS(0)-1)) }

func (s *seats) init(seed uint64) {
	s.seed = seed
	s.epoch.Store(3) // so that the first epochs have predecessors
	places := make([]atomic.Pointer[seat], firstSeats())
	s.places.Store(&places)
	s.all.Store(new([]*seat))
}

// add makes the seat of a place, unless somebody else just did or there are other places now.
func (s *seats) add(places *[]atomic.Pointer[seat], i uint64) *seat {
	s.adding.Lock()
	defer s.adding.Unlock()
	place := &(*places)[i]
	if place.Load() == nil && s.places.Load() == places {
		all := *s.all.Load()
		made := &seat{random: random.New(s.seed, uint64(len(all)))}
		all = append(all, made) // others look only at those that were there
		s.all.Store(&all)
		place.Store(made)
	}
	return place.Load()
}

// extend doubles the places, unless somebody else just did.
func (s *seats) extend(old *[]atomic.Pointer[seat]) {
	s.adding.Lock()
	defer s.adding.Unlock()
	if s.places.Load() == old {
		places := make([]atomic.Pointer[seat], 2*len(*old))
		for i := range *old {
			places[i].Store((*old)[i].Load())
		}
		s.places.Store(&places)
	}
}

// take takes a seat. A goroutine finds the one it had before, and what that has in the cache, by where its stack lies.
func (s *seats) take() *seat {
	var here byte
	place := uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32
	for {
		places := s.places.Load()
		n := uint64(len(*places))
		for i := range n {
			at := (place + i) & (n - 1)
			seat := (*places)[at].Load()
			if seat == nil {
				seat = s.add(places, at)
			}
			if seat != nil && s.sit(seat) {
				return seat
			}
		}
		s.extend(places)
	}
}

// sit takes this seat, if nobody has it.
func (s *seats) sit(seat *seat) bool {
	word := seat.word.Load()
	if word&epochMask != 0 {
		return false
	}
	// The epoch may advance before the seat is taken, but this operation has not seen anything yet.
	if !seat.word.CompareAndSwap(word, word|mark(s.epoch.Load())) {
		return false
	}
	seat.count = int64(word) >> epochBits
	return true
}

// mark is an epoch as seats show it: never 0. Two epochs that are both shown differ by 1 at most.
func mark(epoch uint64) uint64 { return epoch%epochMask + 1 }

const (
	// yieldEvery is how many operations are made from a seat before the goroutine lets others run. One that runs for 10 ms is descheduled
	// wherever it is; in the middle of an operation that would hold up the epoch.
	yieldEvery = 4096
	// countEvery is after how many operations the statistics are where others can read them.
	countEvery = 256
)

// leave gives a seat back.
func (seat *seat) leave() {
	seat.operations++
	yield := false
	if seat.operations%countEvery == 0 {
		yield = seat.operations%yieldEvery == 0
		for i := range seat.stats {
			seat.published[i].Store(seat.stats[i])
		}
	}
	seat.word.Store(uint64(seat.count << epochBits))
	if yield {
		runtime.Gosched()
	}
}

// elements is the sum of the counts.
func (s *seats) elements() int {
	sum := int64(0)
	for _, seat := range *s.all.Load() {
		sum += int64(seat.word.Load()) >> epochBits
	}
	return int(max(sum, 0))
}
