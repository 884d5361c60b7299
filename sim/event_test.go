package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

var background = context.Background()

// run goes on until nothing is left.
func run(t testing.TB, s *Simulation) {
	t.Helper()
	if err := s.Run(background, math.Inf(1)); err != nil {
		t.Fatal(err)
	}
}

// wantPanic checks that f panics with a message that begins with "sim: " and contains what is
// wanted.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "sim: ") || !strings.Contains(got, want) {
			t.Errorf("panics with %q, want %q in it", got, want)
		}
	}()
	f()
}

func TestCallersBugs(t *testing.T) {
	s := New(StartAt(5))
	defer s.Close()
	nan, inf, f := math.NaN(), math.Inf(1), func() {}
	wantPanic(t, "At(3) is before now, 5", func() { s.At(3, f) })
	wantPanic(t, "NaN", func() { s.At(nan, f) })
	wantPanic(t, "finite", func() { s.At(inf, f) })
	wantPanic(t, "before now", func() { s.At(-inf, f) })
	wantPanic(t, "After(-1): a delay must not be negative", func() { s.After(-1, f) })
	wantPanic(t, "NaN", func() { s.After(nan, f) })
	wantPanic(t, "finite", func() { s.After(inf, f) })
	wantPanic(t, "not nil", func() { s.At(6, nil) })
	wantPanic(t, "not nil", func() { s.Go("p", nil) })
	wantPanic(t, "interval", func() { s.Every(1, 0, f) })
	wantPanic(t, "interval", func() { s.Every(1, nan, f) })
	wantPanic(t, "Every(-1)", func() { s.Every(-1, 1, f) })
	wantPanic(t, "Run until 4 is before now, 5", func() { _ = s.Run(background, 4) })
	wantPanic(t, "Run until NaN", func() { _ = s.Run(background, nan) })
	wantPanic(t, "finite", func() { New(StartAt(nan)) })
	wantPanic(t, "negative", func() { s.Timeout(-1) })
	wantPanic(t, "before now", func() { s.At(9, f).Reschedule(1) })
	wantPanic(t, "AnyOf", func() { AnyOf() })
	wantPanic(t, "nil", func() { AllOf(nil) })
	wantPanic(t, "within an event; schedule instead", func() {
		s.After(0, func() { s.Step() })
		_ = s.Run(background, 6)
	})
	wantPanic(t, "call Stop", func() {
		s.After(0, s.Close)
		_ = s.Run(background, 7)
	})
	s.Close()
	wantPanic(t, "closed", func() { s.Step() })
	wantPanic(t, "closed", func() { _ = s.Run(background, 10) })
}

func TestRunIncludesUntil(t *testing.T) {
	s := New()
	var got []float64
	for _, at := range []float64{1, 2, 2, math.Nextafter(2, 3), 3} {
		s.At(at, func() {
			got = append(got, at)
			if at == 2 && len(got) < 4 {
				s.After(0, func() { got = append(got, -s.Now()) }) // what is scheduled at until for until is included
			}
		})
	}
	if err := s.Run(background, 2); err != nil || s.Now() != 2 || !slices.Equal(got, []float64{1, 2, 2, -2, -2}) {
		t.Errorf("until 2: %v, clock %g, %v", got, s.Now(), err)
	}
	s.At(2, func() { got = append(got, 20) })
	if err := s.Run(background, 2); err != nil || got[len(got)-1] != 20 {
		t.Errorf("again until 2: %v, %v", got, err)
	}
	if err := s.Run(background, 2.5); err != nil || s.Now() != 2.5 || s.PendingEvents() != 1 {
		t.Errorf("until 2.5: clock %g, %d pending, %v", s.Now(), s.PendingEvents(), err)
	}
	run(t, s)
	if s.Now() != 3 || s.Events() != 8 {
		t.Errorf("until nothing is left: clock %g, %d events", s.Now(), s.Events())
	}
	if at, ok := s.Peek(); ok || s.Step() {
		t.Errorf("something is left at %g", at)
	}
}

func TestStop(t *testing.T) {
	s := New()
	s.Stop() // without a run under way it does nothing
	n := 0
	s.Every(1, 1, func() {
		if n++; n%10 == 0 {
			s.Stop()
		}
	})
	s.Go("p", func(p *Process) {
		for {
			_ = p.Wait(0.25)
		}
	})
	defer s.Close()
	for i := range 3 {
		if err := s.Run(background, 1000); err != nil || s.Now() != float64(10*(i+1)) {
			t.Fatalf("stopped at %g, %v", s.Now(), err)
		}
	}
}

// A process that nothing comes between must not keep its turn beyond a Stop.
func TestStopWithinProcess(t *testing.T) {
	s := New()
	defer s.Close()
	s.Go("p", func(p *Process) {
		_ = p.Wait(1)
		s.Stop()
		_ = p.Wait(1)
	})
	if err := s.Run(background, 10); err != nil || s.Now() != 1 {
		t.Errorf("stopped at %g, %v", s.Now(), err)
	}
}

func TestContext(t *testing.T) {
	for _, kind := range []string{"events", "process"} {
		ctx, cancel := context.WithCancel(background)
		s := New()
		n := 0
		step := func() {
			if n++; n == 1000 {
				cancel()
			}
		}
		if kind == "events" {
			s.Every(1, 1, step)
		} else {
			s.Go("p", func(p *Process) {
				for {
					_ = p.Wait(1)
					step()
				}
			})
		}
		if err := s.Run(ctx, math.Inf(1)); !errors.Is(err, context.Canceled) || n < 1000 || n > 1000+batch ||
			s.Now() != float64(n) {
			t.Errorf("%s: %v after %d at %g", kind, err, n, s.Now())
		}
		was := s.Now()
		if err := s.Run(ctx, was+1); !errors.Is(err, context.Canceled) || s.Now() != was {
			t.Errorf("%s: %v, clock %g", kind, err, s.Now())
		}
		if err := s.Run(background, was+1); err != nil || s.Now() != was+1 {
			t.Errorf("%s: %v, clock %g", kind, err, s.Now())
		}
		s.Close()
	}
}

func TestRunUntil(t *testing.T) {
	s := New()
	defer s.Close()
	p := s.Go("p", func(p *Process) { _ = p.Wait(3) })
	g := s.Signal("g")
	s.Every(1, 1, func() {})
	if err := s.RunUntil(background, AnyOf(p, g)); err != nil || !p.Happened() || s.Now() != 3 {
		t.Errorf("%v at %g", err, s.Now())
	}
	if err := s.RunUntil(background, AllOf(p, s.Timeout(5))); err != nil || s.Now() != 8 {
		t.Errorf("%v at %g", err, s.Now())
	}
}

func TestRunUntilNothingIsLeft(t *testing.T) {
	s := New()
	g := s.Signal("g")
	s.At(3, func() {})
	if err := s.RunUntil(background, g); !errors.Is(err, ErrIdle) || s.Now() != 3 || g.Waiting() != 0 {
		t.Errorf("%v at %g, %d waiting", err, s.Now(), g.Waiting())
	}
	s.At(4, g.Trigger)
	s.At(4, func() { t.Error("it ran on") })
	if err := s.RunUntil(background, g); err != nil || s.Now() != 4 {
		t.Errorf("%v at %g", err, s.Now())
	}
}

func TestEvery(t *testing.T) {
	s := New()
	var got []float64
	var e Event
	e = s.Every(0, 0.1, func() {
		got = append(got, s.Now())
		if next, ok := e.Time(); !ok || !(next > s.Now()) {
			t.Errorf("the next call is at %g, %t", next, ok)
		}
		if len(got) == 10 {
			e.Reschedule(5)
		}
		if len(got) == 12 && (!e.Cancel() || e.Cancel()) {
			t.Error("it cannot be cancelled from within, or twice")
		}
	})
	run(t, s)
	for i, at := range got {
		want := float64(i) * 0.1 // without the error of adding up
		if i >= 10 {
			want = 5 + float64(i-10)*0.1
		}
		if at != want {
			t.Errorf("call %d at %g, want %g", i, at, want)
		}
	}
	if len(got) != 12 || e.Pending() {
		t.Errorf("%d calls", len(got))
	}
	s = New(StartAt(1e20))
	s.Every(0, 1, func() {})
	wantPanic(t, "does not move the clock", func() { run(t, s) })
}

// Handles of events that have gone must be refused, even if their slot has another event.
func TestStaleHandles(t *testing.T) {
	s := New()
	if e := (Event{}); e.Pending() || e.Cancel() || e.Reschedule(1) {
		t.Error("the zero Event is an event")
	}
	old := s.At(1, func() {})
	run(t, s)
	called := false
	e := s.At(2, func() { called = true })
	if old.slot != e.slot {
		t.Fatal("the slot is not used again, so that this tests nothing")
	}
	if old.Pending() || old.Cancel() || old.Reschedule(3) || old == e {
		t.Error("a stale handle touches another event")
	}
	if _, ok := old.Time(); ok {
		t.Error("a stale handle has a time")
	}
	run(t, s)
	if !called {
		t.Error("the event did not happen")
	}
}

func TestEventsAllocateNothing(t *testing.T) {
	s := New()
	for i := range 100 {
		d := 1 + float64(i)/100
		var f func()
		f = func() { s.After(d, f) }
		s.After(d, f)
		var g func()
		g = func() { s.After(0, func() {}); s.At(s.Now()+3, g, Priority(i%2)) }
		s.After(3, g)
	}
	_ = s.Run(background, 2000)
	if n := testing.AllocsPerRun(10, func() { _ = s.Run(background, s.Now()+100) }); n > 0 {
		t.Errorf("%g allocations in some 20,000 events", n)
	}
}

func TestOptions(t *testing.T) {
	s := New(Name("bank"), Seed(7), StartAt(math.Copysign(0, -1)))
	if s.Name() != "bank" || s.Seed() != 7 || math.Signbit(s.Now()) {
		t.Errorf("%s, %d, %g", s.Name(), s.Seed(), s.Now())
	}
}

func TestWarmUp(t *testing.T) {
	s := New()
	desk := NewResource(s, "desk", 2)
	s.At(0, func() { desk.TryRequest(2) })
	s.WarmUp(10)
	s.At(10, func() { desk.TryRequest(1) })
	_ = s.Run(background, 20)
	if got := desk.Usage().Mean(); got != 2 || desk.Waits().N() != 0 {
		t.Errorf("a mean of %g, %d requests", got, desk.Waits().N())
	}
}

// A process of some priority that waited without a limit of time has no pending event while it
// waits: waking it must not confuse the count of those that have a priority.
func TestPriorityAfterWaking(t *testing.T) {
	s := New()
	defer s.Close()
	signal := s.Signal("signal")
	for range 3 {
		s.Go("waits", func(p *Process) { _ = p.WaitFor(signal) }, Priority(7))
	}
	s.At(1, signal.Trigger)
	var order []string
	s.At(5, func() { order = append(order, "usual") })
	s.At(2, func() { s.At(5, func() { order = append(order, "first") }, Priority(-1)) })
	if err := s.Run(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []string{"first", "usual"}) {
		t.Errorf("%v", order)
	}
}
