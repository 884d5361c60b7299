package sim

import (
	"errors"
	"math"
	"testing"
)

// Whatever stops work, it is done in the end, and neither more nor less of it: the area under the units in use is what those who came had
// to do, less what was left for those who were interrupted or thrown out, and more by what was done in vain where it begins anew.
// Customers of all ranks come at whole times, at which shifts end, things break, and they are interrupted and preempted.
func TestWorkIsConserved(t *testing.T) {
	stopped, preempted, interruptedWhileStopped, vain := 0, 0, 0, 0
	for seed := range uint64(120) {
		rule := AtWork(1 + seed%4)
		s := New(Seed(seed))
		random := s.Stream("all")
		most := 1 + random.IntN(3)
		r := NewResource(s, "bench", most)
		var shifts []Shift
		for at := 1.0; at < 200; at += float64(5 + random.IntN(10)) {
			shifts = append(shifts, Shift{at, at + float64(1+random.IntN(5)), random.IntN(most + 1)})
		}
		r.Schedule(Dated{Shifts: shifts, Otherwise: most}, rule)
		b := r.Break(Breakdowns{ToFailure: Uniform(3, 40), Repair: Constant(2), InUse: seed%3 > 0, Units: random.IntN(2), AtWork: rule})
		s.At(250, b.End)
		done, vainly, came, gone := 0.0, 0.0, 0, 0
		for range 120 {
			n, work := 1+random.IntN(most), float64(random.IntN(6))
			opts := []RequestOption{Rank(random.IntN(3))}
			if random.IntN(4) == 0 {
				opts = append(opts, Preempting())
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
					if g.Stopped() {
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
			if rule != Finish && r.InUse() > r.Capacity() && s.due.live == 0 { // but for those who are done, or begin, at this instant
				if at, _ := s.Peek(); at > s.Now() {
					t.Fatalf("seed %d: after %g, %d of %d units are in use", seed, s.Now(), r.InUse(), r.Capacity())
				}
			}
		}
		area := r.Usage().Mean() * r.Usage().Observed()
		vainly = area - done
		switch {
		case came != 120 || gone != came || r.InUse() != 0 || r.Waiting() != 0 || r.upkeep.stopped != nil:
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
		t.Errorf("only %d stopped, %d preempted, %d interrupted while stopped, and %d seeds with work in vain: this tests little",
			stopped, preempted, interruptedWhileStopped, vain)
	}
}
