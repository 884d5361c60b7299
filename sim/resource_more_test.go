package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestResourceHeadIsNotOvertaken(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 3)
	var log []string
	ask := func(name string, n, rank int, hold float64) {
		s.Go(name, func(p *Process) {
			_ = r.Use(p, n, func() {
				log = append(log, fmt.Sprintf("%s%g", name, p.Now()))
				_ = p.Wait(hold)
			}, Rank(rank))
		})
	}
	ask("a", 2, 0, 10)
	ask("big", 3, 0, 1)
	ask("small", 1, 0, 1)   // one unit is free, but big stands in front
	ask("urgent", 1, -1, 1) // goes to the head, and is served
	run(t, s)
	if got := strings.Join(log, " "); got != "a0 urgent0 big10 small11" {
		t.Error(got)
	}
}

func TestInterruptedRequestMakesWay(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 3)
	g, ok := r.TryRequest(2)
	if !ok {
		t.Fatal("not granted")
	}
	big := s.Go("big", func(p *Process) {
		var in *Interrupted
		if _, err := r.Request(p, 3); !errors.As(err, &in) || in.Cause != "closed" || p.Now() != 4 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	small := s.Go("small", func(p *Process) {
		if g, err := r.Request(p, 1); err != nil || p.Now() != 4 || g.Units() != 1 || g.Since() != 4 || !g.Held() {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	s.At(4, func() { big.Interrupt("closed") })
	s.At(5, func() {
		g.Release()
		wantPanic(t, "released twice", g.Release)
	})
	run(t, s)
	if !small.Done() || r.InUse() != 1 || r.Capacity() != 3 || r.Waiting() != 0 || r.Name() != "r" {
		t.Errorf("%d in use", r.InUse())
	}
	wantPanic(t, "can never be granted: its capacity is 3", func() { r.TryRequest(4) })
	wantPanic(t, "can never be granted", func() { r.TryRequest(0) })
	wantPanic(t, "negative", func() { NewResource(s, "x", -1) })
	wantPanic(t, "negative", func() { r.SetCapacity(-1) })
	wantPanic(t, "negative", func() { Patience(-1) })
	wantPanic(t, "negative", func() { AtMost(-1) })
}

func TestSetCapacity(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "shift", 0) // begins at night
	var log []string
	for i := range 4 {
		s.Go(fmt.Sprint(i), func(p *Process) {
			_ = r.Use(p, 1, func() {
				log = append(log, fmt.Sprintf("%s@%g", p, p.Now()))
				_ = p.Wait(10)
			})
		})
	}
	s.At(5, func() { r.SetCapacity(3) })
	s.At(6, func() { r.SetCapacity(0) }) // nobody is sent away
	s.At(14, func() { r.TryRequest(1) })
	s.At(20, func() {
		if r.InUse() != 0 || r.Waiting() != 1 {
			t.Errorf("%d in use", r.InUse())
		}
		r.SetCapacity(1)
	})
	run(t, s)
	if got := strings.Join(log, " "); got != "0@5 1@5 2@5 3@20" {
		t.Error(got)
	}
}

func TestRequestThen(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 1)
	var log []string
	ask := func(name string, opts ...RequestOption) {
		at := false
		r.RequestThen(1, func(g *Grant) {
			if !at {
				t.Error("called at once")
			}
			log = append(log, fmt.Sprintf("%s@%g:%t", name, s.Now(), g != nil))
			if g != nil {
				s.After(4, g.Release)
			}
		}, opts...)
		at = true
	}
	s.At(1, func() {
		ask("a")
		ask("b")
		ask("c", Patience(5))
		ask("balks", AtMost(2))
		ask("d", Rank(-1), Patience(10))
		ask("e", Patience(100))
	})
	run(t, s)
	if got := strings.Join(log, " "); got != "a@1:true balks@1:false d@5:true c@6:false b@9:true e@13:true" {
		t.Error(got)
	}
	if s.Now() != 17 || r.Balked() != 1 || r.Reneged() != 1 || s.Pending() != 0 {
		t.Errorf("%d balked, %d reneged until %g", r.Balked(), r.Reneged(), s.Now())
	}
}

// The classic of preemption: what was interrupted is continued later, and nothing of it is lost.
func TestPreemptionResumes(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "machine", 1)
	done := map[string]float64{}
	job := func(name string, at, work float64, rank int) {
		s.GoAt(at, name, func(p *Process) {
			for work > 0 {
				err := r.Use(p, 1, func() {
					err := p.Wait(work)
					work = 0
					var in *Interrupted
					if errors.As(err, &in) {
						work = in.Remaining
					}
				}, Rank(rank), Preempting())
				if lost := (Preempted{}); work > 0 && (!errors.As(err, &lost) || lost.By.Name() != "urgent") {
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
				if by, ok := g.Preempted(); !ok || by.Since != 0 || g.Held() {
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
		if _, err := r.Request(p, 5, Rank(2), Preempting(), AtMost(0)); !errors.Is(err, ErrBalked) || len(lost) > 0 {
			t.Errorf("%v, %v", err, lost)
		}
		if _, err := r.Request(p, 2, Rank(2), Preempting()); err != nil || p.Now() != 1 || r.InUse() != 4 {
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

// Processes that hold and want units of several resources, and take them from each other, so that losing one unit makes somebody
// leave another line, where others are served, who may take units themselves.
func TestPreemptionChains(t *testing.T) {
	noLeak(t)
	preempted := 0
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		s := New()
		rs := []*Resource{NewResource(s, "a", 2), NewResource(s, "b", 3), NewResource(s, "c", 1)}
		for i := range 12 {
			s.Go(fmt.Sprint(i), func(p *Process) {
				for range 20 {
					_ = p.Wait(float64(rnd.IntN(3)))
					x := rnd.IntN(3)
					y := rnd.IntN(3)
					one, two := rs[x], rs[y]
					opts := func() []RequestOption {
						return []RequestOption{Rank(rnd.IntN(4)), Patience(float64(rnd.IntN(9))), Preempting()}[:2+rnd.IntN(2)]
					}
					_ = one.Use(p, 1+rnd.IntN(one.Capacity()), func() {
						_ = p.Wait(float64(rnd.IntN(2)))
						_ = two.Use(p, 1+rnd.IntN(two.Capacity()), func() { _ = p.Wait(float64(rnd.IntN(3))) }, opts()...)
					}, opts()...)
				}
			})
		}
		for s.Now() < 1000 && s.Step() {
			for _, r := range rs {
				if err := r.check(); err != nil {
					t.Fatalf("seed %d at %g: %s: %v", seed, s.Now(), r.Name(), err)
				}
			}
		}
		for _, r := range rs {
			preempted += r.Preempted()
		}
		s.Close()
	}
	if preempted < 1000 {
		t.Errorf("only %d lost units, so that this tests little", preempted)
	}
}

// Long lines of different ranks keep their order when requests leave from anywhere.
func TestLineAgainstDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		s := New()
		l := line{s: s, queue: s.level(0)}
		var all []*request
		for step := range 300 {
			if rnd.IntN(5) < 3 || len(all) == 0 {
				r := &request{rank: rnd.IntN(6) - 3, since: float64(step)}
				l.join(r)
				all = append(all, r)
			} else {
				i := rnd.IntN(len(all))
				l.remove(all[i])
				all = append(all[:i], all[i+1:]...)
			}
			if err := l.check(); err != nil || l.length != len(all) {
				t.Fatalf("%v, a length of %d for %d", err, l.length, len(all))
			}
		}
	}
}

// Use gives its units back when its function panics.
func TestUseReleasesAfterPanic(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 1)
	s.Go("p", func(p *Process) {
		defer func() { _ = recover() }()
		_ = r.Use(p, 1, func() { panic("no") })
	})
	q := s.Go("q", func(p *Process) { _ = r.Use(p, 1, func() {}) })
	run(t, s)
	if r.InUse() != 0 || !q.Done() {
		t.Errorf("%d in use", r.InUse())
	}
}

// Utilisation is the share of unit-times, also when the capacity changes, and from the last reset on.
func TestUtilisation(t *testing.T) {
	s := New()
	r := NewResource(s, "desk", 2)
	if got := r.Utilisation(); got != 0 {
		t.Errorf("%v before any time has passed", got)
	}
	g, _ := r.TryRequest(1)
	_ = s.Run(background, 10)
	if got := r.Utilisation(); got != 0.5 {
		t.Errorf("1 of 2 is in use, and the share is %v", got)
	}
	r.SetCapacity(4)
	_ = s.Run(background, 20)
	if got, mean := r.Utilisation(), r.Usage().Mean(); math.Abs(got-1./3) > 1e-15 || mean != 1 { // 20 of 20 + 40
		t.Errorf("the share is %v, of %v units", got, mean)
	}
	s.ResetStatistics()
	_ = s.Run(background, 30)
	if got := r.Utilisation(); got != 0.25 {
		t.Errorf("the share is %v after a reset", got)
	}
	g.Release()
	if none := NewResource(s, "none", 0); !math.IsNaN(none.Utilisation()) {
		t.Errorf("a share of nothing is %v", none.Utilisation())
	}
	if row, ok := s.Report().Row("desk utilisation"); !ok || row.Mean != 0.25 || !row.Level || row.Time != 10 {
		t.Errorf("the report has %+v for the share of 1 of 4 in 10 units of time", row)
	}
	if rows := len(s.Report().Rows); rows != 8 {
		t.Errorf("%d rows in the report of two resources", rows)
	}
}
