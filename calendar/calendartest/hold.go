package calendartest

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// ErrEmpty is returned by a workload if a set ran out of events that it should still have.
var ErrEmpty = errors.New("calendartest: the set is empty")

// What else a workload can find wrong with a set, besides the set's own errors: it went back in
// time, or does not know an event that it should have.
var (
	errOrder   = errors.New("calendartest: an event came after a later one")
	errMissing = errors.New("calendartest: a pending event could not be cancelled")
)

// Fill schedules the ids 0..n-1, each a jump from now. It panics if n is negative or above 2³².
func Fill(s Set, n int, j *Jumps) error {
	now := s.Now()
	for i := range idsBelow("Fill", n) {
		id := calendar.ID(i)
		if err := s.Schedule(id, now+j.Next()); err != nil {
			return fmt.Errorf("fill: id %d: %w", id, err)
		}
	}
	return nil
}

// idsBelow is the number of ids 0..n-1, as a type that has 2³², too.
func idsBelow(what string, n int) uint64 {
	if n < 0 || uint64(n) > math.MaxUint32+1 {
		panic(fmt.Sprintf("calendartest: %s needs a number of ids from 0 to 2³², not %d", what, n))
	}
	return uint64(n)
}

// Hold is the hold model: it takes the earliest event and schedules it one jump later, ops times.
// The number of pending events stays the same.
func Hold(s Set, ops int, j *Jumps) error {
	now := s.Now()
	for range ops {
		id, at, ok := s.Next()
		if !(ok && at >= now) {
			return undue(now, at, ok)
		}
		now = at
		if err := s.Schedule(id, at+j.Next()); err != nil {
			return fmt.Errorf("hold: id %d: %w", id, err)
		}
	}
	return nil
}

// undue explains a Next that gave nothing, or an event of the past.
func undue(now, at float64, ok bool) error {
	if !ok {
		return ErrEmpty
	}
	return fmt.Errorf("%w: time %v at time %v", errOrder, at, now)
}

// cancels cancels a random id and schedules it again, one jump from now, ops times. The ids 0..n-1
// must be pending.
func cancels(s Set, ops, n int, j *Jumps) error {
	now := s.Now()
	for range ops {
		id := j.Pick(n)
		if !s.Cancel(id) {
			return fmt.Errorf("%w: id %d", errMissing, id)
		}
		if err := s.Schedule(id, now+j.Next()); err != nil {
			return fmt.Errorf("cancels: id %d: %w", id, err)
		}
	}
	return nil
}

// reschedules moves a random id to one jump from now, ops times. The ids 0..n-1 should be pending.
func reschedules(s Set, ops, n int, j *Jumps) error {
	now := s.Now()
	for range ops {
		id := j.Pick(n)
		if err := s.Reschedule(id, now+j.Next()); err != nil {
			return fmt.Errorf("reschedules: id %d: %w", id, err)
		}
	}
	return nil
}

// HoldCancel is [Hold] with cancellations: of ops operations every other one is a dispatch, and
// every other one cancels a random id and schedules it anew. The ids 0..n-1 must be pending.
func HoldCancel(s Set, ops, n int, j *Jumps) error {
	return mix(s, ops, j, func(now float64) error {
		id := j.Pick(n)
		if !s.Cancel(id) {
			return fmt.Errorf("%w: id %d", errMissing, id)
		}
		return s.Schedule(id, now+j.Next())
	})
}

// HoldReschedule is [Hold] with moves: every other one of ops operations moves a random id to one
// jump from now. The ids 0..n-1 must be pending.
func HoldReschedule(s Set, ops, n int, j *Jumps) error {
	return mix(s, ops, j, func(now float64) error { return s.Reschedule(j.Pick(n), now+j.Next()) })
}

// mix does ops operations, every other one a hold and every other one something else.
func mix(s Set, ops int, j *Jumps, other func(now float64) error) error {
	now := s.Now()
	for i := range ops {
		if i%2 == 1 {
			if err := other(now); err != nil {
				return fmt.Errorf("mix: %w", err)
			}
			continue
		}
		id, at, ok := s.Next()
		if !(ok && at >= now) {
			return undue(now, at, ok)
		}
		now = at
		if err := s.Schedule(id, at+j.Next()); err != nil {
			return fmt.Errorf("mix: id %d: %w", id, err)
		}
	}
	return nil
}

// GrowShrink schedules ids below `to` until that many are pending, with one hold after each, and
// then takes events away until only `from` are left, with one hold before each. It can be repeated:
// ids that are pending already are passed over. It panics if one of the two is negative or above
// 2³².
func GrowShrink(s Set, from, to int, j *Jumps) error {
	idsBelow("GrowShrink", from)
	for i := range idsBelow("GrowShrink", to) {
		id := calendar.ID(i)
		if _, pending := s.Due(id); pending {
			continue
		}
		if err := s.Schedule(id, s.Now()+j.Next()); err != nil {
			return fmt.Errorf("grow: id %d: %w", id, err)
		}
		if err := Hold(s, 1, j); err != nil {
			return fmt.Errorf("grow: %w", err)
		}
	}
	for s.Len() > from {
		if err := Hold(s, 1, j); err != nil {
			return fmt.Errorf("shrink: %w", err)
		}
		now := s.Now()
		if _, at, ok := s.Next(); !(ok && at >= now) {
			return fmt.Errorf("shrink: %w", undue(now, at, ok))
		}
	}
	return nil
}
