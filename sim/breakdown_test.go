package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A machine that breaks every 5 by the clock, or after 5 of use, and takes 2 to repair.
func TestBreakdowns(t *testing.T) {
	for name, x := range map[string]struct {
		inUse bool
		rule  WorkRule
		want  []string
	}{
		// By the clock it works from 0 to 5, 7 to 12, 14 to 19, …, 35 to 40, and from then on
		// nothing breaks.
		"clock, resume":  {false, 0, []string{"9 a done", "18 b done"}},        // a 1–5, 7–9; b 9–12, 14–18
		"clock, restart": {false, Restart, []string{"41 a done", "48 b done"}}, // 6 are never done in 5
		"clock, throw out": {false, Interrupt, []string{"5 a lost by a breakdown, 2 left",
			"12 b lost by a breakdown, 2 left"}},
		"clock, finish": {false, Finish, []string{"7 a done", "14 b done"}}, // b in the middle of a repair
		// It is used from 1 to 6, and broken from 6 to 8; used up to 13, and broken to 15.
		"use, resume":    {true, Resume, []string{"9 a done", "18 b done"}},
		"use, throw out": {true, Interrupt, []string{"6 a lost by a breakdown, 1 left", "13 b lost by a breakdown, 2 left"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 1)
			d := b.Break(BreakdownConfig{ToFailure: Constant(5), Repair: Constant(2), InUse: x.inUse, Rule: x.rule})
			b.comes(1, "a", 6)
			b.comes(2, "b", 7)
			b.At(40, d.Stop)
			b.expect(t, math.Inf(1), x.want...)
		})
	}
}

// With free units nobody has to stop, and unit-times count.
func TestBreakdownsOfSomeUnits(t *testing.T) {
	b := newBench(t, 3)
	d := b.Break(BreakdownConfig{Name: "saw", ToFailure: Constant(6), Repair: Constant(10), InUse: true, Units: 1})
	b.comes(0, "a", 4) // 1·2 + 2·2 = 6 at 4
	b.comes(2, "b", 4)
	b.comes(5, "c", 20) // the third is broken; c begins at once with the second
	b.comes(5.5, "d", 1)
	b.At(13, func() {
		if !d.Broken() || b.Resource.Capacity() != 2 || d.Failures() != 1 {
			t.Errorf("at 13 broken %t, %d units, %d failures", d.Broken(), b.Resource.Capacity(), d.Failures())
		}
	})
	b.At(14, func() { d.Stop() })
	b.expect(t, 100, "4 a done", "6 b done", "7 d done", "25 c done")
	if got := d.Down().Mean() * d.Down().Observed(); math.Abs(got-10) > 1e-9 {
		t.Errorf("down for %v", got)
	}
	report := b.Report().String()
	for _, row := range []string{"saw down", "saw failures"} {
		if !strings.Contains(report, row) {
			t.Errorf("no %q in %s", row, report)
		}
	}
}

// Two kinds of trouble overlap, and a shift ends meanwhile: there are as many units as all of them
// leave.
func TestTroubleOverlaps(t *testing.T) {
	b := newBench(t, 0)
	b.Schedule(Dated{Shifts: []Shift{{0, 10, 4}, {10, 30, 3}}, Otherwise: 1}, Resume)
	once := func(at float64, repair float64, units int) {
		d := b.Break(BreakdownConfig{ToFailure: Constant(at), Repair: Constant(repair), Units: units})
		b.At(at+repair/2, d.Stop)
	}
	once(2, 12, 1) // 2–14
	once(4, 4, 2)  // 4–8
	once(12, 4, 0) // 12–16, all
	want := map[float64]int{1: 4, 3: 3, 5: 1, 9: 3, 11: 2, 13: 0, 15: 0, 17: 3, 31: 1}
	for at, units := range want {
		b.At(at, func() {
			if b.Resource.Capacity() != units {
				t.Errorf("at %g %d units, want %d", at, b.Resource.Capacity(), units)
			}
		})
	}
	b.expect(t, 100)
	if b.SetCapacity(7); b.Resource.Capacity() != 7 {
		t.Error(b.Resource.Capacity())
	}
}

// The repair is a process that has to wait for somebody.
func TestRepairBySomebody(t *testing.T) {
	b := newBench(t, 1)
	man := NewResource(b.Simulation, "repairman", 1)
	d := b.Break(BreakdownConfig{ToFailure: Constant(3), RepairBy: func(p *Process) {
		_ = man.Use(p, 1, func() error { return p.Wait(2) })
	}})
	b.Go("other work", func(p *Process) { _ = man.Use(p, 1, func() error { return p.Wait(10) }) })
	b.comes(0, "a", 4)
	b.At(12, d.Stop)
	b.expect(t, 100, "13 a done")
	if d.Failures() != 1 || d.Broken() {
		t.Errorf("%d failures, broken %t", d.Failures(), d.Broken())
	}
}

// What breaks at the very instant at which work ends, a shift does, or somebody comes or is
// interrupted: in any order.
func TestTiesWithBreakdowns(t *testing.T) {
	for _, rule := range []WorkRule{Finish, Resume, Restart, Interrupt} {
		for _, inUse := range []bool{false, true} {
			for order := range 24 {
				b := newBench(t, 1)
				var p *Process
				acts := []func(){
					func() { b.Schedule(Dated{Shifts: []Shift{{0, 5, 1}, {8, 100, 1}}}, rule) },
					func() {
						b.Break(BreakdownConfig{ToFailure: Constant(5), Repair: Constant(1), InUse: inUse, Rule: rule})
					},
					func() { p = b.comes(0, "a", 5) },
					func() { b.comes(5, "b", 1); b.At(5, func() { p.Interrupt("anyhow") }) },
				}
				for left := order; len(acts) > 0; left /= 4 {
					i := left % len(acts)
					acts[i]()
					acts = append(acts[:i:i], acts[i+1:]...)
				}
				// a is done at 5, or told at 5 that nothing was left.
				for at, ok := b.Peek(); ok && at <= 20; at, ok = b.Peek() {
					b.Step()
					if err := b.check(); err != nil {
						t.Fatalf("rule %d, order %d: at %g: %v", rule, order, b.Now(), err)
					}
				}
				if len(b.diary) != 2 || b.diary[0] != "5 a done" && b.diary[0] != "5 a interrupted, 0 left" {
					t.Errorf("rule %d, order %d, in use %t: %q", rule, order, inUse, b.diary)
				}
			}
		}
	}
}

func TestWrongBreakdowns(t *testing.T) {
	b := newBench(t, 1)
	one := Constant(1)
	for want, x := range map[string]BreakdownConfig{
		"ToFailure must be told":    {Repair: one},
		"either Repair or RepairBy": {ToFailure: one},
		"and not both":              {ToFailure: one, Repair: one, RepairBy: func(*Process) {}},
		"-1 units break":            {ToFailure: one, Repair: one, Units: -1},
		"WorkRule(7)":               {ToFailure: one, Repair: one, Rule: 7},
		"a time to failure of 0":    {ToFailure: Constant(0), Repair: one},
		"a time to failure of -1":   {ToFailure: Constant(-1), Repair: one},
	} {
		wantPanic(t, want, func() { b.Break(x) })
	}
	b.Break(BreakdownConfig{ToFailure: one, Repair: Constant(-2)})
	wantPanic(t, "a repair of -2", func() { run(t, b.Simulation) })
}

// A repair that never ends is no reason to go on for ever, and who waits for it is told by Live.
func TestNeverRepaired(t *testing.T) {
	b := newBench(t, 1)
	b.Break(BreakdownConfig{ToFailure: Constant(1), RepairBy: func(p *Process) { _ = p.Wait(math.Inf(1)) }})
	p := b.comes(0, "a", 3)
	run(t, b.Simulation)
	if got := fmt.Sprint(b.Now(), " ", p.Status()); got != "1 cannot go on with bench, 2 left" {
		t.Error(got)
	}
}

// What is broken as a whole has as many broken units as there would be: none by night, when it
// broke, and two from eight on.
func TestBrokenAtNight(t *testing.T) {
	s := New()
	defer s.Close()
	r := NewResource(s, "mill", 0)
	r.Schedule(Daily{Shifts: []Shift{{From: 8, To: 18, Units: 2}}})
	d := r.Break(BreakdownConfig{ToFailure: Constant(20), Repair: Constant(14)}) // from 20 to 34
	d.Down().Keep(EveryChange(10))
	if err := s.Run(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	c, _ := d.Down().TimeSeries()
	if night, morning := c.Integral(20, 32), c.Integral(32, 34); night != 0 || morning != 4 || c.Integral(0, 40) != 4 ||
		r.Capacity() != 2 {
		t.Errorf("%g unit-times were broken in the night and %g in the morning, want 0 and 4: %v", night, morning, c.Points)
	}
}
