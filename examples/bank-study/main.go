// Bank-study asks of many banks at once how many tellers they need: it is a model in Go that is its
// own worker. A study goes through many points or compares scenarios, on this machine or, with
// --hub, on as many as there are.
//
//	go run ./examples/bank-study sweep --vary tellers="1..5 by 1" --vary patience="2, 5, 10" \
//	    --replicas 200 --out results
//	go run ./examples/bank-study compare --scenario two="tellers=2" --scenario three="tellers=3"
//	go run ./examples/bank-study worker --hub nats://HOST:4222
package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/sim"
)

// day is one replica: eight hours of a bank, in minutes. All that is random comes from the
// replica's own number, and has a stream of its own: so banks with more tellers, or with other
// hours, see the same customers.
func day(ctx context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	tellers := int(p["tellers"])
	if float64(tellers) != p["tellers"] || tellers < 1 || !(p["between"] > 0) || !(p["service"] > 0) ||
		!(p["patience"] >= 0) || math.IsInf(p["patience"], 0) {
		return nil, fmt.Errorf("a bank with %v: tellers are a whole number from 1 on, and times are above 0", p)
	}
	s := sim.New(sim.Seed(r.Seed))
	arrivals, service, patience := s.Stream("arrivals"), s.Stream("service"), s.Stream("patience")
	desk := sim.NewResource(s, "tellers", tellers)
	served, left := 0, 0
	customer := func(c *sim.Process) {
		takes, waits := p["service"]*service.ExpFloat64(), p["patience"]*(1+2*patience.Float64())
		if err := desk.Use(c, 1, func() error { return c.Wait(takes) }, sim.Patience(waits)); errors.Is(err, sim.ErrReneged) {
			left++
			return
		}
		served++
	}
	s.Go("door", func(c *sim.Process) {
		for c.Wait(p["between"]*arrivals.ExpFloat64()) == nil {
			s.Go("customer", customer)
		}
	})
	if err := s.Run(ctx, 8*60); err != nil {
		return nil, err
	}
	return ensemble.Outputs{"served": float64(served), "left": float64(left), "busy": desk.Utilization()}, nil
}

func main() {
	ensemble.Register("bank", day,
		ensemble.Parameter{Name: "tellers", Value: 2, About: "number of tellers"},
		ensemble.Parameter{Name: "between", Value: 2, About: "minutes between customers, on average"},
		ensemble.Parameter{Name: "service", Value: 5, About: "minutes of a service, on average"},
		ensemble.Parameter{Name: "patience", Value: 5, About: "minutes that the least patient customer waits; the most " +
			"patient three times as long"})
	ensemble.Main()
}
