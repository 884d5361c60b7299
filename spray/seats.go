package spray

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
)

// Every operation takes a seat, which it has to itself until it is done. A seat holds what an operation needs: random numbers,
// nodes to use, nodes to be used again, and the epoch in which it began.
//
// Reclamation is by epochs [Fraser04]. A node that has been unlinked everywhere is put aside with the number of the current
// epoch. The epoch advances only when every seat that is taken has seen it. So when it has advanced twice, every operation that
// might have found the node is over, and the node can be used again.
//
// An operation that is descheduled holds up the epoch, and so nodes that could be used again, but nobody's work.
//
// [Fraser04]: https://www.cl.cam.ac.uk/techreports/UCAM-CL-TR-579.html
type seat struct {
	// word is count<<epochBits | epoch. The epoch is the one in which the operation that has the seat began, and 0 if nobody has
	// it; the count is of elements inserted less removed from this seat, and only the sum over all seats means something. They are one
	// word because every atomic store takes its time.
	word   atomic.Uint64
	count  int64 // while it is taken
	random random.Stream
	free   []uint32          // nodes to use
	aside  [3][]uint32       // nodes that were put aside in an epoch, at the epoch modulo 3
	since  [3]uint64         // which epoch that was
	preds  [maxHeight]uint32 // where a search came by, level by level
	succs  [maxHeight]uint32 // and what comes after

	operations int // made from this seat
	removals   int // that were sprayed
	dirt       int // removals since it last swept
	gaps       int // the logarithms of gaps that survey has seen, summed
	surveys    int // how many
	deleted    int // by handle, since a full sweep
	stats      Stats
	_          [64]byte
}

const (
	epochBits = 24
	epochMask = 1<<epochBits - 1
)

// seats are all seats of a list.
type seats struct {
	epoch atomic.Uint64
	all   atomic.Pointer[[]*seat]
	seed  uint64
}

// firstSeats is so many that goroutines which run at once rarely want the same; more are made when goroutines that were descheduled in the
// middle of an operation have taken them all.
func firstSeats() int { return 1 << bits.Len(uint(16*runtime.GOMAXPROCS(0)-1)) }

func (s *seats) init(seed uint64) {
	s.seed = seed
	s.epoch.Store(3) // so that the first epochs have predecessors
	s.extend(nil, firstSeats())
}

// extend adds seats to those there are, unless somebody else just did.
func (s *seats) extend(old *[]*seat, more int) {
	var all []*seat
	if old != nil {
		all = append(all, *old...)
	}
	for range more {
		all = append(all, &seat{random: random.New(s.seed, uint64(len(all)))})
	}
	s.all.CompareAndSwap(old, &all)
}

// take takes a seat. A goroutine finds the one it had before, and what that has in the cache, by where its stack lies.
func (s *seats) take() *seat {
	var here byte
	place := uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15 >> 32
	for {
		list := s.all.Load()
		all := *list
		n := uint64(len(all)) // a power of two
		for i := range n {
			if seat := all[(place+i)&(n-1)]; s.sit(seat) {
				return seat
			}
		}
		s.extend(list, len(all))
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

// rest is how many operations are made from a seat before the goroutine lets others run. One that runs for 10 ms is descheduled wherever it
// is; in the middle of an operation that would hold up the epoch.
const rest = 4096

// leave gives a seat back.
func (seat *seat) leave() {
	seat.operations++
	tired := seat.operations%rest == 0
	seat.word.Store(uint64(seat.count << epochBits))
	if tired {
		runtime.Gosched()
	}
}

// advance moves the epoch on if every operation under way has seen it.
func (s *seats) advance() {
	epoch := s.epoch.Load()
	for _, seat := range *s.all.Load() {
		if shown := seat.word.Load() & epochMask; shown != 0 && shown != mark(epoch) {
			return
		}
	}
	s.epoch.CompareAndSwap(epoch, epoch+1)
}

// elements is the sum of the counts.
func (s *seats) elements() int {
	sum := int64(0)
	for _, seat := range *s.all.Load() {
		sum += int64(seat.word.Load()) >> epochBits
	}
	return int(max(sum, 0))
}

// paused, in tests, lets others run between two steps of an operation, where they would otherwise rarely come.
var paused func()

func pause() {
	if paused != nil {
		paused()
	}
}
