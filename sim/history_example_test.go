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

// A course that was thinned has the mean, the minimum and the maximum of what was put together.
func ExampleTimeSeries() {
	s := sim.New()
	defer s.Close()
	stock := s.NewTimeWeighted("stock", 8)
	stock.Keep(sim.Thinned(4))
	s.Every(4, 4, func() { stock.Add(-1) })
	s.Run(context.Background(), 32)
	c, _ := stock.TimeSeries()
	for _, p := range c.Points {
		fmt.Printf("from %v to %v: mean %v, %v to %v\n", p.From, p.To, p.Mean, p.Min, p.Max)
	}
	fmt.Println("halves:", c.Means(2))
	// Output:
	// from 0 to 8: mean 7.5, 7 to 8
	// from 8 to 16: mean 5.5, 5 to 6
	// from 16 to 24: mean 3.5, 3 to 4
	// from 24 to 32: mean 1.5, 1 to 2
	// halves: [6.5 2.5]
}

// A point of a course is a stretch between changes.
func ExampleTimeSeriesPoint() {
	now := 0.0
	l := sim.NewTimeWeighted(func() float64 { return now }, 3)
	l.Keep(sim.EveryChange(10))
	now = 2
	l.Set(5)
	now = 6
	c, _ := l.TimeSeries()
	fmt.Printf("%+v\n", c.Points[1])
	// Output: {From:2 To:6 Mean:5 Min:5 Max:5}
}

// A tally keeps its observations in their order. If there are more than it may keep, neighbours are
// put together.
func ExampleObservations() {
	var sizes sim.Tally
	sizes.KeepObservations(4, nil)
	for x := range 8 {
		sizes.Add(float64(x))
	}
	o, _ := sizes.Observations()
	fmt.Println(o.N, "observations, means of", o.Batch, "in a row:", o.Means())
	// Output: 8 observations, means of 2 in a row: [0.5 2.5 4.5 6.5]
}

// An observation has its time if the tally has a clock.
func ExampleObservation() {
	s := sim.New()
	defer s.Close()
	var sizes sim.Tally
	sizes.KeepObservations(100, s.Now)
	s.At(3, func() { sizes.Add(12) })
	s.Run(context.Background(), 10)
	o, _ := sizes.Observations()
	fmt.Println(o.Entries[0].At, o.Entries[0].Value)
	// Output: 3 12
}

// Who held a resource, and who lost it.
func ExampleHolding() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	desk.KeepHoldings(100)
	s.Go("visitor", func(p *sim.Process) {
		desk.Use(p, 1, func() error { return p.Wait(9) }, sim.Rank(1))
	})
	s.GoAt(2, "inspector", func(p *sim.Process) {
		desk.Use(p, 1, func() error { return p.Wait(3) }, sim.Preempting(sim.Interrupt))
	})
	s.Run(context.Background(), 10)
	holdings, _ := desk.Holdings()
	for _, h := range holdings {
		fmt.Println(h.Who, h.From, h.To, h.Lost)
	}
	// Output:
	// visitor 0 2 true
	// inspector 2 5 false
}
