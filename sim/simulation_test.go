package sim

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// held is how much a simulation has of what is used again.
type held struct {
	slots, vacant, ring, heap, idle, extras, left, requests, ranks, grants, orders, items int
}

func holds(s *Simulation, r *Resource, st *Store[int]) (h held) {
	h = held{slots: len(s.slots), vacant: cap(s.freeSlots), ring: len(s.due.ring), heap: cap(s.due.heap),
		idle: len(s.idle), extras: len(s.freeWaitStates), left: cap(s.left), orders: len(st.spare), items: len(st.items.ring)}
	for q := s.requests; q != nil; q = q.next {
		h.requests++
	}
	for g := r.spare; g != nil; g = g.next {
		h.grants++
	}
	for e := r.queue.ranks.spare; e != nil; e = e.left {
		h.ranks++
	}
	return h
}

// Slots of events, requests, ranks, grants, orders and the like are used again: a model that does
// the same for ever soon has all that it needs. And every slot is in use or vacant.
func TestSimulationUsesMemoryAgain(t *testing.T) {
	s := New()
	defer s.Close()
	r := NewResource(s, "desk", 2)
	st := NewStore[int](s, "shelf", 3)
	random := s.Stream("model")
	s.Every(0, 1, func() {
		for i := range 10 {
			s.Go("customer", func(p *Process) {
				_ = r.Use(p, 1, func() error { return p.Wait(0.1 * random.Float64()) }, Rank(random.IntN(5)), Patience(0.5))
				_ = st.Put(p, i, Patience(0.5))
			})
			s.After(0.5, func() { st.TryGet() }, Priority(random.IntN(3)))
			e := s.After(0.9, func() {})
			s.After(0.2, func() { e.Reschedule(s.Now()) })
			s.After(0.2, func() { e.Cancel() })
		}
		r.RequestThen(1, func(g *Grant, _ error) { s.After(0.1, g.Release) })
	})
	run := func(until float64) held {
		if err := s.Run(context.Background(), until); err != nil {
			t.Fatal(err)
		}
		return holds(s, r, st)
	}
	before, after := run(100.5), run(1000.5)
	double := func(name string, was, is int) {
		if is > 2*was+16 {
			t.Errorf("%s: %d became %d", name, was, is)
		}
	}
	double("slots", before.slots, after.slots)
	double("vacant slots", before.vacant, after.vacant)
	double("ring of what is due", before.ring, after.ring)
	double("heap of what is due", before.heap, after.heap)
	double("idle workers", before.idle, after.idle)
	double("extras of processes", before.extras, after.extras)
	double("queues that somebody left", before.left, after.left)
	double("requests", before.requests, after.requests)
	double("ranks", before.ranks, after.ranks)
	double("grants", before.grants, after.grants)
	double("orders", before.orders, after.orders)
	double("items", before.items, after.items)
	if min(before.requests, before.ranks, before.grants, before.orders, before.heap, before.ring) == 0 {
		t.Errorf("something is never used: %+v", before)
	}

	vacant := make(map[uint32]bool)
	for _, id := range s.freeSlots {
		if vacant[id] || s.slots[id].version != 0 {
			t.Fatalf("slot %d is vacant twice, or in use", id)
		}
		vacant[id] = true
	}
	for id := range s.slots {
		if s.slots[id].f == nil && s.slots[id].p == nil && !vacant[uint32(id)] {
			t.Errorf("slot %d is lost", id)
		}
	}
}

// After a burst there are no more slots than events were pending at one time, and the calendar
// gives its memory back.
func TestSimulationAfterABurst(t *testing.T) {
	const n = 100_000
	s := New()
	defer s.Close()
	for burst := range 3 {
		for i := range n {
			s.After(1+float64(i%1000), func() {})
		}
		if err := s.Run(context.Background(), s.Now()+2000); err != nil {
			t.Fatal(err)
		}
		if len(s.slots) != n || len(s.freeSlots) != n {
			t.Errorf("burst %d: %d slots, %d of them vacant, want %d", burst, len(s.slots), len(s.freeSlots), n)
		}
		s.After(1, func() {})
		s.Step()
		if bytes := s.calendar.Stats().Bytes; bytes > 2<<20 {
			t.Errorf("burst %d: the calendar holds %d bytes", burst, bytes)
		}
	}
}

// Simulations share nothing: many at once give what one alone gives. With the race detector, this
// looks for what they might share.
func TestManyAtOnce(t *testing.T) {
	noLeak(t)
	model := func() string {
		s := New()
		defer s.Close()
		r := random.New(1)
		desk := NewResource(s, "desk", 2)
		store := NewStore[int](s, "store", 3)
		s.Go("source", func(p *Process) {
			for i := range 500 {
				_ = p.Wait(r.Exp())
				s.Go("customer", func(p *Process) {
					_ = desk.Use(p, 1, func() error { return p.Wait(1.8 * r.Exp()) }, Rank(i%2), Patience(5))
					_ = store.Put(p, i)
				})
			}
		})
		s.Every(1, 1.1, func() { store.TryGet() })
		_ = s.Run(background, 700)
		return fmt.Sprint(s.Events(), desk.Waits().Mean(), desk.Queue().Mean(), desk.Reneged(), store.Items(), s.Processes())
	}
	want := model()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				if got := model(); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
	all.Wait()
}

// A simulation may be run, and closed, by one goroutine after the other.
func TestGoroutinesTakeTurns(t *testing.T) {
	noLeak(t)
	s := New()
	turns := 0
	for range 10 {
		s.Go("p", func(p *Process) {
			for p.Wait(1) == nil {
				turns++
			}
		})
	}
	in := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	for i := range 5 {
		in(func() { _ = s.Run(background, float64(10*i+10)) })
	}
	in(s.Close)
	if turns != 500 || s.Processes() != 0 || math.IsNaN(s.Now()) {
		t.Errorf("%d turns", turns)
	}
}

// What belongs to another simulation would wake a process in the wrong one. Everything that takes a
// process, or something to wait for, refuses those of another simulation, and nil, whether there
// would be something to wait for or not.
func TestOtherSimulations(t *testing.T) {
	noLeak(t)
	type things struct {
		p             *Process
		waiting, over *Signal
	}
	s := New()
	defer s.Close()
	desk, store, tank := NewResource(s, "desk", 5), NewStore[int](s, "store", Unlimited), NewContainer(s, "tank", 100, 50)
	full := NewStore[int](s, "full", 1)
	full.TryPut(0)
	any := func(int) bool { return true }
	// each needs a process of s
	requests := map[string]func(p *Process){
		"Resource.Use":           func(p *Process) { _ = desk.Use(p, 1, func() error { t.Error("used"); return nil }) },
		"Resource.Use, taken":    func(p *Process) { _ = desk.Use(p, 5, func() error { t.Error("used"); return nil }) },
		"Resource.Request":       func(p *Process) { _, _ = desk.Request(p, 1, Preempting(Interrupt)) },
		"Store.Put":              func(p *Process) { _ = store.Put(p, 1) },
		"Store.Put, no room":     func(p *Process) { _ = full.Put(p, 1) },
		"Store.Get":              func(p *Process) { _, _ = full.Get(p) },
		"Store.Get, empty":       func(p *Process) { _, _ = store.Get(p) },
		"Store.GetWhere":         func(p *Process) { _, _ = full.GetWhere(p, any) },
		"Container.Get":          func(p *Process) { _ = tank.Get(p, 1) },
		"Container.Get, too few": func(p *Process) { _ = tank.Get(p, 99) },
		"Container.Put":          func(p *Process) { _ = tank.Put(p, 1) },
		"Container.Put, no room": func(p *Process) { _ = tank.Put(p, 99) },
		"Resource.Requested":     func(p *Process) { desk.NewRequest(p, 1) },
		"Store.GetRequested":     func(p *Process) { full.NewGetRequest(p) },
		"Store.PutRequested":     func(p *Process) { store.NewPutRequest(p, 1) },
		"Container.GetRequested": func(p *Process) { tank.NewGetRequest(p, 1) },
		"Container.PutRequested": func(p *Process) { tank.NewPutRequest(p, 1) },
	}
	// each needs something of s
	var own *Process
	waits := map[string]func(w Waitable){
		"WaitFor":       func(w Waitable) { _ = own.WaitFor(w) },
		"WaitForWithin": func(w Waitable) { _, _ = own.WaitForWithin(w, 1) },
		"AllOf":         func(w Waitable) { AllOf(s.Signal("own"), w) },
		"AnyOf":         func(w Waitable) { AnyOf(s.Signal("own"), w) },
		"Until":         func(w Waitable) { _ = desk.Use(own, 1, func() error { t.Error("used"); return nil }, Until(w)) },
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

// Events, grants, signals and interrupts of another simulation are used as from outside it, between
// its runs: what they change has its turn there when it runs on, and nothing of it in the
// simulation whose process did it.
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
	s.Go("customer", func(p *Process) { _ = desk.Use(p, 1, func() error { note("served"); return nil }) })
	s.Go("listener", func(p *Process) { _ = p.WaitFor(bell); note("rung") })
	sleeper := s.Go("sleeper", func(p *Process) {
		if i, ok := p.Wait(100).(*Interrupted); ok && i.By == nil && i.At == 2 {
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
