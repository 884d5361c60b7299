package timers

import (
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// Timer is one timer of a [Set], made by [Set.AfterFunc]. It is a value of 24 bytes, to be kept
// where it is used, such as in a field of a connection. It must not be copied after it was used for
// the first time; go vet reports copies. Its methods may be called from several goroutines at once.
type Timer struct {
	shard *shard
	f     func()
	// The slot of the timer; see shard.start. It is written with the lock of the shard. If the
	// generation in it is not that of the slot, the timer is not pending, and the slot may be that
	// of another one.
	reference atomic.Uint64
}

// Reset makes the timer expire after the duration d, and reports whether it was pending. A timer
// that has expired or was stopped is started again.
//
// For a timer that was pending, the function will not run for the old deadline once Reset has
// returned true. If Reset returns false, the function may still be running for an earlier one:
// Reset does not wait for it.
//
// Many Resets to durations of 64 resolutions or more share readings of the clock; see
// docs/guide/timers.md. A Reset to the duration that the timer had before is the fastest.
//
// Reset panics if it starts a timer and its shard is full; see [Set.AfterFunc].
func (t *Timer) Reset(d time.Duration) bool {
	s := t.shard
	if s == nil {
		panic("timers: Reset of a Timer that AfterFunc did not make")
	}
	// The common case: another reading of the shared clock for the same duration. The reading is
	// loaded before the word. If the word has a later one, another goroutine was faster, and its
	// deadline is as good. If the word is changed before the swap, the timer may have expired.
	reading := s.set.clock.now.Load()
	if reading != 0 {
		reference := t.reference.Load()
		if at := s.at(uint32(reference & idMask)); at != nil {
			word := at.word.Load()
			if (word^reference)>>genShift == 0 && word&sharedBit != 0 && at.duration.Load() == int64(d) {
				if int64((reading-word)<<(64-timeBits)) <= 0 { // modulo 2⁴⁰
					return true
				}
				interleave.Point()
				if at.word.CompareAndSwap(word, word&^timeMask|reading&timeMask) {
					return true
				}
			}
		}
	}
	return t.reset(d, reading)
}

// reset is Reset in all cases: by the reading of the shared clock if there is one and the duration
// permits, or by the time.
func (t *Timer) reset(d time.Duration, reading unit) bool {
	s, clock := t.shard, &t.shard.set.clock
	shares := s.set.shares(d)
	var next deadline
	if shares && reading != 0 {
		next = clock.fromReading(reading, d)
	} else {
		next = clock.fromNow(d)
		if shares {
			clock.want(next.now)
		}
	}
	if t.postpone(next, d) {
		return true
	}
	interleave.Point()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	at, pending := t.slot()
	if pending && s.move(t, at, next, d) {
		return true
	}
	if pending {
		s.stop(t, at)
	}
	if next.bits&sharedBit != 0 {
		next = clock.fromNow(d)
	}
	reference, ok := s.start(next.now, next.to, d, t.f)
	if !ok {
		panic(tooMany)
	}
	t.reference.Store(reference)
	return pending
}

// slot returns the slot of the timer, and whether the timer is pending. It needs the lock.
func (t *Timer) slot() (at *slot, pending bool) {
	reference := t.reference.Load()
	at = t.shard.at(uint32(reference & idMask))
	return at, at != nil && (at.word.Load()^reference)>>genShift == 0
}

// move gives a pending timer another deadline, with the lock. If the slot has another duration for
// Resets by the shared clock, it gets this one, in a new generation, so that a Reset that has read
// the old one fails. It reports false if the slot has no generation left for that.
func (s *shard) move(t *Timer, at *slot, next deadline, d time.Duration) bool {
	clock := &s.set.clock
	bind := s.set.shares(d) && at.duration.Load() != int64(d)
	for {
		word := at.word.Load()
		gen := word >> genShift << genShift
		if bind {
			if gen>>genShift == lastGen-1 {
				return false
			}
			gen += 1 << genShift
		}
		interleave.Point()
		if !at.word.CompareAndSwap(word, gen|next.bits) {
			continue
		}
		id := t.reference.Load() & idMask
		if bind {
			at.duration.Store(int64(d))
			t.reference.Store(gen | id)
		}
		if next.to < s.begins(at.bucket()) {
			s.unlink(at)
			s.place(clock.floor(clock.time()), uint32(id), at, next.to)
		}
		return true
	}
}

// postpone gives a pending timer a deadline that is not earlier than the one it has. The wheel does
// not change, and there is no need of the lock.
func (t *Timer) postpone(next deadline, d time.Duration) bool {
	s, clock := t.shard, &t.shard.set.clock
	reference := t.reference.Load()
	at := s.at(uint32(reference & idMask))
	if at == nil || s.set.shares(d) && at.duration.Load() != int64(d) {
		return false // move will bind the slot to d
	}
	for {
		word := at.word.Load()
		if (word^reference)>>genShift != 0 || next.to < clock.deadline(at, word, next.now) {
			return false
		}
		interleave.Point()
		if at.word.CompareAndSwap(word, word>>genShift<<genShift|next.bits) {
			return true
		}
	}
}

// Stop stops the timer, and reports whether it was pending. If it was, the function will not run;
// otherwise the function has been started, or the timer was stopped before. Stop does not wait for
// the function to return.
func (t *Timer) Stop() bool {
	s := t.shard
	if s == nil {
		panic("timers: Stop of a Timer that AfterFunc did not make")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, pending := t.slot()
	if pending {
		s.stop(t, at)
	}
	return pending
}

// stop ends a pending timer, with the lock.
func (s *shard) stop(t *Timer, at *slot) {
	at.stop()
	s.pending--
	s.unlink(at)
	s.release(uint32(t.reference.Load()&idMask), at)
}
