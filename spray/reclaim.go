package spray

import (
	"reflect"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/prefetch"
)

// Reclamation is by epochs [Fraser04]. A node that has been unlinked everywhere is put aside with the number of the current
// epoch. The epoch advances only when every seat that is taken has seen it. So when it has advanced twice, every operation that
// might have found the node is over, and the node can be used again.
//
// Nodes go from hand to hand in bundles, so that who inserts can use what others have removed:
//
//	remover's seat: bag ──full──▶ limbo of the epoch ──two epochs later──▶ free ──▶ inserter's seat: free ──▶ list
//	                                                                       arena ──▶
//
// An operation shows in its seat an epoch that is not after the one at its beginning, g. While it lasts, the epoch becomes g+1 at most: for g+2
// everybody who looked at the seats after it became g+1 would have to find it showing that. So a bundle is put into the limbo of e only while the epoch
// is e or e+1. The one who advances the epoch from e+1 to e+2 therefore finds all that was put aside in e there, and takes it; it
// shows e+1 itself, so that nobody advances it any further until it is done. Four limbos are enough: e, e+1, e+2, and what is next.
//
// An operation that is halted in the middle holds up the epoch, and with it the nodes put aside. Others use what is free, and then take nodes from
// the arena, but not without end: see ration.
//
// [Fraser04]: https://www.cl.cam.ac.uk/techreports/UCAM-CL-TR-579.html

// batch is how many nodes a bundle has.
const batch = 32

// A bundle is nodes that go from hand to hand.
type bundle struct {
	next  atomic.Uint32 // bundle below it in a stack
	nodes [batch]uint32
}

// A stack is of numbered things. Its head is a count of changes above the number of the topmost, so that one who has been halted does not take it
// for unchanged when things have gone and come back.
type stack struct {
	head atomic.Uint64
	_    [56]byte
}

// push puts a chain of things on top, of which only the last has to be told what comes next.
func (s *stack) push(first uint32, last *atomic.Uint32) {
	for {
		old := s.head.Load()
		last.Store(uint32(old))
		if s.head.CompareAndSwap(old, (old>>32+1)<<32|uint64(first)) {
			return
		}
	}
}

// pop takes the topmost thing, if there is one.
func (s *stack) pop(next func(uint32) *atomic.Uint32) uint32 {
	for {
		old := s.head.Load()
		i := uint32(old)
		if i == none || s.head.CompareAndSwap(old, (old>>32+1)<<32|uint64(next(i).Load())) {
			return i
		}
	}
}

// clear takes all.
func (s *stack) clear() uint32 {
	for {
		old := s.head.Load()
		if uint32(old) == none || s.head.CompareAndSwap(old, (old>>32+1)<<32) {
			return uint32(old)
		}
	}
}

// A pool is where bundles are.
type pool struct {
	bundles store[bundle]
	fresh   atomic.Uint32 // the last bundle that was ever made
	limbo   [4]stack      // bundles put aside in an epoch, at the epoch modulo 4
	aside   atomic.Int32  // how many there are
	free    stack         // bundles of nodes to use
	blank   stack         // bundles of no nodes
}

func (p *pool) next(i uint32) *atomic.Uint32 { return &p.bundles.at(i).next }

// put puts a bundle of nodes on a stack.
func (p *pool) put(s *stack, nodes *[batch]uint32) {
	i := p.blank.pop(p.next)
	if i == none {
		i = p.fresh.Add(1)
		p.bundles.ensure(i)
	}
	b := p.bundles.at(i)
	b.nodes = *nodes
	s.push(i, &b.next)
}

// get takes a bundle of free nodes, if there is one.
func (p *pool) get(nodes *[batch]uint32) bool {
	i := p.free.pop(p.next)
	if i == none {
		return false
	}
	b := p.bundles.at(i)
	*nodes = b.nodes
	p.blank.push(i, &b.next)
	return true
}

// retire puts a node aside that is not linked anywhere any more.
func (l *List[K, V]) retire(s *seat, i uint32) {
	s.stats[unlinked]++
	interleave.Point()
	s.bag[s.bagged&(batch-1)] = i
	if s.bagged++; s.bagged == batch {
		s.bagged = 0
		l.pool.aside.Add(1)
		l.pool.put(&l.pool.limbo[l.epoch.Load()%4], &s.bag)
		l.advance()
	}
}

// advance moves the epoch on if every operation under way has seen it, and frees what nobody can know of any more. The caller has a seat.
func (l *List[K, V]) advance() {
	epoch := l.epoch.Load()
	for _, seat := range *l.all.Load() {
		if shown := seat.word.Load() & epochMask; shown != 0 && shown != mark(epoch) {
			return
		}
	}
	interleave.Point()
	if !l.epoch.CompareAndSwap(epoch, epoch+1) {
		return
	}
	interleave.Point()
	first := l.pool.limbo[(epoch-1)%4].clear()
	if first == none {
		return
	}
	last := l.pool.bundles.at(first)
	for n := int32(1); ; n++ {
		l.forget(last)
		next := last.next.Load()
		if next == none {
			l.pool.aside.Add(-n)
			break
		}
		last = l.pool.bundles.at(next)
	}
	l.pool.free.push(first, &last.next)
}

// forget has the nodes of a bundle let go of what their keys point to. (Values were let go when they were removed.)
func (l *List[K, V]) forget(b *bundle) {
	if l.kind == reflect.String {
		var key K
		for _, i := range b.nodes {
			l.nodes.at(i).key = key
		}
	}
}

// obtain takes a seat, and a node that nobody uses.
func (l *List[K, V]) obtain() (*seat, uint32) {
	s := l.take()
	for {
		if s.frees == 0 && !l.supply(s, false) {
			s = l.await(s)
		}
		s.frees--
		i := s.free[s.frees&(batch-1)]
		if s.frees > 0 { // the next one, which was last used long ago
			prefetch.Own(unsafe.Pointer(l.nodes.at(s.free[(s.frees-1)&(batch-1)])))
		}
		if n := l.nodes.at(i); stampOf(n.state.Load()) != 1<<32-1 { // one whose stamps are used up rests for ever
			return s, i
		}
	}
}

// supply gets nodes for a seat. It takes new ones from the arena if there are none to be used again, unless there are many more already than there are
// elements; but if need be it does.
func (l *List[K, V]) supply(s *seat, need bool) bool {
	if l.pool.get(&s.free) {
		s.frees = batch
		return true
	}
	l.advance()
	if l.pool.get(&s.free) {
		s.frees = batch
		return true
	}
	for {
		old := l.fresh.Load() // if it changes meanwhile, the ration may be used up
		if !need && int(old) > l.ration() {
			return false
		}
		if old >= frozen-batch-1 {
			panic("spray: a list cannot have more than 2³¹ elements")
		}
		for i := range uint32(batch) {
			l.nodes.ensure(old + 1 + i)
			s.free[batch-1-i] = old + 1 + i
		}
		if l.fresh.CompareAndSwap(old, old+batch) {
			s.frees = batch
			return true
		}
	}
}

// ration is how many nodes there may be: twice as many as elements, what seats have for themselves, twice, and as many more as some goroutines remove
// in a few milliseconds, for which the others can go on while one is halted.
//
// Elements are counted twice: one who is halted while it counts may have missed that they went here, and see that they came there.
func (l *List[K, V]) ration() int {
	return 2*min(l.elements(), l.elements()) + 4*batch*len(*l.all.Load()) + slack
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
func (l *List[K, V]) await(s *seat) *seat {
	s.stats[waits]++
	nap := 50 * time.Microsecond
	for try := 0; ; try++ {
		if int(l.fresh.Load())-batch*int(l.pool.aside.Load()) > l.ration() {
			l.sweep(s, min(try, 24))
		}
		s.leave()
		if try < 8 {
			runtime.Gosched()
		} else {
			time.Sleep(nap) // there may be more threads than processors
			nap = min(2*nap, time.Millisecond)
		}
		s = l.take()
		if s.frees > 0 || l.supply(s, try >= patient) {
			return s
		}
	}
}
