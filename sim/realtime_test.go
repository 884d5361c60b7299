package sim

import (
	"context"
	"errors"
	"math"
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
