package sim_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/trace"
)

func ExampleTraceTo() {
	s := sim.New(sim.TraceTo(trace.Text(os.Stdout)))
	s.At(2, func() {}, sim.Named("bell"))
	s.Run(ctx, 10)
	// Output:
	// 2  event      bell
}

// All turns of a process have its priority.
func ExampleProcessOption() {
	s := sim.New()
	defer s.Close()
	s.Go("late", func(p *sim.Process) { fmt.Println(p) }, sim.Priority(1))
	s.Go("early", func(p *sim.Process) { fmt.Println(p) })
	s.Run(ctx, 10)
	// Output:
	// early
	// late
}

// Rank and Preempting are for one request, or for all requests of a resource.
func ExampleRankOption() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1, sim.Rank(5))
	s.Go("first", func(p *sim.Process) { desk.Work(p, 1, 2) })
	s.GoAt(1, "usual", func(p *sim.Process) {
		desk.Work(p, 1, 1)
		fmt.Println(p.Now(), p)
	})
	s.GoAt(1, "urgent", func(p *sim.Process) {
		desk.Work(p, 1, 1, sim.Rank(1))
		fmt.Println(p.Now(), p)
	})
	s.Run(ctx, 10)
	// Output:
	// 3 urgent
	// 4 usual
}

func ExampleResourceOption() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1, sim.Preempting(sim.Resume), sim.QuantileSketch(0.01))
	for i := range 4 {
		s.Go("customer", func(p *sim.Process) { desk.Work(p, 1, 2, sim.Rank(i)) })
	}
	s.Run(ctx, 10)
	fmt.Printf("half wait at most %.0f\n", desk.Waits().Quantile(0.5))
	// Output:
	// half wait at most 2
}

// How a request is given up.
func ExamplePatience() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	s.Go("talker", func(p *sim.Process) { desk.Work(p, 1, 100) })
	closing := s.Timeout(8)
	for _, option := range []sim.RequestOption{sim.AtMost(0), sim.Patience(5), sim.Until(closing)} {
		s.GoAt(1, "visitor", func(p *sim.Process) {
			switch err := desk.Work(p, 1, 1, option); {
			case errors.Is(err, sim.ErrBalked):
				fmt.Println(p.Now(), "too many are waiting")
			case errors.Is(err, sim.ErrReneged):
				fmt.Println(p.Now(), "no patience left")
			case errors.Is(err, sim.ErrWithdrawn):
				fmt.Println(p.Now(), "it has closed")
			}
		})
	}
	s.Run(ctx, 10)
	// Output:
	// 1 too many are waiting
	// 6 no patience left
	// 8 it has closed
}

func ExampleAnyOf() {
	s := sim.New()
	defer s.Close()
	bus, taxi := s.Timeout(9), s.Timeout(6)
	s.Go("traveler", func(p *sim.Process) {
		first := sim.AnyOf(bus, taxi)
		p.WaitFor(first)
		fmt.Println(p.Now(), first.First() == taxi)
		p.WaitFor(sim.AllOf(bus, taxi))
		fmt.Println(p.Now(), "both have come")
	})
	s.Run(ctx, 10)
	// Output:
	// 6 true
	// 9 both have come
}

func ExampleCall() {
	s := sim.New()
	defer s.Close()
	s.Go("cook", func(p *sim.Process) {
		oven := sim.Call(s, "oven", func(p *sim.Process) (string, error) { return "pie", p.Wait(30) })
		dish, err := oven.Wait(p)
		fmt.Println(p.Now(), dish, err)
	})
	s.Run(ctx, 100)
	// Output:
	// 30 pie <nil>
}

func ExampleRemaining() {
	s := sim.New()
	defer s.Close()
	reader := s.Go("reader", func(p *sim.Process) {
		for left := 60.0; left > 0; {
			left = sim.Remaining(p.Wait(left))
			fmt.Println(p.Now(), "left:", left)
		}
	})
	s.At(25, func() { reader.Interrupt("phone") })
	s.Run(ctx, 100)
	// Output:
	// 25 left: 35
	// 60 left: 0
}

// Those inside at closing time are served; the clerk stays until the last has left.
func ExampleUntilEmpty() {
	s := sim.New()
	defer s.Close()
	hours := sim.Daily{Shifts: []sim.Shift{{From: 9, To: 17, Units: 1}}}
	shop, clerk := sim.NewGate(s, "shop", hours), sim.NewResource(s, "clerk", 0)
	clerk.Schedule(hours, sim.UntilEmpty(shop))
	s.GoAt(16, "customer", func(p *sim.Process) {
		err := shop.Visit(p, func() error { return clerk.Work(p, 1, 2) })
		fmt.Println(p.Now(), err)
	})
	s.Run(ctx, 24)
	// Output:
	// 18 <nil>
}

// Sources of arrivals.
func ExamplePoisson() {
	s := sim.New(sim.Seed(1))
	count := func(name string, arrivals sim.Arrivals) {
		n := 0
		s.Arrive(arrivals, func() { n++ })
		s.At(1000, func() { fmt.Println(name, n) })
	}
	count("constant rate", sim.Poisson(s.Stream("a"), 0.5))
	count("changing rate", sim.VaryingPoisson(s.Stream("b"), func(t float64) float64 { return t / 1000 }, 1, 1000))
	count("gamma gaps", sim.Renewal(s.Stream("c"), sim.Gamma(2, 1)))
	count("in pairs", sim.Batches(sim.Poisson(s.Stream("d"), 0.5), func() int { return 2 }))
	count("recorded", sim.Recorded([]float64{3, 7, 20}))
	s.Run(ctx, 1000)
	// Output:
	// constant rate 475
	// changing rate 526
	// gamma gaps 502
	// in pairs 1006
	// recorded 3
}

func ExampleAppointments() {
	s := sim.New(sim.Seed(1))
	for _, a := range sim.Appointments(s.Stream("patients"), []float64{0, 15, 30, 45}, 0.25, sim.Normal(0, 3)) {
		fmt.Printf("patient %d of %.0f comes at %.1f\n", a.Number, a.Due, a.At)
	}
	// Output:
	// patient 0 of 0 comes at 1.9
	// patient 1 of 15 comes at 12.7
	// patient 3 of 45 comes at 38.5
}

// The bootstrap of recorded arrivals.
func ExampleEmpirical() {
	times, err := sim.ReadColumn(strings.NewReader("at\n1\n3\n4\n8\n"), "at")
	gaps := sim.Gaps(times)
	fmt.Println(gaps, err)
	fmt.Printf("%v, mean %.2f\n", sim.Empirical(gaps), sim.Empirical(gaps).Mean())
	// Output:
	// [2 1 4] <nil>
	// empirical(3 values), mean 2.33
}

// A law whose name comes from a file.
func ExampleDistributionNamed() {
	d, err := sim.DistributionNamed("gamma", 4, 2)
	fmt.Println(d, err)
	_, err = sim.DistributionNamed("beta", 4, 2)
	fmt.Println(err)
	// Output:
	// gamma(4, 2) <nil>
	// sim: there is no distribution "beta" that mean and standard deviation tell; there are gamma, hyperexponential, lognormal, normal, uniform, weibull
}
