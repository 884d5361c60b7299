package sim_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/output"
)

func Example_simpyCall() {
	s := sim.New()
	defer s.Close()
	s.Go("cook", func(p *sim.Process) {
		oven := sim.Call(s, "oven", func(p *sim.Process) (string, error) {
			err := p.Wait(30)
			return "pie", err
		})
		dish, err := oven.Wait(p)
		fmt.Println(p.Now(), dish, err)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 30 pie <nil>
}

func Example_simpyRequestOr() {
	s := sim.New()
	defer s.Close()
	counter, soldOut := sim.NewResource(s, "counter", 1), s.Signal("sold out")
	moviegoer := func(p *sim.Process) {
		turn := counter.Requested(p, 1)
		if err := p.WaitFor(sim.AnyOf(turn, soldOut)); err != nil {
			return
		}
		if !turn.Happened() {
			fmt.Println(p.Now(), "no tickets left")
			return
		}
		defer turn.Grant().Release()
		p.Wait(1)
		fmt.Println(p.Now(), "has a ticket")
	}
	for range 3 {
		s.Go("moviegoer", moviegoer)
	}
	s.At(1.5, soldOut.Trigger)
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 1 has a ticket
	// 1.5 no tickets left
	// 2 has a ticket
}

func Example_simpyUntilSoldOut() {
	s := sim.New()
	defer s.Close()
	counter, soldOut := sim.NewResource(s, "counter", 1), s.Signal("sold out")
	s.Go("moviegoer", func(p *sim.Process) {
		s.At(0, soldOut.Trigger)
		p.Wait(1)
		err := counter.Use(p, 1, func() { p.Wait(1) }, sim.Until(soldOut), sim.Patience(20))
		if err == sim.ErrOvertaken {
			fmt.Println(p.Now(), "no tickets left")
		}
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 1 no tickets left
}

func Example_simpyAllOfRequests() {
	s := sim.New()
	defer s.Close()
	flour, eggs := sim.NewContainer(s, "flour", 0, 0), sim.NewStore[string](s, "eggs", 6)
	oven := sim.NewResource(s, "oven", 1)
	s.Go("baker", func(p *sim.Process) {
		egg, place := eggs.GetRequested(p), oven.Requested(p, 1)
		p.WaitFor(sim.AllOf(flour.GetRequested(p, 2), egg, place))
		what, _ := egg.Item()
		fmt.Println(p.Now(), "bakes with", what)
		place.Grant().Release()
	})
	s.At(2, func() { eggs.TryPut("a brown egg") })
	s.At(3, func() { flour.TryPut(5) })
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 3 bakes with a brown egg
}

func Example_simpyThen() {
	s := sim.New()
	water := sim.NewContainer(s, "water", 100, 10)
	order := water.GetThen(25, func(err error) { fmt.Println(s.Now(), "watered") })
	s.At(5, func() { order.Cancel() }) // it rains
	s.Run(context.Background(), math.Inf(1))
	fmt.Println(water.Amount(), "left")
	// Output:
	// 10 left
}

func Example_simpyPreemptingOnce() {
	s := sim.New()
	defer s.Close()
	computer := sim.NewResource(s, "computer", 1, sim.Preempting())
	s.Go("backup", func(p *sim.Process) {
		err := computer.Use(p, 1, func() { p.Wait(50) }, sim.Rank(1))
		fmt.Println(p.Now(), err)
	})
	s.GoAt(20, "alarm", func(p *sim.Process) {
		computer.Use(p, 1, func() { p.Wait(3) }, sim.Rank(0))
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 20 sim: computer, held since 0, was taken away by alarm
}

func Example_simpyArrivals() {
	s := sim.New(sim.Seed(3))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 2)
	service := s.Sampler("service", sim.Lognormal(4, 3))
	customer := func(p *sim.Process) {
		takes := service()
		desk.Use(p, 1, func() { p.Wait(takes) })
	}
	noon := func(t float64) float64 { return 0.1 + 0.4*math.Exp(-math.Pow((t-240)/60, 2)) }
	s.Arrive(sim.VaryingPoisson(s.Stream("customers"), noon, 0.5, 480), func() {
		s.Go("customer", customer)
	})
	s.Run(context.Background(), math.Inf(1))
	fmt.Printf("%d came, waited %.1f, and kept the desk busy for %.0f %% of the time\n",
		desk.Waits().N(), desk.Waits().Mean(), 100*desk.Utilisation())
	// Output:
	// 82 came, waited 0.6, and kept the desk busy for 35 % of the time
}

func Example_simpyArrivalsFromData() {
	s := sim.New()
	defer s.Close()
	file := strings.NewReader("customer,at\nann,3\nbob,3.5\ncat,8\n")
	times, err := sim.ReadColumn(file, "at")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	arrive := func() { fmt.Print(s.Now(), " ") }
	s.Arrive(sim.Recorded(times), arrive)
	s.Run(context.Background(), 100)
	// Output:
	// 3 3.5 8
}

func Example_simpyInject() {
	s := sim.New(sim.RealTime(1000))
	defer s.Close()
	button := s.Signal("button")
	go func() {
		time.Sleep(time.Millisecond) // until somebody presses it
		s.Inject(button.Trigger)
	}()
	s.Go("lamp", func(p *sim.Process) {
		p.WaitFor(button)
		fmt.Println("on")
		s.Stop()
	})
	s.Run(context.Background(), math.MaxFloat64)
	// Output:
	// on
}

func Example_simpyCourses() {
	s := sim.New(sim.Seed(1), sim.Name("a bank"))
	defer s.Close()
	s.Keep(sim.Thinned(1000))
	desk := sim.NewResource(s, "desk", 1)
	service := s.Stream("service")
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.2), func() {
		s.Go("customer", func(p *sim.Process) {
			desk.Use(p, 1, func() { p.Wait(4 * service.ExpFloat64()) })
		})
	})
	s.Run(context.Background(), 480)

	line, _ := desk.Queue().Course()
	waits, _ := desk.Waits().Observations()
	fmt.Printf("%.2f in line in the first hour, %.2f in the last\n", line.Integral(0, 60)/60, line.Integral(420, 480)/60)
	fmt.Printf("the first five waits: %.1f\n", waits.Values()[:5])

	dir, _ := os.MkdirTemp("", "bank")
	defer os.RemoveAll(dir)
	err := output.Save(dir, s, output.Tables(output.CSV, output.Parquet))
	fmt.Println(err)
	// Output:
	// 0.06 in line in the first hour, 2.93 in the last
	// the first five waits: [0.0 0.0 0.0 0.0 3.7]
	// <nil>
}

func Example_simpyHowLong() {
	s := sim.New(sim.Seed(1))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	service := s.Stream("service")
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.2), func() {
		s.Go("customer", func(p *sim.Process) {
			desk.Use(p, 1, func() { p.Wait(2.5 * service.ExpFloat64()) })
		})
	})
	desk.Waits().Keep(8192, s.Now)
	wait := func() analysis.Estimate {
		o, _ := desk.Waits().Observations()
		return analysis.Observations(o)
	}
	s.Run(context.Background(), 480)
	fmt.Println("a day:", wait())
	long, err := analysis.RunTo(context.Background(), s, wait, analysis.Precision{Share: 0.05, First: 5000, Most: 1e7})
	fmt.Printf("%.0f days: %v %v\n", s.Now()/480, long, err)
	// Output:
	// a day: 2.389 in 1.036 … 4.002 (95 %, n 80); too short: only 20 batches of 4 look independent, and fewer than 100 cannot be trusted; about 5.0 times as long would do
	// 602 days: 2.455 in 2.349 … 2.573 (95 %, n 58048) <nil>
}
