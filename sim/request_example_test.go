package sim_test

import (
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/sim"
)

// Two desks, and whichever is free first.
func ExampleRequest() {
	s := sim.New()
	defer s.Close()
	desks := []*sim.Resource{sim.NewResource(s, "left", 1), sim.NewResource(s, "right", 1)}
	for i, until := range []float64{7, 4} {
		g, _ := desks[i].TryRequest(1)
		s.At(until, g.Release)
	}
	s.Go("customer", func(p *sim.Process) {
		left, right := desks[0].NewRequest(p, 1), desks[1].NewRequest(p, 1)
		if err := p.WaitFor(sim.AnyOf(left, right)); err != nil {
			return
		}
		fmt.Println(p.Now(), "left:", left.Happened(), "right:", right.Happened())
		fmt.Println("in line at the left:", desks[0].Waiting())
	})
	s.Run(ctx, math.Inf(1))
	// Output:
	// 4 left: false right: true
	// in line at the left: 0
}

func ExampleRequest_Grant() {
	s := sim.New()
	defer s.Close()
	seats, soldOut := sim.NewResource(s, "seats", 1), s.Signal("sold out")
	visitor := func(p *sim.Process) {
		seat := seats.NewRequest(p, 1)
		if err := p.WaitFor(sim.AnyOf(seat, soldOut)); err != nil || !seat.Happened() {
			fmt.Println(p.Now(), p, "goes home")
			return
		}
		defer seat.Grant().Release()
		fmt.Println(p.Now(), p, "sits down")
		p.Wait(90)
	}
	s.Go("ann", visitor)
	s.Go("bob", visitor)
	s.At(10, soldOut.Trigger)
	s.Run(ctx, 60)
	fmt.Println("withdrawn:", seats.Withdrawn())
	// Output:
	// 0 ann sits down
	// 10 bob goes home
	// withdrawn: 1
}

// A message, or nothing more to wait for.
func ExampleItemRequest() {
	s := sim.New()
	defer s.Close()
	mail, closed := sim.NewStore[string](s, "mail", sim.Unlimited), s.Signal("closed")
	s.Go("clerk", func(p *sim.Process) {
		for !closed.Happened() {
			letter := mail.NewGetRequest(p)
			if err := p.WaitFor(sim.AnyOf(letter, closed)); err != nil {
				return
			}
			if text, ok := letter.Item(); ok {
				fmt.Println(p.Now(), text)
			}
		}
		fmt.Println(p.Now(), "goes home")
	})
	s.At(2, func() { mail.TryPut("an invoice") })
	s.At(5, closed.Trigger)
	s.Run(ctx, 10)
	// Output:
	// 2 an invoice
	// 5 goes home
}

func ExampleUntil() {
	s := sim.New()
	defer s.Close()
	gate, departure := sim.NewResource(s, "gate", 1), s.Signal("departure")
	s.At(20, departure.Trigger)
	for range 3 {
		s.Go("passenger", func(p *sim.Process) {
			err := gate.Use(p, 1, func() error { return p.Wait(15) }, sim.Until(departure))
			fmt.Println(p.Now(), err)
		})
	}
	s.Run(ctx, 100)
	// Output:
	// 15 <nil>
	// 20 sim: what the request was to wait until happened before it was granted
	// 30 <nil>
}

func ExampleTicket() {
	s := sim.New()
	tank := sim.NewContainer(s, "tank", 100, 10)
	order := tank.GetThen(50, func(err error) { fmt.Println(s.Now(), "filled up:", err == nil) })
	tank.GetThen(5, func(err error) { fmt.Println(s.Now(), "a little:", err == nil) }) // behind the first
	s.At(3, func() { fmt.Println(s.Now(), "cancelled:", order.Cancel()) })
	s.Run(ctx, 10)
	// Output:
	// 3 cancelled: true
	// 3 a little: true
}

func ExampleOutcome() {
	s := sim.New()
	defer s.Close()
	s.Go("guest", func(p *sim.Process) {
		cook := sim.Call(s, "cook", func(p *sim.Process) (string, error) {
			return "pie", p.Wait(30)
		})
		meal, err := cook.Wait(p)
		fmt.Println(p.Now(), meal, err)
	})
	s.Run(ctx, 60)
	// Output:
	// 30 pie <nil>
}

func ExampleSignalOf() {
	s := sim.New()
	defer s.Close()
	price := sim.NewSignal[float64](s, "price")
	s.Go("buyer", func(p *sim.Process) {
		x, err := price.Wait(p)
		fmt.Println(p.Now(), x, err)
	})
	s.At(9, func() { price.Trigger(4.5) })
	s.Run(ctx, 10)
	// Output:
	// 9 4.5 <nil>
}

func ExampleSimulation_Inject() {
	s := sim.New(sim.RealTime(1000))
	defer s.Close()
	pressed := s.Signal("pressed")
	go func() { // the world outside
		time.Sleep(time.Millisecond)
		s.Inject(pressed.Trigger)
	}()
	s.Go("lamp", func(p *sim.Process) {
		p.WaitFor(pressed)
		fmt.Println("on")
		s.Stop()
	})
	s.Run(ctx, math.MaxFloat64)
	// Output:
	// on
}
