package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/almanac-sim/almanac/sim"
)

// Trains come as they were recorded, and of each train three people change to the bus.
func ExampleArrivals() {
	log := "train,at\n1,7.5\n2,19\n"
	times, err := sim.ReadColumn(strings.NewReader(log), "at")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := sim.New()
	s.Arrive(sim.Batches(sim.Recorded(times), func() int { return 3 }), func() { fmt.Print(s.Now(), " ") })
	s.Run(ctx, 60)
	// Output:
	// 7.5 7.5 7.5 19 19 19
}

// A shop from eight to six, with a rush at noon, day after day.
func ExampleRateTable() {
	day, err := sim.NewRateTable([]float64{0, 8, 12, 14, 18}, []float64{0, 10, 40, 15, 0}, 24)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := sim.New(sim.Seed(1))
	customers := 0
	s.Arrive(day.Poisson(s.Stream("customers")), func() { customers++ })
	s.Run(ctx, 7*24)
	fmt.Println(customers, "came, where", day.Expected(0, 7*24), "are to be expected")
	// Output:
	// 1243 came, where 1260 are to be expected
}

func ExampleDistribution() {
	s := sim.New(sim.Seed(1))
	repair := sim.Lognormal(5, 2)
	draw := s.Sampler("repairs", repair)
	fmt.Printf("%v: %.2f %.2f %.2f\n", repair, draw(), draw(), draw())
	_, err := sim.DistributionNamed("lognormal", 5, -2)
	fmt.Println(err)
	// Output:
	// lognormal(5, 2): 3.19 5.30 2.71
	// sim: lognormal(5, -2): mean and standard deviation must be above 0 and finite
}

func ExampleAppointment() {
	s := sim.New(sim.Seed(4))
	for _, a := range sim.Appointments(s.Stream("patients"), []float64{0, 20, 40, 60}, 0.25, sim.Uniform(-5, 5)) {
		s.At(a.At, func() { fmt.Printf("%.0f: number %d, due at %g\n", s.Now(), a.Number, a.Due) })
	}
	s.Run(ctx, 100)
	// Output:
	// 4: number 0, due at 0
	// 19: number 1, due at 20
	// 65: number 3, due at 60
}

func ExampleNewDistribution() {
	// P(X > x) = (2/x)³ for x above 2: by the quantile function.
	pareto := sim.NewDistribution("pareto(2, 3)", 3, math.Sqrt(3), func(r *rand.Rand) float64 {
		return 2 / math.Cbrt(1-r.Float64())
	})
	// A normal law without what is negative: the mean is not known.
	normal := sim.Normal(5, 3)
	truncated := sim.NewDistribution("normal(5, 3) above 0", math.NaN(), math.NaN(), func(r *rand.Rand) float64 {
		for {
			if x := normal.Draw(r); x > 0 {
				return x
			}
		}
	})
	// Three of ten jobs are long.
	short, long := sim.Exponential(1), sim.Exponential(10)
	mixture := sim.NewDistribution("mixture", 0.7*1+0.3*10, math.NaN(), func(r *rand.Rand) float64 {
		if r.Float64() < 0.3 {
			return long.Draw(r)
		}
		return short.Draw(r)
	})
	s := sim.New(sim.Seed(1))
	for _, d := range []sim.Distribution{pareto, truncated, mixture} {
		fmt.Printf("%v: mean %.1f, drawn %.2f\n", d, d.Mean(), s.Sampler("service", d)())
	}
	// Output:
	// pareto(2, 3): mean 3.0, drawn 2.07
	// normal(5, 3) above 0: mean NaN, drawn 5.40
	// mixture: mean 3.7, drawn 1.16
}
