// Workshop is two mechanics in the morning and one in the afternoon, five days a week, and a lift
// that breaks with use. Customers bring their cars while the door is open. What if the mechanics
// drop everything at five, or finish the car they are at, or stay until the last one is done?
//
//	go run ./examples/workshop -weeks 50
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// Times are in hours, and time 0 is a Monday at midnight.
const week = 7 * 24.0

// fiveDays is a week with the same shifts on each day from Monday to Friday.
func fiveDays(day ...sim.Shift) sim.Weekly {
	return sim.Weekly{Mon: day, Tue: day, Wed: day, Thu: day, Fri: day}
}

// A scenario says what the mechanics do when their shift ends.
type scenario struct {
	name string
	rule sim.WorkRule
	stay bool // until the last customer of the day has gone
}

// run records how some weeks went.
func (x scenario) run(r *replicate.Replication, weeks int) error {
	s := r.Sim()
	door := sim.NewGate(s, "door", fiveDays(sim.Shift{From: 8, To: 17, Units: 1}))
	mechanics := sim.NewResource(s, "mechanics", 0)
	options := []sim.ShiftOption{x.rule}
	if x.stay {
		options = append(options, sim.UntilEmpty(door))
	}
	mechanics.Schedule(fiveDays(sim.Shift{From: 8, To: 13, Units: 2}, sim.Shift{From: 13, To: 17, Units: 1}), options...)
	lift := sim.NewResource(s, "lift", 1)
	lift.Break(sim.BreakdownConfig{ToFailure: sim.Exponential(30), InUse: true, Repair: sim.Lognormal(2, 1)})

	inspection, repair := s.Sampler("inspection", sim.Lognormal(0.3, 0.1)), s.Sampler("repair", sim.Lognormal(1.1, 0.8))
	took := s.NewTally("took")
	customer := func(p *sim.Process) {
		came, up, down := p.Now(), inspection(), repair()
		_ = door.Visit(p, func() error { // it counts who comes in vain
			if lift.Work(p, 1, up) == nil && mechanics.Work(p, 1, down) == nil {
				took.Add(p.Now() - came)
			}
			return nil
		})
	}
	rates, err := sim.NewRateTable([]float64{0, 8, 12, 18}, []float64{0, 1.2, 0.9, 0}, 24)
	if err != nil {
		return err
	}
	s.Arrive(rates.Poisson(s.Stream("customers")), func() { s.Go("customer", customer) })
	if err := s.Run(r.Context(), float64(weeks)*week); err != nil {
		return err
	}
	r.Record("cars", float64(took.N())/float64(weeks))
	r.Record("hours", took.Mean())
	r.Record("busy", mechanics.Utilization())
	r.Record("stopped", float64(mechanics.Stopped())/float64(weeks))
	r.Record("overtime", door.Overtime().Mean())
	return nil
}

func main() {
	weeks := flag.Int("weeks", 20, "weeks to simulate in each of 20 replications")
	flag.Parse()
	if *weeks < 1 || *weeks > 10_000 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "workshop: -weeks is from 1 to 10000, and there are no other arguments")
		os.Exit(2)
	}
	fmt.Println("at the end of a shift    cars a week  hours for one  mechanics busy  stopped a week  last one out " +
		"after closing")
	for _, x := range []scenario{{"drop it", sim.Resume, false}, {"finish it", sim.Finish, false},
		{"stay until all are done", sim.Finish, true}} {
		results, err := replicate.Run(context.Background(), 20, func(r *replicate.Replication) error {
			return x.run(r, *weeks)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "workshop:", err)
			os.Exit(1)
		}
		m := results.Mean
		fmt.Printf("%-24s %11.1f  %13.2f  %12.0f %%  %14.1f  %26.2f\n", x.name, m("cars"), m("hours"), 100*m("busy"),
			m("stopped"), m("overtime"))
	}
}
