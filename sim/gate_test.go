package sim

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// A shop that is open from 9 to 17, and who comes to it.
func newShop(t *testing.T, staying bool, opts ...ShiftOption) (*bench, *Gate) {
	b := newBench(t, 0)
	hours := Daily{Shifts: []Shift{{9, 17, 1}}}
	door := NewGate(b.Simulation, "shop", hours)
	if staying {
		opts = append(opts, UntilEmpty(door))
	}
	b.Schedule(hours, opts...)
	return b, door
}

func (b *bench) visits(door *Gate, at float64, name string, work float64, opts ...func() RequestOption) {
	b.GoAt(at, name, func(p *Process) {
		err := door.Visit(p, func() error {
			var all []RequestOption
			for _, o := range opts {
				all = append(all, o())
			}
			b.note(name, b.Work(p, 1, work, all...))
			return nil
		})
		if errors.Is(err, ErrClosed) {
			b.note(name, "turned away")
		}
	})
}

func TestTheLastCustomer(t *testing.T) {
	closing := func(d *Gate) func() RequestOption { return func() RequestOption { return Until(d.Closing()) } }
	come := func(b *bench, d *Gate, opts ...func() RequestOption) {
		b.visits(d, 8, "early", 1)
		b.visits(d, 16, "a", 2, opts...)
		b.visits(d, 16, "b", 3, opts...)
		b.visits(d, 17, "late", 1)
		b.visits(d, 33, "c", 1)
	}
	t.Run("is served to the end", func(t *testing.T) {
		b, d := newShop(t, true)
		come(b, d)
		b.expect(t, 40, "8 early turned away", "17 late turned away", "18 a <nil>", "21 b <nil>", "34 c <nil>")
		if d.TurnedAway() != 2 || d.Overtime().N() != 1 || d.Overtime().Mean() != 4 || b.Resource.Capacity() != 1 {
			t.Errorf("%d turned away, overtime %v, %d units", d.TurnedAway(), d.Overtime(), b.Resource.Capacity())
		}
		if got := b.total.Mean() * b.total.Observed(); math.Abs(got-(8+4+b.Now()-33)) > 1e-9 {
			t.Errorf("units were there for %v", got)
		}
		b.expect(t, 41, b.diary...)
		if d.Overtime().N() != 2 || d.Overtime().Min() != 0 {
			t.Errorf("overtime %v", d.Overtime())
		}
	})
	t.Run("is turned away", func(t *testing.T) {
		b, d := newShop(t, true)
		come(b, d, closing(d))
		b.expect(t, 40, "8 early turned away", "17 late turned away", "17 b "+ErrWithdrawn.Error(), "18 a <nil>",
			"34 c <nil>")
		if d.Overtime().Mean() != 1 {
			t.Errorf("overtime %v", d.Overtime())
		}
	})
	t.Run("waits for tomorrow", func(t *testing.T) {
		b, d := newShop(t, false, Resume)
		come(b, d)
		b.expect(t, 40, "8 early turned away", "17 late turned away", "34 a <nil>", "37 b <nil>", "38 c <nil>")
		if d.Overtime().Mean() != 16 {
			t.Errorf("overtime %v", d.Overtime())
		}
	})
}

// At the time of closing it is closed, whatever happens first; and a shift that ends at that time
// stays, in whatever order door and timetable were made.
func TestTiesWithClosing(t *testing.T) {
	for order := range 12 {
		b := newBench(t, 1)
		hours := Dated{Shifts: []Shift{{0, 5, 1}, {10, 12, 1}}}
		times := hours
		if order%2 == 1 { // the door's event at 5 is scheduled at 4, behind that of the timetable
			times.Shifts = []Shift{{0, 4, 1}, {4, 5, 2}, {10, 12, 1}}
		}
		var d *Gate
		acts := []func(){
			func() { b.Schedule(hours, UntilEmpty(d), Interrupt) },
			func() { b.visits(d, 5, "n", 1) },
			func() { b.visits(d, 4, "a", 1); b.visits(d, 4, "b", 1) },
		}
		d = NewGate(b.Simulation, "", times)
		for left := order / 2; len(acts) > 0; left /= 3 {
			i := left % len(acts)
			acts[i]()
			acts = append(acts[:i:i], acts[i+1:]...)
		}
		for b.Step() {
			if err := b.check(); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(b.diary); got != "[5 n turned away 5 a <nil> 6 b <nil>]" &&
			got != "[5 a <nil> 5 n turned away 6 b <nil>]" {
			t.Errorf("order %d: %s", order, got)
		}
	}
}

func TestGateByEvents(t *testing.T) {
	s := New()
	defer s.Close()
	d := NewGate(s, "gate", Dated{Shifts: []Shift{{1, 2, 2}, {2, 3, 5}}})
	if d.Open() || d.Enter() || d.Name() != "gate" || s.PendingEvents() != 1 {
		t.Errorf("open %t, %d pending", d.Open(), s.PendingEvents())
	}
	wantPanic(t, "Leave of gate: no visitor is inside", d.Leave)
	opened, closed := d.Opening(), d.Closing()
	if err := s.RunUntil(background, opened); err != nil || s.Now() != 1 || !d.Enter() || d.Opening() == opened {
		t.Errorf("at %g: %v", s.Now(), err)
	}
	if err := s.RunUntil(background, closed); err != nil || s.Now() != 3 || d.Inside().Value() != 1 {
		t.Errorf("at %g: %v", s.Now(), err)
	}
	s.At(4, d.Leave)
	run(t, s)
	if d.Overtime().Mean() != 1 || s.PendingEvents() != 0 {
		t.Errorf("%v, %d pending", d.Overtime(), s.PendingEvents())
	}
}

// Who is inside when the simulation is closed does not disturb it, and another timetable is not
// touched by the door of the first.
func TestGateOfAnotherTimetable(t *testing.T) {
	b, d := newShop(t, true)
	b.visits(d, 16, "a", 5)
	b.At(18, func() { b.Schedule(Daily{Shifts: []Shift{{0, 24, 3}}}) })
	b.expect(t, 30, "21 a <nil>")
	if b.Resource.Capacity() != 3 {
		t.Errorf("%d units", b.Resource.Capacity())
	}
	// One that has no more changes, and waits for the last to leave.
	b.diary = nil
	b.At(33, func() { b.Schedule(Dated{Shifts: []Shift{{0, 41, 2}}, Otherwise: 1}, UntilEmpty(d)) })
	b.visits(d, 40, "c", 3)
	b.At(42, func() { b.Schedule(Daily{Shifts: []Shift{{0, 24, 4}}}) })
	b.expect(t, 44, "43 c <nil>")
	if b.Resource.Capacity() != 4 {
		t.Errorf("%d units", b.Resource.Capacity())
	}
	b.visits(d, 60, "b", 50)
	_ = b.Run(background, 65)
	b.Close()
	if d.Inside().Value() != 1 {
		t.Error(d.Inside())
	}
}
