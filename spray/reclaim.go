package spray

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/epoch"
	"github.com/almanac-sim/almanac/internal/random"
)

// A participant is what an operation has to itself until it is done: see package internal/epoch,
// which reclaims nodes.
type participant = epoch.Participant[local]

// local is what a list keeps with a participant.
type local struct {
	random random.Stream
	hinted [inline]uint32    // level by level, what a hint names before the place
	preds  [maxHeight]uint32 // by level: what a search found before the place
	succs  [maxHeight]uint32 // by level: what it found after the place

	prefetched     uint64   // the bucket whose elements were prefetched last
	removals       int      // by Spray
	pendingUnlinks int      // removals since the last sweep
	gaps           gapStats // found by insertions
	visited        int      // nodes that searches and sweeps passed
}

// acquire enters as a participant, and takes a node that is free.
func (l *List[K, V]) acquire() (*participant, uint32) {
	p := l.epochs.Enter()
	for {
		if p.Frees == 0 && !l.refill(p, false) {
			p = l.waitForNodes(p)
		}
		p.Frees--
		i := p.Free[p.Frees&(epoch.Batch-1)]
		if p.Frees > 0 { // the next one, which is not in the cache
			cpu.PrefetchOwn(unsafe.Pointer(l.nodes.At(p.Free[(p.Frees-1)&(epoch.Batch-1)])))
		}
		if n := l.nodes.At(i); versionOf(n.state.Load()) != 1<<32-1 { // a node whose versions are used up is never used again
			return p, i
		}
	}
}

// refill gets nodes for a participant: nodes to be used again, or new ones from the arena as long
// as the quota is not reached, or if they are needed.
func (l *List[K, V]) refill(p *participant, need bool) bool {
	if l.epochs.Refill(p) {
		return true
	}
	for {
		old := l.fresh.Load() // if it changes meanwhile, the quota may be reached
		if !need && int(old) > l.nodeQuota() {
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

// nodeQuota is how many nodes there may be: twice as many as elements, twice what participants
// hold, and as many more as a few goroutines remove in some milliseconds, so that the others can go
// on while one is halted.
//
// Elements are counted twice: a goroutine that is halted while it counts may have missed a removal
// at one participant and seen the insertion at another.
func (l *List[K, V]) nodeQuota() int {
	return 2*min(l.epochs.Total(), l.epochs.Total()) + 4*epoch.Batch*len(l.epochs.Participants()) + quotaSlack
}

const (
	quotaSlack = 4096
	// maxNaps bounds the wait for nodes: 250 ms, and longer where many goroutines wait for a
	// processor.
	maxNaps = 256
)

// waitForNodes waits for reclamation once the node quota is reached. Most nodes are then retired,
// because a goroutine was halted in the middle of an operation, or dead and still linked. So it
// lets halted goroutines run, or sweeps ever further. That is soon over: operations are short, and
// a goroutine that is ready to run gets to run if others wait. Should one not, insertions go on
// after maxNaps naps, only slowly.
func (l *List[K, V]) waitForNodes(p *participant) *participant {
	p.Counts[waits]++
	nap := 50 * time.Microsecond
	for try := 0; ; try++ {
		if int(l.fresh.Load())-l.epochs.Retired() > l.nodeQuota() {
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
		if p.Frees > 0 || l.refill(p, try >= maxNaps) {
			return p
		}
	}
}

// forget clears the keys of free nodes, so that what they point to can be collected. Values were
// cleared when they were removed.
func (l *List[K, V]) forget(nodes *[epoch.Batch]uint32) {
	var key K
	for _, i := range nodes {
		l.nodes.At(i).key = key
	}
}
