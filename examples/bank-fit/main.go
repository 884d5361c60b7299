// Bank-fit estimates how often customers come to a bank, and how long a teller takes for one. What
// is known is how many were served and how many left the line, in the morning and in the afternoon.
// The model is a simulation in Go, and the fit is one call.
//
//	go run ./examples/bank-fit
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/sim"
)

// The data: counts of the hours up to 4 and up to 8. They are a run of this model with a customer
// every 2 minutes and a service of 5 minutes, and a normal error with standard deviation 4 on each.
var (
	hours  = []float64{4, 8}
	served = []float64{79, 88}
	left   = []float64{19, 28}
)

// day is the model: one day of the bank, with the unknowns at x. It returns the counts without
// error, and the law of the error. All that is random depends on the seed.
func day(ctx context.Context, x []float64, seed uint64) (fit.Trajectory, error) {
	between, service := x[0], x[1] // minutes
	s := sim.New(sim.Seed(seed))
	arrivals, services, patience := s.Stream("arrivals"), s.Stream("service"), s.Stream("patience")
	tellers := sim.NewResource(s, "tellers", 2)
	law := fit.Law{Family: fit.Gaussian, Arg: 4} // customers were counted by hand
	done := fit.Reports{Mean: make([]float64, len(hours)), Law: law}
	gone := fit.Reports{Mean: make([]float64, len(hours)), Law: law}
	customer := func(p *sim.Process) {
		takes, waits := service*services.ExpFloat64(), 5*(1+2*patience.Float64())
		err := tellers.Use(p, 1, func() error { return p.Wait(takes) }, sim.Patience(waits))
		row, _ := slices.BinarySearch(hours, s.Now()/60) // the first that is not before now
		switch {
		case errors.Is(err, sim.ErrReneged):
			gone.Mean[row]++
		case err == nil:
			done.Mean[row]++
		}
	}
	s.Go("door", func(p *sim.Process) {
		for p.Wait(between*arrivals.ExpFloat64()) == nil {
			s.Go("customer", customer)
		}
	})
	err := s.Run(ctx, 60*hours[len(hours)-1])
	return fit.Trajectory{Columns: []fit.Reports{done, gone}, Events: s.Events()}, err
}

func main() {
	seed := flag.Uint64("seed", 1, "random seed")
	budget := flag.Int("budget", 6000, "largest number of simulated days")
	flag.Parse()
	if flag.NArg() > 0 || *budget < 100 {
		fmt.Fprintln(os.Stderr, "bank-fit: expected -seed, and a -budget of 100 or more, and nothing else")
		os.Exit(2)
	}
	problem := &fit.Problem{
		Unknowns: []fit.Unknown{
			{Name: "between", Unit: "minutes", Prior: fit.LogUniform(0.5, 10)},
			{Name: "service", Unit: "minutes", Prior: fit.LogUniform(1, 20)},
		},
		Times:   hours,
		Columns: []fit.Column{{Name: "served", Data: served}, {Name: "left", Data: left}},
	}
	options := fit.Options{Seed: *seed, Budget: *budget}
	result, err := fit.RunLocal(context.Background(), problem, fit.SimulatorFunc(day), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bank-fit:", err)
		os.Exit(1)
	}
	fmt.Print(result.Text())
}
