package sim_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// A diary is what happened, in order.
type diary struct {
	*sim.Simulation
	entries []string
}

// note returns a function that writes an entry.
func (d *diary) note(entry string) func() { return func() { d.entries = append(d.entries, entry) } }

// ordering runs a model to its end, and compares its diary with what the documentation of the
// package says of it.
func ordering(t *testing.T, guarantee string, model func(d *diary), want ...string) {
	t.Run(guarantee, func(t *testing.T) {
		d := &diary{Simulation: sim.New()}
		defer d.Close()
		model(d)
		must(d.Run(context.Background(), math.Inf(1)))
		if !slices.Equal(d.entries, want) {
			t.Errorf("got  %q\nwant %q", d.entries, want)
		}
	})
}

// The section "Ordering guarantees" of the documentation, sentence by sentence. That arbitrary
// schedules obey the first of them is tested against a reference elsewhere.
func TestOrderingOfEvents(t *testing.T) {
	ordering(t, "time, then priority, then order of scheduling", func(d *diary) {
		d.At(2, d.note("2, first"))
		d.At(1, d.note("1, priority 1"), sim.Priority(1))
		d.At(1, d.note("1, first"))
		d.At(1, d.note("1, priority -1"), sim.Priority(-1))
		d.At(1, d.note("1, second"))
		d.At(math.Nextafter(1, 0), d.note("just before 1"), sim.Priority(5))
	}, "just before 1", "1, priority -1", "1, first", "1, second", "1, priority 1", "2, first")

	ordering(t, "rescheduling counts as scheduling anew", func(d *diary) {
		e := d.At(1, d.note("moved there and back"))
		d.At(1, d.note("other"))
		e.Reschedule(3)
		e.Reschedule(1)
	}, "other", "moved there and back")

	ordering(t, "a periodic event is scheduled again before its function is called", func(d *diary) {
		var ticks sim.Event
		ticks = d.Every(1, 1, func() {
			d.note("tick")()
			d.After(1, d.note("a unit after a tick"))
			if d.Now() == 2 {
				ticks.Cancel()
			}
		})
	}, "tick", "tick", "a unit after a tick", "a unit after a tick")

	ordering(t, "what an event schedules for its own time comes after what was there, unless its priority is smaller",
		func(d *diary) {
			d.At(1, func() {
				d.After(0, d.note("added"))
				d.After(0, d.note("added, priority -1"), sim.Priority(-1))
				d.note("never interrupted")()
			})
			d.At(1, d.note("was there"))
		}, "never interrupted", "added, priority -1", "was there", "added")
}

func TestOrderingOfProcesses(t *testing.T) {
	ordering(t, "turns of processes are events like others", func(d *diary) {
		d.Go("a", func(p *sim.Process) {
			d.note("a")()
			must(p.Wait(1))
			d.note("a again")()
		})
		d.After(0, d.note("event"))
		d.Go("b", func(p *sim.Process) {
			d.note("b")()
			must(p.Wait(0))
			d.note("b after those due now")()
			must(p.Wait(1))
			d.note("b again")()
		})
		d.After(1, d.note("event at 1"))
	}, "a", "event", "b", "b after those due now", "event at 1", "a again", "b again")

	ordering(t, "who is woken has a turn of its own, after what was due", func(d *diary) {
		g := d.Signal("g")
		d.Go("sleeper", func(p *sim.Process) {
			must(p.WaitFor(g))
			d.note("woken")()
		})
		d.At(1, func() {
			d.After(0, d.note("due"))
			g.Trigger()
			d.note("triggered")()
			d.After(0, d.note("added"))
		})
	}, "triggered", "due", "woken", "added")

	ordering(t, "all turns of a process have its priority", func(d *diary) {
		late := func(p *sim.Process) {
			d.note("late")()
			must(p.Wait(1))
			d.note("late")()
		}
		d.Go("late", late, sim.Priority(1))
		for range 2 {
			d.Go("early", func(p *sim.Process) {
				d.note("early")()
				must(p.Wait(1))
				d.note("early")()
			})
		}
	}, "early", "early", "late", "early", "early", "late")
}

func TestOrderingOfWaits(t *testing.T) {
	ordering(t, "who waited first wakes first, and a condition stands where the first began to wait for it",
		func(d *diary) {
			g := d.Signal("g")
			either := sim.AnyOf(g, d.Signal("never"))
			for _, w := range []struct {
				name string
				for_ sim.Waitable
			}{{"first", g}, {"second, for the condition", either}, {"third", g}, {"fourth, for the condition", either}} {
				d.Go(w.name, func(p *sim.Process) {
					must(p.WaitFor(w.for_))
					d.note(p.Name())()
				})
			}
			d.At(1, g.Trigger)
		}, "first", "second, for the condition", "fourth, for the condition", "third")

	ordering(t, "the end of a process wakes those who wait for it in order", func(d *diary) {
		worker := d.Go("worker", func(p *sim.Process) { must(p.Wait(1)) })
		for _, name := range []string{"one", "two", "three"} {
			d.Go(name, func(p *sim.Process) {
				must(p.WaitFor(worker))
				d.note(name)()
			})
		}
	}, "one", "two", "three")

	ordering(t, "if its limit and what is waited for come together, that counts which was scheduled first",
		func(d *diary) {
			early, late := d.Signal("early"), d.Signal("late")
			d.At(1, early.Trigger)
			wait := func(g *sim.Signal) func(p *sim.Process) {
				return func(p *sim.Process) {
					if happened, err := p.WaitForWithin(g, 1); happened && err == nil {
						d.note(g.Name() + " happened")()
					} else {
						d.note(g.Name() + " did not")()
					}
				}
			}
			d.Go("for early", wait(early))
			d.Go("for late", wait(late))
			d.Go("schedules", func(*sim.Process) { d.At(1, late.Trigger) })
		}, "late did not", "early happened")

	ordering(t, "an interrupt that comes before the turn of who was granted units is told by the request, and the "+
		"units go back", func(d *diary) {
		desk := sim.NewResource(d.Simulation, "desk", 1)
		held, _ := desk.TryRequest(1)
		p := d.Go("customer", func(p *sim.Process) {
			err := desk.Use(p, 1, func() error { d.note("served")(); return nil })
			if _, ok := errors.AsType[*sim.Interrupted](err); ok && p.Now() == 1 {
				d.note("interrupted in line")()
			}
			must(p.Wait(7)) // which has nothing to do with it
		})
		d.Go("next", func(p *sim.Process) { must(desk.Use(p, 1, func() error { d.note("next is served")(); return nil })) })
		d.At(1, func() {
			held.Release()
			p.Interrupt("at the last moment")
		})
	}, "interrupted in line", "next is served")

	ordering(t, "a thing that was got, and a signal, are not undone by an interrupt before the turn", func(d *diary) {
		store, bell := sim.NewStore[string](d.Simulation, "store", sim.Unlimited), d.Signal("bell")
		wait := func(p *sim.Process) {
			if i, ok := errors.AsType[*sim.Interrupted](p.Wait(7)); ok && i.Remaining == 7 {
				d.note("interrupted at the next wait")()
			}
		}
		p := d.Go("getter", func(p *sim.Process) {
			x, err := store.Get(p)
			must(err)
			d.note(x)()
			wait(p)
		})
		q := d.Go("listener", func(p *sim.Process) {
			must(p.WaitFor(bell))
			d.note("bell")()
			wait(p)
		})
		d.At(1, func() {
			store.TryPut("thing")
			bell.Trigger()
			p.Interrupt("too late")
			q.Interrupt("too late")
		})
	}, "thing", "interrupted at the next wait", "bell", "interrupted at the next wait")
}

func TestOrderingOfQueues(t *testing.T) {
	ordering(t, "rank, then order of requests; and nobody overtakes the first", func(d *diary) {
		desks := sim.NewResource(d.Simulation, "desks", 3)
		use := func(name string, units int, opts ...sim.RequestOption) {
			d.Go(name, func(p *sim.Process) {
				must(desks.Use(p, units, func() error {
					d.note(name)()
					must(p.Wait(1))
					return nil
				}, opts...))
			})
		}
		use("holds two", 2)
		use("needs three", 3, sim.Rank(1))
		use("would fit", 1, sim.Rank(1))
		use("would fit, but later rank", 1, sim.Rank(2))
		use("goes ahead of them", 1)
	}, "holds two", "goes ahead of them", "needs three", "would fit", "would fit, but later rank")
}

// Run includes the time it runs to, and stops where another Run goes on as if it had not stopped.
func TestOrderingOfRuns(t *testing.T) {
	play := func(stops ...float64) []string {
		d := &diary{Simulation: sim.New()}
		defer d.Close()
		d.Every(0, 1, d.note("tick"))
		d.At(5, func() {
			d.note("at 5")()
			d.After(0, d.note("scheduled at 5 for 5"))
		})
		d.Go("walker", func(p *sim.Process) {
			for p.Wait(2.5) == nil {
				d.note("walker")()
			}
		})
		for _, stop := range stops {
			must(d.Run(t.Context(), stop))
			if d.Now() != stop {
				t.Errorf("after Run to %v the clock stands at %v", stop, d.Now())
			}
		}
		return d.entries
	}
	whole := play(10)
	if parts := play(5, 7.2, 10); !slices.Equal(parts, whole) {
		t.Errorf("in parts %q\nat once  %q", parts, whole)
	}
	if until5 := play(5); until5[len(until5)-1] != "scheduled at 5 for 5" {
		t.Errorf("to 5: %q", until5)
	}

	d := &diary{Simulation: sim.New()}
	must(d.Run(t.Context(), 5))
	d.At(5, d.note("scheduled after the run for its end"))
	d.At(6, d.note("later"))
	must(d.Run(t.Context(), 5))
	if !slices.Equal(d.entries, []string{"scheduled after the run for its end"}) {
		t.Errorf("%q", d.entries)
	}
}
