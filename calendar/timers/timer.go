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
// Many Resets to one duration share readings of the clock; see docs/guide/timers.md. That is so for
// the first 255 durations of 64 resolutions or more in each shard, for the life of the set. A Reset
// to another one reads the clock.
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
		n := reference >> idBits % maxDurations
		if n != 0 && s.durations[n].Load() == int64(d) {
			if at := s.at(uint32(reference & idMask)); at != nil {
				word := at.word.Load()
				if (word^reference)>>genShift == 0 && word&sharedBit != 0 {
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
	}
	return t.reset(d, reading)
}

// reset is Reset by the time, and not by a reading of the shared clock.
func (t *Timer) reset(d time.Duration, reading unit) bool {
	s, clock := t.shard, &t.shard.set.clock
	now := clock.time()
	to := clock.after(now, d)
	if t.postpone(now, to, d, reading) {
		return true
	}
	interleave.Point()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	reference := t.reference.Load()
	id := uint32(reference & idMask)
	if at := s.at(id); at != nil && s.move(t, id, at, now, to, d) {
		return true
	}
	reference, ok := s.start(now, to, d, t.f)
	if !ok {
		panic(tooMany)
	}
	t.reference.Store(reference)
	return false
}

// move gives a pending timer another deadline, with the lock. If the slot is bound to another
// duration, it is bound to this one, in a new generation, so that the next Reset to it is short.
func (s *shard) move(t *Timer, id uint32, at *slot, now int64, to unit, d time.Duration) bool {
	n := s.number(d)
	for {
		word, reference := at.word.Load(), t.reference.Load()
		if (word^reference)>>genShift != 0 {
			return false
		}
		gen := word >> genShift << genShift
		bind := n != 0 && n != at.duration() && gen>>genShift < lastGen-1
		if bind {
			gen += 1 << genShift
		}
		earlier := to < s.deadline(word, at.duration())
		interleave.Point()
		if !at.word.CompareAndSwap(word, gen|packTime(to)) {
			continue
		}
		if bind {
			at.setDuration(n)
			t.reference.Store(gen | uint64(n)<<idBits | uint64(id))
		}
		if earlier {
			s.unlink(at)
			s.place(now, id, at, to)
		}
		return true
	}
}

// postpone gives a pending timer a deadline that is not earlier than the one it has. The wheel does
// not change, and there is no need of the lock.
func (t *Timer) postpone(now int64, to unit, d time.Duration, reading unit) bool {
	s := t.shard
	reference := t.reference.Load()
	at := s.at(uint32(reference & idMask))
	if at == nil {
		return false
	}
	n := uint32(reference >> idBits % maxDurations)
	near := s.set.clock.floor(now)
	same := n != 0 && s.durations[n].Load() == int64(d)
	if same && reading == 0 {
		s.set.clock.want(near)
	} else if !same && s.binds(d) {
		return false // move will bind the slot to d
	}
	for {
		word := at.word.Load()
		if (word^reference)>>genShift != 0 {
			return false
		}
		next := word>>genShift<<genShift | packTime(to)
		if same && reading != 0 {
			next = word>>genShift<<genShift | sharedBit | reading&timeMask
		}
		if s.deadlineNear(next, n, near) < s.deadlineNear(word, n, near) {
			if next&sharedBit == 0 {
				return false
			}
			reading = 0 // was withdrawn long ago: the time is later
			continue
		}
		interleave.Point()
		if at.word.CompareAndSwap(word, next) {
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
	reference := t.reference.Load()
	id := uint32(reference & idMask)
	at := s.at(id)
	if at == nil || (at.word.Load()^reference)>>genShift != 0 || !at.stop() {
		return false
	}
	s.pending--
	s.unlink(at)
	s.release(id, at)
	return true
}
