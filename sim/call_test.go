package sim

import (
	"errors"
	"testing"
)

func TestCall(t *testing.T) {
	noLeak(t)
	s := New()
	burnt := errors.New("burnt")
	cook := func(d float64, err error) *Outcome[string] {
		return Call(s, "cook", func(p *Process) (string, error) {
			if err := p.Wait(d); err != nil {
				return "raw", err
			}
			return "pie", err
		})
	}
	ends := 0
	s.Go("guest", func(p *Process) {
		pie, soup, fish := cook(3, nil), cook(1, burnt), cook(9, nil)
		if v, err := pie.Value(); v != "" || err != ErrNoValue || pie.Happened() {
			t.Errorf("%q, %v before the end", v, err)
		}
		first := AnyOf(pie, soup)
		if err := p.WaitFor(first); err != nil || first.First() != Waitable(soup) {
			t.Error(err)
		}
		if v, err := soup.Wait(p); v != "pie" || err != burnt {
			t.Errorf("%q, %v", v, err)
		}
		if v, ended, err := pie.WaitWithin(p, 1); v != "" || ended || err != nil || p.Now() != 2 {
			t.Errorf("%q, %t, %v at %g", v, ended, err, p.Now())
		}
		if v, err := pie.Wait(p); v != "pie" || err != nil || p.Now() != 3 {
			t.Errorf("%q, %v at %g", v, err, p.Now())
		}
		s.After(1, func() { p.Interrupt("me") })
		s.After(2, func() { fish.Process().Interrupt("the cook") })
		v, err := fish.Wait(p)
		if i, ok := errors.AsType[*Interrupted](err); v != "" || !ok || i.Cause != "me" || fish.Happened() {
			t.Errorf("%q, %v", v, err)
		}
		v, err = fish.Wait(p)
		if i, ok := errors.AsType[*Interrupted](err); v != "raw" || !ok || i.Cause != "the cook" || !fish.Happened() || p.Now() != 5 {
			t.Errorf("%q, %v", v, err)
		}
		ends++
	})
	run(t, s)
	never := cook(1, nil)
	_ = s.Run(background, s.Now())
	s.Close()
	if v, err := never.Value(); ends != 1 || v != "" || err != ErrNoValue || !never.Happened() {
		t.Errorf("%q, %v after Close", v, err)
	}
	wantPanic(t, "needs a function", func() { Call[int](s, "nothing", nil) })
}

func TestSignalOf(t *testing.T) {
	s := New()
	g := NewSignal[[]int](s, "numbers")
	got := 0
	for range 2 {
		s.Go("waits", func(p *Process) {
			if v, happened, err := g.WaitWithin(p, 1); v != nil || happened || err != nil {
				t.Errorf("%v, %t, %v", v, happened, err)
			}
			v, err := g.Wait(p)
			if err != nil || len(v) != 2 || p.Now() != 2 || AllOf(g).First() != Waitable(g) {
				t.Errorf("%v, %v at %g", v, err, p.Now())
			}
			got++
		})
	}
	if v, ok := g.Value(); v != nil || ok || g.Name() != "numbers" {
		t.Error(v, ok)
	}
	s.At(2, func() {
		if g.Waiting() != 2 || !g.TryTrigger([]int{1, 2}) || g.TryTrigger(nil) {
			t.Error("it could not be triggered, or twice")
		}
		wantPanic(t, "signal numbers was triggered before", func() { g.Trigger(nil) })
	})
	run(t, s)
	if v, ok := g.Value(); got != 2 || len(v) != 2 || !ok {
		t.Error(got, v, ok)
	}
}
