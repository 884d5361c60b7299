package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSignalWakesInOrder(t *testing.T) {
	noLeak(t)
	s := New()
	g := s.Signal("gate")
	var log []string
	for i := range 5 {
		s.GoAt(float64(4-i), fmt.Sprint(i), func(p *Process) {
			if err := p.WaitFor(g); err != nil {
				t.Error(err)
			}
			log = append(log, fmt.Sprintf("%s:%v@%g", p, g.Value(), p.Now()))
			if err := p.WaitFor(g); err != nil || p.Now() != 6 {
				t.Errorf("what has happened is waited for until %g, %v", p.Now(), err)
			}
		})
	}
	s.At(6, func() {
		g.TriggerWith("open")
		log = append(log, "triggered")
	})
	run(t, s)
	if got := strings.Join(log, " "); got != "triggered 4:open@6 3:open@6 2:open@6 1:open@6 0:open@6" {
		t.Error(got)
	}
	if g.TryTrigger() || !g.Happened() || g.Name() != "gate" {
		t.Error("it can be triggered twice")
	}
	wantPanic(t, "gate was triggered before", g.Trigger)
	wantPanic(t, "gate was triggered before", func() { g.TriggerWith(1) })
}

func TestWaitForWithin(t *testing.T) {
	noLeak(t)
	s := New()
	g := s.Signal("g")
	at := func(want float64, wantHappened bool) func(bool, error) {
		return func(happened bool, err error) {
			t.Helper()
			if happened != wantHappened || err != nil || s.Now() != want {
				t.Errorf("%t, %v at %g, want %t at %g", happened, err, s.Now(), wantHappened, want)
			}
		}
	}
	s.Go("p", func(p *Process) {
		at(3, false)(p.WaitForWithin(g, 3))
		at(5, true)(p.WaitForWithin(g, 3)) // at 6 there is nothing left of the limit
		at(5, true)(p.WaitForWithin(g, 0))
		other := s.Signal("other")
		at(5, false)(p.WaitForWithin(other, 0))
		if err := p.Wait(7); err != nil || other.Waiting() != 0 {
			t.Errorf("%v, %d waiting", err, other.Waiting())
		}
		wantPanic(t, "negative", func() { _, _ = p.WaitForWithin(other, -1) })
	})
	s.At(5, g.Trigger)
	run(t, s)
	if s.Now() != 12 {
		t.Errorf("ended at %g", s.Now())
	}
}

// When the limit and what is waited for come at the same time, that counts which was scheduled
// first.
func TestWaitForWithinAtTheLimit(t *testing.T) {
	for _, first := range []bool{true, false} {
		s := New()
		g := s.Signal("g")
		if first {
			s.At(2, g.Trigger)
		}
		s.Go("p", func(p *Process) {
			if happened, err := p.WaitForWithin(g, 2); happened != first || err != nil {
				t.Errorf("%t, %v, want %t", happened, err, first)
			}
		})
		s.At(0, func() {
			if !first {
				s.At(2, g.Trigger)
			}
		})
		run(t, s)
	}
}

func TestTimeoutAndConditions(t *testing.T) {
	noLeak(t)
	s := New()
	a, b, c := s.Timeout(1), s.Timeout(2), s.Timeout(3)
	some, all := AnyOf(b, c, a), AllOf(a, c, b)
	s.Go("p", func(p *Process) {
		if some.First() != nil || len(some.All()) != 0 {
			t.Error("something has happened")
		}
		_ = p.WaitFor(some)
		if p.Now() != 1 || some.First() != a || all.Happened() {
			t.Errorf("any at %g", p.Now())
		}
		_ = p.WaitFor(AllOf(b, some))
		if p.Now() != 2 {
			t.Errorf("the second at %g", p.Now())
		}
		_ = p.WaitFor(all)
		if p.Now() != 3 || all.First() != a || len(all.All()) != 3 {
			t.Errorf("all at %g", p.Now())
		}
		_ = p.WaitFor(AllOf())
		_ = p.WaitFor(AllOf(AllOf(), AnyOf(AllOf(), s.Signal("never"))))
		child := s.Go("child", func(p *Process) { _ = p.Wait(4) })
		_ = p.WaitFor(AllOf(child, child))
		if p.Now() != 7 || !child.Happened() {
			t.Errorf("the child ended at %g", p.Now())
		}
		early := s.Timeout(5)
		early.Trigger() // before its time, which is no longer waited for then
	})
	run(t, s)
	if s.Processes() != 0 || s.Now() != 7 || s.PendingEvents() != 0 {
		t.Errorf("%d processes are left at %g", s.Processes(), s.Now())
	}
}

// Random conditions of conditions, against their definition: the moment at which a process wakes is
// the first at which it holds.
func TestConditionsAgainstDefinition(t *testing.T) {
	noLeak(t)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := New()
		var signals []Waitable
		var times []float64
		for i := range 6 {
			g := s.Signal(fmt.Sprint(i))
			at := float64(r.IntN(5))
			s.At(at, g.Trigger)
			signals, times = append(signals, g), append(times, at)
		}
		// grow makes a condition, and the time at which it happens.
		var grow func(depth int) (Waitable, float64)
		grow = func(depth int) (Waitable, float64) {
			if depth == 0 || r.IntN(4) == 0 {
				i := r.IntN(len(signals))
				return signals[i], times[i]
			}
			var of []Waitable
			least, most := 1e9, -1e9
			for range 1 + r.IntN(3) {
				w, at := grow(depth - 1)
				of = append(of, w)
				least, most = min(least, at), max(most, at)
			}
			if r.IntN(2) == 0 {
				return AnyOf(of...), least
			}
			return AllOf(of...), most
		}
		woken := 0
		for range 20 {
			w, at := grow(3)
			begin := float64(r.IntN(4))
			limit := float64(r.IntN(5)) + 0.5
			s.GoAt(begin, "p", func(p *Process) {
				woken++
				happened, err := p.WaitForWithin(w, limit)
				want := min(max(at, begin), begin+limit)
				if err != nil || p.Now() != want || happened != (at <= begin+limit) || happened != w.Happened() {
					t.Errorf("seed %d: %t at %g, want it at %g; from %g within %g: %s",
						seed, happened, p.Now(), at, begin, limit, w.label())
				}
			})
		}
		run(t, s)
		if woken != 20 {
			t.Errorf("seed %d: %d woke", seed, woken)
		}
		for _, g := range signals {
			if n := g.(*Signal).Waiting(); n != 0 {
				t.Errorf("seed %d: %d still wait", seed, n)
			}
		}
	}
}

// A signal that never happens must not remember the many who once waited for it.
func TestAbandonedWaitsAreForgotten(t *testing.T) {
	noLeak(t)
	s := New()
	never := s.Signal("never")
	s.Go("p", func(p *Process) {
		for range 1000 {
			_ = p.WaitFor(AnyOf(never, s.Timeout(1)))
			_, _ = p.WaitForWithin(AllOf(never, AnyOf(never, s.Timeout(0.5))), 1)
			if never.Waiting() != 0 {
				t.Fatalf("%d wait at %g", never.Waiting(), p.Now())
			}
		}
	})
	run(t, s)
}

// What nobody waits for any more is not pending: neither the limits of waits that ended otherwise,
// nor those of waits that did not begin since something had happened, nor those of requests.
func TestTimeoutsGo(t *testing.T) {
	s := New()
	defer s.Close()
	desk, done := NewResource(s, "desk", 1), s.Signal("done")
	done.Trigger()
	const n = 1000
	s.Go("p", func(p *Process) {
		for range n {
			g := s.Signal("g")
			s.After(1, g.Trigger)
			_ = p.WaitFor(AnyOf(g, s.Timeout(1e9), AllOf(s.Timeout(1e8), s.Timeout(1e7))))
			_ = p.WaitFor(AnyOf(done, s.Timeout(1e9)))
			_ = desk.Use(p, 1, func() error { return nil }, Until(s.Timeout(1e9)))
			p.Interrupt("at the next wait")
			_ = p.WaitFor(AnyOf(s.Signal("never"), s.Timeout(1e9)))
			s.Timeout(1e9).Trigger()
			s.Timeout(1e9).Cancel()
		}
		if s.PendingEvents() != 0 {
			t.Errorf("%d are pending", s.PendingEvents())
		}
	})
	run(t, s)
	if s.Now() != n || len(s.slots) > 10 {
		t.Errorf("it ended at %g, with %d slots", s.Now(), len(s.slots))
	}
}

// A timeout that was left happens at its time all the same, and in its place among others.
func TestTimeoutIsLeft(t *testing.T) {
	s := New()
	defer s.Close()
	s.Go("p", func(p *Process) {
		limit, later := s.Timeout(5), s.Timeout(9)
		signal := s.Signal("signal")
		s.At(7, signal.Trigger)
		if happened, _ := p.WaitForWithin(AnyOf(limit, later), 2); happened || s.PendingEvents() != 1 {
			t.Errorf("%t, and %d are pending", happened, s.PendingEvents())
		}
		_ = p.Wait(3)
		if !limit.Happened() || limit.Cancel() || limit.TryTrigger() {
			t.Error("its time has come, and it has not happened")
		}
		_ = p.WaitFor(signal)
		all := AllOf(signal, limit, later)
		if all.First() != limit || AnyOf(signal, limit).First() != limit {
			t.Error("what came first came later")
		}
		if err := p.WaitFor(all); err != nil || p.Now() != 9 {
			t.Errorf("%v at %g", err, p.Now())
		}
		void := s.Timeout(1)
		if !void.Cancel() || void.Cancel() || signal.Cancel() || s.Signal("plain").Cancel() {
			t.Error("it can be cancelled twice, or without a time")
		}
		if happened, _ := p.WaitForWithin(void, 3); happened || p.Now() != 12 {
			t.Errorf("it was cancelled and happened by %g", p.Now())
		}
	})
	run(t, s)
}

// If a limit and what is waited for come at the same instant, what happened first is first. To leave
// the timeout does not make it happen, and what was taken out or granted before it stays with the
// process.
func TestTimeoutTies(t *testing.T) {
	noLeak(t)
	type waited struct {
		Waitable
		kept func() bool // it is with the process
	}
	happened := func(w Waitable) waited { return waited{w, w.Happened} }
	kinds := map[string]func(s *Simulation, p *Process) waited{ // that happen at 5
		"signal": func(s *Simulation, _ *Process) waited {
			g := s.Signal("g")
			s.At(5, g.Trigger)
			return happened(g)
		},
		"signal with a value": func(s *Simulation, _ *Process) waited {
			g := NewSignal[int](s, "g")
			s.At(5, func() { g.Trigger(1) })
			return happened(g)
		},
		"process": func(s *Simulation, _ *Process) waited {
			return happened(s.Go("child", func(p *Process) { _ = p.WaitUntil(5) }))
		},
		"outcome": func(s *Simulation, _ *Process) waited {
			return happened(Call(s, "call", func(p *Process) (int, error) { return 1, p.WaitUntil(5) }))
		},
		"unit": func(s *Simulation, p *Process) waited {
			desk := NewResource(s, "desk", 1)
			held, _ := desk.TryRequest(1)
			a := desk.NewRequest(p, 1)
			s.At(5, held.Release)
			return waited{a, func() bool { return a.Grant() != nil && a.Grant().Held() && desk.InUse() == 1 }}
		},
		"thing": func(s *Simulation, p *Process) waited {
			box := NewStore[int](s, "box", 1)
			a := box.NewGetRequest(p)
			s.At(5, func() { box.TryPut(7) })
			return waited{a, func() bool { v, ok := a.Item(); return ok && v == 7 && box.Len() == 0 }}
		},
		"room for a thing": func(s *Simulation, p *Process) waited {
			box := NewStore[int](s, "box", 1)
			box.TryPut(1)
			a := box.NewPutRequest(p, 7)
			s.At(5, func() { box.TryGet() })
			return waited{a, func() bool { return a.Happened() && box.Len() == 1 }}
		},
		"amount": func(s *Simulation, p *Process) waited {
			tank := NewContainer(s, "tank", 5, 0)
			a := tank.NewGetRequest(p, 2)
			s.At(5, func() { tank.TryPut(3) })
			return waited{a, func() bool { return a.Happened() && tank.Amount() == 1 }}
		},
		"room for an amount": func(s *Simulation, p *Process) waited {
			tank := NewContainer(s, "tank", 5, 5)
			a := tank.NewPutRequest(p, 2)
			s.At(5, func() { tank.TryGet(3) })
			return waited{a, func() bool { return a.Happened() && tank.Amount() == 4 }}
		},
		"all of": func(s *Simulation, p *Process) waited {
			g, box := s.Signal("g"), NewStore[int](s, "box", 1)
			s.At(5, func() { box.TryPut(7); g.Trigger() })
			return happened(AllOf(g, box.NewGetRequest(p), g))
		},
		"any of": func(s *Simulation, p *Process) waited {
			box := NewStore[int](s, "box", 1)
			a := box.NewGetRequest(p)
			s.At(5, func() { box.TryPut(7) })
			return waited{AnyOf(s.Signal("never"), AnyOf(a, a)), a.Happened}
		},
	}
	conditions := map[string]func(s *Simulation, w, limit Waitable) (c *Condition, other Waitable){
		"of it and a timeout": func(_ *Simulation, w, limit Waitable) (*Condition, Waitable) { return AnyOf(w, limit), limit },
		"of a timeout and it": func(_ *Simulation, w, limit Waitable) (*Condition, Waitable) { return AnyOf(limit, w), limit },
		"of it and all of a timeout": func(s *Simulation, w, limit Waitable) (*Condition, Waitable) {
			all := AllOf(limit, s.Timeout(0.5))
			return AnyOf(w, all), all
		},
		"of it and any of a timeout": func(s *Simulation, w, limit Waitable) (*Condition, Waitable) {
			either := AnyOf(s.Signal("never"), limit)
			return AnyOf(w, either), either
		},
	}
	for kind, start := range kinds {
		for condition, of := range conditions {
			for _, before := range []bool{true, false} {
				name := fmt.Sprintf("%s, any %s, scheduled before the timeout: %t", kind, condition, before)
				s := New()
				s.GoAt(1, "p", func(p *Process) {
					var w waited
					var limit *Signal
					if before {
						w = start(s, p)
						_ = p.Wait(0) // a process begins
						limit = s.Timeout(4)
					} else {
						limit = s.Timeout(4)
						w = start(s, p)
					}
					c, other := of(s, w.Waitable, limit)
					if err := p.WaitFor(c); err != nil || p.Now() != 5 {
						t.Errorf("%s: %v at %g", name, err, p.Now())
					}
					switch first := c.First(); {
					case before && (first != w.Waitable || !w.kept()):
						t.Errorf("%s: it is the first: %t; it was kept: %t", name, first == w.Waitable, w.kept())
					case !before && first != other:
						t.Errorf("%s: the timeout is not the first", name)
					}
					_ = p.Wait(0)
					if !limit.Happened() || (c.First() == other) == before {
						t.Errorf("%s: the timeout did not happen at its time, or is the first afterwards", name)
					}
				})
				run(t, s)
				s.Close()
			}
		}
	}
}

// A ticket is valid while the request is in line, and never names another.
func TestTickets(t *testing.T) {
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 1)
	g, _ := desk.TryRequest(1)
	var tickets []Ticket
	calls := 0
	for range 3 {
		tickets = append(tickets, desk.RequestThen(1, func(g *Grant, _ error) { calls++; g.Release() }, Patience(100),
			Until(s.Timeout(50))))
	}
	if !tickets[1].Cancel() || tickets[1].Cancel() || tickets[1].Queued() || desk.Waiting() != 2 {
		t.Errorf("%d wait", desk.Waiting())
	}
	again := desk.RequestThen(1, func(*Grant, error) { t.Error("it was cancelled") }) // in the memory of the one before
	if tickets[1].Cancel() || !again.Cancel() {
		t.Error("a ticket names another request")
	}
	s.At(1, func() {
		g.Release()
		if tickets[0].Cancel() {
			t.Error("it was granted, and cancelled")
		}
	})
	run(t, s)
	if calls != 2 || s.Now() != 1 || desk.InUse() != 0 || desk.Withdrawn() != 2 || (Ticket{}).Cancel() {
		t.Errorf("%d calls by %g, %d in use, %d withdrawn", calls, s.Now(), desk.InUse(), desk.Withdrawn())
	}
}
