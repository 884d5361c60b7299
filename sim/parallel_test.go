package sim

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Simulations share nothing: many at once give what one alone gives. With the race detector, this looks for what they might
// share.
func TestManyAtOnce(t *testing.T) {
	noLeak(t)
	model := func() string {
		s := New()
		defer s.Close()
		r := random.New(1)
		desk := NewResource(s, "desk", 2)
		store := NewStore[int](s, "store", 3)
		s.Go("source", func(p *Process) {
			for i := range 500 {
				_ = p.Wait(r.Exp())
				s.Go("customer", func(p *Process) {
					_ = desk.Use(p, 1, func() { _ = p.Wait(1.8 * r.Exp()) }, Rank(i%2), Patience(5))
					_ = store.Put(p, i)
				})
			}
		})
		s.Every(1, 1.1, func() { store.TryGet() })
		_ = s.Run(background, 700)
		return fmt.Sprint(s.Events(), desk.Waits().Mean(), desk.Queue().Mean(), desk.Reneged(), store.Items(), s.Processes())
	}
	want := model()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				if got := model(); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
	all.Wait()
}

// A simulation may be run, and closed, by one goroutine after the other.
func TestGoroutinesTakeTurns(t *testing.T) {
	noLeak(t)
	s := New()
	turns := 0
	for range 10 {
		s.Go("p", func(p *Process) {
			for p.Wait(1) == nil {
				turns++
			}
		})
	}
	in := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	for i := range 5 {
		in(func() { _ = s.Run(background, float64(10*i+10)) })
	}
	in(s.Close)
	if turns != 500 || s.Processes() != 0 || math.IsNaN(s.Now()) {
		t.Errorf("%d turns", turns)
	}
}
