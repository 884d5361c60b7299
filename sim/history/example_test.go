package history_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/history"
)

// A series that was thinned has the mean, the minimum and the maximum of what was merged.
func ExampleSeries() {
	s := sim.New()
	defer s.Close()
	stock := s.NewTimeWeighted("stock", 8)
	stock.Keep(sim.Thinned(4))
	s.Every(4, 4, func() { stock.Add(-1) })
	s.Run(context.Background(), 32)
	var c history.Series
	c, _ = stock.TimeSeries()
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

// A point of a series is a segment between changes.
func ExamplePoint() {
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
		fmt.Println(h.Who, h.From, h.To, h.TakenAway)
	}
	// Output:
	// visitor 0 2 true
	// inspector 2 5 false
}
