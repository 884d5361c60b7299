// Gas-station has two pumps on one tank. When the tank runs low, a tank truck is called, which
// takes a while; who needs more fuel than there is waits at the pump. The later the truck is
// called, the longer cars wait.
//
//	go run ./examples/gas-station -call 15
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim"
)

// Litres and minutes.
const (
	pumps         = 2
	tankHolds     = 3000.0
	truckBrings   = 2400.0
	truckTakes    = 55.0 // after the call
	betweenCars   = 4.0  // on average
	litresAMinute = 30.0
	payingTakes   = 2.0
	tenDays       = 10 * 24 * 60.0
)

type station struct {
	*sim.Simulation
	pumps  *sim.Resource
	tank   *sim.Container
	callAt float64 // the truck is called when less would be left
	coming bool    // a truck has been called
	trucks int
	visits *sim.Tally // minutes from coming to leaving
}

func newStation(seed uint64, callAt float64) *station {
	s := &station{Simulation: sim.New(sim.Seed(seed)), callAt: callAt}
	s.pumps = sim.NewResource(s.Simulation, "pumps", pumps)
	s.tank = sim.NewContainer(s.Simulation, "tank", tankHolds, tankHolds)
	s.visits = s.NewTally("visits", sim.QuantileSketch(0.01))
	s.Go("road", func(p *sim.Process) {
		for p.Wait(betweenCars*s.Stream("arrivals").ExpFloat64()) == nil {
			s.Go("car", s.car)
		}
	})
	return s
}

// car comes with some fuel left and fills up.
func (s *station) car(p *sim.Process) {
	came := p.Now()
	litres := 25 + 22*s.Stream("cars").Float64()
	_ = s.pumps.Use(p, 1, func() error {
		if s.tank.Amount()-litres < s.callAt && !s.coming {
			s.coming = true
			s.Go("truck", s.truck)
		}
		_ = s.tank.Get(p, litres)
		return p.Wait(litres/litresAMinute + payingTakes)
	})
	s.visits.Add(p.Now() - came)
}

// truck comes and waits, if need be, until there is room for all that it brings.
func (s *station) truck(p *sim.Process) {
	_ = p.Wait(truckTakes)
	_ = s.tank.Put(p, truckBrings)
	s.coming = false
	s.trucks++
}

func main() {
	call := flag.Float64("call", -1,
		"`percentage` of fuel below which the truck is called; without it several are tried")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	tries := []float64{2, 5, 10, 20}
	if *call != -1 {
		tries = []float64{*call}
	}
	if !(tries[0] > 0 && tries[0] <= 100) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "gas-station: -call is a percentage above 0, and there are no other arguments")
		os.Exit(2)
	}
	fmt.Printf("ten days with %d pumps and a tank of %.0f litres\n\n", pumps, tankHolds)
	fmt.Println("truck called at   cars  trucks   minutes a car: mean  9 of 10 below  longest   without fuel")
	for _, percent := range tries {
		s := newStation(*seed, tankHolds*percent/100)
		if err := s.Run(context.Background(), tenDays); err != nil {
			fmt.Fprintln(os.Stderr, "gas-station:", err)
			os.Exit(1)
		}
		fmt.Printf("%12.0f %%  %6d  %6d  %20.2f  %13.1f  %7.1f  %13.2f\n", percent, s.visits.N(), s.trucks,
			s.visits.Mean(), s.visits.Quantile(0.9), s.visits.Max(), s.tank.Waits().Mean())
		s.Close()
	}
}
