package sim

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(10), StartAt(100)) // ten units in a second
		defer s.Close()
		began := time.Now()
		var events, turns int
		s.Every(0, 5, func() {
			events++
			if got, want := time.Since(began), time.Duration((s.Now()-100)/10*float64(time.Second)); got != want {
				t.Errorf("%g comes after %v, want %v", s.Now(), got, want)
			}
		})
		s.Go("p", func(p *Process) {
			for p.Wait(2.5) == nil {
				turns++
			}
		})
		if err := s.Run(background, 131); err != nil || s.Now() != 131 || events != 7 || turns != 12 {
			t.Errorf("%v at %g: %d events, %d turns", err, s.Now(), events, turns)
		}
		if got := time.Since(began); got != 3100*time.Millisecond {
			t.Errorf("Run took %v", got)
		}
	})
}

func TestRealTimeHonoursContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(1))
		s.At(10, func() { t.Error("it was not its time") })
		ctx, cancel := context.WithTimeout(background, 3*time.Second)
		defer cancel()
		began := time.Now()
		err, took := s.Run(ctx, math.Inf(1)), time.Since(began)
		if !errors.Is(err, context.DeadlineExceeded) || s.Now() != 0 || took != 3*time.Second {
			t.Errorf("%v at %g after %v", err, s.Now(), took)
		}
		far := New(RealTime(1e-300))
		far.At(1, func() {})
		ctx, cancel = context.WithTimeout(background, 3*time.Second)
		defer cancel()
		if err := far.Run(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// A model that is too slow comes late, catches up, and leaves nothing out.
func TestRealTimeLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(1))
		var at []time.Duration
		began := time.Now()
		s.Every(1, 1, func() {
			at = append(at, time.Since(began))
			switch len(at) {
			case 1:
				time.Sleep(2500 * time.Millisecond)
			case 2:
				if s.Lag() != 1500*time.Millisecond {
					t.Errorf("a lag of %v", s.Lag())
				}
			case 5:
				s.Stop()
			}
		})
		if err := s.RunUntil(background, s.Signal("never")); err != nil {
			t.Error(err)
		}
		for i, want := range []float64{1, 3.5, 3.5, 4, 5} {
			if got := at[i].Seconds(); got != want {
				t.Errorf("call %d after %g s, want %g", i, got, want)
			}
		}
		if s.Lag() != 0 {
			t.Errorf("a lag of %v", s.Lag())
		}
	})
	wantPanic(t, "RealTime(0)", func() { RealTime(0) })
	wantPanic(t, "RealTime(NaN)", func() { RealTime(math.NaN()) })
}

// What is injected happens at the time of the wall's clock, between what is due before and after,
// also while the run sleeps.
func TestInject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(10), StartAt(100)) // ten units in a second
		defer s.Close()
		var log []float64
		note := func() { log = append(log, s.Now()) }
		s.Every(5, 10, note)
		bell := s.Signal("bell")
		s.Go("listener", func(p *Process) {
			if err := p.WaitFor(bell); err != nil || p.Now() != 121 {
				t.Errorf("%v at %g", err, p.Now())
			}
		})
		if !s.Inject(note) { // before the run, at its beginning
			t.Error("refused")
		}
		go func() {
			time.Sleep(1200 * time.Millisecond)
			s.Inject(note)
			s.Inject(note)
			time.Sleep(900 * time.Millisecond)
			s.Inject(func() { bell.Trigger(); s.At(122, note) })
			time.Sleep(900 * time.Millisecond)
			s.Inject(s.Stop)
		}()
		began := time.Now()
		if err := s.Run(background, math.MaxFloat64); err != nil || s.Now() != 130 || time.Since(began) != 3*time.Second {
			t.Errorf("%v at %g after %v", err, s.Now(), time.Since(began))
		}
		if want := []float64{100, 105, 112, 112, 115, 122, 125}; !slices.Equal(log, want) {
			t.Errorf("%v, want %v", log, want)
		}
		s.Close()
		if s.Inject(note) {
			t.Error("a closed simulation takes something in")
		}
	})
	wantPanic(t, "needs a simulation in real time", func() { New().Inject(func() {}) })
	wantPanic(t, "needs a function", func() { New(RealTime(1)).Inject(nil) })
}

// If the model is behind, what was due before comes first, and what was injected not after the end
// of the run.
func TestInjectLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(RealTime(1))
		defer s.Close()
		var log []float64
		s.At(1, func() {
			time.Sleep(4 * time.Second)
			s.Inject(func() { log = append(log, s.Now()) })
		})
		for _, at := range []float64{2, 3, 6} {
			s.At(at, func() { log = append(log, -s.Now()) })
		}
		if err := s.Run(background, 4); err != nil || !slices.Equal(log, []float64{-2, -3, 4}) || s.Now() != 4 {
			t.Errorf("%v at %g: %v", err, s.Now(), log)
		}
	})
}

// Goroutines inject at once, and nothing is lost: each has its calls in order.
func TestInjectAtOnce(t *testing.T) {
	s := New(RealTime(1e6))
	defer s.Close()
	const goroutines, calls = 4, 500
	var order [goroutines][]int
	var all sync.WaitGroup
	done := s.Signal("done")
	left := goroutines * calls
	for g := range goroutines {
		all.Go(func() {
			for i := range calls {
				s.Inject(func() {
					order[g] = append(order[g], i)
					if left--; left == 0 {
						done.Trigger()
					}
				})
			}
		})
	}
	s.At(1e15, func() {}) // so that there is something to wait for
	if err := s.RunUntil(background, done); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for g := range goroutines {
		if len(order[g]) != calls || !slices.IsSorted(order[g]) {
			t.Errorf("%d of %d calls, in order: %t", len(order[g]), calls, slices.IsSorted(order[g]))
		}
	}
}
