package calendartest

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// broken is a Reference with a fault planted in it. Methods that are nil are those of the
// Reference.
type broken struct {
	*Reference
	schedule   func(r *Reference, id calendar.ID, at float64) error
	reschedule func(r *Reference, id calendar.ID, at float64) error
	renumber   func(r *Reference, from, to calendar.ID) error
	peek       func(r *Reference) (calendar.ID, float64, bool)
	check      func(r *Reference) error
}

func (b broken) Schedule(id calendar.ID, at float64) error {
	if b.schedule == nil {
		return b.Reference.Schedule(id, at)
	}
	return b.schedule(b.Reference, id, at)
}

func (b broken) Reschedule(id calendar.ID, at float64) error {
	if b.reschedule == nil {
		return b.Reference.Reschedule(id, at)
	}
	return b.reschedule(b.Reference, id, at)
}

func (b broken) Renumber(from, to calendar.ID) error {
	if b.renumber == nil {
		return b.Reference.Renumber(from, to)
	}
	return b.renumber(b.Reference, from, to)
}

func (b broken) Peek() (calendar.ID, float64, bool) {
	if b.peek == nil {
		return b.Reference.Peek()
	}
	return b.peek(b.Reference)
}

func (b broken) Check() error {
	if b.check == nil {
		return nil
	}
	return b.check(b.Reference)
}

var faults = map[string]broken{
	"equal times leave in the order of ids": {schedule: func(r *Reference, id calendar.ID, at float64) error {
		err := r.Schedule(id, at)
		if err == nil {
			r.seq = uint64(id) // of the next one: close enough
		}
		return err
	}},
	"rescheduling to the same time keeps the place": {reschedule: func(r *Reference, id calendar.ID, at float64) error {
		if old, ok := r.Due(id); ok && old == at {
			return nil
		}
		return r.Reschedule(id, at)
	}},
	"a refused rescheduling cancels": {reschedule: func(r *Reference, id calendar.ID, at float64) error {
		err := r.Reschedule(id, at)
		if err != nil {
			r.Cancel(id)
		}
		return err
	}},
	"renumbering keeps the place": {renumber: func(r *Reference, from, to calendar.ID) error {
		e := r.events[from]
		if e == nil || r.events[to] != nil {
			return r.Renumber(from, to)
		}
		delete(r.events, from)
		e.id, r.events[to] = to, e
		return nil
	}},
	"the id's reason comes before the time's": {schedule: func(r *Reference, id calendar.ID, at float64) error {
		if r.events[id] != nil {
			return calendar.ErrScheduled
		}
		return r.Schedule(id, at)
	}},
	"infinity is a time": {schedule: func(r *Reference, id calendar.ID, at float64) error {
		return r.Schedule(id, min(at, math.MaxFloat64))
	}},
	"peeking advances the clock": {peek: func(r *Reference) (calendar.ID, float64, bool) {
		id, at, ok := r.Peek()
		if ok {
			r.now = at
		}
		return id, at, ok
	}},
	"minus zero comes back": {schedule: func(r *Reference, id calendar.ID, at float64) error {
		err := r.Schedule(id, at)
		if err == nil {
			r.events[id].at = at
		}
		return err
	}},
	"times are rounded": {schedule: func(r *Reference, id calendar.ID, at float64) error {
		return r.Schedule(id, math.Float64frombits(math.Float64bits(at)&^1))
	}},
	"an inconsistency among ties": {check: func(r *Reference) error {
		if r.Len() > 2500 {
			return errors.New("ties")
		}
		return nil
	}},
}

// TestRunFindsFaults makes sure that the suite would notice.
func TestRunFindsFaults(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			found := finder(func(start float64) Set {
				fault.Reference = NewReference(start)
				return fault
			})
			if found == "" {
				t.Fatal("not found by any case")
			}
			t.Logf("found by %s", found)
		})
	}
}

// finder runs the suite as Run does and returns the name of the first case that fails.
func finder(new func(start float64) Set) string {
	for _, c := range cases() {
		done := make(chan bool)
		go func() {
			ok := false
			defer func() { done <- ok }()
			c.run(&suite{new: new, most: 3000, fail: func(error) { runtime.Goexit() }})
			ok = true
		}()
		if !<-done {
			return c.name
		}
	}
	return ""
}

func TestReplayFindsFaults(t *testing.T) {
	seeds := replaySeeds()
	for name, fault := range faults {
		if fault.check != nil {
			continue // takes more events than a random input schedules
		}
		found := 0
		for _, seed := range seeds {
			for _, start := range []float64{0, -16} {
				fault.Reference = NewReference(start)
				if Replay(seed, fault) != nil {
					found++
				}
			}
		}
		t.Logf("%s: found %d times in %d inputs", name, found, len(seeds))
		if found == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// A limit that is never reached changes nothing, however large it is.
func TestAtMostIsNoLimit(t *testing.T) {
	for _, n := range []int{MaxID, math.MaxInt/20 + 1, math.MaxInt} {
		var s suite
		AtMost(n)(&s)
		for _, want := range []int{1, 1000, MaxID} {
			if size, ops := s.size(want), s.ops(want); size != scaled(want) || ops != scaled(want) {
				t.Errorf("AtMost(%d): %d events and %d operations, want %d", n, size, ops, scaled(want))
			}
		}
	}
}
