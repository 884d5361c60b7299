package sim_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/sim"
)

// Everything that has a name keeps its past: who was in line when, how long each waited, and who
// held what.
func ExampleSimulation_Keep() {
	s := sim.New()
	defer s.Close()
	s.Keep(sim.EveryChange(1000))
	desk := sim.NewResource(s, "desk", 1)
	for _, name := range []string{"ann", "ben"} {
		s.Go(name, func(p *sim.Process) {
			desk.Use(p, 1, func() error { return p.Wait(4) })
		})
	}
	s.Run(context.Background(), 10)
	for _, c := range s.AllTimeSeries() {
		fmt.Println(c.Name, c.Points)
	}
	for _, o := range s.AllObservations() {
		fmt.Println(o.Name, o.Values())
	}
	for _, h := range s.AllHoldings() {
		fmt.Println(h.Who, "held", h.Units, h.Resource, "from", h.From, "to", h.To)
	}
	// Output:
	// desk in use [{0 8 1 1 1} {8 10 0 0 0}]
	// desk queue [{0 4 1 1 1} {4 10 0 0 0}]
	// desk capacity [{0 10 1 1 1}]
	// desk wait [0 4]
	// ann held 1 desk from 0 to 4
	// ben held 1 desk from 4 to 8
}

// Three ways to keep the course of a level.
func ExampleRetention() {
	for _, k := range []sim.Retention{sim.EveryChange(100), sim.Sampled(10, 100), sim.Thinned(4)} {
		s := sim.New()
		stock := s.NewTimeWeighted("stock", 8)
		stock.Keep(k)
		s.Every(4, 4, func() { stock.Add(-1) })
		s.Run(context.Background(), 32)
		c, _ := stock.TimeSeries()
		fmt.Println(k, len(c.Points), "points, integral", c.Integral(0, 32), "at 10", c.At(10))
		s.Close()
	}
	// Output:
	// EveryChange(100) 8 points, integral 144 at 10 6
	// Sampled(10, 100) 4 points, integral 172 at 10 6
	// Thinned(4) 4 points, integral 144 at 10 5.5
}
