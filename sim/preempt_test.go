package sim

import (
	"errors"
	"testing"
)

// hold makes a process that waits for a unit, and then for a unit of another resource, if there is one, and keeps what it gets.
func hold(s *Simulation, at float64, name string, r, other *Resource, opts, others []RequestOption) (p *Process, err *error) {
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

// Who loses units may stand in line for more of the same resource. What is freed then must not go to those behind, before the
// request has enough for which it is taken.
func TestPreemptedLeavesTheSameLine(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	r := NewResource(s, "r", 2)
	_, err1 := hold(s, 0, "v1", r, nil, ranked(5), nil)
	_, err2 := hold(s, 1, "v2", r, r, ranked(5), ranked(3))
	granted := false
	s.At(2, func() { r.RequestThen(1, func(*Grant) { granted = true }, Rank(4)) })
	s.GoAt(3, "taker", func(p *Process) {
		if _, err := r.Request(p, 2, Rank(0), Preempting()); err != nil || p.Now() != 3 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	_ = s.Run(background, 5)
	var lost Preempted
	if !errors.As(*err1, &lost) || !errors.As(*err2, &lost) || granted || r.Preempted() != 2 || r.InUse() != 2 || r.Waiting() != 1 {
		t.Errorf("%v, %v, granted %t", *err1, *err2, granted)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

// While the first in line takes units from another, that one leaves a line at another resource, where somebody is served who
// takes units from the first. It is interrupted then, and must not get what it was about to.
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
		_, err := a.Request(p, 1, Rank(0), Preempting())
		var lost Preempted
		if !errors.As(err, &lost) || lost.Resource != b || p.Now() != 5 {
			t.Errorf("q: %v at %g", err, p.Now())
		}
	})
	_, v := hold(s, 0, "v", a, b, ranked(5), ranked(0)) // has a, and waits for b
	head, _ := hold(s, 2, "head", a, nil, ranked(-1), nil)
	_, x := hold(s, 2, "x", b, nil, []RequestOption{Rank(1), Preempting()}, nil)
	s.At(5, func() { head.Interrupt("go away") })
	_ = s.Run(background, 10)
	var lost Preempted
	if !errors.As(*v, &lost) || lost.Resource != a || *x != nil {
		t.Errorf("v: %v, x: %v", *v, *x)
	}
	if a.InUse() != 0 || a.Waiting() != 0 || b.InUse() != 1 || errors.Join(a.check(), b.check()) != nil {
		t.Errorf("%d and %d in use: %v", a.InUse(), b.InUse(), errors.Join(a.check(), b.check()))
	}
}
