package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func TestProcessWaits(t *testing.T) {
	noLeak(t)
	s := New()
	var log []string
	note := func(p *Process) { log = append(log, fmt.Sprintf("%s%g", p.Name(), p.Now())) }
	for _, name := range []string{"a", "b"} {
		s.Go(name, func(p *Process) {
			note(p)
			for range 2 {
				if err := p.Wait(1); err != nil {
					t.Error(err)
				}
				note(p)
			}
		})
	}
	s.GoAt(1, "c", func(p *Process) { note(p); _ = p.WaitUntil(1.5); note(p) })
	s.GoAfter(2, "d", func(p *Process) {
		note(p)
		if s.Current() != p || p.Sim() != s || fmt.Sprint(p) != "d" {
			t.Error("the process does not know itself")
		}
		_ = p.Wait(0)
		note(p)
	})
	if len(log) != 0 {
		t.Error("a process began at once")
	}
	run(t, s)
	want := "a0 b0 c1 a1 b1 c1.5 d2 a2 b2 d2"
	if got := strings.Join(log, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.Processes() != 0 || s.Current() != nil {
		t.Errorf("%d processes are left", s.Processes())
	}
}

func TestWaitingAllocatesNothing(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 2)
	store := NewStore[int](s, "store", 3)
	tank := NewContainer(s, "tank", 10, 5)
	for i := range 20 {
		s.Go("p", func(p *Process) {
			use := func() error { return p.Wait(0.5) }
			for {
				_ = p.Wait(float64(i%7) / 4)
				_ = desk.Use(p, 1+i%2, use, Rank(i%3), Patience(3))
				if i%2 == 0 {
					_ = store.Put(p, i)
					_ = tank.Put(p, 2)
				} else {
					_, _ = store.Get(p)
					_ = tank.Get(p, 2, Rank(i))
				}
			}
		})
	}
	_ = s.Run(background, 1000)
	before := s.Events()
	if n := testing.AllocsPerRun(10, func() { _ = s.Run(background, s.Now()+100) }); n > 0 {
		t.Errorf("%g allocations in %d events", n, (s.Events()-before)/11)
	}
	if s.Events()-before < 1000 {
		t.Errorf("only %d events, so that this tests nothing", s.Events()-before)
	}
}

func TestWaitOutsideTheProcess(t *testing.T) {
	s := New()
	defer s.Close()
	a := s.Go("a", func(p *Process) { _ = p.Wait(math.Inf(1)) })
	g := s.Signal("g")
	desk := NewResource(s, "desk", 1)
	_ = s.Run(background, 1)
	wantPanic(t, "Wait of process a called outside it", func() { _ = a.Wait(1) })
	wantPanic(t, "WaitFor of process a called outside it", func() { _ = a.WaitFor(g) })
	wantPanic(t, "Request of process a called outside it", func() { _, _ = desk.Request(a, 1) })
	s.Go("b", func(p *Process) {
		wantPanic(t, "Wait of process a called outside it", func() { _ = a.Wait(1) })
		wantPanic(t, "Wait(-1) of process b", func() { _ = p.Wait(-1) })
		wantPanic(t, "Wait(NaN)", func() { _ = p.Wait(math.NaN()) })
		wantPanic(t, "within process b; wait instead", func() { _ = s.Run(background, 9) })
		wantPanic(t, "call Stop", func() { s.Close() })
	})
	b := s.Go("ended", func(*Process) {})
	_ = s.Run(background, 2)
	wantPanic(t, "after its end", func() { _ = b.Wait(1) })
}

func TestInterrupt(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	cause := errors.New("rain")
	var got []error
	p := s.Go("walker", func(p *Process) {
		p.Interrupt("itself") // is told at the next wait
		for range 5 {
			got = append(got, p.Wait(10))
		}
		got = append(got, p.Wait(math.Inf(1)))
	})
	s.At(4, func() { p.Interrupt(cause); p.Interrupt("again") })
	weather := s.GoAt(6, "weather", func(*Process) { p.Interrupt(cause) })
	s.At(30, func() { p.Interrupt("end") })
	_ = s.Run(background, 40)
	want := []Interrupted{
		{Cause: "itself", By: p, At: 0, Remaining: 10},
		{Cause: cause, At: 4, Remaining: 6},
		{Cause: "again", At: 4, Remaining: 10},
		{Cause: cause, By: weather, At: 6, Remaining: 8},
		{},
		{Cause: "end", At: 30},
	}
	if len(got) != len(want) {
		t.Fatalf("%d waits ended, want %d", len(got), len(want))
	}
	for i, err := range got {
		var in *Interrupted
		switch {
		case i == 4:
			if err != nil {
				t.Errorf("wait %d: %v", i, err)
			}
		case !errors.As(err, &in) || *in != want[i]:
			t.Errorf("wait %d: %+v, want %+v", i, err, want[i])
		}
	}
	if !errors.Is(got[3], cause) || !strings.Contains(got[3].Error(), "interrupted by weather at 6: rain") {
		t.Errorf("%v does not tell its cause", got[3])
	}
	p.Interrupt("after the end")
	if !p.Happened() {
		t.Error("it did not end")
	}
}

func TestWaitUntil(t *testing.T) {
	noLeak(t)
	s := New(StartAt(1))
	p := s.Go("p", func(p *Process) {
		if err := p.WaitUntil(0.1 + 0.2 + 1); err != nil || p.Now() != 0.1+0.2+1 {
			t.Errorf("%v at %g", err, p.Now())
		}
		wantPanic(t, "WaitUntil(1) is before now", func() { _ = p.WaitUntil(1) })
		wantPanic(t, "NaN", func() { _ = p.WaitUntil(math.NaN()) })
		wantPanic(t, "finite", func() { _ = p.Wait(math.MaxFloat64); _ = p.Wait(math.MaxFloat64) })
	})
	wantPanic(t, "outside", func() { _ = p.WaitUntil(2) })
	run(t, s)
	if s.Now() != math.MaxFloat64 {
		t.Errorf("ended at %g", s.Now())
	}
}

// What a process waits for must forget it when it is interrupted, and an interrupt must not undo
// what has happened.
func TestInterruptLeavesNothingBehind(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	g, h := s.Signal("g"), s.Signal("h")
	var errs []error
	p := s.Go("p", func(p *Process) {
		errs = append(errs, p.WaitFor(AnyOf(g, AllOf(g, h))))
		ok, err := p.WaitForWithin(g, 5)
		if ok {
			t.Error("happened")
		}
		errs = append(errs, err)
		errs = append(errs, p.WaitFor(h), p.Wait(1))
	})
	s.At(1, func() { p.Interrupt(1) })
	s.At(2, func() {
		if g.Waiting() != 1 || h.Waiting() != 0 {
			t.Errorf("%d and %d waiting, want 1 and 0", g.Waiting(), h.Waiting())
		}
		p.Interrupt(2)
	})
	s.At(7, func() { h.Trigger(); p.Interrupt(3) })
	run(t, s)
	if g.Waiting() != 0 || s.Now() != 7 {
		t.Errorf("%d waiting at %g", g.Waiting(), s.Now())
	}
	for i, want := range []bool{true, true, false, true} {
		if (errs[i] != nil) != want {
			t.Errorf("wait %d: %v", i, errs[i])
		}
	}
	var in *Interrupted
	if !errors.As(errs[1], &in) || in.Remaining != 4 {
		t.Errorf("%+v, want 4 remaining", in)
	}
}

func TestPanicInProcess(t *testing.T) {
	noLeak(t)
	for _, call := range []string{"Run", "Step"} {
		s := New()
		closed := 0
		s.Go("bystander", func(p *Process) {
			defer func() { closed++ }()
			_ = p.Wait(100)
		})
		cause := errors.New("boom")
		s.Go("culprit", func(p *Process) {
			_ = p.Wait(2)
			explode(cause)
		})
		func() {
			defer func() {
				pp, ok := recover().(*PanicError)
				if !ok || pp.Process != "culprit" || pp.Time != 2 || pp.Value != cause || !errors.Is(pp, cause) {
					t.Errorf("%s: %+v", call, pp)
				} else if !strings.Contains(string(pp.Stack), "explode") ||
					!strings.Contains(pp.Error(), "process culprit panicked at 2: boom") {
					t.Errorf("%s: %v", call, pp)
				}
			}()
			if call == "Run" {
				_ = s.Run(background, 10)
			}
			for s.Step() {
			}
		}()
		if closed != 0 || s.Processes() != 1 {
			t.Errorf("%s: the bystander ended", call)
		}
		if err := s.Run(background, 50); err != nil || s.Now() != 50 {
			t.Errorf("%s: cannot be run on: %v", call, err)
		}
		s.Close()
		if closed != 1 {
			t.Errorf("%s: deferred calls ran %d times", call, closed)
		}
	}
}

//go:noinline
func explode(v any) { panic(v) }

// A panic in an event's function comes out as it is.
func TestPanicInEvent(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	s.Go("p", func(p *Process) { _ = p.Wait(9) })
	s.At(1, func() { explode("boom") })
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("%v", v)
			}
		}()
		_ = s.Run(background, 5)
	}()
	if err := s.Run(background, 20); err != nil || s.Processes() != 0 {
		t.Errorf("cannot be run on: %v", err)
	}
}

// A process may run a simulation of its own.
func TestSimulationWithinProcess(t *testing.T) {
	noLeak(t)
	s := New()
	var log []float64
	s.Go("outer", func(p *Process) {
		_ = p.Wait(1)
		inner := New()
		defer inner.Close()
		inner.Go("inner", func(q *Process) {
			for range 3 {
				_ = q.Wait(2)
				log = append(log, q.Now())
			}
		})
		_ = inner.Run(background, 5)
		_ = p.Wait(1)
		log = append(log, p.Now())
	})
	run(t, s)
	if !slices.Equal(log, []float64{2, 4, 2}) {
		t.Errorf("%v", log)
	}
}

// A process is small, since there may be millions of them, and what only few need is no part of it.
func TestSizeOfProcess(t *testing.T) {
	if size := unsafe.Sizeof(Process{}); unsafe.Sizeof(uintptr(0)) == 8 && size > 112 {
		t.Errorf("a process takes %d bytes; 112 are a size of their own for the allocator", size)
	}
}

func TestStatus(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 1)
	g, h := s.Signal("g"), s.Signal("h")
	s.Go("a", func(p *Process) {
		if got := p.Status(); got != "has its turn" {
			t.Error(got)
		}
		_ = desk.Use(p, 1, func() error { return p.Wait(20) })
	})
	b := s.GoAt(1, "b", func(p *Process) { _, _ = desk.Request(p, 1, Patience(30)) })
	s.Go("c", func(p *Process) { _ = desk.Use(p, 1, func() error { return nil }) })
	s.Go("d", func(p *Process) { _ = p.WaitFor(AnyOf(g, AllOf(h, b))) })
	s.Go("e", func(p *Process) { _, _ = p.WaitForWithin(g, 9) })
	s.Go("f", func(p *Process) { _ = p.Wait(math.Inf(1)) })
	s.GoAt(7, "g", func(*Process) {})
	_ = s.Run(background, 5)
	var got []string
	for _, p := range s.Live() {
		got = append(got, fmt.Sprintf("%s %s", p, p.Status()))
	}
	g.Trigger()
	for _, p := range s.Live()[3:5] {
		got = append(got, fmt.Sprintf("%s %s", p, p.Status()))
	}
	want := `
a waits until 20
b waits in line for desk since 1 until 31
c waits in line for desk since 0
d waits for any of (g, all of (h, the end of b))
e waits for g until 9
f waits
g starts at 7
d is about to have its turn
e is about to have its turn`
	if text := "\n" + strings.Join(got, "\n"); text != want {
		t.Error(text)
	}
	never := s.GoAt(100, "never", func(*Process) {})
	s.Close()
	if b.Status() != "has ended" || never.Status() != "has ended" || len(s.Live()) != 0 {
		t.Error("there are still processes")
	}
	if late := s.Go("late", func(*Process) {}); late.Status() != "never starts" {
		t.Error(late.Status())
	}
}

func TestCall(t *testing.T) {
	noLeak(t)
	s := New()
	burnt := errors.New("burnt")
	cook := func(d float64, err error) *Outcome[string] {
		return Call(s, "cook", func(p *Process) (string, error) {
			if err := p.Wait(d); err != nil {
				return "raw", err
			}
			return "pie", err
		})
	}
	ends := 0
	s.Go("guest", func(p *Process) {
		pie, soup, fish := cook(3, nil), cook(1, burnt), cook(9, nil)
		if v, err := pie.Value(); v != "" || err != errNoValue || pie.Happened() {
			t.Errorf("%q, %v before the end", v, err)
		}
		first := AnyOf(pie, soup)
		if err := p.WaitFor(first); err != nil || first.First() != Waitable(soup) {
			t.Error(err)
		}
		if v, err := soup.Wait(p); v != "pie" || err != burnt {
			t.Errorf("%q, %v", v, err)
		}
		if v, ended, err := pie.WaitWithin(p, 1); v != "" || ended || err != nil || p.Now() != 2 {
			t.Errorf("%q, %t, %v at %g", v, ended, err, p.Now())
		}
		if v, err := pie.Wait(p); v != "pie" || err != nil || p.Now() != 3 {
			t.Errorf("%q, %v at %g", v, err, p.Now())
		}
		s.After(1, func() { p.Interrupt("me") })
		s.After(2, func() { fish.Process().Interrupt("the cook") })
		v, err := fish.Wait(p)
		if i, ok := errors.AsType[*Interrupted](err); v != "" || !ok || i.Cause != "me" || fish.Happened() {
			t.Errorf("%q, %v", v, err)
		}
		v, err = fish.Wait(p)
		if i, ok := errors.AsType[*Interrupted](err); v != "raw" || !ok || i.Cause != "the cook" || !fish.Happened() ||
			p.Now() != 5 {
			t.Errorf("%q, %v", v, err)
		}
		ends++
	})
	run(t, s)
	never := cook(1, nil)
	_ = s.Run(background, s.Now())
	s.Close()
	if v, err := never.Value(); ends != 1 || v != "" || err != errNoValue || !never.Happened() {
		t.Errorf("%q, %v after Close", v, err)
	}
	wantPanic(t, "needs a function", func() { Call[int](s, "nothing", nil) })
}

func TestSignalOf(t *testing.T) {
	s := New()
	g := NewSignal[[]int](s, "numbers")
	got := 0
	for range 2 {
		s.Go("waits", func(p *Process) {
			if v, happened, err := g.WaitWithin(p, 1); v != nil || happened || err != nil {
				t.Errorf("%v, %t, %v", v, happened, err)
			}
			v, err := g.Wait(p)
			if err != nil || len(v) != 2 || p.Now() != 2 || AllOf(g).First() != Waitable(g) {
				t.Errorf("%v, %v at %g", v, err, p.Now())
			}
			got++
		})
	}
	if v, ok := g.Value(); v != nil || ok || g.Name() != "numbers" {
		t.Error(v, ok)
	}
	s.At(2, func() {
		if g.Waiting() != 2 || !g.TryTrigger([]int{1, 2}) || g.TryTrigger(nil) {
			t.Error("it could not be triggered, or twice")
		}
		wantPanic(t, "numbers was triggered before", func() { g.Trigger(nil) })
	})
	run(t, s)
	if v, ok := g.Value(); got != 2 || len(v) != 2 || !ok {
		t.Error(got, v, ok)
	}
}
