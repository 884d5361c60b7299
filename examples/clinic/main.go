// Clinic is a walk-in clinic: a nurse looks at everybody who comes, two doctors treat them, and
// emergencies take a doctor away from others. It shows what runs can tell besides means: one day is
// kept and drawn, twenty days give bands, and a long run says how well it knows the mean wait.
//
//	go run ./examples/clinic -out results
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// open opens the clinic in a simulation. Times are in minutes.
func open(s *sim.Simulation) (doctors *sim.Resource) {
	nurse, doctors := sim.NewResource(s, "nurse", 1), sim.NewResource(s, "doctors", 2, sim.Preempting(sim.Interrupt))
	look, treat := s.Sampler("look", sim.Lognormal(4, 2)), s.Sampler("treat", sim.Lognormal(11, 6))
	luck, number := s.Stream("luck"), 0
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.15), func() {
		number++
		name, rank, takes, needs := fmt.Sprint(number), 1, look(), treat()
		if luck.Float64() < 0.08 {
			name, rank = "E"+name, 0
		}
		s.Go(name, func(p *sim.Process) {
			nurse.Work(p, 1, takes, sim.Rank(rank))
			for needs > 0 { // who is sent out for an emergency comes back for the rest
				needs = sim.Remaining(doctors.Work(p, 1, needs, sim.Rank(rank)))
			}
		})
	})
	return doctors
}

func run(dir string) error {
	ctx := context.Background()
	day := sim.New(sim.Seed(1), sim.Name("a day at the clinic"))
	defer day.Close()
	day.Keep(sim.Thinned(2000))
	open(day)
	err := day.Run(ctx, 480)
	fmt.Println(day.Report())
	err = errors.Join(err, output.Save(filepath.Join(dir, "day"), day, output.Tables(output.Formats()...)))

	var runs output.Runs
	days, failed := replicate.Run(ctx, 20, func(r *replicate.Replication) error {
		r.Sim().Keep(sim.Thinned(500))
		doctors := open(r.Sim())
		err := r.Sim().Run(r.Context(), 480)
		r.Record("wait for a doctor", doctors.Waits().Mean())
		r.Record("doctors busy", doctors.Utilization())
		runs.Add(r.Index(), r.Sim().AllTimeSeries())
		return err
	})
	fmt.Println(days)
	err = errors.Join(err, failed, output.SaveResults(filepath.Join(dir, "days"), days, &runs))

	long := sim.New(sim.Seed(1))
	defer long.Close()
	tally, waits := open(long).Waits(), history.Observations{}
	tally.KeepObservations(8192, long.Now)
	for _, to := range []analysis.Precision{{Share: 0.1, First: 480, Most: 480}, {Share: 0.1, First: 5000, Most: 5e6}} {
		e, failed := analysis.RunTo(ctx, long, func() analysis.Estimate {
			waits, _ = tally.Observations()
			return analysis.Observations(waits)
		}, to)
		fmt.Printf("mean wait at %.0f minutes: %v\n", long.Now(), e)
		err = errors.Join(err, failed)
	}
	fmt.Println("nine of ten wait at most:", analysis.Quantile(waits.Values(), 0.9))
	warm := output.WarmUp("waits for a doctor", waits.Means(), analysis.MSER5(waits.Means()))
	return errors.Join(err, warm.Save(filepath.Join(dir, "warm-up.svg")))
}

func main() {
	out := flag.String("out", "", "`directory` for tables and pictures (default: a temporary one, which is removed)")
	if flag.Parse(); flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "clinic: there are no arguments; expected a directory by -out")
		os.Exit(2)
	}
	temporary, err := os.MkdirTemp("", "clinic")
	if err = cmp.Or(err, run(cmp.Or(*out, temporary)), os.RemoveAll(temporary)); err != nil {
		fmt.Fprintln(os.Stderr, "clinic:", err)
		os.Exit(1)
	}
}
