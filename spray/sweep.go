package spray

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// An element that is removed by Spray or DeleteMin is unlinked from the lowest level at once, if
// that is easy. What stays linked, at the levels above or because its neighbours died too, is a
// pending unlink: an insertion that comes by does it, or a sweep. A sweep unlinks the dead of the
// front, where sprays leave them, in runs: one compare-and-swap for all dead neighbours of a level.
// Every participant sweeps after so many of its own removals that a sweep costs each of them a few
// steps.
//
// An element that is deleted by its handle may be anywhere, and is unlinked from all levels at
// once: see Delete.

// A sweeper says when and how far to sweep.
type sweeper struct {
	every int // removals by a participant
	front int // live elements at the front, over which sprays leave dead ones
	_     [64]byte
	busy  atomic.Bool   // these two are written all the time, and what is around them is read
	turn  atomic.Uint64 // sweeps so far
	_     [64]byte
}

func (d *sweeper) init(w *Walk) {
	d.front = min(w.Reach(), math.MaxInt32-1) + 1
	d.every = max(16, d.front/4)
}

// sweepIfDue is called after every removal, and sweeps when there are enough pending unlinks.
func (l *List[K, V]) sweepIfDue(p *participant) {
	if p.Local.pendingUnlinks++; p.Local.pendingUnlinks < l.sweeper.every {
		return
	}
	// Two sweeps at once are in each other's way, but the other one may have been halted.
	busy := !l.sweeper.busy.CompareAndSwap(false, true)
	if busy && p.Local.pendingUnlinks < 4*l.sweeper.every {
		return
	}
	p.Local.pendingUnlinks = 0
	// Half as many die at each level as at the one below, and so it is swept half as often.
	l.sweepFront(p, 2+bits.TrailingZeros64(l.sweeper.turn.Add(1)), l.sweeper.front)
	if !busy {
		l.sweeper.busy.Store(false)
	}
}

// sweep sweeps all levels, twice as far for every time that it has been done.
func (l *List[K, V]) sweep(p *participant, times int) {
	front := l.sweeper.front
	if front > math.MaxInt>>1>>times {
		front = math.MaxInt >> 1
	} else {
		front <<= times
	}
	l.sweepFront(p, maxHeight-1, front)
}

// sweepFront unlinks the dead at the front, up to a level.
func (l *List[K, V]) sweepFront(p *participant, top, front int) {
	p.Counts[sweeps]++
	for level := min(int(l.height.Load())-1, top); level >= 0; level-- {
		l.sweepLevel(p, level, front>>level+2)
	}
}

// sweepLevel unlinks the dead at a level until it has passed a number of live elements.
func (l *List[K, V]) sweepLevel(p *participant, level, live int) {
	from := l.link(l.head, level)
	for live > 0 {
		curr := atomic.LoadUint32(from)
		if curr == none || curr&frozen != 0 {
			return // the end; or the node before has died, and the next sweep unlinks it
		}
		n := l.nodes.At(curr)
		p.Local.visited++
		if atomic.LoadUint32(l.link(n, level))&frozen != 0 {
			l.unlink(p, from, curr, level) // or another goroutine did
		} else {
			from = l.link(n, level)
			live--
		}
	}
}
