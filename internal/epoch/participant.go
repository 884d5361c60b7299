package epoch

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Participant is what an operation has to itself between Enter and Leave: the epoch that it shows
// to others, nodes to use, nodes that it retired, and what the structure wants to keep for the next
// operation of the same goroutine.
//
// Participants are made when they are wanted, so that a structure that few goroutines use has few
// of them to look through.
type Participant[T any] struct {
	slot

	Frees  int // how many nodes of Free there are
	bagged int // how many nodes of bag there are
	Free   [Batch]uint32
	bag    [Batch]uint32 // retired nodes

	Local T // what the structure keeps here

	operations int
	Counts     [Counters]uint64 // statistics of the structure
	published  [Counters]atomic.Uint64
	_          [64]byte
}

// A slot is the part of a participant that others look at. It is a type of its own because the
// compiler inlines its methods, which it does not where they are of a generic type.
type slot struct {
	// word is count<<epochBits | epoch. The epoch is the one in which the operation began, and 0
	// outside; the count is Count at the end of the last operation. They are one word because every
	// atomic store takes its time.
	word atomic.Uint64

	// Count is the number of elements inserted less removed here. Only the sum over all participants
	// means something.
	Count int64
}

const (
	// Batch is the number of nodes of a bundle.
	Batch = 32
	// Counters is the number of statistics of a participant.
	Counters = 10

	epochBits = 24
	epochMask = 1<<epochBits - 1

	// yieldEvery is the number of operations after which a goroutine lets others run. A goroutine
	// that runs for 10 ms is descheduled wherever it is; in the middle of an operation that would
	// hold up the epoch.
	yieldEvery = 4096
	// countEvery is the number of operations after which the statistics are published.
	countEvery = 256

	// golden is 2⁶⁴ over the golden ratio: multiplying by it scatters the high bits.
	golden = 0x9e3779b97f4a7c15
)

// A Domain is the epoch that some operations share, with its participants and the nodes that wait
// to be used again. It must be initialised by Init.
type Domain[T any] struct {
	epoch  atomic.Uint64
	_      [56]byte                                         // what follows hardly ever changes
	places atomic.Pointer[[]atomic.Pointer[Participant[T]]] // a power of two of them; nil where none was wanted yet
	all    atomic.Pointer[[]*Participant[T]]
	adding sync.Mutex
	local  func(n int) T

	reclaimed func(nodes *[Batch]uint32)

	bundles Arena[bundle]
	fresh   atomic.Uint32 // the last bundle that was ever made
	limbo   [4]Stack      // bundles retired in an epoch, at the epoch modulo 4
	retired atomic.Int32  // how many there are
	free    Stack         // bundles of nodes to use
	blank   Stack         // bundles of no nodes
}

// Init makes a domain ready. local makes what the structure keeps with participant n. reclaimed, if
// it is not nil, is called with nodes that have become free, before they can be used again.
func (d *Domain[T]) Init(local func(n int) T, reclaimed func(nodes *[Batch]uint32)) {
	d.local, d.reclaimed = local, reclaimed
	d.epoch.Store(3) // so that the first epochs have predecessors
	places := make([]atomic.Pointer[Participant[T]], firstPlaces())
	d.places.Store(&places)
	d.all.Store(new([]*Participant[T]))
}

// firstPlaces is so many that goroutines that run at once rarely want the same. There are more when
// goroutines that were descheduled in the middle of an operation have taken them all.
func firstPlaces() int { return 1 << bits.Len(uint(16*runtime.GOMAXPROCS(0)-1)) }

// add makes the participant of a place, unless another goroutine just did or there are other places
// now.
func (d *Domain[T]) add(places *[]atomic.Pointer[Participant[T]], i uint64) *Participant[T] {
	d.adding.Lock()
	defer d.adding.Unlock()
	place := &(*places)[i]
	if place.Load() == nil && d.places.Load() == places {
		all := *d.all.Load()
		made := &Participant[T]{Local: d.local(len(all))}
		all = append(all, made) // others look only at those that were there
		d.all.Store(&all)
		place.Store(made)
	}
	return place.Load()
}

// extend doubles the places, unless another goroutine just did.
func (d *Domain[T]) extend(old *[]atomic.Pointer[Participant[T]]) {
	d.adding.Lock()
	defer d.adding.Unlock()
	if d.places.Load() == old {
		places := make([]atomic.Pointer[Participant[T]], 2*len(*old))
		for i := range *old {
			places[i].Store((*old)[i].Load())
		}
		d.places.Store(&places)
	}
}

// Enter begins an operation. A goroutine finds the participant it had before, and what that has in
// the cache, by where its stack lies.
func (d *Domain[T]) Enter() *Participant[T] {
	var here byte
	place := uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32
	for {
		places := d.places.Load()
		n := uint64(len(*places))
		for i := range n {
			at := (place + i) & (n - 1)
			p := (*places)[at].Load()
			if p == nil {
				p = d.add(places, at)
			}
			if p != nil && p.enter(&d.epoch) {
				return p
			}
		}
		d.extend(places)
	}
}

// TryEnter begins an operation as a given participant, if no other goroutine has it.
func (d *Domain[T]) TryEnter(p *Participant[T]) bool { return p.enter(&d.epoch) }

func (s *slot) enter(epoch *atomic.Uint64) bool {
	word := s.word.Load()
	if word&epochMask != 0 {
		return false
	}
	// The epoch may advance before this succeeds, but the operation has not seen anything yet.
	if !s.word.CompareAndSwap(word, word|mark(epoch.Load())) {
		return false
	}
	s.Count = int64(word) >> epochBits
	return true
}

// mark is an epoch as participants show it: never 0. Two epochs that are both shown differ by 1 at
// most.
func mark(epoch uint64) uint64 { return epoch%epochMask + 1 }

// Leave ends the operation.
func (p *Participant[T]) Leave() {
	p.operations++
	yield := false
	if p.operations%countEvery == 0 {
		yield = p.operations%yieldEvery == 0
		for i := range p.Counts {
			p.published[i].Store(p.Counts[i])
		}
	}
	p.word.Store(uint64(p.Count << epochBits))
	if yield {
		runtime.Gosched()
	}
}

// Published returns a count as it was a while ago. Other than Counts it can be read from outside.
func (p *Participant[T]) Published(i int) uint64 { return p.published[i].Load() }

// Participants returns those there are.
func (d *Domain[T]) Participants() []*Participant[T] { return *d.all.Load() }

// Total returns the sum of the counts.
func (d *Domain[T]) Total() int {
	sum := int64(0)
	for _, p := range *d.all.Load() {
		sum += int64(p.word.Load()) >> epochBits
	}
	return int(max(sum, 0))
}
