package sim_test

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/sim"
)

func ExampleResource() {
	s := sim.New()
	beds := sim.NewResource(s, "beds", 2)
	patient := func(name string, stay float64, opts ...sim.RequestOption) {
		s.Go(name, func(p *sim.Process) {
			err := beds.Use(p, 1, func() error {
				fmt.Println(p.Now(), name, "is in bed")
				return p.Wait(stay)
			}, opts...)
			if err != nil {
				fmt.Println(p.Now(), name, err)
			}
		})
	}
	patient("ann", 4)
	patient("bob", 6)
	patient("eve", 3)
	patient("dan", 3, sim.Rank(-1))
	patient("fay", 1, sim.Patience(2))
	patient("gus", 1, sim.AtMost(3))
	s.Run(ctx, math.Inf(1))
	fmt.Printf("%.4g beds in use, on average\n", beds.Usage().Mean())
	// Output:
	// 0 ann is in bed
	// 0 bob is in bed
	// 0 gus sim: too many were waiting
	// 2 fay sim: patience ran out before the request was granted
	// 4 dan is in bed
	// 6 eve is in bed
	// 1.778 beds in use, on average
}

func ExampleGrant() {
	s := sim.New()
	key := sim.NewResource(s, "key", 1)
	s.Go("ann", func(p *sim.Process) {
		g, err := key.Request(p, 1)
		if err != nil {
			return
		}
		defer g.Release()
		p.Wait(3)
	})
	// The same without a process.
	s.At(1, func() {
		key.RequestThen(1, func(g *sim.Grant, _ error) {
			fmt.Println("granted at", s.Now())
			s.After(2, g.Release)
		})
	})
	s.Run(ctx, 10)
	fmt.Println("in use:", key.InUse())
	// Output:
	// granted at 3
	// in use: 0
}

func ExamplePreempted() {
	s := sim.New()
	machine := sim.NewResource(s, "machine", 1)
	s.Go("job", func(p *sim.Process) {
		for work := 10.0; work > 0; {
			machine.Use(p, 1, func() error {
				var in *sim.Interrupted
				if errors.As(p.Wait(work), &in) {
					work = in.Remaining
					fmt.Println(p.Now(), in.Cause)
				} else {
					work = 0
				}
				return nil
			}, sim.Rank(1))
		}
		fmt.Println(p.Now(), "done")
	})
	s.GoAt(4, "repair", func(p *sim.Process) {
		machine.Use(p, 1, func() error { return p.Wait(5) }, sim.Preempting(sim.Interrupt))
	})
	s.Run(ctx, math.Inf(1))
	// Output:
	// 4 sim: machine, held since 0, was taken away by repair
	// 15 done
}

func ExampleStore() {
	s := sim.New()
	defer s.Close()
	belt := sim.NewStore[string](s, "belt", 2)
	s.Go("maker", func(p *sim.Process) {
		for _, part := range []string{"bolt", "nut", "gear"} {
			belt.Put(p, part)
			fmt.Println(p.Now(), "put", part)
		}
	})
	s.GoAt(3, "fitter", func(p *sim.Process) {
		part, _ := belt.GetWhere(p, func(part string) bool { return part == "gear" }, sim.Patience(1))
		fmt.Printf("%g got %q\n", p.Now(), part)
		part, _ = belt.Get(p)
		fmt.Printf("%g got %q\n", p.Now(), part)
	})
	s.Run(ctx, 10)
	fmt.Println(belt.Items())
	// Output:
	// 0 put bolt
	// 0 put nut
	// 4 got ""
	// 4 got "bolt"
	// 4 put gear
	// [nut gear]
}

func ExampleNewSortedStore() {
	s := sim.New()
	jobs := sim.NewSortedStore(s, "jobs", sim.Unlimited, strings.Compare)
	for _, job := range []string{"b", "c", "a"} {
		jobs.TryPut(job)
	}
	s.Go("worker", func(p *sim.Process) {
		for range 3 {
			job, _ := jobs.Get(p)
			fmt.Print(job, " ")
		}
	})
	s.Run(ctx, 1)
	// Output: a b c
}

func ExampleContainer() {
	s := sim.New()
	tank := sim.NewContainer(s, "tank", 100, 30)
	s.Go("car", func(p *sim.Process) {
		tank.Get(p, 50)
		fmt.Println(p.Now(), "filled up,", tank.Amount(), "left")
	})
	s.GoAt(5, "truck", func(p *sim.Process) { tank.Put(p, 60) })
	s.Run(ctx, 10)
	fmt.Println("on average", tank.Contents().Mean())
	// Output:
	// 5 filled up, 40 left
	// on average 35
}

func ExampleRequestOption() {
	s := sim.New()
	defer s.Close()
	lot := sim.NewResource(s, "parking lot", 1)
	s.Go("ann", func(p *sim.Process) { lot.Use(p, 1, func() error { return p.Wait(10) }) })
	s.Go("bob", func(p *sim.Process) {
		err := lot.Use(p, 1, func() error { return nil }, sim.AtMost(0)) // does not wait at all
		fmt.Println(p.Now(), errors.Is(err, sim.ErrBalked))
		err = lot.Use(p, 1, func() error { return nil }, sim.Patience(5), sim.Rank(-1))
		fmt.Println(p.Now(), errors.Is(err, sim.ErrReneged))
	})
	s.Run(ctx, math.Inf(1))
	// Output:
	// 0 true
	// 5 true
}

func ExampleShortestQueue() {
	s := sim.New()
	defer s.Close()
	left, right := sim.NewResource(s, "left", 1), sim.NewResource(s, "right", 1)
	for range 4 {
		s.Go("customer", func(p *sim.Process) {
			desk := sim.ShortestQueue(left, right)
			desk.Work(p, 1, 3)
			fmt.Println(p.Now(), desk.Name())
		})
	}
	s.Run(ctx, 10)
	// Output:
	// 3 left
	// 3 right
	// 6 left
	// 6 right
}

func ExamplePreempting() {
	for _, rule := range []sim.WorkRule{sim.Finish, sim.Resume, sim.Restart, sim.Interrupt} {
		s := sim.New()
		lathe := sim.NewResource(s, "lathe", 1, sim.Preempting(rule))
		s.Go("order", func(p *sim.Process) {
			err := lathe.Work(p, 1, 10, sim.Rank(1))
			fmt.Println("order:", p.Now(), "left:", sim.Remaining(err))
		})
		s.GoAt(4, "rush order", func(p *sim.Process) { lathe.Work(p, 1, 2) })
		s.Run(ctx, 100)
		s.Close()
	}
	// Output:
	// order: 10 left: 0
	// order: 12 left: 0
	// order: 16 left: 0
	// order: 4 left: 6
}

func ExampleBatch() {
	s := sim.New()
	defer s.Close()
	bottles, crates := sim.NewStore[int](s, "bottles", sim.Unlimited), sim.NewStore[[]int](s, "crates", 4)
	sim.Batch(bottles, 3, crates)
	for i := range 7 {
		s.At(float64(i), func() { bottles.TryPut(i) })
	}
	s.Run(ctx, 10)
	fmt.Println(crates.Items())
	// Output: [[0 1 2] [3 4 5]]
}

func ExampleSeparate() {
	s := sim.New()
	defer s.Close()
	crates, bottles := sim.NewStore[[]string](s, "crates", 4), sim.NewStore[string](s, "bottles", sim.Unlimited)
	sim.Separate(crates, bottles)
	crates.TryPut([]string{"milk", "juice"})
	s.Run(ctx, 10)
	fmt.Println(bottles.Items())
	// Output: [milk juice]
}

func ExampleUnlimited() {
	s := sim.New()
	defer s.Close()
	handover := sim.NewStore[string](s, "handover", 0) // a rendezvous
	shelf := sim.NewStore[string](s, "shelf", sim.Unlimited)
	s.Go("baker", func(p *sim.Process) {
		shelf.Put(p, "bread")
		handover.Put(p, "cake") // waits for who takes it
		fmt.Println("baker", p.Now())
	})
	s.GoAt(5, "customer", func(p *sim.Process) {
		cake, _ := handover.Get(p)
		fmt.Println("customer", p.Now(), cake)
	})
	s.Run(ctx, 10)
	// Output:
	// customer 5 cake
	// baker 5
}
