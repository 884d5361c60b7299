package lehman

import (
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

func billion(run *reproduce.Runner) reproduce.Finding {
	less, more := 60_000, 1_000_000
	if run.Options.Full {
		less, more = 60_000_000, fullBillion()
	}
	return measureBillion(run, paperBillion, less, more)
}

// fullBillion is 10⁹ where there is memory for it: 16 bytes each, and a quarter more for all else.
func fullBillion() int {
	if memory.Available() < 20e9 {
		return 100_000_000
	}
	return 1_000_000_000
}

// billionSays is what is said of the steps.
type billionSays struct {
	growth func(n float64) float64 // of an operation's steps with the number of events, in sequence
	random float64                 // steps to schedule at random over those in sequence: caches take time and no steps
}

var paperBillion = billionSays{growth: func(float64) float64 { return 1 }, random: 1}

// billionOps are the operations, in the order of the columns.
var billionOps = [timedKinds]string{"schedule", "cancel", "dispatch"}

// measureBillion checks the claim with two numbers of events.
//
// In sequence, event i is in the middle of bin i: scheduling drops one ticket, cancelling looks at one, dispatching passes one bin and looks at one ticket. At random
// it is one for scheduling, 1.5 for cancelling (1 + λ/2, λ = 1), and for dispatching what the law of the lists says, whatever N is.
func measureBillion(run *reproduce.Runner, says billionSays, less, more int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Steps for an operation", Columns: []string{"order (1 in sequence, 2 at random)", "events"}}
	times := reproduce.Table{Name: "Nanoseconds for an operation on this machine", Columns: append([]string(nil), table.Columns...)}
	for _, name := range billionOps {
		table.Columns, times.Columns = append(table.Columns, name), append(times.Columns, name)
	}
	table.Columns = append(table.Columns, "schedule and dispatch, SE")
	for i, shuffled := range []bool{false, true} {
		var rows [2]performance
		for k, n := range []int{less, more} {
			p := performAll(run, n, shuffled)
			rows[k] = p
			order := float64(i + 1)
			table.Rows = append(table.Rows, []float64{order, float64(n), p.steps[0], p.steps[1], p.steps[2], p.se})
			times.Rows = append(times.Rows, []float64{order, float64(n), p.ns[0], p.ns[1], p.ns[2]})
			run.Options.ReportProgress((float64(i)*float64(less+more) + float64(min(n, less)+k*more)) / float64(2*(less+more)))
		}
		compareBillion(&f, says, rows, less, more, shuffled)
	}
	f.Tables = append(f.Tables, table, times)
	f.Chart("nanoseconds", billionChart(times))
	t, r := times.Rows[1], times.Rows[3]
	f.Check("scheduling: steps at random over steps in sequence", table.Rows[3][2]/table.Rows[1][2], says.random, 0, "a ticket is dropped in either, so that what is longer at random is not steps")
	f.Measured = fmt.Sprintf("In sequence an operation takes exactly as many steps with %s events as with %s: schedule %.0f, cancel %.0f, dispatch %.0f; at random 1, %.3f and %.3f.",
		scientific(float64(more)), scientific(float64(less)), table.Rows[1][2], table.Rows[1][3], table.Rows[1][4], table.Rows[3][3], table.Rows[3][4])
	f.Timed = fmt.Sprintf("On this machine scheduling at random takes %.1f times as long as in sequence with %s.", r[2]/t[2], scientific(float64(more)))
	first := times.Rows[0]
	f.Notes = append(f.Notes,
		fmt.Sprintf("Time on this machine, in sequence: %.0f, %.0f and %.0f ns with %s events, %.0f, %.0f and %.0f ns with %s. Time decides nothing here.",
			first[2], first[3], first[4], scientific(float64(less)), t[2], t[3], t[4], scientific(float64(more))),
		"That caches are what makes random order slow fits: it takes no more steps to schedule, and as many with the larger number. How much slower is a property of the machine.")
	return f
}

// compareBillion compares the steps with two numbers of events.
func compareBillion(f *reproduce.Finding, says billionSays, rows [2]performance, less, more int, shuffled bool) {
	grown := says.growth(float64(more)) / says.growth(float64(less))
	for k, name := range billionOps {
		if !shuffled {
			f.Check(fmt.Sprintf("%s in sequence: steps with more events over steps with fewer", name), rows[1].steps[k]/rows[0].steps[k], grown, 0, "“exactly the same”; counted, and every bin has one event")
			continue
		}
		// An event's steps to cancel have variance 7/12 + 1/2 (see lehman-cancel). To dispatch: those of a bin, from the law of its list.
		se := rows[0].se
		if k == timedCancel {
			se = math.Sqrt((7.0/12 + 0.5) / float64(less))
		}
		f.Check(fmt.Sprintf("%s at random: steps with more events less steps with fewer", name), rows[1].steps[k]-rows[0].steps[k], (grown-1)*rows[0].steps[k],
			reproduce.Sigmas*se*math.Sqrt(1+float64(less)/float64(more))+3/float64(less), "4.5 standard errors of both; and a term of order 1/N, as bins fill by the binomial law")
	}
}

// A performance is the steps and the nanoseconds for each operation, and the standard error of the steps to dispatch.
type performance struct {
	steps, ns [timedKinds]float64
	se        float64
}

// performAll goes through all operations with n events. Times are drawn as they are needed, since a list of them would take half as much memory again.
func performAll(run *reproduce.Runner, n int, shuffled bool) (p performance) {
	s := reproduce.Must(calendar.NewStatic(calendar.StaticConfig{Buckets: n, Width: 1, Discipline: calendar.JustInTime, Capacity: n}))
	size := float64(n)
	r := random.New(run.Options.Seed, 0x62696c6c, uint64(n))
	schedule := func(i int) error { return s.Schedule(calendar.ID(i), float64(i)+0.5) }
	if shuffled {
		schedule = func(i int) error { return s.Schedule(calendar.ID(i), r.Float64()*size) }
	}
	timed := func(kind int, do func(i int) error) calendar.Work {
		before, began := s.Work(), time.Now()
		forEach(run, n, do)
		p.ns[kind] = float64(time.Since(began).Nanoseconds()) / size
		return s.Work().Since(before)
	}
	timed(timedSchedule, schedule)
	w := timed(timedCancel, func(i int) error { s.Cancel(calendar.ID(i)); return nil })
	p.steps[timedCancel] = float64(w.Traversed) / size
	w = timed(timedSchedule, schedule)
	p.steps[timedSchedule] = float64(uint64(n)+w.Traversed) / size // a ticket dropped, and entries passed, of which there are none
	w = timed(timedNext, func(int) error {
		if _, _, ok := s.Next(); !ok {
			return errEmpty
		}
		return nil
	})
	// The bin of the last event is not left.
	p.steps[timedNext] = float64(w.EmptyBuckets+1+w.Traversed) / size
	// Comparisons for a bin with k tickets are about k(k−1)/2 for few, with a variance of that order; E[k²(k−1)²]/4 = 7/4 at λ = 1. The bins beyond
	// the last event, which are not passed, are one or two.
	p.se = math.Sqrt(7.0 / 4 / size)
	return p
}

func billionChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Time to schedule an event, by the number of events", XLabel: "events", YLabel: "ns", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "at random"}, {Name: "in sequence"}, {Name: "paper, at random", X: []float64{6e7, 1e9}, Y: []float64{90, 180}}, {Name: "paper, in sequence", X: []float64{6e7, 1e9}, Y: []float64{30, 30}}}}
	for _, row := range t.Rows {
		c.Series[2-int(row[0])].Add(row[1], row[2])
	}
	return c
}
