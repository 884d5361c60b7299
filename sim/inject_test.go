package sim

import (
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What is injected happens at the time of the wall's clock, between what is due before and after, also while the run sleeps.
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

// If the model is behind, what was due before comes first, and what was injected not after the end of the run.
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
