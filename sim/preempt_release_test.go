package sim

import (
	"errors"
	"fmt"
	"testing"
)

// A patient whose bed is taken away is told so by the wait that it ends, even if the bed is released by somebody else before the
// patient has its turn.
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
		s.GoAt(5, "emergency", func(p *Process) { _ = beds.Use(p, 1, func() { _ = p.Wait(1) }, Preempting()) })
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
	var lost Preempted
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
			_ = w.rooms[i].Use(p, 1, func() { _ = p.Wait(1) }, Preempting())
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

// Whatever comes to the holder at one instant, in whatever order, and whether those who take units away have their turns in between
// or not: nobody crashes, nobody is told twice of the same or of nothing, and the units are where they belong.
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
		var lost Preempted
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
		_, lost := w.grants[i].Preempted()
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
