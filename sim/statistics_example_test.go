package sim_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/sim"
)

// How long five customers waited.
func ExampleTally() {
	var waits sim.Tally
	for _, wait := range []float64{0, 3, 1, 0, 6} {
		waits.Add(wait)
	}
	fmt.Println(&waits)
	fmt.Printf("%.2f in all, %.2f ± %.2f on average\n", waits.Sum(), waits.Mean(), waits.CI(0.9))
	// Output:
	// mean 2, sd 2.54951, min 0, max 6, n 5
	// 10.00 in all, 2.00 ± 2.43 on average
}

// Tallies of several runs become one.
func ExampleTally_Merge() {
	var monday, tuesday sim.Tally
	monday.Add(4)
	monday.Add(6)
	tuesday.Add(11)
	monday.Merge(&tuesday)
	fmt.Println(monday.N(), monday.Mean(), monday.Max())
	// Output: 3 7 11
}

// The wait that 90 of 100 customers do not exceed, to within one part in a hundred.
func ExampleStatOption() {
	waits := sim.NewTally(sim.QuantileSketch(0.01))
	for i := 1; i <= 1000; i++ {
		waits.Add(float64(i))
	}
	q := waits.Quantile(0.9)
	fmt.Println(math.Abs(q-900) <= 9, waits.Quantile(1))
	// Output: true 1000
}

// A queue that is empty for 6 minutes, then has three people for 2 minutes and one for the last 2.
func ExampleTimeWeighted() {
	minute := 0.0
	length := sim.NewTimeWeighted(func() float64 { return minute }, 0)
	minute = 6
	length.Set(3)
	minute = 8
	length.Add(-2)
	minute = 10
	fmt.Println(length)
	// Output: mean 0.8, sd 1.16619, min 0, max 3, time 10
}

// What came before the warm-up is forgotten: the mean begins anew with the value that the level has
// then.
func ExampleTimeWeighted_Reset() {
	now := 0.0
	stock := sim.NewTimeWeighted(func() float64 { return now }, 1000)
	now = 10
	stock.Set(50)
	stock.Reset()
	now = 20
	fmt.Println(stock.Mean(), stock.Max(), stock.Observed())
	// Output: 50 50 10
}

// Streams of different names are independent, and each is the same however the other is used.
func ExampleSimulation_Stream() {
	s := sim.New(sim.Seed(1))
	arrival := distuv.Exponential{Rate: 2, Src: s.Stream("arrivals")}
	coin := s.Stream("coins")
	fmt.Printf("%.4f %.4f %d\n", arrival.Rand(), arrival.Rand(), coin.IntN(2))

	again := sim.New(sim.Seed(1))
	again.Stream("coins").IntN(2)
	arrival.Src = again.Stream("arrivals")
	fmt.Printf("%.4f %.4f\n", arrival.Rand(), arrival.Rand())
	// Output:
	// 0.3143 0.3999 1
	// 0.3143 0.3999
}

// All statistics of a simulation in a table, without the first minute.
func ExampleReport() {
	s := sim.New()
	size, load := s.NewTally("size"), s.NewTimeWeighted("load", 8)
	s.WarmUp(1)
	for i := range 4 {
		s.At(float64(2+i), func() {
			size.Add(float64(10 * i))
			load.Add(-1)
		})
	}
	if err := s.Run(context.Background(), 6); err != nil {
		fmt.Println(err)
	}
	fmt.Print(s.Report())
	// Output:
	// statistic  mean       sd  min  max  n  time
	// size         15  12.9099    0   30  4
	// load          6  1.41421    4    8        5
}

// One statistic by its name.
func ExampleReportRow() {
	s := sim.New()
	s.NewTally("size").Add(3)
	if row, ok := s.Report().Row("size"); ok {
		fmt.Println(row.Name, row.Mean, row.N)
	}
	// Output: size 3 1
}

func ExampleTally_ServiceLevel() {
	s := sim.New(sim.Seed(1))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1, sim.QuantileSketch(0.01))
	desk.Waits().AddTarget(5)
	service := s.Sampler("service", sim.Exponential(3))
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.25), func() {
		takes := service()
		s.Go("customer", func(p *sim.Process) { desk.Work(p, 1, takes) })
	})
	s.Run(ctx, 10_000)
	fmt.Printf("%.0f %% wait at most 5, nine of ten at most %.0f\n", 100*desk.Waits().ServiceLevel(5),
		desk.Waits().Quantile(0.9))
	within, _ := s.Report().Row("desk wait within 5")
	fmt.Printf("%.2f\n", within.Mean)
	// Output:
	// 51 % wait at most 5, nine of ten at most 23
	// 0.51
}
