package spray

import (
	"math/bits"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
	"unsafe"
)

// A shard is what a process works at: a few calendars, its queues. (Processes are not known by name. A goroutine has a affinity, found
// by where its stack lies, that tells which shard it works at; and when it gives way to others, it goes to the shard of the
// processor that it finds itself on, as a sync.Pool tells it.)
//
// There is no pointer in it, so that it begins where a cache line does.
type shard struct {
	// A queue's top is its lock and its earliest time in one, so that a lock is taken by one instruction that all processors have
	// to agree on and given back by none. It is
	//
	//	the key of the queue's earliest event, below empty, or
	//	empty and more, while there are no events: more by 1 every time it becomes so, or
	//	locked.
	//
	// The tops of a shard lie in one cache line, because whoever wants one reads them all.
	tops [maxPer]atomic.Uint64
	_     [64]byte // processors fetch lines in pairs
	// later is, for each queue, a key before which about lag of its events lie, or all, if there are fewer. It changes rarely, so
	// that others can look at it without taking the tops away from those who work here.
	horizon [maxPer]atomic.Uint64
	_     [64]byte
}

const (
	maxPer = 8 // tops in a line

	empty  = uint64(0xfff) << 52 // the key of +∞; others up to locked are those of numbers that are none
	locked = ^uint64(0)
)

// first is the queue with the earliest event among those that are not locked, and its top.
func (d *shard) first(per int) (i uint32, w uint64) {
	w = d.tops[0].Load()
	for k := 1; k < per; k++ {
		// If x < w, without a branch: the processor would guess every other one wrong.
		x := d.tops[k%maxPer].Load()
		_, less := bits.Sub64(x, w, 0)
		w ^= (w ^ x) & -less
		i ^= (i ^ uint32(k)) & -uint32(less)
	}
	return i, w
}

// lock locks a queue if its top is still w.
func (d *shard) lock(i uint32, w uint64) bool {
	if interrupting {
		interrupt()
	}
	ok := d.tops[i%maxPer].CompareAndSwap(w, locked)
	if interrupting && ok {
		interrupt()
	}
	return ok
}

// tryLock locks a queue, if nobody has, and returns its top.
func (d *shard) tryLock(i uint32) (w uint64, ok bool) {
	w = d.tops[i%maxPer].Load()
	return w, w != locked && d.lock(i, w)
}

// await waits until it can lock a queue, and returns its top.
func (d *shard) await(i uint32) uint64 {
	for try := 0; ; try++ {
		if w, ok := d.tryLock(i); ok {
			return w
		}
		if try >= spins {
			runtime.Gosched()
		}
	}
}

// unlock gives a queue back, with its new top.
func (d *shard) unlock(i uint32, w uint64) {
	if interrupting {
		interrupt()
	}
	release(&d.tops[i%maxPer], w)
}

// A affinity is what is known of a goroutine, or of several that happen to share it: which of them does not matter. It is changed
// so rarely that this costs nothing.
type affinity struct {
	at    atomic.Uint64 // the shard it belongs to and the one it works at: see atHome
	until atomic.Uint64 // the key after which it should look whether others have fallen behind
	gaveUp  atomic.Uint64 // what was told at a shard when nobody else was there: see hope
	_     [40]byte
}

func atHome(home uint32) uint64         { return visiting(home, home) }
func visiting(home, shard uint32) uint64 { return uint64(home)<<32 | uint64(shard) }
func homeOf(at uint64) uint32           { return uint32(at >> 32) }
func shardOf(at uint64) uint32           { return uint32(at) }

// move has the goroutine work somewhere else, if it is somewhere else.
func (p *affinity) move(from, to uint64) {
	if from != to {
		p.at.Store(to)
	}
}

// affinity is the caller's.
func (c *Calendar[V]) affinity() *affinity {
	var here byte
	i := uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32
	return &c.affinities[i&uint64(len(c.affinities)-1)]
}

// A pass is for the shard that a processor uses.
type preference struct{ shard uint32 }

const (
	// lookAfter is after what time one of those who use a queue looks whether others are waiting for a processor, and if so gives
	// way. The scheduler interrupts a goroutine that has run for 10 ms, wherever that is, and when others are waiting it does
	// not come back for long: if it holds a lock, the events of that queue are not dispatched all the while. One that gives way in
	// time is not interrupted.
	yieldAfter = 2 * time.Millisecond
	// clockEvery is after how many operations the time is looked at, and crowd how many of them have found the queue locked if there
	// are too many goroutines at the shard. Two who work there find it locked every other time, one whom others come to help rarely.
	clockEvery = 512
	crowd      = clockEvery / 8
	// lookEvery is after how many events from a queue one who takes them looks around in any case: until is of no use where
	// there were no events at the time.
	chooseEvery = 16
	// lookAt is how many shards it then looks at.
	chooseAmong = 4
	// idleLooks is how many looks at a shard find nothing new there before it is taken for deserted.
	idleLooks = 2
	// tellEvery is after how many events others are told at the latest. They take a shard where nothing is told for a deserted one.
	publishEvery = 17
	// patience is how long to wait for those who are behind while nothing is told, and mostPatience while they move.
	patience     = 3 * time.Microsecond
	maxPatience = 15 * time.Microsecond
)

// A turn is what comes after an operation.
type turn uint8

const (
	proceed   turn = iota
	yield        // whether others wait for a processor
	rehome      // look, and go to the shard of the processor
	evade       // for another shard
)

// rest does what is due after an operation. It lets others run, and goes to the shard of the processor that it finds itself on, so that
// goroutines that take turns on a processor use the same shard, which is in its cache. Or it leaves a crowded shard for the next one, and
// so will others on this processor.
func (c *Calendar[V]) follow(p *affinity, t turn) {
	if t != evade && c.othersWait() {
		runtime.Gosched()
	} else if t == yield {
		return // also if it has come to another processor: its events are here
	}
	x := c.local.Get().(*preference)
	home := homeOf(p.at.Load())
	if t == evade && home == x.shard {
		x = &c.preferences[(x.shard+1)%uint32(len(c.preferences))]
	}
	c.local.Put(x)
	if home != x.shard {
		p.at.Store(atHome(x.shard))
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
func (c *Calendar[V]) publish(d *shard, q *queue[V], i uint32) {
	horizon, good := q.after(c.lag)
	q.toPublish = int32(min(good/2+1, publishEvery))
	release(&d.horizon[i%maxPer], horizon)
}

// consider decides where to go on after an event of queue s with key w was taken. It looks at some other shards: if one has fallen
// behind, to that one, until it has caught up; else home. It reports whether they may catch up by themselves.
func (c *Calendar[V]) choose(p *affinity, q *queue[V], where, w uint64) (behind bool) {
	home, shard := homeOf(where), shardOf(where)
	n := uint32(len(c.shards))
	least, who := pastAll, home
	for range min(n-1, chooseAmong) {
		q.other = c.after(q.other, shard)
		o := &c.shards[q.other]
		for k := range c.per {
			if x := o.horizon[k%maxPer].Load(); x < least {
				least, who = x, q.other
			}
		}
	}
	to, until := home, least
	if least < w {
		to, until = who, w
		behind = shard == home
	} else if shard != home {
		if _, x := c.shards[home].first(c.per); x >= empty && x != locked {
			to = shard // there is nothing at home
		} else {
			until = w // this shard was not looked at
			p.gaveUp.Store(c.published(shard))
		}
	}
	if q.toChoose <= 0 {
		q.toChoose = chooseEvery
		if n > 1 && c.stalled(q, shard, w) {
			to, until, behind = q.watched, w, false
		}
	}
	p.until.Store(until)
	p.move(where, visiting(home, to))
	return behind
}

// hope is for one about to go to a shard that has fallen behind w. It waits a little for those who work there to catch up, which they
// mostly do, and stays at home then: whoever comes to help takes from their caches all that they work with, and slows them down more
// than it helps. If nobody works there, it goes at once.
func (c *Calendar[V]) waitForBehind(p *affinity, w uint64) {
	at := p.at.Load()
	who := shardOf(at)
	published := c.published(who)
	if published == p.gaveUp.Load() {
		return
	}
	start := time.Since(epoch)
	for last := start; ; {
		least := pastAll
		for k := range c.per {
			least = min(least, c.shards[who].horizon[k%maxPer].Load())
		}
		if least >= w {
			p.until.Store(least)
			p.at.Store(atHome(homeOf(at)))
			return
		}
		now := time.Since(epoch)
		if t := c.published(who); t != published {
			published, last = t, now
		}
		if now-last > patience || now-start > maxPatience {
			p.gaveUp.Store(published)
			return
		}
	}
}

// after is the shard after o that is not the given one.
func (c *Calendar[V]) after(o, not uint32) uint32 {
	n := uint32(len(c.shards))
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

// stalled reports whether nobody has worked for some looks at the shard that one who works with s has an eye on, and events before w
// are waiting there. They may be too few to be noticed otherwise. If it is not so, it has an eye on the next shard from now on.
func (c *Calendar[V]) stalled(q *queue[V], shard uint32, w uint64) bool {
	if q.watched != shard && q.seen == c.published(q.watched) {
		if q.idle++; q.idle < idleLooks {
			return false
		}
		if _, x := c.shards[q.watched].first(c.per); x < w {
			return true
		}
	}
	q.idle = 0
	q.watched = c.after(q.watched, shard)
	q.seen = c.published(q.watched)
	return false
}

// told is a number that changes when those who work at a shard tell anything.
func (c *Calendar[V]) published(shard uint32) (sum uint64) {
	for k := range c.per {
		sum = sum*3 + c.shards[shard].horizon[k%maxPer].Load()
	}
	return sum
}

// search is for one who found w at a shard, and could not take it. It reports false if all queues were empty at some moment.
func (c *Calendar[V]) search(p *affinity, where, w uint64, try uint32) bool {
	if (w < empty || w == locked) && try%8 < 2 {
		return true // it was probably bad luck
	}
	shard, w, busy := c.earliest()
	switch {
	case w < empty:
		p.move(where, visiting(homeOf(where), shard))
		p.until.Store(w)
	case !busy:
		return !c.wasEmpty()
	}
	if try >= spins {
		runtime.Gosched()
	}
	return true
}

// earliest is the shard with the earliest event, its key, and whether there are queues that were locked.
func (c *Calendar[V]) earliest() (shard uint32, w uint64, busy bool) {
	w = empty
	for i := range c.shards {
		for k := range c.per {
			if interrupting {
				interrupt()
			}
			x := c.shards[i].tops[k%maxPer].Load()
			busy = busy || x == locked
			if x < w {
				shard, w = uint32(i), x
			}
		}
	}
	return shard, w, busy
}

// wasEmpty reports whether there was a moment during the call at which no event was pending.
//
// Each queue is looked at twice: in the first round they all are, and then in the second. If a queue is empty both times, and its
// top the same, it was empty all the time between: to have an event it would have been locked, the event have got in, and out
// again, and so it would have become empty once more and its top be larger. So when the last queue has been looked at for the
// first time, and none for the second, all were empty. Since the tops of empty queues never get smaller, it is enough to
// compare their sums.
func (c *Calendar[V]) wasEmpty() bool {
	first, ok := c.emptiness()
	if !ok {
		return false
	}
	second, ok := c.emptiness()
	return ok && first == second
}

// emptiness adds up the tops of the queues, if they are all empty.
func (c *Calendar[V]) emptiness() (sum uint64, ok bool) {
	for i := range c.shards {
		for k := range c.per {
			if interrupting {
				interrupt()
			}
			w := c.shards[i].tops[k%maxPer].Load()
			if w < empty || w == locked {
				return 0, false
			}
			sum += w - empty
		}
	}
	return sum, true
}
