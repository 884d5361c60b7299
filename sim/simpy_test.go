// This file holds
// every piece of Go that docs/guide/from-simpy.md shows; TestSimpyPage compares them.

package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
	"github.com/almanac-sim/almanac/sim/trace"
)

// The Go code of docs/guide/from-simpy.md, and of the shorter pages beside it, is
// in the examples of these files, line by line.
func TestSimpyPage(t *testing.T) {
	var lines []string
	for _, name := range []string{"simpy_test.go", "simpy_resources_test.go", "request_example_test.go",
		"shifts_example_test.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(source), "\n")...)
	}
	for name, least := range map[string]int{"simpy": 25, "salabim": 1, "simmer": 1} {
		page, err := os.ReadFile("../docs/guide/from-" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(page), "```go\n")[1:]
		if len(blocks) < least {
			t.Errorf("only %d pieces of Go on the page %s", len(blocks), name)
		}
		for _, block := range blocks {
			code, _, closed := strings.Cut(block, "\n```\n")
			if !closed || !contains(strings.Split(code, "\n"), lines) {
				t.Errorf("this is on the page %s, but in no example:\n%s", name, code)
			}
		}
	}
}

// contains reports whether a piece of code is in a source, with all lines indented alike.
func contains(code, source []string) bool {
	for i := range len(source) - len(code) + 1 {
		indent, ok := strings.CutSuffix(source[i], code[0])
		if !ok || strings.Trim(indent, "\t") != "" {
			continue
		}
		same := true
		for k, line := range code {
			same = same && (source[i+k] == indent+line || line == "" && source[i+k] == "")
		}
		if same {
			return true
		}
	}
	return false
}

func Example_simpyClock() {
	s := sim.New()
	defer s.Close()
	s.Go("lighthouse", func(p *sim.Process) {
		for {
			fmt.Println(p.Now(), "light")
			p.Wait(3)
			fmt.Println(p.Now(), "dark")
			p.Wait(7)
		}
	})
	s.Run(context.Background(), 20)
	// Output:
	// 0 light
	// 3 dark
	// 10 light
	// 13 dark
	// 20 light
}

func Example_simpyEvents() {
	s := sim.New()
	defer s.Close()
	gong := s.At(12, func() { fmt.Println(s.Now(), "lunch") })
	s.Every(10, 10, func() { fmt.Println(s.Now(), "tick") })
	s.After(11, func() { gong.Reschedule(13) })
	s.Run(context.Background(), 25)
	// Output:
	// 10 tick
	// 13 lunch
	// 20 tick
}

func Example_simpySignal() {
	s := sim.New()
	defer s.Close()
	green := s.Signal("green")
	for i := range 2 {
		s.Go("pedestrian", func(p *sim.Process) {
			p.WaitFor(green)
			fmt.Println(p.Now(), "pedestrian", i, "walks:", green.Value())
		})
	}
	s.After(4, func() { green.TriggerWith("go") })
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 4 pedestrian 0 walks: go
	// 4 pedestrian 1 walks: go
}

func Example_simpyResult() {
	s := sim.New()
	defer s.Close()
	s.Go("cook", func(p *sim.Process) {
		dish := ""
		oven := s.Go("oven", func(p *sim.Process) {
			p.Wait(30)
			dish = "pie"
		})
		p.WaitFor(oven)
		fmt.Println(p.Now(), dish)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 30 pie
}

func Example_simpyConditions() {
	s := sim.New()
	defer s.Close()
	s.Go("traveller", func(p *sim.Process) {
		bus, taxi := s.Timeout(9), s.Timeout(6)
		first := sim.AnyOf(bus, taxi)
		p.WaitFor(first)
		fmt.Println(p.Now(), "taxi:", first.First() == taxi)

		p.WaitFor(sim.AllOf(bus, taxi))
		fmt.Println(p.Now(), "both have come")
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 6 taxi: true
	// 9 both have come
}

func Example_simpyWithin() {
	s := sim.New()
	defer s.Close()
	answer := s.Signal("answer")
	s.Go("caller", func(p *sim.Process) {
		answered, _ := p.WaitForWithin(answer, 20)
		fmt.Println(p.Now(), "answered:", answered)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 20 answered: false
}

func Example_simpyInterrupt() {
	s := sim.New()
	defer s.Close()
	reader := s.Go("reader", func(p *sim.Process) {
		err := p.Wait(60)
		if stopped, ok := errors.AsType[*sim.Interrupted](err); ok {
			fmt.Println(p.Now(), stopped.Cause, "with", stopped.Remaining, "pages left")
		}
	})
	s.After(25, func() { reader.Interrupt("phone") })
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 25 phone with 35 pages left
}

func Example_simpyMonitoring() {
	s := sim.New()
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	inside := s.NewTimeWeighted("inside", 0)
	stays := s.NewTally("stays", sim.QuantileSketch(0.01))
	s.Every(0, 4, func() {
		s.Go("visitor", func(p *sim.Process) {
			came := p.Now()
			inside.Add(1)
			desk.Use(p, 1, func() error { return p.Wait(3) })
			inside.Add(-1)
			stays.Add(p.Now() - came)
		})
	})
	s.WarmUp(100)
	s.Run(context.Background(), 300)
	fmt.Printf("%.2f inside, %.2f in line, busy %.2f\n", inside.Mean(), desk.Queue().Mean(), desk.Utilization())
	fmt.Printf("%d stays of %.1f, longest %.1f, nine of ten below %.1f\n",
		stays.N(), stays.Mean(), stays.Max(), stays.Quantile(0.9))
	// Output:
	// 0.75 inside, 0.00 in line, busy 0.75
	// 50 stays of 3.0, longest 3.0, nine of ten below 3.0
}

func Example_simpyMailbox() {
	s := sim.New()
	defer s.Close()
	s.Go("customer", func(p *sim.Process) {
		mailbox := sim.NewStore[string](s, "", sim.Unlimited)
		s.After(3, func() { mailbox.TryPut("your table is ready") })
		letter, _ := mailbox.Get(p)
		fmt.Println(p.Now(), letter)
	})
	must(s.Run(context.Background(), 10))
	fmt.Println(len(s.Report().Rows), "rows in the report")
	// Output:
	// 3 your table is ready
	// 0 rows in the report
}

func Example_simpyTrace() {
	s := sim.New(sim.TraceTo(func(r trace.Record) {
		fmt.Println(r.Time, r.Who, r.Kind)
	}))
	s.Go("clock", func(p *sim.Process) { p.Wait(1) })
	s.Run(context.Background(), 5)
	// Output:
	// 0 clock start
	// 0 clock wait
	// 1 clock resume
	// 1 clock end
}

func Example_simpyRealTime() {
	s := sim.New(sim.RealTime(50))
	s.After(1, func() { fmt.Println(s.Now(), "after a fiftieth of a second") })
	s.Run(context.Background(), 1)
	fmt.Println("in time:", s.Lag().Seconds() < 10)
	// Output:
	// 1 after a fiftieth of a second
	// in time: true
}

func Example_simpyUntil() {
	s := sim.New()
	defer s.Close()
	s.At(10, func() { fmt.Println("on the last stroke") })
	s.Run(context.Background(), 10)

	done := s.Signal("done")
	s.After(7, done.Trigger)
	err := s.RunUntil(context.Background(), done)
	fmt.Println(s.Now(), err)
	// Output:
	// on the last stroke
	// 17 <nil>
}

func Example_simpyReplications() {
	queue := func(mean float64) func(r *replicate.Replication) error {
		return func(r *replicate.Replication) error {
			s := r.Sim()
			arrivals, service := s.Stream("arrivals"), s.Stream("service")
			desk := sim.NewResource(s, "desk", 1)
			s.Go("door", func(p *sim.Process) {
				for p.Wait(arrivals.ExpFloat64()) == nil {
					takes := mean * service.ExpFloat64()
					s.Go("customer", func(p *sim.Process) {
						desk.Use(p, 1, func() error { return p.Wait(takes) })
					})
				}
			})
			err := s.Run(r.Context(), 1000)
			r.Record("wait", desk.Waits().Mean())
			return err
		}
	}
	ctx := context.Background()
	slow, _ := replicate.Run(ctx, 50, queue(0.60), replicate.Seed(7))
	fast, _ := replicate.Run(ctx, 50, queue(0.55), replicate.Seed(7))
	saved, _ := replicate.Compare(slow, fast, "wait")
	fmt.Printf("slow: %.2f ± %.2f\n", slow.Mean("wait"), slow.Interval("wait").HalfWidth)
	fmt.Printf("fast: %.2f ± %.2f\n", fast.Mean("wait"), fast.Interval("wait").HalfWidth)
	fmt.Printf("saved: %.2f ± %.2f\n", saved.Difference.Mean, saved.Difference.HalfWidth)
	fmt.Printf("variance: %.2f of that of independent runs\n", saved.VarianceRatio)
	// Output:
	// slow: 0.90 ± 0.05
	// fast: 0.67 ± 0.03
	// saved: 0.23 ± 0.01
	// variance: 0.07 of that of independent runs
}

func Example_simpyCall() {
	s := sim.New()
	defer s.Close()
	s.Go("cook", func(p *sim.Process) {
		oven := sim.Call(s, "oven", func(p *sim.Process) (string, error) {
			err := p.Wait(30)
			return "pie", err
		})
		dish, err := oven.Wait(p)
		fmt.Println(p.Now(), dish, err)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 30 pie <nil>
}

func Example_simpyRequestOr() {
	s := sim.New()
	defer s.Close()
	counter, soldOut := sim.NewResource(s, "counter", 1), s.Signal("sold out")
	moviegoer := func(p *sim.Process) {
		turn := counter.NewRequest(p, 1)
		if err := p.WaitFor(sim.AnyOf(turn, soldOut)); err != nil {
			return
		}
		if !turn.Happened() {
			fmt.Println(p.Now(), "no tickets left")
			return
		}
		defer turn.Grant().Release()
		p.Wait(1)
		fmt.Println(p.Now(), "has a ticket")
	}
	for range 3 {
		s.Go("moviegoer", moviegoer)
	}
	s.At(1.5, soldOut.Trigger)
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 1 has a ticket
	// 1.5 no tickets left
	// 2 has a ticket
}

func Example_simpyUntilSoldOut() {
	s := sim.New()
	defer s.Close()
	counter, soldOut := sim.NewResource(s, "counter", 1), s.Signal("sold out")
	s.Go("moviegoer", func(p *sim.Process) {
		s.At(0, soldOut.Trigger)
		p.Wait(1)
		err := counter.Use(p, 1, func() error { return p.Wait(1) }, sim.Until(soldOut), sim.Patience(20))
		if err == sim.ErrWithdrawn {
			fmt.Println(p.Now(), "no tickets left")
		}
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 1 no tickets left
}

func Example_simpyAllOfRequests() {
	s := sim.New()
	defer s.Close()
	flour, eggs := sim.NewContainer(s, "flour", sim.Unlimited, 0), sim.NewStore[string](s, "eggs", 6)
	oven := sim.NewResource(s, "oven", 1)
	s.Go("baker", func(p *sim.Process) {
		egg, place := eggs.NewGetRequest(p), oven.NewRequest(p, 1)
		p.WaitFor(sim.AllOf(flour.NewGetRequest(p, 2), egg, place))
		what, _ := egg.Item()
		fmt.Println(p.Now(), "bakes with", what)
		place.Grant().Release()
	})
	s.At(2, func() { eggs.TryPut("a brown egg") })
	s.At(3, func() { flour.TryPut(5) })
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 3 bakes with a brown egg
}

func Example_simpyThen() {
	s := sim.New()
	water := sim.NewContainer(s, "water", 100, 10)
	order := water.GetThen(25, func(err error) { fmt.Println(s.Now(), "watered") })
	s.At(5, func() { order.Cancel() }) // it rains
	s.Run(context.Background(), math.Inf(1))
	fmt.Println(water.Amount(), "left")
	// Output:
	// 10 left
}

func Example_simpyPreemptingOnce() {
	s := sim.New()
	defer s.Close()
	computer := sim.NewResource(s, "computer", 1, sim.Preempting(sim.Interrupt))
	s.Go("backup", func(p *sim.Process) {
		err := computer.Use(p, 1, func() error { return p.Wait(50) }, sim.Rank(1))
		fmt.Println(p.Now(), err)
	})
	s.GoAt(20, "alarm", func(p *sim.Process) {
		computer.Use(p, 1, func() error { return p.Wait(3) }, sim.Rank(0))
	})
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 20 sim: interrupted by alarm at 20: sim: computer, held since 0, was taken away by alarm
}

func Example_simpyArrivals() {
	s := sim.New(sim.Seed(3))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 2)
	service := s.Sampler("service", sim.Lognormal(4, 3))
	customer := func(p *sim.Process) {
		takes := service()
		desk.Use(p, 1, func() error { return p.Wait(takes) })
	}
	noon := func(t float64) float64 { return 0.1 + 0.4*math.Exp(-math.Pow((t-240)/60, 2)) }
	s.Arrive(sim.VaryingPoisson(s.Stream("customers"), noon, 0.5, 480), func() {
		s.Go("customer", customer)
	})
	s.Run(context.Background(), math.Inf(1))
	fmt.Printf("%d came, waited %.1f, and kept the desk busy for %.0f %% of the time\n",
		desk.Waits().N(), desk.Waits().Mean(), 100*desk.Utilization())
	// Output:
	// 82 came, waited 0.6, and kept the desk busy for 35 % of the time
}

func Example_simpyArrivalsFromData() {
	s := sim.New()
	defer s.Close()
	file := strings.NewReader("customer,at\nann,3\nbob,3.5\ncat,8\n")
	times, err := sim.ReadColumn(file, "at")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	arrive := func() { fmt.Print(s.Now(), " ") }
	s.Arrive(sim.Recorded(times), arrive)
	s.Run(context.Background(), 100)
	// Output:
	// 3 3.5 8
}

func Example_simpyInject() {
	s := sim.New(sim.RealTime(1000))
	defer s.Close()
	button := s.Signal("button")
	go func() {
		time.Sleep(time.Millisecond) // until somebody presses it
		s.Inject(button.Trigger)
	}()
	s.Go("lamp", func(p *sim.Process) {
		p.WaitFor(button)
		fmt.Println("on")
		s.Stop()
	})
	s.Run(context.Background(), math.MaxFloat64)
	// Output:
	// on
}

func Example_simpyCourses() {
	s := sim.New(sim.Seed(1), sim.Name("a bank"))
	defer s.Close()
	s.Keep(sim.Thinned(1000))
	desk := sim.NewResource(s, "desk", 1)
	service := s.Stream("service")
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.2), func() {
		s.Go("customer", func(p *sim.Process) {
			desk.Use(p, 1, func() error { return p.Wait(4 * service.ExpFloat64()) })
		})
	})
	s.Run(context.Background(), 480)

	line, _ := desk.Queue().TimeSeries()
	waits, _ := desk.Waits().Observations()
	fmt.Printf("%.2f in line in the first hour, %.2f in the last\n", line.Integral(0, 60)/60, line.Integral(420, 480)/60)
	fmt.Printf("the first five waits: %.1f\n", waits.Values()[:5])

	dir, _ := os.MkdirTemp("", "bank")
	defer os.RemoveAll(dir)
	err := output.Save(dir, s, output.Tables(output.CSV, output.Parquet))
	fmt.Println(err)
	// Output:
	// 0.06 in line in the first hour, 2.93 in the last
	// the first five waits: [0.0 0.0 0.0 0.0 3.7]
	// <nil>
}

func Example_simpyHowLong() {
	s := sim.New(sim.Seed(1))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	service := s.Stream("service")
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 0.2), func() {
		s.Go("customer", func(p *sim.Process) {
			desk.Use(p, 1, func() error { return p.Wait(2.5 * service.ExpFloat64()) })
		})
	})
	desk.Waits().KeepObservations(8192, s.Now)
	wait := func() analysis.Estimate {
		o, _ := desk.Waits().Observations()
		return analysis.Observations(o)
	}
	s.Run(context.Background(), 480)
	fmt.Println("a day:", wait())
	long, err := analysis.RunTo(context.Background(), s, wait, analysis.Precision{Share: 0.05, First: 5000, Most: 1e7})
	fmt.Printf("%.0f days: %v %v\n", s.Now()/480, long, err)
	// Output:
	// a day: 2.389 in 1.036 … 4.002 (95 %, n 80); too short: only 20 batches of 4 look independent, and fewer than 100 cannot be trusted; about 5.0 times as long would do
	// 602 days: 2.455 in 2.349 … 2.573 (95 %, n 58048) <nil>
}

func Example_simpyPreemptingResume() {
	s := sim.New()
	defer s.Close()
	computer := sim.NewResource(s, "computer", 1, sim.Preempting(sim.Resume))
	s.Go("backup", func(p *sim.Process) {
		computer.Work(p, 1, 50, sim.Rank(1))
		fmt.Println(p.Now(), "backup done")
	})
	s.GoAt(20, "alarm", func(p *sim.Process) {
		computer.Work(p, 1, 3)
	})
	s.Run(context.Background(), math.Inf(1))
	// Output: 53 backup done
}

func Example_simpyCarwash() {
	s := sim.New()
	defer s.Close()
	wash := sim.NewResource(s, "wash", 2)
	for i := range 4 {
		s.Go("car", func(p *sim.Process) {
			fmt.Println("car", i, "arrives")
			wash.Use(p, 1, func() error {
				fmt.Println("car", i, "enters")
				return p.Wait(5)
			})
		})
	}
	s.Run(context.Background(), 0)
	// Output:
	// car 0 arrives
	// car 0 enters
	// car 1 arrives
	// car 1 enters
	// car 2 arrives
	// car 3 arrives
}
