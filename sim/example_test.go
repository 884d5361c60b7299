package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/trace"
)

var ctx = context.Background()

func Example() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	for i := range 3 {
		s.GoAt(float64(i), fmt.Sprint("customer ", i), func(p *sim.Process) {
			desk.Use(p, 1, func() error {
				fmt.Printf("%g: %s is served\n", p.Now(), p)
				return p.Wait(5)
			})
		})
	}
	if err := s.Run(ctx, 100); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("mean wait %g\n", desk.Waits().Mean())
	// Output:
	// 0: customer 0 is served
	// 5: customer 1 is served
	// 10: customer 2 is served
	// mean wait 4
}

func ExampleSimulation() {
	s := sim.New(sim.StartAt(8))
	s.At(9, func() { fmt.Println(s.Now(), "open") })
	s.After(9, func() { fmt.Println(s.Now(), "close") })
	s.Every(2, 3, func() { fmt.Println(s.Now(), "mail") })
	s.Run(ctx, 18)
	fmt.Println(s.Now(), "end")
	// Output:
	// 9 open
	// 10 mail
	// 13 mail
	// 16 mail
	// 17 close
	// 18 end
}

func ExampleEvent() {
	s := sim.New()
	alarm := s.At(7, func() { fmt.Println("wake up at", s.Now()) })
	s.At(6, func() { alarm.Reschedule(9) })
	run := s.At(8, func() { fmt.Println("run") })
	s.At(7.5, func() { fmt.Println("raining:", run.Cancel()) })
	s.Run(ctx, 24)
	fmt.Println("pending:", alarm.Pending())
	// Output:
	// raining: true
	// wake up at 9
	// pending: false
}

func ExamplePriority() {
	s := sim.New()
	s.At(1, func() { fmt.Println("second") })
	s.At(1, func() { fmt.Println("third") })
	s.At(1, func() { fmt.Println("last") }, sim.Priority(1))
	s.At(1, func() { fmt.Println("first") }, sim.Priority(-1))
	s.Run(ctx, 1)
	// Output:
	// first
	// second
	// third
	// last
}

func ExampleProcess() {
	s := sim.New()
	car := s.Go("car", func(p *sim.Process) {
		fmt.Println(p.Now(), "parks")
		p.Wait(5)
		fmt.Println(p.Now(), "drives")
		p.Wait(2)
	})
	s.Go("watcher", func(p *sim.Process) {
		p.WaitFor(car)
		fmt.Println(p.Now(), "gone")
	})
	s.Run(ctx, math.Inf(1))
	// Output:
	// 0 parks
	// 5 drives
	// 7 gone
}

func ExampleInterrupted() {
	s := sim.New()
	car := s.Go("car", func(p *sim.Process) {
		err := p.Wait(10)
		var in *sim.Interrupted
		if errors.As(err, &in) {
			fmt.Printf("%g: %v, %g remaining\n", p.Now(), in.Cause, in.Remaining)
		}
	})
	s.At(4, func() { car.Interrupt("battery full enough") })
	s.Run(ctx, math.Inf(1))
	// Output:
	// 4: battery full enough, 6 remaining
}

func ExampleSignal() {
	s := sim.New()
	bell := s.Signal("bell")
	for _, name := range []string{"ann", "bob"} {
		s.Go(name, func(p *sim.Process) {
			p.WaitFor(bell)
			fmt.Println(p.Now(), p, "hears", bell.Value())
		})
	}
	s.At(3, func() { bell.TriggerWith("three strokes") })
	s.Run(ctx, 10)
	// Output:
	// 3 ann hears three strokes
	// 3 bob hears three strokes
}

func ExampleCondition() {
	s := sim.New()
	s.Go("traveller", func(p *sim.Process) {
		bus, taxi := s.Timeout(12), s.Timeout(7)
		ride := sim.AnyOf(bus, taxi)
		p.WaitFor(ride)
		fmt.Println(p.Now(), "by taxi:", ride.First() == taxi)
		p.WaitFor(sim.AllOf(bus, taxi))
		fmt.Println(p.Now(), "both were here")
	})
	s.Run(ctx, math.Inf(1))
	// Output:
	// 7 by taxi: true
	// 12 both were here
}

func ExampleWaitable() {
	s := sim.New()
	defer s.Close()
	never := s.Signal("never")
	s.Go("guest", func(p *sim.Process) {
		happened, _ := p.WaitForWithin(never, 30)
		fmt.Println(p.Now(), happened)
	})
	fmt.Println(s.RunUntil(ctx, never))
	// Output:
	// 30 false
	// sim: nothing is left to happen
}

func ExampleRealTime() {
	s := sim.New(sim.RealTime(1000)) // a thousand units in a second
	s.Every(10, 10, func() { fmt.Println(s.Now()) })
	s.Run(ctx, 30)
	// Output:
	// 10
	// 20
	// 30
}

func ExamplePanicError() {
	s := sim.New()
	defer s.Close()
	s.Go("ann", func(p *sim.Process) {
		p.Wait(3)
		panic("out of tea")
	})
	defer func() {
		if p, ok := recover().(*sim.PanicError); ok {
			fmt.Printf("%s at %g: %v\n", p.Process, p.Time, p.Value)
		}
	}()
	s.Run(ctx, 10)
	// Output:
	// ann at 3: out of tea
}

// Who waits for what, when nothing is left to happen.
func ExampleProcess_Status() {
	s := sim.New()
	defer s.Close()
	left, right := sim.NewResource(s, "left fork", 1), sim.NewResource(s, "right fork", 1)
	eat := func(p *sim.Process, one, two *sim.Resource) {
		one.Use(p, 1, func() error {
			p.Wait(1)
			return two.Use(p, 1, func() error { return p.Wait(1) })
		})
	}
	s.Go("Plato", func(p *sim.Process) { eat(p, left, right) })
	s.Go("Kant", func(p *sim.Process) { eat(p, right, left) })
	s.Run(ctx, math.Inf(1))
	for _, p := range s.Live() {
		fmt.Println(p, p.Status())
	}
	// Output:
	// Plato waits in line for right fork since 1
	// Kant waits in line for left fork since 1
}

func ExampleOption() {
	s := sim.New(sim.Name("bank"), sim.Seed(7), sim.StartAt(9))
	fmt.Println(s.Name(), s.Seed(), s.Now())
	// Output: bank 7 9
}

func ExampleEventOption() {
	s := sim.New(sim.TraceTo(trace.Text(os.Stdout)))
	s.At(1, func() {}, sim.Named("close"), sim.Priority(1))
	s.At(1, func() {}, sim.Named("last customer"))
	s.Run(ctx, 1)
	// Output:
	//            1  event      last customer
	//            1  event      close
}
