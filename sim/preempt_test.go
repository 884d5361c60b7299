package sim_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// A process that is granted a unit and loses it in the same instant, before its turn, has not had
// it: it must not work with it.
func TestPreemptedBeforeItsTurn(t *testing.T) {
	s := sim.New()
	defer s.Close()
	r := sim.NewResource(s, "desk", 1)
	s.Go("first", func(p *sim.Process) { _ = r.Use(p, 1, func() error { return p.Wait(1) }) })
	var err error
	began := math.NaN()
	s.Go("waits", func(p *sim.Process) {
		err = r.Use(p, 1, func() error { t.Error("works without the unit"); return nil }, sim.Rank(5))
		began = p.Now()
		if err := p.Wait(10); err != nil {
			t.Errorf("what it was told already ended another wait: %v", err)
		}
	})
	s.Go("urgent", func(p *sim.Process) {
		_ = p.Wait(1) // it began to wait after the first, and so has its turn between the first and the one that waits
		_ = r.Use(p, 1, func() error { return p.Wait(3) }, sim.Preempting(sim.Interrupt))
	})
	if err := s.Run(context.Background(), 20); err != nil {
		t.Fatal(err)
	}
	var lost *sim.Preempted
	if !errors.As(err, &lost) || lost.By.Name() != "urgent" || began != 1 {
		t.Errorf("at %v it was told %v", began, err)
	}
	if s.Now() != 20 || r.InUse() != 0 {
		t.Errorf("at %v %d units are in use", s.Now(), r.InUse())
	}
}

// If a process loses a unit in the instant in which its work is done, Use tells it, and nothing
// else does.
func TestPreemptedAtItsEnd(t *testing.T) {
	for name, hold := range map[string]func(*sim.Resource, *sim.Process, func()) error{
		"Use": func(r *sim.Resource, p *sim.Process, f func()) error {
			return r.Use(p, 1, func() error { f(); return nil }, sim.Rank(5))
		},
		"Request": func(r *sim.Resource, p *sim.Process, f func()) error {
			g, err := r.Request(p, 1, sim.Rank(5))
			if err != nil {
				return err
			}
			f()
			g.Release()
			if lost := g.Lost(); lost != nil {
				return lost
			}
			return nil
		},
	} {
		s := sim.New()
		r := sim.NewResource(s, "desk", 1)
		done := s.Signal("done")
		var err error
		s.Go("holder", func(p *sim.Process) {
			err = hold(r, p, func() { _ = p.WaitFor(done) })
			if err := p.Wait(10); err != nil {
				t.Errorf("%s: what it was told already ended another wait: %v", name, err)
			}
		})
		s.GoAt(1, "urgent", func(p *sim.Process) {
			done.Trigger()
			_ = r.Use(p, 1, func() error { return p.Wait(3) }, sim.Preempting(sim.Interrupt))
		})
		if err := s.Run(context.Background(), 20); err != nil {
			t.Fatal(err)
		}
		var lost *sim.Preempted
		if !errors.As(err, &lost) {
			t.Errorf("%s: it was told %v", name, err)
		}
		s.Close()
	}
}

func TestRemaining(t *testing.T) {
	s := sim.New()
	defer s.Close()
	p := s.Go("worker", func(p *sim.Process) {
		if left := sim.Remaining(p.Wait(5)); left != 3 {
			t.Errorf("%v are left of 5 after 2", left)
		}
		if left := sim.Remaining(p.Wait(1)); left != 0 {
			t.Errorf("%v are left of a wait that was not interrupted", left)
		}
	})
	s.At(2, func() { p.Interrupt("enough") })
	if err := s.Run(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
}

// Messages say what is wrong at time 0, too.
func TestNegativeDelayAtZero(t *testing.T) {
	defer func() {
		if got, want := recover(), "sim: After(-1): a delay must not be negative"; got != want {
			t.Errorf("%v, not %v", got, want)
		}
	}()
	sim.New().After(-1, func() {})
}
