package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim"
)

func Example_simpyResource() {
	s := sim.New()
	defer s.Close()
	washers := sim.NewResource(s, "washers", 2)
	for i := range 3 {
		s.Go("guest", func(p *sim.Process) {
			washers.Use(p, 1, func() error {
				return p.Wait(40)
			})
			fmt.Println(p.Now(), "guest", i, "has clean clothes")
		})
	}
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 40 guest 0 has clean clothes
	// 40 guest 1 has clean clothes
	// 80 guest 2 has clean clothes
}

func Example_simpyGrant() {
	s := sim.New()
	defer s.Close()
	berths := sim.NewResource(s, "berths", 3)
	s.Go("ferry", func(p *sim.Process) {
		berth, err := berths.Request(p, 2)
		if err != nil {
			return
		}
		defer berth.Release()
		p.Wait(5)
		fmt.Println(berths.InUse(), "of", berths.Capacity(), "in use,", berths.Waiting(), "waiting")
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 2 of 3 in use, 0 waiting
}

func Example_simpyPatience() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	s.Go("talker", func(p *sim.Process) { desk.Use(p, 1, func() error { return p.Wait(100) }) })
	s.Go("visitor", func(p *sim.Process) {
		err := desk.Use(p, 1, func() error { return p.Wait(5) }, sim.Patience(15), sim.AtMost(4))
		switch {
		case errors.Is(err, sim.ErrReneged):
			fmt.Println(p.Now(), "gave up")
		case errors.Is(err, sim.ErrBalked):
			fmt.Println(p.Now(), "did not even join the line")
		}
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 15 gave up
}

func Example_simpyPriority() {
	s := sim.New()
	defer s.Close()
	runway := sim.NewResource(s, "runway", 1)
	land := func(rank int) func(p *sim.Process) {
		return func(p *sim.Process) {
			runway.Use(p, 1, func() error { return p.Wait(2) }, sim.Rank(rank))
			fmt.Println(p.Now(), p.Name())
		}
	}
	s.Go("first", land(1))
	s.Go("airliner", land(1))
	s.Go("ambulance", land(0))
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 2 first
	// 4 ambulance
	// 6 airliner
}

func Example_simpyPreemption() {
	s := sim.New()
	defer s.Close()
	computer := sim.NewResource(s, "computer", 1)
	s.Go("backup", func(p *sim.Process) {
		for left := 50.0; left > 0; {
			computer.Use(p, 1, func() error {
				taken, ok := errors.AsType[*sim.Interrupted](p.Wait(left))
				if left = 0; ok {
					left = taken.Remaining
					fmt.Println(p.Now(), "backup has", left, "to go:", taken.Cause.(*sim.Preempted).By)
				}
				return nil
			}, sim.Rank(1))
		}
		fmt.Println(p.Now(), "backup done")
	})
	s.GoAt(20, "alarm", func(p *sim.Process) {
		computer.Use(p, 1, func() error { return p.Wait(3) }, sim.Rank(0), sim.Preempting(sim.Interrupt))
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 20 backup has 30 to go: alarm
	// 53 backup done
}

func Example_simpyContainer() {
	s := sim.New()
	defer s.Close()
	water := sim.NewContainer(s, "water", 100, 10)
	s.Go("garden", func(p *sim.Process) {
		water.Get(p, 25)
		fmt.Println(p.Now(), "watered,", water.Amount(), "left")
	})
	s.Go("well", func(p *sim.Process) {
		p.Wait(8)
		water.Put(p, 40)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 8 watered, 25 left
}

func Example_simpyStore() {
	s := sim.New()
	defer s.Close()
	type parcel struct {
		to     string
		weight int
	}
	depot := sim.NewStore[parcel](s, "depot", 50)
	s.Go("van", func(p *sim.Process) {
		oldest, _ := depot.Get(p)
		light, _ := depot.GetWhere(p, func(x parcel) bool { return x.weight < 5 })
		fmt.Println(p.Now(), oldest.to, light.to)
	})
	s.Go("counter", func(p *sim.Process) {
		for _, x := range []parcel{{"Oslo", 9}, {"Rome", 7}, {"Kyiv", 2}} {
			p.Wait(1)
			depot.Put(p, x)
		}
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 3 Oslo Kyiv
}
