package sim

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// hold makes a process that waits for a unit, and then for a unit of another resource, if there is
// one, and keeps what it gets.
func hold(s *Simulation, at float64, name string, r, other *Resource, opts, others []RequestOption) (p *Process,
	err *error) {
	err = new(error)
	return s.GoAt(at, name, func(p *Process) {
		if _, *err = r.Request(p, 1, opts...); *err != nil {
			return
		}
		if other != nil {
			_, *err = other.Request(p, 1, others...)
		}
		if *err == nil {
			*err = p.Wait(1000)
		}
	}), err
}

func ranked(rank int) []RequestOption { return []RequestOption{Rank(rank)} }

// Who loses units may stand in line for more of the same resource. What is freed then must not go
// to those behind, before the request has enough for which it is taken.
func TestPreemptedLeavesTheSameQueue(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	r := NewResource(s, "r", 2)
	_, err1 := hold(s, 0, "v1", r, nil, ranked(5), nil)
	_, err2 := hold(s, 1, "v2", r, r, ranked(5), ranked(3))
	granted := false
	s.At(2, func() { r.RequestThen(1, func(*Grant, error) { granted = true }, Rank(4)) })
	s.GoAt(3, "taker", func(p *Process) {
		if _, err := r.Request(p, 2, Rank(0), Preempting(Interrupt)); err != nil || p.Now() != 3 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	_ = s.Run(background, 5)
	var lost *Preempted
	if !errors.As(*err1, &lost) || !errors.As(*err2, &lost) || granted || r.Preempted() != 2 || r.InUse() != 2 ||
		r.Waiting() != 1 {
		t.Errorf("%v, %v, granted %t", *err1, *err2, granted)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

// While the first in line takes units from another, that one leaves a line at another resource,
// where somebody is served who takes units from the first. It is interrupted then, and must not get
// what it was about to.
func TestPreemptingIsPreempted(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	a, b := NewResource(s, "a", 1), NewResource(s, "b", 1)
	s.Go("q", func(p *Process) {
		if _, err := b.Request(p, 1, Rank(5)); err != nil {
			t.Error(err)
		}
		_ = p.Wait(3)
		_, err := a.Request(p, 1, Rank(0), Preempting(Interrupt))
		var lost *Preempted
		if !errors.As(err, &lost) || lost.Resource != b || p.Now() != 5 {
			t.Errorf("q: %v at %g", err, p.Now())
		}
	})
	_, v := hold(s, 0, "v", a, b, ranked(5), ranked(0)) // has a, and waits for b
	head, _ := hold(s, 2, "head", a, nil, ranked(-1), nil)
	_, x := hold(s, 2, "x", b, nil, []RequestOption{Rank(1), Preempting(Interrupt)}, nil)
	s.At(5, func() { head.Interrupt("go away") })
	_ = s.Run(background, 10)
	var lost *Preempted
	if !errors.As(*v, &lost) || lost.Resource != a || *x != nil {
		t.Errorf("v: %v, x: %v", *v, *x)
	}
	if a.InUse() != 0 || a.Waiting() != 0 || b.InUse() != 1 || errors.Join(a.check(), b.check()) != nil {
		t.Errorf("%d and %d in use: %v", a.InUse(), b.InUse(), errors.Join(a.check(), b.check()))
	}
}

// A patient whose bed is taken away is told so by the wait that it ends, even if the bed is
// released by somebody else before the patient has its turn.
func TestLostUnitsAreReleasedByOthers(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	beds := NewResource(s, "beds", 1)
	var told error
	s.Go("patient", func(p *Process) {
		g, err := beds.Request(p, 1, Rank(1))
		if err != nil {
			t.Error(err)
		}
		s.GoAt(5, "emergency", func(p *Process) {
			_ = beds.Use(p, 1, func() error { return p.Wait(1) },
				Preempting(Interrupt))
		})
		s.After(5, g.Release)
		told = p.Wait(10)
		if p.Now() != 5 {
			t.Errorf("the wait ended at %g", p.Now())
		}
		if err := p.Wait(10); err != nil {
			t.Errorf("it was told twice: %v", err)
		}
	})
	run(t, s)
	var lost *Preempted
	if !errors.As(told, &lost) || lost.By.Name() != "emergency" || Remaining(told) != 5 {
		t.Errorf("it was told %v", told)
	}
	if err := beds.check(); err != nil || beds.InUse() != 0 {
		t.Errorf("%d in use, %v", beds.InUse(), err)
	}
}

// What may come to somebody who holds a unit of each of two resources, at one instant.
var blows = map[byte]func(w *victim){
	'a': func(w *victim) { w.takers[0].Trigger() },
	'b': func(w *victim) { w.takers[1].Trigger() },
	'A': func(w *victim) { w.release(0) },
	'B': func(w *victim) { w.release(1) },
	'i': func(w *victim) { w.p.Interrupt("anyhow") },
	's': func(w *victim) { w.signal.TryTrigger() },
}

type victim struct {
	s        *Simulation
	p        *Process
	rooms    [2]*Resource
	takers   [2]*Signal // wakes who takes away the unit
	grants   [2]*Grant
	released [2]bool
	signal   *Signal // which the victim waits for
	told     []error
}

func (w *victim) release(i int) {
	if !w.released[i] {
		w.released[i] = true
		w.grants[i].Release()
	}
}

func newVictim() *victim {
	s := New()
	w := &victim{s: s, signal: s.Signal("signal")}
	for i := range w.rooms {
		w.rooms[i], w.takers[i] = NewResource(s, fmt.Sprint("room ", i), 1), s.Signal("take")
		s.Go("taker", func(p *Process) {
			_ = p.WaitFor(w.takers[i])
			_ = w.rooms[i].Use(p, 1, func() error { return p.Wait(1) }, Preempting(Interrupt))
		})
	}
	w.p = s.Go("victim", func(p *Process) {
		for i := range w.grants {
			w.grants[i], _ = w.rooms[i].Request(p, 1, Rank(1))
		}
		for i := range 4 {
			if i == 0 {
				w.told = append(w.told, p.WaitFor(w.signal))
			} else {
				w.told = append(w.told, p.Wait(10))
			}
		}
	})
	return w
}

// Whatever comes to the holder at one instant, in whatever order, and whether those who take units
// away have their turns in between or not: nobody crashes, nobody is told twice of the same or of
// nothing, and the units are where they belong.
func TestAllThatComesAtOnce(t *testing.T) {
	noLeak(t)
	const kinds = "abABis"
	var orders []string
	for n, grow := 0, []string{""}; n < 4; n++ {
		var longer []string
		for _, o := range grow {
			for _, k := range []byte(kinds) {
				longer = append(longer, o+string(k))
			}
		}
		orders, grow = append(orders, longer...), longer
	}
	for _, order := range orders {
		for apart := range 2 { // as one event, or an event for each blow
			w := newVictim()
			blow := func(k byte) {
				if i := k - 'a'; i < 2 && w.takers[i].Happened() {
					return
				}
				blows[k](w)
			}
			w.s.At(5, func() {
				for _, k := range []byte(order) {
					if apart == 1 {
						w.s.After(0, func() { blow(k) })
					} else {
						blow(k)
					}
				}
			})
			for w.s.Step() {
				for _, r := range w.rooms {
					if err := r.check(); err != nil {
						t.Fatalf("%s: %v", order, err)
					}
				}
			}
			w.verify(t, order)
			w.s.Close()
		}
	}
}

func (w *victim) verify(t *testing.T, order string) {
	t.Helper()
	losses, others := map[*Resource]int{}, 0
	for _, err := range w.told {
		var i *Interrupted
		var lost *Preempted
		switch {
		case err == nil:
		case !errors.As(err, &i) || i.At != 5:
			t.Errorf("%s: told %v", order, err)
		case errors.As(err, &lost):
			losses[lost.Resource]++
		default:
			others++
		}
	}
	want := 0
	for _, k := range order {
		if k == 'i' {
			want++
		}
	}
	if others != want {
		t.Errorf("%s: %d interrupts, and it was told of %d", order, want, others)
	}
	for i, r := range w.rooms {
		lost := w.grants[i].Lost() != nil
		if losses[r] > 1 || losses[r] == 1 && !lost {
			t.Errorf("%s: told %d times that it lost a unit (%t)", order, losses[r], lost)
		}
		if lost && losses[r] == 0 && !w.released[i] {
			t.Errorf("%s: not told that it lost a unit", order)
		}
		if held := w.grants[i].Held(); held == (lost || w.released[i]) || r.InUse() != map[bool]int{true: 1}[held] {
			t.Errorf("%s: held %t, lost %t, released %t, %d in use", order, held, lost, w.released[i], r.InUse())
		}
	}
}

// Whatever stops work, it is done in the end, and neither more nor less of it: the area under the
// units in use is what those who came had to do, less what was left for those who were interrupted
// or thrown out, and more by what was done in vain where it begins anew. Customers of all ranks
// come at whole times, at which shifts end, things break, and they are interrupted and preempted.
func TestWorkIsConserved(t *testing.T) {
	stopped, preempted, interruptedWhileStopped, vain := 0, 0, 0, 0
	for seed := range uint64(120) {
		rule := WorkRule(1 + seed%4)
		s := New(Seed(seed))
		random := s.Stream("all")
		most := 1 + random.IntN(3)
		r := NewResource(s, "bench", most)
		var shifts []Shift
		for at := 1.0; at < 200; at += float64(5 + random.IntN(10)) {
			shifts = append(shifts, Shift{at, at + float64(1+random.IntN(5)), random.IntN(most + 1)})
		}
		r.Schedule(Dated{Shifts: shifts, Otherwise: most}, rule)
		b := r.Break(BreakdownConfig{ToFailure: Uniform(3, 40), Repair: Constant(2), InUse: seed%3 > 0, Units: random.IntN(2),
			Rule: rule})
		s.At(250, b.Stop)
		done, vainly, came, gone := 0.0, 0.0, 0, 0
		for range 120 {
			n, work := 1+random.IntN(most), float64(random.IntN(6))
			opts := []RequestOption{Rank(random.IntN(3))}
			if random.IntN(4) == 0 {
				opts = append(opts, Preempting(Interrupt))
			}
			p := s.GoAt(float64(random.IntN(200)), "customer", func(p *Process) {
				came++
				defer func() { gone++ }()
				g, err := r.Request(p, n, opts...)
				if err != nil {
					return // and it has been granted nothing, or given it back at once
				}
				for left := work; ; {
					err = g.Work(left)
					var i *Interrupted
					if err == nil {
						done += float64(n) * left
						break
					}
					if !errors.As(err, &i) {
						t.Errorf("seed %d: %v", seed, err)
					}
					done += float64(n) * (left - i.Remaining)
					left = i.Remaining
					if g.Suspended() {
						interruptedWhileStopped++
					}
					if !g.Held() || random.IntN(2) == 0 {
						break
					}
				}
				g.Release()
			})
			for range random.IntN(4) {
				s.At(float64(random.IntN(220)), func() { p.Interrupt("anyhow") })
			}
		}
		for s.Step() {
			if err := r.check(); err != nil {
				t.Fatalf("seed %d: at %g: %v", seed, s.Now(), err)
			}
			// but for those who are done, or begin, at this instant
			if rule != Finish && r.InUse() > r.Capacity() && s.due.live == 0 {
				if at, _ := s.Peek(); at > s.Now() {
					t.Fatalf("seed %d: after %g, %d of %d units are in use", seed, s.Now(), r.InUse(), r.Capacity())
				}
			}
		}
		area := r.Usage().Mean() * r.Usage().Observed()
		vainly = area - done
		switch {
		case came != 120 || gone != came || r.InUse() != 0 || r.Waiting() != 0 || r.availability.suspended != nil:
			t.Errorf("seed %d: %d came, %d have gone, %d units in use, %d wait", seed, came, gone, r.InUse(), r.Waiting())
		case rule != Restart && math.Abs(vainly) > 1e-6, vainly < -1e-6:
			t.Errorf("seed %d, rule %d: units were in use for %v, and worked with for %v", seed, rule, area, done)
		}
		stopped += r.Stopped()
		preempted += r.Preempted()
		if vainly > 1 {
			vain++
		}
		s.Close()
	}
	if stopped < 500 || preempted < 500 || interruptedWhileStopped < 20 || vain < 10 {
		t.Errorf("only %d stopped, %d preempted, %d interrupted while stopped, and %d seeds with work in vain: this "+
			"tests little",
			stopped, preempted, interruptedWhileStopped, vain)
	}
}

// What becomes of the work that a preempting request takes the units from is told by the rule.
func TestPreemptionRules(t *testing.T) {
	for _, c := range []struct {
		rule             WorkRule
		high, low, other string
		stopped, taken   int
	}{
		{Finish, "high 12", "low 10", "other 13", 0, 0},   // it waits
		{Resume, "high 6", "low 12", "other 13", 1, 1},    // 6 of 10 are left at 4
		{Restart, "high 6", "low 16", "other 17", 1, 1},   // all 10 are done anew
		{Interrupt, "high 6", "low 4 6", "other 7", 0, 1}, // it goes away with 6 left
	} {
		s := New()
		desk := NewResource(s, "desk", 1, Preempting(c.rule))
		var high, low, other string
		s.Go("low", func(p *Process) {
			err := desk.Work(p, 1, 10, Rank(2))
			if low = fmt.Sprint("low ", p.Now()); err != nil {
				low += fmt.Sprint(" ", Remaining(err))
			}
		})
		s.GoAt(1, "other", func(p *Process) { // of the same rank, and behind the work that was stopped
			_ = desk.Work(p, 1, 1, Rank(2))
			other = fmt.Sprint("other ", p.Now())
		})
		s.GoAt(4, "high", func(p *Process) {
			_ = desk.Work(p, 1, 2, Rank(1))
			high = fmt.Sprint("high ", p.Now())
		})
		run(t, s)
		if high != c.high || low != c.low || other != c.other || desk.Stopped() != c.stopped || desk.Preempted() != c.taken {
			t.Errorf("rule %d: %s, %s, %s, stopped %d, preempted %d", c.rule, high, low, other, desk.Stopped(), desk.Preempted())
		}
		if desk.InUse() != 0 || desk.Waiting() != 0 {
			t.Errorf("rule %d: %d in use, %d waiting", c.rule, desk.InUse(), desk.Waiting())
		}
	}
	wantPanic(t, "none of Finish", func() { Preempting(0) })
	wantPanic(t, "none of Finish", func() { Preempting(Interrupt + 1) })
}

// Only work can stop and go on: who holds units for anything else keeps them.
func TestPreemptionStopsOnlyWork(t *testing.T) {
	s := New()
	desk := NewResource(s, "desk", 1)
	s.Go("low", func(p *Process) {
		if err := desk.Use(p, 1, func() error { return p.Wait(10) }, Rank(2)); err != nil || p.Now() != 10 {
			t.Errorf("it ended at %g: %v", p.Now(), err)
		}
	})
	s.GoAt(4, "high", func(p *Process) {
		if _ = desk.Work(p, 1, 2, Preempting(Resume)); p.Now() != 12 {
			t.Errorf("it ended at %g", p.Now())
		}
	})
	run(t, s)
	if desk.Preempted() != 0 {
		t.Error("units were taken from who cannot go on")
	}
}

// A preempting request that waits stops work of a larger rank as soon as that begins, however it
// has come to wait.
func TestPreemptingWaitsForWorkToBegin(t *testing.T) {
	for _, rule := range []WorkRule{Resume, Restart} {
		for at, want := range map[float64]float64{0.5: 1, 1: 1, 1.5: 1.5} {
			s := New()
			desk := NewResource(s, "desk", 1, Preempting(rule))
			got := math.NaN()
			s.GoAt(at, "urgent", func(p *Process) { // at 1, before the work begins
				_ = desk.Use(p, 1, func() error { got = p.Now(); return p.Wait(1) })
			})
			s.Go("worker", func(p *Process) {
				g, _ := desk.Request(p, 1, Rank(5))
				defer g.Release()
				_ = p.Wait(1) // to set up, which cannot be stopped
				if err := g.Work(10); err != nil || p.Now() != map[WorkRule]float64{Resume: 12, Restart: want + 11}[rule] {
					t.Errorf("rule %d, urgent at %g: the work ends at %g: %v", rule, at, p.Now(), err)
				}
			})
			run(t, s)
			if got != want || desk.Stopped() != 1 || desk.InUse() != 0 {
				t.Errorf("rule %d: urgent comes at %g and is served at %g, not %g; stopped %d", rule, at, got, want, desk.Stopped())
			}
		}
	}
}

// A request that comes between a grant of a larger rank and the turn in which the work begins does
// not wait for that work, whichever was scheduled first.
func TestPreemptingTiesWithBeginOfWork(t *testing.T) {
	for _, setsOut := range []float64{0, 3} {
		s := New()
		desk := NewResource(s, "desk", 1, Preempting(Resume))
		got := math.NaN()
		s.Go("first", func(p *Process) { _ = desk.Work(p, 1, 5, Rank(5)) })
		s.GoAt(1, "second", func(p *Process) { _ = desk.Work(p, 1, 10, Rank(5)) })
		s.GoAt(setsOut, "urgent", func(p *Process) {
			_ = p.WaitUntil(5)
			_ = desk.Use(p, 1, func() error { got = p.Now(); return nil })
		})
		run(t, s)
		if got != 5 || s.Now() != 15 {
			t.Errorf("urgent sets out at %g, comes at 5 and is served at %g; all is done at %g", setsOut, got, s.Now())
		}
	}
}

// Work that ends at this instant is done, whatever would stop it: also work that ends when it
// begins. What its process holds beyond its turn is taken then, if the rule takes it from anybody.
func TestWorkThatEndsIsDone(t *testing.T) {
	for _, rule := range []WorkRule{Resume, Restart, Interrupt} {
		for _, holds := range []bool{false, true} {
			for _, by := range []string{"a request", "the end of a shift"} {
				s := New()
				desk := NewResource(s, "desk", 1)
				taken := holds && rule == Interrupt
				if by == "a request" {
					s.GoAt(5, "urgent", func(p *Process) {
						_ = desk.Use(p, 1, func() error { return nil }, Preempting(rule))
						if want := 5.0; taken && p.Now() != want || !holds && p.Now() != want {
							t.Errorf("rule %d, holds on: %t: urgent is served at %g", rule, holds, p.Now())
						}
					})
				} else {
					desk.Schedule(Dated{Shifts: []Shift{{0, 5, 1}}}, rule)
				}
				s.Go("worker", func(p *Process) {
					g, _ := desk.Request(p, 1, Rank(5))
					if err := g.Work(5); err != nil || p.Now() != 5 {
						t.Errorf("rule %d: at %g, %s ended the work: %v", rule, p.Now(), by, err)
					}
					if holds {
						if err := p.Wait(3); (err != nil) != taken || taken && p.Now() != 5 {
							t.Errorf("rule %d: %s at 5 ended a wait at %g: %v", rule, by, p.Now(), err)
						}
					}
					if g.Release(); (g.Lost() != nil) != taken {
						t.Errorf("rule %d, holds on: %t: lost by %s: %t", rule, holds, by, g.Lost() != nil)
					}
				})
				run(t, s)
				if desk.Stopped() != 0 || desk.Preempted() > 0 != taken || desk.InUse() != 0 || s.Processes() != 0 {
					t.Errorf("rule %d, holds on: %t: by %s %d were stopped, %d preempted", rule, holds, by, desk.Stopped(),
						desk.Preempted())
				}
			}
		}
	}
	s := New()
	desk := NewResource(s, "desk", 2)
	desk.Schedule(Dated{Shifts: []Shift{{1, 5, 0}}, Otherwise: 2}, Resume)
	s.Go("late", func(p *Process) {
		g, _ := desk.Request(p, 1)
		_ = p.Wait(2) // into the next shift
		if err := g.Work(0); err != nil || p.Now() != 2 {
			t.Errorf("nothing to do is done at %g: %v", p.Now(), err)
		}
		g.Release()
	})
	run(t, s)
}

// Work that goes on keeps its place among grants of the same instant: the last of them stops
// first, each time.
func TestResumedWorkKeepsItsPlace(t *testing.T) {
	s := New()
	desk := NewResource(s, "desk", 3)
	var ends []string
	for _, name := range []string{"a", "b", "c"} {
		s.Go(name, func(p *Process) {
			g, _ := desk.Request(p, 1)
			defer g.Release()
			if name == "c" {
				_ = p.Wait(3) // and is not stopped by the first shift
			}
			_ = g.Work(20)
			ends = append(ends, fmt.Sprint(p.Now(), name))
		})
	}
	// At 1 a and b stop, and go on together; at 10 one of three has to.
	desk.Schedule(Dated{Shifts: []Shift{{1, 2, 1}, {10, 12, 2}}, Otherwise: 3}, Resume)
	for s.Step() {
		if err := desk.check(); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(ends); got != "[21a 21b 25c]" {
		t.Error(got)
	}
}
