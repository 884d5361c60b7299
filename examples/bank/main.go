// Bank asks how many tellers a bank needs whose customers do not wait for ever. They come every two
// minutes on average, a teller takes five minutes for one, and who has stood in line for too long
// leaves.
//
//	go run ./examples/bank -patience 8
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// A bank is a model: what does not change during a run. Times are in minutes.
type bank struct {
	tellers  int
	between  float64 // customers, on average
	service  float64 // of one, on average
	patience float64 // from this to three times as much
}

// day runs the bank for eight hours and records how it went. All that is random has a stream of its
// own, so that every number of tellers sees the same customers, with the same patience.
func (b bank) day(r *replicate.Replication) error {
	s := r.Sim()
	arrivals, service, patience := s.Stream("arrivals"), s.Stream("service"), s.Stream("patience")
	tellers := sim.NewResource(s, "tellers", b.tellers)
	served, left := 0, 0

	customer := func(p *sim.Process) {
		// What a customer is like is drawn on arrival, and not when a teller is free: so it is the
		// same with more tellers.
		takes, waits := b.service*service.ExpFloat64(), b.patience*(1+2*patience.Float64())
		err := tellers.Use(p, 1, func() error { return p.Wait(takes) }, sim.Patience(waits))
		if errors.Is(err, sim.ErrReneged) {
			left++
			return
		}
		served++
	}
	s.Go("door", func(p *sim.Process) {
		for p.Wait(b.between*arrivals.ExpFloat64()) == nil {
			s.Go("customer", customer)
		}
	})
	if err := s.Run(r.Context(), 8*60); err != nil {
		return err
	}
	r.Record("served", float64(served))
	r.Record("left", float64(left))
	r.Record("wait", tellers.Waits().Mean())
	r.Record("busy", tellers.Utilization())
	return nil
}

func main() {
	days := flag.Int("days", 200, "days to simulate for each number of tellers")
	most := flag.Int("tellers", 5, "the largest number of tellers to try")
	patience := flag.Float64("patience", 5, "`minutes` that the least patient customer waits; the most patient one "+
		"waits three times as long")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *days < 2 || *most < 1 || !(*patience >= 0 && *patience <= 1e6) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bank: -days is at least 2, -tellers at least 1, -patience from 0 to 1e6, and there are "+
			"no other arguments")
		os.Exit(2)
	}
	fmt.Printf("a day of eight hours, means of %d days with their 95 %% confidence\n\n", *days)
	fmt.Println("tellers         served     left the line    minutes in line   busy    the last teller keeps")
	var before *replicate.Results
	for tellers := 1; tellers <= *most; tellers++ {
		b := bank{tellers: tellers, between: 2, service: 5, patience: *patience}
		results, err := replicate.Run(context.Background(), *days, b.day, replicate.Seed(*seed))
		if err != nil {
			fmt.Fprintln(os.Stderr, "bank:", err)
			os.Exit(1)
		}
		served, left, wait := results.Interval("served"), results.Interval("left"), results.Interval("wait")
		fmt.Printf("%7d  %6.1f ± %4.1f    %6.1f ± %4.1f     %6.2f ± %4.2f   %4.0f %%", tellers,
			served.Mean, served.HalfWidth, left.Mean, left.HalfWidth, wait.Mean, wait.HalfWidth, 100*results.Mean("busy"))
		if before != nil {
			// Day by day, the same customers came to both banks: their difference is known better
			// than either.
			if kept, err := replicate.Compare(before, results, "left"); err == nil {
				fmt.Printf("    %5.1f ± %3.1f customers", kept.Difference.Mean, kept.Difference.HalfWidth)
			}
		}
		fmt.Println()
		before = results
	}
}
