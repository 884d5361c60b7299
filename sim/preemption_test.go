package sim

import (
	"errors"
	"testing"
)

// The classic of preemption: what was interrupted is continued later, and nothing of it is lost.
func TestPreemptionResumes(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "machine", 1)
	done := map[string]float64{}
	job := func(name string, at, work float64, rank int) {
		s.GoAt(at, name, func(p *Process) {
			for work > 0 {
				err := r.Use(p, 1, func() error {
					err := p.Wait(work)
					work = 0
					var in *Interrupted
					if errors.As(err, &in) {
						work = in.Remaining
					}
					return nil
				}, Rank(rank), Preempting(Interrupt))
				if lost := (*Preempted)(nil); work > 0 && (!errors.As(err, &lost) || lost.By.Name() != "urgent") {
					t.Errorf("%v", err)
				}
			}
			done[name] = p.Now()
		})
	}
	job("long", 0, 10, 5)
	job("other", 1, 10, 5) // does not preempt its equal
	job("urgent", 4, 3, 1)
	run(t, s)
	// long loses 3 and its place in line to other, which was first.
	if done["urgent"] != 7 || done["other"] != 17 || done["long"] != 23 || r.Preempted() != 1 {
		t.Errorf("%v", done)
	}
}

func TestPreemptionTakesNoMoreThanNeeded(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	r := NewResource(s, "r", 5)
	lost := map[string]bool{}
	hold := func(name string, n, rank int) {
		s.Go(name, func(p *Process) {
			g, err := r.Request(p, n, Rank(rank))
			if err != nil {
				t.Error(err)
			}
			if err := p.Wait(100); err != nil {
				lost[name] = true
				if by := g.Lost(); by == nil || by.Since != 0 || g.Held() {
					t.Errorf("%s: %v", name, by)
				}
				g.Release() // does nothing
			}
		})
	}
	hold("a", 1, 3)
	hold("b", 2, 7)
	hold("c", 1, 7)
	hold("d", 1, 2)
	s.GoAt(1, "taker", func(p *Process) {
		if _, err := r.Request(p, 5, Rank(2), Preempting(Interrupt), AtMost(0)); !errors.Is(err, ErrBalked) || len(lost) > 0 {
			t.Errorf("%v, %v", err, lost)
		}
		if _, err := r.Request(p, 2, Rank(2), Preempting(Interrupt)); err != nil || p.Now() != 1 || r.InUse() != 4 {
			t.Errorf("%v at %g, %d in use", err, p.Now(), r.InUse())
		}
	})
	_ = s.Run(background, 2)
	if len(lost) != 2 || !lost["b"] || !lost["c"] {
		t.Errorf("%v", lost)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}
