package calendartest

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// A shadow is a set and a reference that receive the same calls. It is a Set itself, so any
// workload can be run on it. Every result is compared, and after every call the length, the clock
// and the due time of the ids concerned.
type shadow struct {
	set   Set
	ref   *Reference
	check func() error // the set's own consistency check, or nil
	every int          // it runs once in so many operations, see after
	ops   int
	due   int         // when it runs next, in operations
	fail  func(error) // receives every difference; need not return
}

// newShadow pairs a set that nothing has been done to with a reference.
func newShadow(set Set, every int, fail func(error)) *shadow {
	s := &shadow{set: set, ref: NewReference(set.Now()), every: every, fail: fail}
	if c, ok := set.(interface{ Check() error }); ok {
		s.check = c.Check
	}
	return s
}

func (s *shadow) differ(format string, args ...any) {
	s.fail(fmt.Errorf("operation %d at time %v with %d pending: %s", s.ops, s.ref.now, s.ref.Len(),
		fmt.Sprintf(format, args...)))
}

// after ends an operation: it compares what can be seen from outside without changing anything.
func (s *shadow) after(ids ...calendar.ID) {
	if got, want := s.set.Len(), s.ref.Len(); got != want {
		s.differ("Len() = %d, want %d", got, want)
	}
	if got, want := s.set.Now(), s.ref.Now(); !same(got, want) {
		s.differ("Now() = %v, want %v", got, want)
	}
	for _, id := range ids {
		s.compareAt(id)
	}
	s.ops++
	if s.ops >= s.due {
		s.consistent()
		// The check may look at every event. While there are few it follows every operation of a
		// short run; with more, its share of the run stays constant.
		const few = 30
		between := s.ref.Len() / few
		if s.every > 1 {
			between = s.ref.Len()
		}
		s.due = s.ops + max(s.every, between)
	}
}

// consistent runs the set's own check.
func (s *shadow) consistent() {
	if s.check == nil {
		return
	}
	if err := s.check(); err != nil {
		s.differ("inconsistent: %v", err)
	}
}

func (s *shadow) compareAt(id calendar.ID) {
	at, ok := s.set.Due(id)
	wantAt, want := s.ref.Due(id)
	if ok != want || ok && !same(at, wantAt) {
		s.differ("Due(%d) = %v, %t, want %v, %t", id, at, ok, wantAt, want)
	}
}

// same tells zero from minus zero, which == does not.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func (s *shadow) Schedule(id calendar.ID, at float64) error {
	got, want := s.set.Schedule(id, at), s.ref.Schedule(id, at)
	if !errors.Is(got, want) {
		s.differ("Schedule(%d, %v) = %v, want %v", id, at, got, want)
	}
	s.after(id)
	return want
}

func (s *shadow) Reschedule(id calendar.ID, at float64) error {
	got, want := s.set.Reschedule(id, at), s.ref.Reschedule(id, at)
	if !errors.Is(got, want) {
		s.differ("Reschedule(%d, %v) = %v, want %v", id, at, got, want)
	}
	s.after(id)
	return want
}

func (s *shadow) Cancel(id calendar.ID) bool {
	got, want := s.set.Cancel(id), s.ref.Cancel(id)
	if got != want {
		s.differ("Cancel(%d) = %t, want %t", id, got, want)
	}
	s.after(id)
	return want
}

func (s *shadow) Renumber(from, to calendar.ID) error {
	got, want := s.set.Renumber(from, to), s.ref.Renumber(from, to)
	if !errors.Is(got, want) {
		s.differ("Renumber(%d, %d) = %v, want %v", from, to, got, want)
	}
	s.after(from, to)
	return want
}

func (s *shadow) Next() (id calendar.ID, at float64, ok bool) {
	gotID, gotAt, got := s.set.Next()
	id, at, ok = s.ref.Next()
	if got != ok || ok && (gotID != id || !same(gotAt, at)) {
		s.differ("Next() = %d, %v, %t, want %d, %v, %t", gotID, gotAt, got, id, at, ok)
	}
	if ok {
		s.after(id)
	} else {
		s.after()
	}
	return id, at, ok
}

func (s *shadow) Peek() (id calendar.ID, at float64, ok bool) {
	gotID, gotAt, got := s.set.Peek()
	id, at, ok = s.ref.Peek()
	if got != ok || ok && (gotID != id || !same(gotAt, at)) {
		s.differ("Peek() = %d, %v, %t, want %d, %v, %t", gotID, gotAt, got, id, at, ok)
	}
	s.after()
	return id, at, ok
}

func (s *shadow) Due(id calendar.ID) (at float64, ok bool) {
	s.after(id)
	return s.ref.Due(id)
}

func (s *shadow) Len() int     { return s.ref.Len() }
func (s *shadow) Now() float64 { return s.ref.Now() }

// drain takes n events, or all there are if n is negative and then makes sure that the set agrees
// that it is empty.
func (s *shadow) drain(n int) {
	for ; n != 0 && s.ref.Len() > 0; n-- {
		s.Next()
	}
	if n < 0 {
		s.Peek()
		s.Next()
		s.consistent()
	}
}
