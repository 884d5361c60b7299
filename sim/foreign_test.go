package sim

import (
	"context"
	"strings"
	"testing"
)

// What belongs to another simulation would wake a process in the wrong one. Everything that takes a process, or something to wait
// for, refuses those of another simulation, and nil, whether there would be something to wait for or not.
func TestOtherSimulations(t *testing.T) {
	noLeak(t)
	type things struct {
		p             *Process
		waiting, over *Signal
	}
	s := New()
	defer s.Close()
	desk, store, tank := NewResource(s, "desk", 5), NewStore[int](s, "store", 0), NewContainer(s, "tank", 100, 50)
	full := NewStore[int](s, "full", 1)
	full.TryPut(0)
	any := func(int) bool { return true }
	// each needs a process of s
	requests := map[string]func(p *Process){
		"Resource.Use":           func(p *Process) { _ = desk.Use(p, 1, func() { t.Error("used") }) },
		"Resource.Use, taken":    func(p *Process) { _ = desk.Use(p, 5, func() { t.Error("used") }) },
		"Resource.Request":       func(p *Process) { _, _ = desk.Request(p, 1, Preempting()) },
		"Store.Put":              func(p *Process) { _ = store.Put(p, 1) },
		"Store.Put, no room":     func(p *Process) { _ = full.Put(p, 1) },
		"Store.Get":              func(p *Process) { _, _ = full.Get(p) },
		"Store.Get, empty":       func(p *Process) { _, _ = store.Get(p) },
		"Store.GetWhere":         func(p *Process) { _, _ = full.GetWhere(p, any) },
		"Container.Get":          func(p *Process) { _ = tank.Get(p, 1) },
		"Container.Get, too few": func(p *Process) { _ = tank.Get(p, 99) },
		"Container.Put":          func(p *Process) { _ = tank.Put(p, 1) },
		"Container.Put, no room": func(p *Process) { _ = tank.Put(p, 99) },
		"Resource.Requested":     func(p *Process) { desk.Requested(p, 1) },
		"Store.GetRequested":     func(p *Process) { full.GetRequested(p) },
		"Store.PutRequested":     func(p *Process) { store.PutRequested(p, 1) },
		"Container.GetRequested": func(p *Process) { tank.GetRequested(p, 1) },
		"Container.PutRequested": func(p *Process) { tank.PutRequested(p, 1) },
	}
	// each needs something of s
	var own *Process
	waits := map[string]func(w Waitable){
		"WaitFor":       func(w Waitable) { _ = own.WaitFor(w) },
		"WaitForWithin": func(w Waitable) { _, _ = own.WaitForWithin(w, 1) },
		"AllOf":         func(w Waitable) { AllOf(s.Signal("own"), w) },
		"AnyOf":         func(w Waitable) { AnyOf(s.Signal("own"), w) },
		"Until":         func(w Waitable) { _ = desk.Use(own, 1, func() { t.Error("used") }, Until(w)) },
		"Until, Then":   func(w Waitable) { full.GetThen(func(int, error) { t.Error("got") }, Until(w)) },
	}
	outside := map[string]func(w Waitable){
		"RunUntil":       func(w Waitable) { _ = s.RunUntil(background, w) },
		"RunUntil, done": func(w Waitable) { ctx, end := context.WithCancel(background); end(); _ = s.RunUntil(ctx, w) },
	}
	other := New()
	defer other.Close()
	check := func(theirs things) {
		for name, f := range requests {
			t.Run(name, func(t *testing.T) {
				wantPanic(t, "which belongs to another simulation", func() { f(theirs.p) })
				wantPanic(t, "needs the process that waits, not nil", func() { f(nil) })
			})
		}
		calls := outside
		if s.Current() != nil {
			calls = waits
		}
		for name, f := range calls {
			t.Run(name, func(t *testing.T) {
				for _, w := range []Waitable{theirs.waiting, theirs.over, theirs.p, AnyOf(theirs.waiting), AllOf(theirs.over)} {
					wantPanic(t, "which belongs to another simulation", func() { f(w) })
				}
				wantPanic(t, "nil", func() { f(nil) })
			})
		}
	}
	other.Go("theirs", func(p *Process) {
		over := other.Signal("over")
		over.Trigger()
		theirs := things{p, other.Signal("waiting"), over}
		// In the turn of the other's process: from outside of s, and from within.
		check(theirs)
		own = s.Go("own", func(*Process) { check(theirs) })
		if err := s.Run(background, 1); err != nil {
			t.Error(err)
		}
		check(theirs)
	})
	run(t, other)
	if desk.InUse() != 0 || store.Len() != 0 || full.Len() != 1 || tank.Amount() != 50 || s.Now() != 1 {
		t.Error("something was changed by what was refused")
	}
}

// Events, grants, signals and interrupts of another simulation are used as from outside it, between its runs: what they change has
// its turn there when it runs on, and nothing of it in the simulation whose process did it.
func TestReachingIntoAnotherSimulation(t *testing.T) {
	noLeak(t)
	s, other := New(), New()
	defer s.Close()
	defer other.Close()
	desk := NewResource(s, "desk", 1)
	g, _ := desk.TryRequest(1)
	bell := s.Signal("bell")
	var log []string
	note := func(entry string) { log = append(log, entry) }
	s.Go("customer", func(p *Process) { _ = desk.Use(p, 1, func() { note("served") }) })
	s.Go("listener", func(p *Process) { _ = p.WaitFor(bell); note("rung") })
	sleeper := s.Go("sleeper", func(p *Process) {
		if i, ok := p.Wait(100).(*Interrupted); ok && i.By == "" && i.At == 2 {
			note("woken")
		}
	})
	e := s.At(50, func() { note("event") })
	if err := s.Run(background, 2); err != nil {
		t.Fatal(err)
	}
	other.GoAt(7, "stranger", func(p *Process) {
		g.Release()
		bell.Trigger()
		sleeper.Interrupt("hello")
		e.Reschedule(3)
		if _, ok := desk.TryRequest(1); ok {
			t.Error("a unit was taken that is somebody's")
		}
		if err := p.Wait(1); err != nil || p.Now() != 8 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	run(t, other)
	if len(log) > 0 || s.Now() != 2 {
		t.Errorf("at %g: %q", s.Now(), log)
	}
	if err := s.Run(background, 10); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "served rung woken event" {
		t.Error(got)
	}
}
