package timers

import (
	"sync"
	"time"
)

// A shard has a part of the timers of a set, with a lock, and a runtime timer that is set to the
// first of them. A Timer stays in its shard.
type shard struct {
	set *state

	mu sync.Mutex
	wheel
	closed   bool
	running  bool        // run is at work
	timer    *time.Timer // calls run
	wake     unit        // when it does
	earliest unit        // no bucket begins before it
	ran      unit        // when run was last at work
	due      []func()    // the batch of run

	calls sync.WaitGroup // run, and functions that were called and have not returned
	_     [64]byte
}

const (
	// batchLen is how many timers run moves or fires before it releases the lock.
	batchLen = 512
	// restLen is how many units run rests at least, so that it does not run for every unit.
	restLen = 2
	// shortest is the shortest duration, in resolutions, for Resets by the shared clock: its readings
	// are too coarse for shorter ones.
	shortest = 64
	// longest is the longest one, in units: the age of a reading is less than half of what a word
	// has room for.
	longest = 1 << (timeBits - 2)
)

func (s *shard) init(set *state) {
	s.set = set
	s.wake, s.earliest = never, never
	s.wheel.init()
	s.now = set.clock.floor(set.clock.time())
}

// start makes a timer pending, and returns the reference to its slot, which a Timer keeps:
//
//	bits 41–63  generation, bits 0–25  slot
//
// It needs the lock, and reports false if the shard is full.
func (s *shard) start(now, to unit, d time.Duration, f func()) (reference uint64, ok bool) {
	id, at, ok := s.take()
	if !ok {
		return 0, false
	}
	at.f = f
	if s.set.shares(d) {
		at.duration.Store(int64(d))
	} else {
		at.duration.Store(0)
	}
	gen := at.word.Load() >> genShift << genShift
	at.word.Store(gen | packTime(to))
	s.pending++
	s.place(now, id, at, to)
	return gen | uint64(id), true
}

// place puts a timer into the wheel, and makes sure that run is called in time.
func (s *shard) place(now unit, id uint32, at *slot, to unit) {
	// No bucket begins before, and so the wheel may be moved on. It would do with its old time,
	// but the timer would be moved more often.
	if now < s.earliest && !s.running {
		s.wheel.now = max(s.wheel.now, now)
	}
	begins := s.insert(id, at, to)
	if begins < s.earliest {
		s.earliest = begins
		if begins < s.wake && !s.running {
			s.arm()
		}
	}
}

// arm sets the runtime timer to the earliest bucket. It is called after a lap in any case, so that
// the time of the wheel is not far behind.
func (s *shard) arm() {
	if s.earliest >= never {
		s.wake = never
		return
	}
	clock := &s.set.clock
	now := clock.time()
	soon := clock.floor(now) + min(lap, unit(1)<<61>>clock.shift)
	s.wake = max(min(s.earliest, soon), s.ran+restLen)
	wait := time.Duration(int64(s.wake<<clock.shift) - now)
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, s.run)
	} else {
		s.timer.Reset(wait)
	}
}

// run fires what is due. It is called by the runtime timer, in a goroutine of its own.
func (s *shard) run() {
	s.mu.Lock()
	if s.closed || s.running {
		s.mu.Unlock()
		return
	}
	s.running = true
	s.calls.Add(1)
	defer s.calls.Done()
	for more := true; more && !s.closed; {
		more = s.advance(s.set.clock.time())
		s.calls.Add(len(s.due))
		s.mu.Unlock()
		for i, f := range s.due {
			s.due[i] = nil
			s.call(f)
		}
		s.mu.Lock()
	}
	s.running = false
	if !s.closed {
		s.ran = s.set.clock.floor(s.set.clock.time())
		_, s.earliest, _ = s.first()
		s.arm()
	}
	s.mu.Unlock()
}

// call runs a function in a goroutine of its own, or where the option says.
func (s *shard) call(f func()) {
	if s.set.executor == nil {
		go s.finish(f)
	} else {
		s.set.executor(func() { s.finish(f) })
	}
}

func (s *shard) finish(f func()) {
	defer s.calls.Done()
	f()
}

// advance moves the wheel to the given time and puts the functions that are due into s.due. It
// reports whether it stopped before the end.
func (s *shard) advance(ns int64) (more bool) {
	now := s.set.clock.floor(ns)
	s.due = s.due[:0]
	for steps := 0; ; {
		if s.opening == 0 {
			b, begins, ok := s.first()
			if !ok || begins > now {
				s.wheel.now = max(s.wheel.now, now)
				return false
			}
			s.wheel.now = begins
			s.opening = b + 1
		}
		b := s.opening - 1
		for head := s.at(b); head.next() != b; steps++ {
			if steps == batchLen {
				return true
			}
			id := head.next()
			at := s.at(id)
			s.unlink(at)
			if b >= buckets {
				s.insert(id, at, s.set.clock.deadline(at, at.word.Load(), s.wheel.now))
			} else if f := s.expire(id, at, ns); f != nil {
				s.due = append(s.due, f)
			}
		}
		s.occupied[b/64] &^= 1 << (b % 64)
		s.opening = 0
	}
}

// expire frees the slot of a timer whose bucket is due, and returns its function. If the timer was
// reset to a later time, it goes back into the wheel.
func (s *shard) expire(id uint32, at *slot, ns int64) func() {
	clock, now := &s.set.clock, s.set.clock.floor(ns)
	for {
		word := at.word.Load()
		gen := word >> genShift << genShift
		to := clock.deadline(at, word, s.wheel.now)
		if to > now {
			s.insert(id, at, to)
			return nil
		}
		if word&sharedBit != 0 {
			// The reading that the timer was reset by may have lasted longer.
			units := clock.ceil(at.duration.Load())
			if end, ended := clock.end(to - units - staleness); ended {
				to = end + units
			} else {
				// Not from ns, which may be older than the Reset.
				to = clock.ceil(clock.time()) + units
			}
			if to > now {
				if at.word.CompareAndSwap(word, gen|packTime(to)) {
					s.insert(id, at, to)
					return nil
				}
				continue
			}
		}
		if at.word.CompareAndSwap(word, gen+1<<genShift) { // from here on the Timer is not pending
			f := at.f
			s.pending--
			s.release(id, at)
			return f
		}
	}
}

// close stops all timers and the runtime timer, and drops all pages. The wheel is not used after
// it.
func (s *shard) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	table := *s.table.Load()
	for p := range s.states {
		if page := table[p].Load(); page != nil {
			for i := range page.slots {
				page.slots[i].stop()
			}
			table[p].Store(nil)
		}
	}
	s.pending = 0
}
