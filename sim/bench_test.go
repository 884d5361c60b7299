package sim

import (
	"context"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A thousand events that schedule themselves again: what an event costs.
func BenchmarkEvents(b *testing.B) {
	s := New()
	r := random.New(1)
	left := 0
	for range 1000 {
		var f func()
		f = func() {
			if left--; left == 0 {
				s.Stop()
			}
			s.After(r.Exp(), f)
		}
		s.After(r.Exp(), f)
	}
	benchmarkRun(b, s, &left)
}

// A thousand processes that wait again and again: what a switch costs.
func BenchmarkProcesses(b *testing.B) {
	s := New()
	defer s.Close()
	r := random.New(1)
	left := 0
	for range 1000 {
		s.Go("p", func(p *Process) {
			for {
				_ = p.Wait(r.Exp())
				if left--; left == 0 {
					s.Stop()
				}
			}
		})
	}
	benchmarkRun(b, s, &left)
}

// One process that waits again and again: nothing comes between.
func BenchmarkProcessAlone(b *testing.B) {
	s := New()
	defer s.Close()
	left := 0
	s.Go("p", func(p *Process) {
		for {
			_ = p.Wait(1)
			if left--; left == 0 {
				s.Stop()
			}
		}
	})
	benchmarkRun(b, s, &left)
}

// Processes that begin and end.
func BenchmarkGo(b *testing.B) {
	s := New()
	defer s.Close()
	left := 0
	body := func(p *Process) { _ = p.Wait(1) }
	s.Every(0, 1, func() {
		for range 100 {
			s.Go("p", body)
			if left--; left == 0 {
				s.Stop()
			}
		}
	})
	benchmarkRun(b, s, &left)
}

// benchmarkRun runs until left has been counted down from the number of iterations, after a
// warming-up.
func benchmarkRun(b *testing.B, s *Simulation, left *int) {
	*left = 100_000
	_ = s.Run(context.Background(), math.Inf(1))
	b.ReportAllocs()
	b.ResetTimer()
	*left = b.N
	before := s.Events()
	_ = s.Run(context.Background(), math.Inf(1))
	b.ReportMetric(float64(s.Events()-before)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// An M/M/1 queue at a load of 0.8, with a process for each customer; b.N customers.
func BenchmarkMM1(b *testing.B) {
	b.ReportAllocs()
	s := New()
	defer s.Close()
	r := random.New(1)
	desk := NewResource(s, "desk", 1)
	customer := func(p *Process) {
		_ = desk.Use(p, 1, func() error { return p.Wait(0.8 * r.Exp()) })
	}
	s.Go("source", func(p *Process) {
		for range b.N {
			_ = p.Wait(r.Exp())
			s.Go("customer", customer)
		}
	})
	_ = s.Run(context.Background(), math.Inf(1))
	b.ReportMetric(float64(s.Events())/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// The same queue with events only.
func BenchmarkMM1Events(b *testing.B) {
	b.ReportAllocs()
	s := New()
	r := random.New(1)
	desk := NewResource(s, "desk", 1)
	left := b.N
	serve := func(g *Grant, _ error) { s.After(0.8*r.Exp(), g.Release) }
	var arrive func()
	arrive = func() {
		desk.RequestThen(1, serve)
		if left--; left > 0 {
			s.After(r.Exp(), arrive)
		}
	}
	s.After(r.Exp(), arrive)
	_ = s.Run(context.Background(), math.Inf(1))
	b.ReportMetric(float64(s.Events())/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
