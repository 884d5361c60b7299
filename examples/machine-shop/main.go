// Machine-shop has machines that make parts and break now and then, and one repairman. He has other
// work too, which he drops when a machine breaks and takes up again where he left it.
//
//	go run ./examples/machine-shop -machines 12
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim"
)

// Times are in minutes.
const (
	partTakes, repairTakes, otherTakes = 10.0, 30.0, 45.0
	lastsFor, fourWeeks                = 5 * 60.0, 28 * 24 * 60.0

	urgent, unimportant = 0, 1 // ranks: the repairman does the smaller first
)

// A shop is the model with what it counts.
type shop struct {
	*sim.Simulation
	repairman     *sim.Resource
	parts, others int
	lost          *sim.Tally // minutes from breaking to working again
}

// machine makes parts for ever. An event interrupts it when it breaks; what was left to do of the
// part is done after the repair.
func (s *shop) machine(p *sim.Process) {
	random := s.Stream(p.Name())
	breaks := func() { s.After(lastsFor*random.ExpFloat64(), func() { p.Interrupt("broken") }) }
	breaks()
	for {
		for left := partTakes * (0.8 + 0.4*random.Float64()); left > 0; {
			err := p.Wait(left)
			if left = sim.Remaining(err); err != nil {
				s.repair(p)
				breaks()
			}
		}
		s.parts++
	}
}

// repair has the repairman come at once, unless he is at another machine, and waits until he is
// done.
func (s *shop) repair(p *sim.Process) {
	began := p.Now()
	_ = s.repairman.Use(p, 1, func() error { return p.Wait(repairTakes) }, sim.Rank(urgent), sim.Preempting(sim.Interrupt))
	s.lost.Add(p.Now() - began)
}

// otherWork is always there, one piece after the other.
func (s *shop) otherWork(p *sim.Process) {
	for {
		for left := otherTakes; left > 0; {
			left = sim.Remaining(s.repairman.Work(p, 1, left, sim.Rank(unimportant)))
		}
		s.others++
	}
}

func main() {
	machines := flag.Int("machines", 10, "number of machines")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *machines < 1 || *machines > 1000 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "machine-shop: -machines is from 1 to 1000, and there are no other arguments")
		os.Exit(2)
	}
	s := &shop{Simulation: sim.New(sim.Seed(*seed))}
	defer s.Close()
	s.repairman = sim.NewResource(s.Simulation, "repairman", 1)
	s.lost = s.NewTally("minutes lost")
	for i := range *machines {
		s.Go(fmt.Sprint("machine ", i+1), s.machine)
	}
	s.Go("other work", s.otherWork)
	_ = s.Run(context.Background(), fourWeeks)          // its only error would be that of the context
	never := float64(*machines) * fourWeeks / partTakes // parts of machines that never break
	fmt.Printf("%d machines in four weeks\n\n", *machines)
	fmt.Printf("parts made                 %6d  (%.1f %% of what they would make if they never broke)\n", s.parts,
		100*float64(s.parts)/never)
	fmt.Printf("minutes lost by breaking   %6.1f  (the repair takes %.0f; at worst %.0f)\n", s.lost.Mean(), repairTakes,
		s.lost.Max())
	fmt.Printf("machines standing          %6.2f\n", s.lost.Sum()/fourWeeks) // by Little's law
	fmt.Printf("repairman at machines      %6.1f %%\n", 100*float64(s.lost.N())*repairTakes/fourWeeks)
	fmt.Printf("pieces of other work done  %6d  (dropped %d times for a machine)\n", s.others, s.repairman.Preempted())
}
