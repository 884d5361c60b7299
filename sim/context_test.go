package sim

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// A patience is a context that is done when it has been looked at so often.
type patience struct {
	context.Context
	looks int
}

func patienceOf(looks int) *patience { return &patience{background, looks} }

func (c *patience) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// What never gives the turn back, or never lets time pass, sees that the context is done all the
// same. It goes on with another run where it was, and ends when the simulation is closed.
func TestEndlessLoopsSeeTheContext(t *testing.T) {
	noLeak(t)
	type model struct {
		s     *Simulation
		steps int
	}
	// loop is a process that does something without an end.
	loop := func(do func(s *Simulation) func(p *Process)) func(m *model) {
		return func(m *model) {
			f := do(m.s)
			m.s.Go("loop", func(p *Process) {
				for {
					f(p)
					m.steps++
				}
			})
		}
	}
	models := map[string]func(m *model){
		"Use": loop(func(s *Simulation) func(*Process) {
			desk := NewResource(s, "desk", 1)
			return func(p *Process) { _ = desk.Use(p, 1, func() error { return nil }) }
		}),
		"Request": loop(func(s *Simulation) func(*Process) {
			desk := NewResource(s, "desk", 1)
			return func(p *Process) { g, _ := desk.Request(p, 1); g.Release() }
		}),
		"balking": loop(func(s *Simulation) func(*Process) {
			desk := NewResource(s, "desk", 0)
			return func(p *Process) { _, _ = desk.Request(p, 1, AtMost(0)) }
		}),
		"TryRequest": loop(func(s *Simulation) func(*Process) {
			desk := NewResource(s, "desk", 0)
			return func(p *Process) { desk.TryRequest(1) }
		}),
		"Store": loop(func(s *Simulation) func(*Process) {
			store := NewStore[int](s, "store", 1)
			return func(p *Process) { _ = store.Put(p, 1); _, _ = store.Get(p) }
		}),
		"TryGet": loop(func(s *Simulation) func(*Process) {
			store := NewStore[int](s, "store", 1)
			return func(p *Process) { store.TryGet() }
		}),
		"TryPut": loop(func(s *Simulation) func(*Process) {
			store := NewStore[int](s, "store", 1)
			return func(p *Process) { store.TryPut(1) }
		}),
		"Container": loop(func(s *Simulation) func(*Process) {
			tank := NewContainer(s, "tank", 1, 0)
			return func(p *Process) { _ = tank.Put(p, 1); _ = tank.Get(p, 1) }
		}),
		"Container.Try": loop(func(s *Simulation) func(*Process) {
			tank := NewContainer(s, "tank", 1, 0)
			return func(p *Process) { tank.TryPut(1); tank.TryGet(1) }
		}),
		"WaitFor what has happened": loop(func(s *Simulation) func(*Process) {
			return func(p *Process) { _ = p.WaitFor(AllOf()) }
		}),
		"interrupts itself": loop(func(s *Simulation) func(*Process) {
			return func(p *Process) { p.Interrupt("again"); _ = p.Wait(1) }
		}),
		"interrupts itself before another wait": loop(func(s *Simulation) func(*Process) {
			never := s.Signal("never")
			return func(p *Process) { p.Interrupt("again"); _ = p.WaitFor(never) }
		}),
		"Wait(0)":    loop(func(s *Simulation) func(*Process) { return func(p *Process) { _ = p.Wait(0) } }),
		"Wait(tiny)": loop(func(s *Simulation) func(*Process) { return func(p *Process) { _ = p.Wait(1e-300) } }),
		"two that Wait(0)": func(m *model) {
			for range 2 {
				m.s.Go("loop", func(p *Process) {
					for {
						_ = p.Wait(0)
						m.steps++
					}
				})
			}
		},
		"an event at the same time": func(m *model) {
			var again func()
			again = func() { m.steps++; m.s.After(0, again) }
			m.s.After(0, again)
		},
		"an event that moves itself": func(m *model) {
			var e Event
			e = m.s.Every(0, 1, func() { m.steps++; e.Reschedule(m.s.Now()) })
		},
		"an event with a priority": func(m *model) {
			var again func()
			again = func() { m.steps++; m.s.After(0, again, Priority(-m.steps)) }
			m.s.After(0, again)
		},
		"an event that does much": func(m *model) {
			desk := NewResource(m.s, "desk", 0)
			var again func()
			again = func() {
				for range batch { // which must not put off the look at the context
					desk.TryRequest(1)
				}
				m.steps += batch
				m.s.After(0, again)
			}
			m.s.After(0, again)
		},
		"a turn that does much": func(m *model) {
			desk := NewResource(m.s, "desk", 1)
			m.s.Go("loop", func(p *Process) {
				for ; ; _ = p.Wait(0) {
					for range batch - 1 {
						_ = desk.Use(p, 1, func() error { return nil })
						m.steps++
					}
				}
			})
		},
	}
	const looks = 5
	most := (looks + 1) * batch
	for name, build := range models {
		for how, run := range map[string]func(s *Simulation, ctx context.Context) error{
			"Run":      func(s *Simulation, ctx context.Context) error { return s.Run(ctx, 1) },
			"RunUntil": func(s *Simulation, ctx context.Context) error { return s.RunUntil(ctx, s.Signal("never")) },
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				m := &model{s: New()}
				defer m.s.Close()
				build(m)
				for range 3 {
					before := m.steps
					if err := run(m.s, patienceOf(looks)); !errors.Is(err, context.Canceled) {
						t.Fatalf("%v", err)
					}
					// Of a turn of many small steps, some are two requests.
					if n := m.steps - before; n > most || n < looks*batch/4 {
						t.Errorf("%d steps while the context was looked at %d times", n, looks)
					}
				}
			})
		}
	}
}

// In real time the context is looked at before each event, and in the middle of turns.
func TestEndlessTurnInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(1))
		defer s.Close()
		desk := NewResource(s, "desk", 1)
		steps := 0
		s.GoAt(2, "loop", func(p *Process) {
			for {
				_ = desk.Use(p, 1, func() error { steps++; return nil })
			}
		})
		for i := range 3 {
			if err := s.Run(patienceOf(5), 3); !errors.Is(err, context.Canceled) || s.Now() != 2 {
				t.Errorf("%v at %g", err, s.Now())
			}
			if steps > (i+1)*6*batch || steps < (i+1)*3*batch {
				t.Errorf("%d steps in %d runs", steps, i+1)
			}
		}
	})
}

// A turn that was cut short goes on before all else, with Step as well as with Run, and shows in
// what can be asked.
func TestTurnIsCutShort(t *testing.T) {
	noLeak(t)
	for _, step := range []bool{false, true} {
		s := New()
		desk := NewResource(s, "desk", 1)
		last := ""
		p := s.Go("long", func(p *Process) {
			for range 10 * batch {
				_ = desk.Use(p, 1, func() error { last = "long"; return nil })
			}
			last += " ended"
			if err := p.Wait(1); err == nil || Remaining(err) != 1 {
				t.Errorf("an interrupt while the turn was cut short is told as %v", err)
			}
		})
		s.After(0, func() { last += ", then the event" })
		if err := s.Run(patienceOf(3), 10); !errors.Is(err, context.Canceled) || last != "long" {
			t.Fatalf("%v after %s", err, last)
		}
		at, ok := s.Peek()
		if at != 0 || !ok || s.PendingEvents() != 2 || s.Processes() != 1 || p.Status() != "has its turn" || s.Current() !=
			nil {
			t.Errorf("next at %g, %t; %d pending, %d processes; it %s", at, ok, s.PendingEvents(), s.Processes(), p.Status())
		}
		p.Interrupt("meanwhile")
		s.After(0, func() { last += ", then what was scheduled meanwhile" })
		wantPanic(t, "outside", func() { _ = p.Wait(1) })
		events := s.Events()
		if step {
			if s.Step(); last != "long ended" || s.Events() != events {
				t.Errorf("after a step: %s, %d events more", last, s.Events()-events)
			}
		}
		if err := s.Run(background, math.Inf(1)); err != nil {
			t.Error(err)
		}
		if last != "long ended, then the event, then what was scheduled meanwhile" || !p.Happened() {
			t.Error(last)
		}
		s.Close()
	}
}

// A fickle context is done now and then.
type fickle struct {
	context.Context
	random *rand.Rand
}

func (f fickle) Err() error {
	if f.random.IntN(2) == 0 {
		return context.Canceled
	}
	return nil
}
