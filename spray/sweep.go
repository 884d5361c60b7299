package spray

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// An element that is removed is unlinked from the lowest level at once, if that is easy. What stays linked, at the levels above, or because
// its neighbours died too, waits for somebody who comes by and unlinks it: an insertion on its way, or a sweep. A sweep
// unlinks the dead of the front, where sprays leave them, in runs: one compare-and-swap for all dead neighbours of a level.
// Every seat sweeps after so many of its own removals that a sweep costs each of them a few steps.

// A sweeper says when and how far to sweep.
type sweeper struct {
	every int // removals from a seat
	front int // live elements at the front, over which sprays leave dead ones
	busy  atomic.Bool
	turn  uint // sweeps so far; of the one who is busy
}

func (d *sweeper) init(w *Walk) {
	d.front = w.Reach() + 1
	d.every = max(16, d.front/4)
}

// soiled is told of every removal, and sweeps when it is time.
func (l *List[K, V]) soiled(s *seat) {
	if s.dirt++; s.dirt >= l.dirt.every {
		s.dirt = 0
		l.sweepFront(s)
	}
}

// abandoned is told of every removal by handle, which leaves a dead element where nobody may ever come by, and sweeps the whole
// list when there may be as many dead elements as live ones.
func (l *List[K, V]) abandoned(s *seat) {
	if s.deleted++; s.deleted < 1024 || s.deleted < l.elements()/firstSeats() {
		return
	}
	s.deleted = 0
	if l.dirt.busy.CompareAndSwap(false, true) {
		s.stats.Sweeps++
		for level := int(l.height.Load()) - 1; level >= 0; level-- {
			l.sweepLevel(s, level, math.MaxInt)
		}
		l.dirt.busy.Store(false)
	}
}

// sweepFront unlinks the dead at the front, unless somebody else is sweeping.
func (l *List[K, V]) sweepFront(s *seat) {
	if !l.dirt.busy.CompareAndSwap(false, true) {
		return
	}
	s.stats.Sweeps++
	// Half as many die at each level as at the one below, and so it is swept half as often.
	l.dirt.turn++
	top := min(int(l.height.Load())-1, 2+bits.TrailingZeros(l.dirt.turn))
	for level := top; level >= 0; level-- {
		l.sweepLevel(s, level, l.dirt.front>>level+2)
	}
	l.dirt.busy.Store(false)
}

// sweepLevel unlinks the dead at a level until it has passed a number of live elements.
func (l *List[K, V]) sweepLevel(s *seat, level, live int) {
	from := l.link(l.head, level)
	for live > 0 {
		curr := atomic.LoadUint32(from)
		if curr == none || curr&frozen != 0 {
			return // the end; or where we stand has died, and the next sweep will see to it
		}
		n := l.nodes.at(curr)
		if atomic.LoadUint32(l.link(n, level))&frozen != 0 {
			l.unlink(s, from, curr, level) // or somebody else did
		} else {
			from = l.link(n, level)
			live--
		}
	}
}
