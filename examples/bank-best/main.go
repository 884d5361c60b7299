// Bank-best asks what matters in a bank, how many tellers it should have in the morning, and how
// many in the morning and in the afternoon: by a fraction of a design of four factors, by a
// selection that is right with 95 %, and by a search over whole numbers.
//
//	go run ./examples/bank-best                            on all cores
//	go run ./examples/bank-best -hub nats://HOST:4222      on workers, started by:
//	go run ./examples/bank-best -worker nats://HOST:4222
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/experiment"
	"github.com/almanac-sim/almanac/sim"
)

// day is one replica: eight hours, in minutes, with a rush in the first four. A teller costs 40 for
// half a day, and a customer who leaves, 5.
func day(ctx context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	s := sim.New(sim.Seed(r.Seed))
	defer s.Close()
	tellers := sim.NewResource(s, "tellers", 0)
	tellers.Schedule(sim.Dated{Shifts: []sim.Shift{{From: 0, To: 240, Units: int(p["morning"])},
		{From: 240, To: 480, Units: int(p["afternoon"])}}})
	service, patience := s.Sampler("service", sim.Exponential(p["service"])),
		s.Sampler("patience", sim.Uniform(p["patience"], 3*p["patience"]))
	left := 0.0
	rates, err := sim.NewRateTable([]float64{0, 240}, []float64{p["rush"], 0.5}, 0)
	if err != nil {
		return nil, err
	}
	s.Arrive(rates.Poisson(s.Stream("customers")), func() {
		takes, waits := service(), patience() // drawn on arrival, so that they are the same with more tellers
		s.Go("customer", func(c *sim.Process) {
			if errors.Is(tellers.Work(c, 1, takes, sim.Patience(waits)), sim.ErrReneged) {
				left++
			}
		})
	})
	err = s.Run(ctx, 480)
	return ensemble.Outputs{"left": left, "cost": 40*(p["morning"]+p["afternoon"]) + 5*left}, err
}

func study(ctx context.Context, lab *experiment.Lab) error {
	design, err := experiment.Fraction(8, experiment.Factor{Name: "morning", Levels: []float64{3, 5}},
		experiment.Factor{Name: "rush", Levels: []float64{0.8, 1.2}},
		experiment.Factor{Name: "service", Levels: []float64{4, 5}}, experiment.Factor{Name: "patience",
			Levels: []float64{2, 6}})
	if err != nil {
		return err
	}
	values, err := design.Run(ctx, lab.Source("left"), 40)
	if err != nil {
		return err
	}
	effects, err := design.Effects(values, 0.95)
	if err != nil {
		return err
	}
	fmt.Printf("customers who leave, by factor; %d runs, resolution %d\n", len(design.Runs), design.Resolution())
	for _, e := range effects {
		fmt.Println("  ", e)
	}
	var systems []ensemble.Params
	for tellers := 1.0; tellers <= 8; tellers++ {
		systems = append(systems, ensemble.Params{"morning": tellers})
	}
	best, err := experiment.Select(ctx, lab.Source("cost"), systems, experiment.SelectOptions{Delta: 8, Alpha: 0.05})
	if err != nil {
		return err
	}
	fmt.Printf("\nbest in the morning: %g tellers, at %.0f a day; %d replicas\n", systems[best.Best]["morning"],
		best.Systems[best.Best].Mean, best.Replicas)
	box := []experiment.Integer{{Name: "morning", Low: 1, High: 12, Start: 1}, {Name: "afternoon", Low: 1, High: 12,
		Start: 12}}
	optimum, err := experiment.Minimize(ctx, lab.Source("cost"), box, experiment.MinimizeOptions{Replicas: 1500})
	if err != nil {
		return err
	}
	fmt.Printf("\nbest of both: %v, at %v a day; %d of 144 points, %d replicas\n", optimum.Point, optimum.Value,
		optimum.Points, optimum.Replicas)
	return nil
}

func main() {
	hub := flag.String("hub", "", "`URL` of a hub whose workers run the experiment, such as nats://HOST:4222")
	worker := flag.String("worker", "", "`URL` of a hub to run replicas for, such as nats://HOST:4222")
	state := flag.String("state", "", "`directory` in which the experiment can be continued (default: a temporary one, "+
		"which is removed)")
	if flag.Parse(); flag.NArg() > 0 || *hub != "" && *worker != "" {
		fmt.Fprintln(os.Stderr, "bank-best: there are -hub or -worker, and -state, and no other arguments")
		os.Exit(2)
	}
	experiment.Register("bank", day, ensemble.Parameter{Name: "morning", Value: 4}, ensemble.Parameter{Name: "afternoon",
		Value: 3},
		ensemble.Parameter{Name: "rush", Value: 1}, ensemble.Parameter{Name: "service", Value: 4.5}, ensemble.Parameter{
			Name: "patience", Value: 4})
	if err := run(context.Background(), *hub, *worker, *state); err != nil {
		fmt.Fprintln(os.Stderr, "bank-best:", err)
		os.Exit(1)
	}
}
