package analysis_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
)

// How well does a run know the mean wait at a desk? The first one is too short, and says why.
func ExampleMean() {
	for _, customers := range []int{1000, 100_000} {
		fmt.Println(analysis.Mean(waits(1, 0.5, customers)))
	}
	// Output:
	// 0.5112 in 0.335 … 0.7359 (95 %, n 1000); too short: only 31 batches of 32 look independent, and fewer than 100 cannot be trusted; about 3.2 times as long would do
	// 0.5036 in 0.484 … 0.5247 (95 %, n 100000)
}

// An estimate says what it is made of.
func ExampleEstimate() {
	e := analysis.Mean(waits(1, 0.5, 100_000), analysis.Confidence(0.9))
	fmt.Printf("%.3f, %.3f to %.3f: %t\n", e.Value, e.Low, e.High, e.Contains(0.5))
	fmt.Println("long enough:", e.Enough())
	fmt.Println(e.Batches, "batches of", e.BatchSize, "after", e.Skipped, "were left out")
	fmt.Printf("as good as %.0f independent observations\n", e.Effective)
	// Output:
	// 0.504, 0.487 to 0.521: true
	// long enough: true
	// 32 batches of 3125 after 0 were left out
	// as good as 8012 independent observations
}

// A queue that begins with many in it takes a while to forget them.
func ExampleWarmUp() {
	x := waits(1, 0.5, 20_000)
	for i := range 300 {
		x[i] += 3 - float64(i)/100
	}
	w := analysis.MSER5(x)
	fmt.Println("leave out", w.Skip, "of", len(x), w.Found)
	// Output: leave out 175 of 20000 true
}

// The wait that nine of ten customers do not exceed.
func ExampleQuantile() {
	fmt.Println(analysis.Quantile(waits(1, 0.5, 100_000), 0.9))
	// Output: 1.613 in 1.55 … 1.682 (95 %, n 100000)
}

// Options are the level, and how much to leave out.
func ExampleOption() {
	x := waits(1, 0.5, 100_000)
	fmt.Println(analysis.Mean(x, analysis.Confidence(0.99), analysis.Skip(1000)))
	// Output: 0.5036 in 0.4788 … 0.5325 (99 %, n 99000)
}

// A simulation runs until the mean wait is known to a twentieth of it.
func ExampleRunTo() {
	s := sim.New(sim.Seed(1))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	desk.Waits().KeepObservations(4096, s.Now)
	arrivals, service := s.Stream("arrivals"), s.Stream("service")
	s.Go("door", func(p *sim.Process) {
		for p.Wait(arrivals.ExpFloat64()) == nil {
			takes := 0.5 * service.ExpFloat64()
			s.Go("customer", func(p *sim.Process) {
				desk.Use(p, 1, func() error { return p.Wait(takes) })
			})
		}
	})
	e, err := analysis.RunTo(context.Background(), s, func() analysis.Estimate {
		o, _ := desk.Waits().Observations()
		return analysis.Observations(o)
	}, analysis.Precision{Share: 0.05, First: 5000, Most: 1e6})
	fmt.Println(s.Now(), e, err)
	// Output: 56953.125 0.4917 in 0.4704 … 0.5153 (95 %, n 57232) <nil>
}

// How precise a run should be, when to look first, and when to give up.
func ExamplePrecision() {
	fmt.Printf("%+v\n", analysis.Precision{Share: 0.05, First: 1000, Most: 1e6})
	// Output: {Share:0.05 First:1000 Most:1e+06}
}

// Successive waits depend on each other: the correlation is far from 0, and the test rejects
// independence.
func ExampleVonNeumann() {
	correlation, p := analysis.VonNeumann(waits(1, 0.5, 1000))
	fmt.Printf("%.2f, p below 0.001: %t\n", correlation, p < 0.001)
	// Output:
	// 0.78, p below 0.001: true
}

// The mean number in a queue, from the time series that a run has kept.
func ExampleTimeSeries() {
	s := sim.New(sim.Seed(1))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	desk.Queue().Keep(sim.Thinned(8192))
	service := s.Sampler("service", sim.Exponential(1))
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.5), func() {
		takes := service()
		s.Go("customer", func(p *sim.Process) { desk.Work(p, 1, takes) })
	})
	s.Run(context.Background(), 200_000)
	queue, _ := desk.Queue().TimeSeries()
	e := analysis.TimeSeries(queue)
	fmt.Printf("%.1f, long enough: %t, covers ½: %t\n", e.Value, e.Enough(), e.Contains(0.5))
	// Output:
	// 0.5, long enough: true, covers ½: true
}

func ExampleObservations() {
	var tally sim.Tally
	tally.KeepObservations(8192, nil)
	for _, x := range waits(1, 0.5, 100_000) {
		tally.Add(x)
	}
	o, _ := tally.Observations()
	e := analysis.Observations(o, analysis.Skip(0))
	fmt.Printf("%.2f, long enough: %t\n", e.Value, e.Enough())
	// Output:
	// 0.50, long enough: true
}

// The wait that nine of ten customers do not exceed, from ten independent runs.
func ExampleQuantileOfReplications() {
	var runs [][]float64
	for seed := range uint64(10) {
		runs = append(runs, waits(seed, 0.5, 2000))
	}
	e := analysis.QuantileOfReplications(runs, 0.9)
	fmt.Printf("%.1f in %.1f … %.1f\n", e.Value, e.Low, e.High)
	// Output:
	// 1.6 in 1.5 … 1.7
}

// The largest wait of a day that nine of ten days do not exceed, from one number for each of 200
// days.
func ExampleQuantileOfIndependent() {
	var largest []float64
	for seed := range uint64(200) {
		var day sim.Tally
		for _, x := range waits(seed, 0.5, 100) {
			day.Add(x)
		}
		largest = append(largest, day.Max())
	}
	e := analysis.QuantileOfIndependent(largest, 0.9)
	fmt.Printf("%.1f in %.1f … %.1f\n", e.Value, e.Low, e.High)
	// Output:
	// 4.6 in 4.2 … 5.1
}
