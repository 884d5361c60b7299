package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A bench is a resource at which people work, with a diary of what becomes of them.
type bench struct {
	*Simulation
	*Resource
	diary []string
}

func newBench(t *testing.T, units int) *bench {
	s := New()
	t.Cleanup(s.Close)
	return &bench{Simulation: s, Resource: NewResource(s, "bench", units)}
}

func (b *bench) note(who string, what any) {
	b.diary = append(b.diary, fmt.Sprintf("%g %s %v", b.Now(), who, what))
}

// comes has somebody work at the bench, and note how that ended, and what was left.
func (b *bench) comes(at float64, name string, work float64, opts ...RequestOption) *Process {
	return b.GoAt(at, name, func(p *Process) {
		err := b.Work(p, 1, work, opts...)
		var lost *Preempted
		switch {
		case err == nil:
			b.note(name, "done")
		case errors.As(err, &lost):
			b.note(name, fmt.Sprintf("lost by %s, %g left", lost.Why, Remaining(err)))
		default:
			b.note(name, fmt.Sprintf("interrupted, %g left", Remaining(err)))
		}
	})
}

func (b *bench) expect(t *testing.T, until float64, want ...string) {
	t.Helper()
	for b.Peek(); ; {
		at, ok := b.Peek()
		if !ok || at > until {
			break
		}
		b.Step()
		if err := b.check(); err != nil {
			t.Fatalf("at %g: %v", b.Now(), err)
		}
	}
	if !slices.Equal(b.diary, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(b.diary, "\n"), strings.Join(want, "\n"))
	}
}

// Of three who are at work when a shift of three is followed by one of one, two have to stop: the
// one with the largest rank, and of equals the latest.
func TestWhoIsAtWorkWhenAShiftEnds(t *testing.T) {
	for rule, want := range map[WorkRule][]string{
		Finish:  {"9 a done", "10 b done", "11 c done", "13 d done"},
		Resume:  {"9 a done", "11 b done", "14 c done", "16 d done"}, // b has 2 left, c 3
		Restart: {"9 a done", "18 b done", "27 c done", "29 d done"}, // each has 9 to do again
		Interrupt: {"8 c lost by the end of a shift, 3 left", "8 b lost by the end of a shift, 2 left", "9 a done",
			"11 d done"},
	} {
		b := newBench(t, 0)
		b.Schedule(Dated{Shifts: []Shift{{0, 8, 3}}, Otherwise: 1}, rule)
		b.comes(0, "a", 9)
		b.comes(1, "b", 9)
		b.comes(2, "c", 9)
		b.comes(3, "d", 2)
		b.expect(t, 40, want...)
		if b.Stopped() != map[WorkRule]int{Resume: 2, Restart: 2}[rule] || b.Preempted() != map[WorkRule]int{
			Interrupt: 2}[rule] || b.InUse() != 0 {
			t.Errorf("rule %d: %d were stopped, %d thrown out, and %d units are in use", rule, b.Stopped(), b.Preempted(),
				b.InUse())
		}
	}
}

// Work is handed over to the next shift with what is left, before those in line; but one in line
// with a smaller rank goes first, and nobody else who comes.
func TestWorkIsHandedOver(t *testing.T) {
	b := newBench(t, 0)
	b.Schedule(Daily{Shifts: []Shift{{0, 8, 1}}}, Resume)
	b.comes(1, "a", 10, Rank(1))
	b.comes(2, "b", 1, Rank(1))
	b.comes(9, "c", 2)
	b.comes(25, "d", 1)
	b.comes(26, "e", 1, Rank(1))
	b.expect(t, 100, "26 c done", "27 d done", "30 a done", "31 b done", "32 e done")
	if u := b.Usage().Mean() * b.Usage().Observed(); math.Abs(u-15) > 1e-9 {
		t.Errorf("units were used for %v", u)
	}
	if b.Waits().N() != 5 || b.Waits().Max() != 28 {
		t.Errorf("waits: %v", b.Waits())
	}
}

// What only waits, and what events hold, cannot be stopped, but the units of a process can be taken
// away.
func TestWhatCannotBeStopped(t *testing.T) {
	for rule, want := range map[WorkRule][]string{
		Finish: {"9 waits <nil>", "10 event true"}, Resume: {"9 waits <nil>", "10 event true"},
		Restart: {"9 waits <nil>", "10 event true"},
		Interrupt: {"8 waits sim: interrupted by an event at 8: sim: bench, held since 0, was taken away by the end of " +
			"a shift", "10 event true"},
	} {
		b := newBench(t, 0)
		b.Schedule(Dated{Shifts: []Shift{{0, 8, 2}}}, rule)
		b.Go("waits", func(p *Process) {
			b.note("waits", b.Use(p, 1, func() error { return p.Wait(9) }))
		})
		b.RequestThen(1, func(g *Grant, _ error) {
			b.After(10, func() {
				b.note("event", g.Held())
				g.Release()
			})
		})
		b.expect(t, 40, want...)
	}
}

// At the instant at which a shift ends: whose work ends then is done, in whatever order things
// happen; who comes then waits; and who is interrupted is told what was left. If the change comes
// first, who is interrupted has been stopped or thrown out before; if it comes last, w has been
// granted what a released, and has yet to begin.
func TestTiesWithTheEndOfAShift(t *testing.T) {
	type tie struct {
		rule WorkRule
		last bool
	}
	for tie, want := range map[tie][]string{
		{Finish, false}:    {"8 i interrupted, 1 left", "25 w done", "26 n done"},
		{Finish, true}:     {"8 i interrupted, 1 left", "9 w done", "25 n done"},
		{Resume, false}:    {"8 i interrupted, 1 left", "25 w done", "26 n done"},
		{Resume, true}:     {"8 i interrupted, 1 left", "25 w done", "26 n done"},
		{Restart, false}:   {"8 i interrupted, 9 left", "25 w done", "26 n done"},
		{Restart, true}:    {"8 i interrupted, 1 left", "25 w done", "26 n done"},
		{Interrupt, false}: {"8 i lost by the end of a shift, 1 left", "25 w done", "26 n done"},
		{Interrupt, true}:  {"8 i interrupted, 1 left", "8 w lost by the end of a shift, 0 left", "25 n done"},
	} {
		b := newBench(t, 2)
		schedule := func() { b.Schedule(Dated{Shifts: []Shift{{0, 8, 2}, {24, 30, 1}}}, tie.rule) }
		if !tie.last {
			schedule()
		}
		b.comes(0, "a", 8)
		i := b.comes(0, "i", 9)
		b.comes(7, "w", 1) // in line
		b.comes(8, "n", 1)
		b.At(8, func() { i.Interrupt("anyhow") })
		if tie.last {
			b.At(6, schedule)
		}
		b.expect(t, 40, append([]string{"8 a done"}, want...)...)
	}
}

// Somebody who has been granted units, and whose turn comes after the end of the shift at the same
// instant, does not begin to work.
func TestGrantedWhenTheShiftEnds(t *testing.T) {
	for rule, want := range map[WorkRule][]string{
		Finish: {"8 a done", "11 w done"}, Resume: {"8 a done", "27 w done"}, Restart: {"8 a done", "27 w done"},
		Interrupt: {"8 a done", "8 w lost by the end of a shift, 0 left"},
	} {
		b := newBench(t, 1)
		b.comes(0, "a", 8)
		b.comes(1, "w", 3)
		b.At(7, func() { // a's turn at 8 is scheduled before the change, and that of w afterwards
			b.Schedule(Dated{Shifts: []Shift{{0, 8, 1}, {24, 30, 1}}}, rule)
		})
		b.expect(t, 40, want...)
	}
}

// Who is interrupted while stopped knows what is left, keeps the claim, and may go on with it, or
// release it.
func TestInterruptedWhileStopped(t *testing.T) {
	for _, release := range []bool{false, true} {
		b := newBench(t, 0)
		b.Schedule(Dated{Shifts: []Shift{{0, 8, 1}, {24, 40, 1}}}, Resume)
		p := b.Go("a", func(p *Process) {
			g, err := b.Request(p, 1)
			if err != nil {
				t.Error(err)
			}
			err = g.Work(10)
			b.note("a", fmt.Sprintf("%v %g left, stopped %t, held %t, %d in use", errors.Is(err, err), Remaining(err),
				g.Suspended(), g.Held(), b.InUse()))
			if release {
				g.Release()
				return
			}
			err = g.Work(Remaining(err))
			b.note("a", err)
			g.Release()
			wantPanic(t, "released", func() { _ = g.Work(1) })
		})
		b.comes(1, "b", 1)
		b.At(12, func() {
			if got := p.Status(); got != "cannot go on with bench, 2 left" {
				t.Error(got)
			}
			p.Interrupt("anyhow")
		})
		want := []string{"12 a true 2 left, stopped true, held true, 0 in use", "26 a <nil>", "27 b done"}
		if release {
			want = []string{want[0], "25 b done"}
		}
		b.expect(t, 40, want...)
	}
}

// If somebody else releases the units of who is stopped, what is left is waited for as with any
// wait.
func TestReleasedByOthersWhileStopped(t *testing.T) {
	b := newBench(t, 0)
	b.Schedule(Dated{Shifts: []Shift{{0, 8, 1}, {24, 40, 1}}}, Resume)
	var g *Grant
	b.Go("a", func(p *Process) {
		g, _ = b.Request(p, 1)
		b.note("a", g.Work(10))
	})
	b.At(12, func() { g.Release() })
	b.expect(t, 40, "14 a <nil>")
}

// One that needs several units and does not fit holds up those behind, also when it was stopped,
// and those who come.
func TestSeveralUnitsAreStopped(t *testing.T) {
	b := newBench(t, 0)
	b.Schedule(Dated{Shifts: []Shift{{0, 8, 4}, {8, 20, 2}, {20, 30, 3}}}, Resume)
	work := func(at float64, name string, n int, d float64) {
		b.GoAt(at, name, func(p *Process) { b.note(name, b.Work(p, n, d)) })
	}
	work(0, "one", 1, 10)
	work(1, "three", 3, 8)
	work(9, "late", 1, 1) // there is a unit, but three goes first
	work(9.5, "two", 2, 1)
	b.At(8.5, func() {
		if _, ok := b.TryRequest(1); ok {
			t.Error("work that was stopped is overtaken")
		}
	})
	b.expect(t, 40, "10 one <nil>", "21 three <nil>", "22 late <nil>", "22 two <nil>")
}

// Preempting goes on as ever, and who was preempted while at work knows what is left.
func TestPreemptionAndShifts(t *testing.T) {
	b := newBench(t, 0)
	b.Schedule(Dated{Shifts: []Shift{{0, 8, 1}, {24, 40, 1}}}, Resume)
	b.comes(0, "a", 10, Rank(2))
	b.comes(3, "b", 6, Rank(1), Preempting(Interrupt)) // is stopped at 8 with 1 left
	b.comes(9, "c", 1, Rank(0), Preempting(Interrupt))
	b.comes(10, "d", 1, Rank(1), Preempting(Interrupt))
	b.expect(t, 50, "3 a lost by , 7 left", "25 c done", "26 b done", "27 d done")
}

// A timetable is one pending event; another takes its place, and cancelling it leaves the capacity
// as it is.
func TestOneTimetable(t *testing.T) {
	b := newBench(t, 1)
	first := b.Schedule(Weekly{Mon: []Shift{{8, 12, 2}, {13, 17, 3}}, Fri: []Shift{{8, 12, 1}}}, Finish)
	if b.PendingEvents() != 1 || b.Resource.Capacity() != 0 {
		t.Errorf("%d pending, %d units", b.PendingEvents(), b.Resource.Capacity())
	}
	wantPanic(t, "its capacity is 3", func() { b.RequestThen(4, nil) })
	second := b.Schedule(Daily{Shifts: []Shift{{8, 12, 5}}})
	if first.Pending() || !second.Pending() || b.PendingEvents() != 1 {
		t.Errorf("first %t, second %t, %d pending", first.Pending(), second.Pending(), b.PendingEvents())
	}
	for range 3 {
		b.Step()
	}
	if b.Now() != 32 || b.Resource.Capacity() != 5 || b.PendingEvents() != 1 {
		t.Errorf("at %g %d units, %d pending", b.Now(), b.Resource.Capacity(), b.PendingEvents())
	}
	if b.SetCapacity(2); b.Resource.Capacity() != 2 { // until the next change
		t.Error(b.Resource.Capacity())
	}
	second.Cancel()
	if b.Step() || b.Resource.Capacity() != 2 {
		t.Errorf("it went on to %g", b.Now())
	}
	if e := b.Schedule(Daily{Shifts: []Shift{{0, 24, 7}}}); e != (Event{}) || b.Resource.Capacity() != 7 {
		t.Errorf("%v, %d units", e, b.Resource.Capacity())
	}
	b.Schedule(Dated{Shifts: []Shift{{33, 34, 1}}, Otherwise: 3})
	run(t, b.Simulation)
	if b.Now() != 34 || b.Resource.Capacity() != 3 {
		t.Errorf("it ended at %g with %d units", b.Now(), b.Resource.Capacity())
	}
}

func TestWrongWork(t *testing.T) {
	b := newBench(t, 1)
	b.Go("a", func(p *Process) {
		for _, d := range []float64{-1, math.NaN(), math.Inf(1)} {
			wantPanic(t, "finite, and not negative", func() { _ = b.Work(p, 1, d) })
		}
		g, _ := b.Request(p, 1)
		b.Go("b", func(q *Process) { wantPanic(t, "outside it", func() { _ = g.Work(1) }) })
		_ = p.Wait(1)
	})
	run(t, b.Simulation)
}

// course lists the changes of a timetable from one time to another, and checks that each is where
// it says.
func course(t *testing.T, table Timetable, from, to float64) (all []Shift) {
	t.Helper()
	for at := from; at < to; {
		units, until := table.At(at)
		if !(until > at) {
			t.Fatalf("at %v it is %d until %v", at, units, until)
		}
		if n := len(all) - 1; n >= 0 && all[n].Units == units {
			all[n].To = until
		} else {
			all = append(all, Shift{at, until, units})
		}
		at = until
	}
	return all
}

func sameCourse(t *testing.T, table Timetable, from, to float64, want ...Shift) {
	t.Helper()
	got := course(t, table, from, to)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestTimetables(t *testing.T) {
	never := math.Inf(1)
	day := Daily{Shifts: []Shift{{13, 17, 3}, {8, 12, 2}}}
	sameCourse(t, day, 0, 48, Shift{0, 8, 0}, Shift{8, 12, 2}, Shift{12, 13, 0}, Shift{13, 17, 3}, Shift{17, 32, 0},
		Shift{32, 36, 2},
		Shift{36, 37, 0}, Shift{37, 41, 3}, Shift{41, 56, 0})
	sameCourse(t, day, -20, 0, Shift{-20, -16, 0}, Shift{-16, -12, 2}, Shift{-12, -11, 0}, Shift{-11, -7, 3},
		Shift{-7, 8, 0})
	// Round the clock, with a night shift that begins on the day before.
	sameCourse(t, Daily{Shifts: []Shift{{6, 14, 3}, {14, 22, 2}, {22, 30, 1}}}, 0, 30, Shift{0, 6, 1}, Shift{6, 14, 3},
		Shift{14, 22, 2}, Shift{22, 30, 1})
	sameCourse(t, Daily{Shifts: []Shift{{22, 46, 1}}}, 0, 30, Shift{0, never, 1})
	sameCourse(t, Daily{Shifts: []Shift{{0, 1, 2}}, Day: 2, Begins: 0.5, Otherwise: 1}, 0, 5, Shift{0, 0.5, 1},
		Shift{0.5, 1.5, 2}, Shift{1.5, 2.5, 1},
		Shift{2.5, 3.5, 2}, Shift{3.5, 4.5, 1}, Shift{4.5, 5.5, 2})
	week := Weekly{Mon: []Shift{{8, 12, 2}}, Sun: []Shift{{20, 28, 1}}}
	sameCourse(t, week, 0, 168, Shift{0, 4, 1}, Shift{4, 8, 0}, Shift{8, 12, 2}, Shift{12, 164, 0}, Shift{164, 172, 1})
	dated := Dated{Shifts: []Shift{{5, 7, 0}, {7, 8, 4}}, Otherwise: 1}
	sameCourse(t, dated, -3, 9, Shift{-3, 5, 1}, Shift{5, 7, 0}, Shift{7, 8, 4}, Shift{8, never, 1})
	holiday := Except{Of: day, Times: []Shift{{24, 48, 0}, {9, 10, 5}}}
	sameCourse(t, holiday, 0, 57, Shift{0, 8, 0}, Shift{8, 9, 2}, Shift{9, 10, 5}, Shift{10, 12, 2}, Shift{12, 13, 0},
		Shift{13, 17, 3}, Shift{17, 56, 0}, Shift{56, 60, 2})
	if m := holiday.Most(); m != 5 || day.Most() != 3 || week.Most() != 2 || dated.Most() != 4 {
		t.Errorf("at most %d", m)
	}
}

// However times are rounded, the end of a piece is the beginning of the next, and nothing is
// skipped or comes twice.
func TestTimetablesDoNotDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		day := math.Exp(8*random.Float64() - 4)
		a, b := random.Float64()*day, random.Float64()*day
		if i%2 == 0 { // up to the end of the day, so that the next begins with another number
			a, b = min(a, b), day
		}
		table := compiled(Daily{Shifts: []Shift{{min(a, b), max(a, b), 1}}, Day: day, Begins: 100 * (random.Float64() - 0.5)})
		at, last := table.(*pieces).begins+float64(random.IntN(1e6))*day, -1
		for i := range 100 {
			units, until := table.At(at)
			if units == last || !(until > at) || until > at+day {
				t.Fatalf("change %d of %v: %d units at %v until %v", i, table, units, at, until)
			}
			if again, same := table.At(math.Nextafter(until, math.Inf(-1))); again != units || same != until {
				t.Fatalf("right before %v there are %d units, not %d", until, again, units)
			}
			at, last = until, units
		}
	}
	// Where a float64 cannot tell a day from the next, nothing changes any more.
	if _, until := (Daily{Shifts: []Shift{{8, 12, 1}}}).At(1e300); !math.IsInf(until, 1) {
		t.Error(until)
	}
}

func TestWrongTimetables(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []Shift{{1, 2, 1}}
	for what, table := range map[string]Timetable{
		"Daily: there is no shift": Daily{}, "Weekly: there is no shift": Weekly{}, "Dated: there is no shift": Dated{},
		"Except: there is no shift":                          Except{Of: Daily{Shifts: one}},
		"Except: a timetable is needed":                      Except{Times: one},
		"Daily: a shift from NaN to 2":                       Daily{Shifts: []Shift{{nan, 2, 1}}},
		"Daily: a shift from 1 to NaN":                       Daily{Shifts: []Shift{{1, nan, 1}}},
		"Daily: a shift from -1 to 2":                        Daily{Shifts: []Shift{{-1, 2, 1}}},
		"Daily: a shift from 24 to 25":                       Daily{Shifts: []Shift{{24, 25, 1}}},
		"Daily: a shift from 3 to 28":                        Daily{Shifts: []Shift{{3, 28, 1}}},
		"Daily: a shift from 3 to 3":                         Daily{Shifts: []Shift{{3, 3, 1}}},
		"Dated: a shift from 4 to 3":                         Dated{Shifts: []Shift{{4, 3, 1}}},
		"Dated: a shift from -Inf to 3":                      Dated{Shifts: []Shift{{-inf, 3, 1}}},
		"Dated: a shift from 3 to +Inf":                      Dated{Shifts: []Shift{{3, inf, 1}}},
		"the shift from 3 to 4 has -1 units":                 Dated{Shifts: []Shift{{3, 4, -1}}},
		"-2 units outside the shifts":                        Dated{Shifts: one, Otherwise: -2},
		"a day of NaN":                                       Daily{Shifts: one, Day: nan},
		"a day of -24":                                       Weekly{Mon: one, Day: -24},
		"that begins at +Inf":                                Daily{Shifts: one, Begins: inf},
		"the shifts from 1 to 3 and from 2 to 4 overlap":     Daily{Shifts: []Shift{{2, 4, 1}, {1, 3, 1}}},
		"the shifts from 20 to 30 and from 25 to 26 overlap": Weekly{Tue: one, Mon: []Shift{{20, 30, 1}}},
		"the shift from 20 to 26 and that from 1 to 2":       Daily{Shifts: []Shift{{1, 2, 1}, {20, 26, 1}}},
	} {
		err := table.(interface{ Check() error }).Check()
		if err == nil {
			t.Errorf("%v is not refused", table)
		}
		wantPanic(t, what, func() { NewResource(New(), "desk", 1).Schedule(table) })
		wantPanic(t, what, func() { NewGate(New(), "shop", table) })
	}
	wantPanic(t, "not nil", func() { NewResource(New(), "desk", 1).Schedule(nil) })
	wantPanic(t, "WorkRule(9)", func() { NewResource(New(), "desk", 1).Schedule(Daily{Shifts: one}, WorkRule(9)) })
	wantPanic(t, "another simulation", func() {
		NewResource(New(), "desk", 1).Schedule(Daily{Shifts: one}, UntilEmpty(NewGate(New(), "shop", Daily{Shifts: one})))
	})
	wantPanic(t, "not nil", func() { UntilEmpty(nil) })
	wantPanic(t, "until a later time", func() { NewResource(New(), "desk", 1).Schedule(stuck{}) })
}

// stuck is a timetable that does not say when it changes.
type stuck struct{}

func (stuck) At(t float64) (int, float64) { return 1, t }

func (stuck) Most() int { return 1 }
