package spray

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/epoch"
	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/random"
)

// Nodes are used again by epochs: see package internal/epoch. Every operation is made as a participant, which it has to itself until it is
// done.
type participant = epoch.Participant[local]

// local is what a list keeps with a participant.
type local struct {
	random random.Stream
	near   [inline]uint32    // level by level, what a signpost names before the place
	preds  [maxHeight]uint32 // where a search came by, level by level
	succs  [maxHeight]uint32 // and what comes after

	scouted  uint64 // the bucket whose elements have been asked for
	removals int    // that were sprayed
	dirt     int    // removals since it last swept
	survey   survey // of gaps
	visited  int    // nodes that searches and sweeps came by
}

// obtain takes a seat, and a node that nobody uses.
func (l *List[K, V]) obtain() (*participant, uint32) {
	p := l.epochs.Enter()
	for {
		if p.Frees == 0 && !l.supply(p, false) {
			p = l.await(p)
		}
		p.Frees--
		i := p.Free[p.Frees&(epoch.Batch-1)]
		if p.Frees > 0 { // the next one, which was last used long ago
			prefetch.Own(unsafe.Pointer(l.nodes.At(p.Free[(p.Frees-1)&(epoch.Batch-1)])))
		}
		if n := l.nodes.At(i); stampOf(n.state.Load()) != 1<<32-1 { // one whose stamps are used up rests for ever
			return p, i
		}
	}
}

// supply gets nodes for a seat. It takes new ones from the arena if there are none to be used again, unless there are many more already than there are
// elements; but if need be it does.
func (l *List[K, V]) supply(p *participant, need bool) bool {
	if l.epochs.Refill(p) {
		return true
	}
	for {
		old := l.fresh.Load() // if it changes meanwhile, the ration may be used up
		if !need && int(old) > l.ration() {
			return false
		}
		if old >= frozen-epoch.Batch-1 {
			panic("spray: a list cannot have more than 2³¹ elements")
		}
		for i := range uint32(epoch.Batch) {
			l.nodes.Ensure(old + 1 + i)
			p.Free[epoch.Batch-1-i] = old + 1 + i
		}
		if l.fresh.CompareAndSwap(old, old+epoch.Batch) {
			p.Frees = epoch.Batch
			return true
		}
	}
}

// ration is how many nodes there may be: twice as many as elements, what seats have for themselves, twice, and as many more as some goroutines remove
// in a few milliseconds, for which the others can go on while one is halted.
//
// Elements are counted twice: one who is halted while it counts may have missed that they went here, and see that they came there.
func (l *List[K, V]) ration() int {
	return 2*min(l.epochs.Total(), l.epochs.Total()) + 4*epoch.Batch*len(l.epochs.Participants()) + slack
}

const (
	slack = 4096
	// patient is how often one looks who waits: for 250 ms, and longer where many wait for a processor.
	patient = 256
)

// await is for one who needs a node when there are enough, but most are put aside because somebody has been halted in the middle of
// an operation, or dead and still linked. It helps: it lets those run who are halted, or sweeps ever further. That is soon over:
// operations are short, and a goroutine that does not run is let run if others wait. But should one of them not be, insertions go on all the same,
// only slowly.
func (l *List[K, V]) await(p *participant) *participant {
	p.Counts[waits]++
	nap := 50 * time.Microsecond
	for try := 0; ; try++ {
		if int(l.fresh.Load())-l.epochs.Retired() > l.ration() {
			l.sweep(p, min(try, 24))
		}
		p.Leave()
		if try < 8 {
			runtime.Gosched()
		} else {
			time.Sleep(nap) // there may be more threads than processors
			nap = min(2*nap, time.Millisecond)
		}
		p = l.epochs.Enter()
		if p.Frees > 0 || l.supply(p, try >= patient) {
			return p
		}
	}
}

// forget has free nodes let go of what their keys point to. (Values were let go when they were removed.)
func (l *List[K, V]) forget(nodes *[epoch.Batch]uint32) {
	var key K
	for _, i := range nodes {
		l.nodes.At(i).key = key
	}
}
