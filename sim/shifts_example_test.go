package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim"
)

func Example_simpyShifts() {
	s := sim.New()
	defer s.Close()
	day := []sim.Shift{{From: 8, To: 12, Units: 2}, {From: 13, To: 17, Units: 1}}
	clerks := sim.NewResource(s, "clerks", 0)
	clerks.Schedule(sim.Weekly{Mon: day, Tue: day, Wed: day, Thu: day, Fri: day}, sim.Resume)
	s.GoAt(10, "survey", func(p *sim.Process) {
		clerks.Work(p, 1, 8) // hours of work, whatever the clock says
		fmt.Println(p.Now(), p.Name(), "done")
	})
	s.GoAt(11, "letter", func(p *sim.Process) {
		clerks.Work(p, 1, 3)
		fmt.Println(p.Now(), p.Name(), "done")
	})
	s.Run(context.Background(), 7*24)
	// Output:
	// 34 survey done
	// 34 letter done
}

func Example_simpyBreakdowns() {
	s := sim.New()
	defer s.Close()
	lathe := sim.NewResource(s, "lathe", 1)
	trouble := lathe.Break(sim.BreakdownConfig{
		ToFailure: sim.Constant(5), InUse: true, // hours of use
		Repair: sim.Constant(2),
		Rule:   sim.Resume,
	})
	s.GoAt(1, "part", func(p *sim.Process) {
		lathe.Work(p, 1, 7)
		fmt.Println(p.Now(), "done, after", trouble.Failures(), "breakdown")
	})
	s.Run(context.Background(), 100)
	// Output:
	// 10 done, after 1 breakdown
}

func Example_simpyOpeningHours() {
	s := sim.New()
	defer s.Close()
	hours := sim.Daily{Shifts: []sim.Shift{{From: 9, To: 17, Units: 1}}}
	door := sim.NewGate(s, "shop", hours)
	desk := sim.NewResource(s, "desk", 0)
	desk.Schedule(hours, sim.UntilEmpty(door)) // until the last customer has left
	customer := func(p *sim.Process) {
		err := door.Visit(p, func() error {
			desk.Work(p, 1, 2)
			fmt.Println(p.Now(), p.Name(), "served")
			return nil
		})
		if err == sim.ErrClosed {
			fmt.Println(p.Now(), p.Name(), "turned away")
		}
	}
	s.GoAt(15, "ann", customer)
	s.GoAt(16, "bob", customer)
	s.GoAt(17, "cat", customer)
	s.Run(context.Background(), 24)
	fmt.Println("overtime:", door.Overtime().Max())
	// Output:
	// 17 cat turned away
	// 17 ann served
	// 19 bob served
	// overtime: 2
}

// A list of shifts is told by the day, by the week or by the clock, and there are exceptions.
func ExampleTimetable() {
	week := sim.Weekly{
		// through the night
		Mon: []sim.Shift{{From: 6, To: 14, Units: 3}, {From: 14, To: 22, Units: 2}, {From: 22, To: 30, Units: 1}},
		Tue: []sim.Shift{{From: 6, To: 14, Units: 3}},
	}
	var table sim.Timetable = sim.Except{Of: week, Times: []sim.Shift{{From: 24 + 8, To: 24 + 10, Units: 0}}} // a meeting
	for at := 0.0; at < 48; {
		units, until := table.At(at)
		fmt.Printf("%d from %g to %g\n", units, at, until)
		at = until
	}
	// Output:
	// 0 from 0 to 6
	// 3 from 6 to 14
	// 2 from 14 to 22
	// 1 from 22 to 30
	// 3 from 30 to 32
	// 0 from 32 to 34
	// 3 from 34 to 38
	// 0 from 38 to 174
}

func ExampleShift() {
	day := sim.Daily{Shifts: []sim.Shift{{From: 8, To: 12, Units: 2}, {From: 11, To: 15, Units: 1}}}
	fmt.Println(day.Check())
	// Output:
	// sim: Daily: the shifts from 8 to 12 and from 11 to 15 overlap
}

func ExampleDaily() {
	// The clock goes in minutes, and there is always one on duty.
	day := sim.Daily{Shifts: []sim.Shift{{From: 8 * 60, To: 16 * 60, Units: 3}}, Otherwise: 1, Day: 24 * 60}
	fmt.Println(day.At(10 * 60))
	fmt.Println(day.At(20 * 60))
	// Output:
	// 3 960
	// 1 1920
}

func ExampleWeekly() {
	day := []sim.Shift{{From: 9, To: 17, Units: 1}}
	week := sim.Weekly{Mon: day, Fri: day}
	fmt.Println(week.At(20))
	// Output:
	// 0 105
}

func ExampleDated() {
	table := sim.Dated{Shifts: []sim.Shift{{From: 30, To: 36, Units: 0}}, Otherwise: 2} // two, but for the stocktaking
	fmt.Println(table.At(33))
	fmt.Println(table.At(36))
	// Output:
	// 0 36
	// 2 +Inf
}

func ExampleExcept() {
	day := sim.Daily{Shifts: []sim.Shift{{From: 8, To: 17, Units: 2}}}
	table := sim.Except{Of: day, Times: []sim.Shift{{From: 24, To: 48, Units: 0}}} // the second day is a holiday
	fmt.Println(table.At(20))
	fmt.Println(table.At(30))
	fmt.Println(table.At(48 + 8))
	// Output:
	// 0 24
	// 0 48
	// 2 65
}

// What becomes of ten hours of work when a shift of eight is over.
func ExampleWorkRule() {
	for _, rule := range []sim.WorkRule{sim.Finish, sim.Resume, sim.Restart, sim.Interrupt} {
		s := sim.New()
		bench := sim.NewResource(s, "bench", 0)
		bench.Schedule(sim.Dated{Shifts: []sim.Shift{{From: 0, To: 8, Units: 1}, {From: 24, To: 48, Units: 1}}}, rule)
		s.Go("smith", func(p *sim.Process) {
			err := bench.Work(p, 1, 10)
			fmt.Println(p.Now(), sim.Remaining(err), "left")
		})
		s.Run(context.Background(), math.Inf(1))
	}
	// Output:
	// 10 0 left
	// 26 0 left
	// 34 0 left
	// 8 2 left
}

func ExampleShiftOption() {
	s := sim.New()
	hours := sim.Dated{Shifts: []sim.Shift{{From: 9, To: 17, Units: 1}}}
	door := sim.NewGate(s, "shop", hours)
	desk := sim.NewResource(s, "desk", 0)
	// Nobody has to go before the last customer does, and then who is still at work is thrown out.
	options := []sim.ShiftOption{sim.UntilEmpty(door), sim.Interrupt}
	desk.Schedule(hours, options...)
	s.GoAt(16, "ann", func(p *sim.Process) { door.Visit(p, func() error { return desk.Work(p, 1, 3) }) })
	s.At(18, func() { fmt.Println(s.Now(), desk.Capacity()) })
	s.Run(context.Background(), math.Inf(1))
	fmt.Println(s.Now(), desk.Capacity())
	// Output:
	// 18 1
	// 19 0
}

func ExampleBreakdownConfig() {
	s := sim.New()
	press := sim.NewResource(s, "press", 1)
	fitter := sim.NewResource(s, "fitter", 1)
	press.Break(sim.BreakdownConfig{
		Name:      "press",
		ToFailure: sim.Constant(10), // by the clock
		RepairBy: func(p *sim.Process) { // who has to come first
			fitter.Use(p, 1, func() error { return p.Wait(3) })
		},
		Rule: sim.Interrupt,
	})
	s.GoAt(5, "fitter's other work", func(p *sim.Process) { fitter.Use(p, 1, func() error { return p.Wait(7) }) })
	s.GoAt(8, "sheet", func(p *sim.Process) {
		err := press.Work(p, 1, 4)
		lost, _ := errors.AsType[*sim.Preempted](err)
		fmt.Println(p.Now(), lost, "–", sim.Remaining(err), "left")
	})
	s.Run(context.Background(), 20)
	row, _ := s.Report().Row("press down")
	fmt.Println("broken for", row.Mean*row.Time, "of", row.Time)
	// Output:
	// 10 sim: press, held since 8, was taken away by a breakdown – 2 left
	// broken for 5 of 20
}

func ExampleBreakdown() {
	s := sim.New()
	pumps := sim.NewResource(s, "pumps", 3)
	trouble := pumps.Break(sim.BreakdownConfig{ToFailure: sim.Constant(4), Repair: sim.Constant(1), Units: 1})
	s.Run(context.Background(), 4)
	fmt.Println(trouble.Broken(), pumps.Capacity())
	trouble.Stop()
	s.Run(context.Background(), math.Inf(1))
	fmt.Println(s.Now(), trouble.Broken(), pumps.Capacity(), trouble.Failures())
	// Output:
	// true 2
	// 5 false 3 1
}

// A pub: last orders at eleven, and who is still in line gets nothing.
func ExampleGate() {
	s := sim.New()
	door := sim.NewGate(s, "pub", sim.Dated{Shifts: []sim.Shift{{From: 19, To: 23, Units: 1}}})
	bar := sim.NewResource(s, "bar", 1)
	for i := range 4 {
		s.GoAt(22+float64(i)/3, fmt.Sprint("guest ", i+1), func(p *sim.Process) {
			err := door.Visit(p, func() error {
				err := bar.Work(p, 1, 0.75, sim.Until(door.Closing()))
				fmt.Printf("%.2f %s: %v\n", p.Now(), p, err)
				return nil
			})
			if err != nil {
				fmt.Printf("%.2f %s: %v\n", p.Now(), p, err)
			}
		})
	}
	s.Run(context.Background(), math.Inf(1))
	// Output:
	// 22.75 guest 1: <nil>
	// 23.00 guest 4: sim: closed
	// 23.00 guest 3: sim: what the request was to wait until happened before it was granted
	// 23.50 guest 2: <nil>
}
