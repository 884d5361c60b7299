package spray

import (
	"math/bits"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
	"unsafe"
)

// A desk is what a process works at: a few calendars, its sheets. (Processes are not known by name. A goroutine has a perch, found
// by where its stack lies, that tells which desk it works at; and when it gives way to others, it goes to the desk of the
// processor that it finds itself on, as a sync.Pool tells it.)
//
// There is no pointer in it, so that it begins where a cache line does.
type desk struct {
	// A sheet's word is its lock and its earliest time in one, so that a lock is taken by one instruction that all processors have
	// to agree on and given back by none. It is
	//
	//	the key of the sheet's earliest event, below empty, or
	//	empty and more, while there are no events: more by 1 every time it becomes so, or
	//	locked.
	//
	// The words of a desk lie in one cache line, because whoever wants one reads them all.
	words [mostPer]atomic.Uint64
	_     [64]byte // processors fetch lines in pairs
	// later is, for each sheet, a key before which about lag of its events lie, or all, if there are fewer. It changes rarely, so
	// that others can look at it without taking the words away from those who work here.
	later [mostPer]atomic.Uint64
	_     [64]byte
}

const (
	mostPer = 8 // words in a line

	empty  = uint64(0xfff) << 52 // the key of +∞; others up to locked are those of numbers that are none
	locked = ^uint64(0)
)

// first is the sheet with the earliest event among those that are not locked, and its word.
func (d *desk) first(per int) (i uint32, w uint64) {
	w = d.words[0].Load()
	for k := 1; k < per; k++ {
		// If x < w, without a branch: the processor would guess every other one wrong.
		x := d.words[k%mostPer].Load()
		_, less := bits.Sub64(x, w, 0)
		w ^= (w ^ x) & -less
		i ^= (i ^ uint32(k)) & -uint32(less)
	}
	return i, w
}

// lock locks a sheet if its word is still w.
func (d *desk) lock(i uint32, w uint64) bool {
	if interrupting {
		interrupt()
	}
	ok := d.words[i%mostPer].CompareAndSwap(w, locked)
	if interrupting && ok {
		interrupt()
	}
	return ok
}

// tryLock locks a sheet, if nobody has, and returns its word.
func (d *desk) tryLock(i uint32) (w uint64, ok bool) {
	w = d.words[i%mostPer].Load()
	return w, w != locked && d.lock(i, w)
}

// await waits until it can lock a sheet, and returns its word.
func (d *desk) await(i uint32) uint64 {
	for try := 0; ; try++ {
		if w, ok := d.tryLock(i); ok {
			return w
		}
		if try >= spins {
			runtime.Gosched()
		}
	}
}

// unlock gives a sheet back, with its new word.
func (d *desk) unlock(i uint32, w uint64) {
	if interrupting {
		interrupt()
	}
	release(&d.words[i%mostPer], w)
}

// A perch is what is known of a goroutine, or of several that happen to share it: which of them does not matter. It is changed
// so rarely that this costs nothing.
type perch struct {
	at    atomic.Uint64 // the desk it belongs to and the one it works at: see atHome
	until atomic.Uint64 // the key after which it should look whether others have fallen behind
	vain  atomic.Uint64 // what was told at a desk when nobody else was there: see hope
	_     [40]byte
}

func atHome(home uint32) uint64         { return visiting(home, home) }
func visiting(home, desk uint32) uint64 { return uint64(home)<<32 | uint64(desk) }
func homeOf(at uint64) uint32           { return uint32(at >> 32) }
func deskOf(at uint64) uint32           { return uint32(at) }

// move has the goroutine work somewhere else, if it is somewhere else.
func (p *perch) move(from, to uint64) {
	if from != to {
		p.at.Store(to)
	}
}

// perch is the caller's.
func (c *Calendar[V]) perch() *perch {
	var here byte
	i := uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32
	return &c.perches[i&uint64(len(c.perches)-1)]
}

// A pass is for the desk that a processor uses.
type pass struct{ desk uint32 }

const (
	// lookAfter is after what time one of those who use a sheet looks whether others are waiting for a processor, and if so gives
	// way. The scheduler interrupts a goroutine that has run for 10 ms, wherever that is, and when others are waiting it does
	// not come back for long: if it holds a lock, the events of that sheet are not dispatched all the while. One that gives way in
	// time is not interrupted.
	lookAfter = 2 * time.Millisecond
	// clockEvery is after how many operations the time is looked at, and crowd how many of them have found the sheet locked if there
	// are too many goroutines at the desk. Two who work there find it locked every other time, one whom others come to help rarely.
	clockEvery = 512
	crowd      = clockEvery / 8
	// lookEvery is after how many events from a sheet one who takes them looks around in any case: until is of no use where
	// there were no events at the time.
	lookEvery = 16
	// lookAt is how many desks it then looks at.
	lookAt = 4
	// idleLooks is how many looks at a desk find nothing new there before it is taken for deserted.
	idleLooks = 2
	// tellEvery is after how many events others are told at the latest. They take a desk where nothing is told for a deserted one.
	tellEvery = 17
	// patience is how long to wait for those who are behind while nothing is told, and mostPatience while they move.
	patience     = 3 * time.Microsecond
	mostPatience = 15 * time.Microsecond
)

// A turn is what comes after an operation.
type turn uint8

const (
	goOn   turn = iota
	look        // whether others wait for a processor
	settle      // look, and go to the desk of the processor
	leave       // for another desk
)

// rest does what is due after an operation. It lets others run, and goes to the desk of the processor that it finds itself on, so that
// goroutines that take turns on a processor use the same desk, which is in its cache. Or it leaves a crowded desk for the next one, and
// so will others on this processor.
func (c *Calendar[V]) rest(p *perch, t turn) {
	if t != leave && c.othersWait() {
		runtime.Gosched()
	} else if t == look {
		return // also if it has come to another processor: its events are here
	}
	x := c.passes.Get().(*pass)
	home := homeOf(p.at.Load())
	if t == leave && home == x.desk {
		x = &c.all[(x.desk+1)%uint32(len(c.all))]
	}
	c.passes.Put(x)
	if home != x.desk {
		p.at.Store(atHome(x.desk))
	}
}

// othersWait reports whether there are goroutines that could run and have no processor. If somebody else is just asking the same, it
// does not.
func (c *Calendar[V]) othersWait() bool {
	if !c.asking.TryLock() {
		return false
	}
	defer c.asking.Unlock()
	metrics.Read(c.waiting[:])
	return c.waiting[0].Value.Uint64() > 0
}

// tell lets others know how far they may go before they should come and help.
func (c *Calendar[V]) tell(d *desk, s *sheet[V], i uint32) {
	later, good := s.after(c.lag)
	s.toTell = int32(min(good/2+1, tellEvery))
	release(&d.later[i%mostPer], later)
}

// consider decides where to go on after an event of sheet s with key w was taken. It looks at some other desks: if one has fallen
// behind, to that one, until it has caught up; else home. It reports whether they may catch up by themselves.
func (c *Calendar[V]) consider(p *perch, s *sheet[V], where, w uint64) (behind bool) {
	home, desk := homeOf(where), deskOf(where)
	n := uint32(len(c.desks))
	least, who := pastAll, home
	for range min(n-1, lookAt) {
		s.other = c.after(s.other, desk)
		o := &c.desks[s.other]
		for k := range c.per {
			if x := o.later[k%mostPer].Load(); x < least {
				least, who = x, s.other
			}
		}
	}
	to, until := home, least
	if least < w {
		to, until = who, w
		behind = desk == home
	} else if desk != home {
		if _, x := c.desks[home].first(c.per); x >= empty && x != locked {
			to = desk // there is nothing at home
		} else {
			until = w // this desk was not looked at
			p.vain.Store(c.told(desk))
		}
	}
	if s.toLook <= 0 {
		s.toLook = lookEvery
		if n > 1 && c.stalled(s, desk, w) {
			to, until, behind = s.watched, w, false
		}
	}
	p.until.Store(until)
	p.move(where, visiting(home, to))
	return behind
}

// hope is for one about to go to a desk that has fallen behind w. It waits a little for those who work there to catch up, which they
// mostly do, and stays at home then: whoever comes to help takes from their caches all that they work with, and slows them down more
// than it helps. If nobody works there, it goes at once.
func (c *Calendar[V]) hope(p *perch, w uint64) {
	at := p.at.Load()
	who := deskOf(at)
	told := c.told(who)
	if told == p.vain.Load() {
		return
	}
	start := time.Since(epoch)
	for last := start; ; {
		least := pastAll
		for k := range c.per {
			least = min(least, c.desks[who].later[k%mostPer].Load())
		}
		if least >= w {
			p.until.Store(least)
			p.at.Store(atHome(homeOf(at)))
			return
		}
		now := time.Since(epoch)
		if t := c.told(who); t != told {
			told, last = t, now
		}
		if now-last > patience || now-start > mostPatience {
			p.vain.Store(told)
			return
		}
	}
}

// after is the desk after o that is not the given one.
func (c *Calendar[V]) after(o, not uint32) uint32 {
	n := uint32(len(c.desks))
	for range 2 {
		if o++; o >= n {
			o = 0
		}
		if o != not {
			break
		}
	}
	return o
}

// stalled reports whether nobody has worked for some looks at the desk that one who works with s has an eye on, and events before w
// are waiting there. They may be too few to be noticed otherwise. If it is not so, it has an eye on the next desk from now on.
func (c *Calendar[V]) stalled(s *sheet[V], desk uint32, w uint64) bool {
	if s.watched != desk && s.seen == c.told(s.watched) {
		if s.idle++; s.idle < idleLooks {
			return false
		}
		if _, x := c.desks[s.watched].first(c.per); x < w {
			return true
		}
	}
	s.idle = 0
	s.watched = c.after(s.watched, desk)
	s.seen = c.told(s.watched)
	return false
}

// told is a number that changes when those who work at a desk tell anything.
func (c *Calendar[V]) told(desk uint32) (sum uint64) {
	for k := range c.per {
		sum = sum*3 + c.desks[desk].later[k%mostPer].Load()
	}
	return sum
}

// search is for one who found w at a desk, and could not take it. It reports false if all sheets were empty at some moment.
func (c *Calendar[V]) search(p *perch, where, w uint64, try uint32) bool {
	if (w < empty || w == locked) && try%8 < 2 {
		return true // it was probably bad luck
	}
	desk, w, busy := c.earliest()
	switch {
	case w < empty:
		p.move(where, visiting(homeOf(where), desk))
		p.until.Store(w)
	case !busy:
		return !c.wasEmpty()
	}
	if try >= spins {
		runtime.Gosched()
	}
	return true
}

// earliest is the desk with the earliest event, its key, and whether there are sheets that were locked.
func (c *Calendar[V]) earliest() (desk uint32, w uint64, busy bool) {
	w = empty
	for i := range c.desks {
		for k := range c.per {
			if interrupting {
				interrupt()
			}
			x := c.desks[i].words[k%mostPer].Load()
			busy = busy || x == locked
			if x < w {
				desk, w = uint32(i), x
			}
		}
	}
	return desk, w, busy
}

// wasEmpty reports whether there was a moment during the call at which no event was pending.
//
// Each sheet is looked at twice: in the first round they all are, and then in the second. If a sheet is empty both times, and its
// word the same, it was empty all the time between: to have an event it would have been locked, the event have got in, and out
// again, and so it would have become empty once more and its word be larger. So when the last sheet has been looked at for the
// first time, and none for the second, all were empty. Since the words of empty sheets never get smaller, it is enough to
// compare their sums.
func (c *Calendar[V]) wasEmpty() bool {
	first, ok := c.emptiness()
	if !ok {
		return false
	}
	second, ok := c.emptiness()
	return ok && first == second
}

// emptiness adds up the words of the sheets, if they are all empty.
func (c *Calendar[V]) emptiness() (sum uint64, ok bool) {
	for i := range c.desks {
		for k := range c.per {
			if interrupting {
				interrupt()
			}
			w := c.desks[i].words[k%mostPer].Load()
			if w < empty || w == locked {
				return 0, false
			}
			sum += w - empty
		}
	}
	return sum, true
}
