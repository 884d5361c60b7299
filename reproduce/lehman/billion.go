package lehman

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"runtime/debug"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// billionSizes are the numbers of events. In the full run the larger is 10⁹ where there is memory
// for it, 16 bytes each and a quarter more for all else, and 10⁸ otherwise.
func billionSizes(run *reproduce.Runner) (less, more int) {
	if !run.Options.Full {
		return 60_000, 1_000_000
	}
	debug.FreeOSMemory() // what claims before this one have left
	if memory.Available() < 20e9 {
		return 60_000_000, 100_000_000
	}
	return 60_000_000, 1_000_000_000
}

// billionSays is what is said of the steps.
type billionSays struct {
	growth func(n float64) float64 // of an operation's steps with the number of events, in sequence
	random float64                 // steps to schedule at random over those in sequence: caches take time and no steps
}

var paperBillion = billionSays{growth: func(float64) float64 { return 1 }, random: 1}

// measureBillion measures with two numbers of events. The claim is about time on the authors'
// machine, so that it stays undecided; if the steps were not the same, it would be false.
//
// In sequence, event i is in the middle of bin i: scheduling drops one ticket, cancelling looks at
// one, dispatching passes one bin and looks at one ticket. At random it is one for scheduling, 1.5
// for cancelling (1 + λ/2, λ = 1), and for dispatching what the law of the lists says, whatever N
// is.
func measureBillion(run *reproduce.Runner, says billionSays, less, more int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Steps for an operation", Columns: []string{"order (1 in sequence, 2 at random)",
		"events"}}
	times := reproduce.Table{Name: "Nanoseconds for an operation on this machine", Columns: append([]string(nil),
		table.Columns...)}
	for _, name := range timedNames {
		table.Columns, times.Columns = append(table.Columns, name), append(times.Columns, name)
	}
	table.Columns = append(table.Columns, "schedule and dispatch, SE")
	sequence := sha256.New()
	done, total := 0.0, 2*float64(less+more)
	for i, shuffled := range []bool{false, true} {
		var rows [2]performance
		for k, n := range []int{less, more} {
			p := performAll(run, n, shuffled, sequence, func(fraction float64) {
				run.Options.ReportProgress((done + fraction*float64(n)) / total)
			})
			debug.FreeOSMemory() // two calendars of 10⁹ events would not fit
			done += float64(n)
			rows[k] = p
			order := float64(i + 1)
			table.Rows = append(table.Rows, []float64{order, float64(n), p.steps[0], p.steps[1], p.steps[2], p.se})
			times.Rows = append(times.Rows, []float64{order, float64(n), p.ns[0], p.ns[1], p.ns[2]})
		}
		compareBillion(&f, says, rows, less, more, shuffled)
	}
	f.Tables = append(f.Tables, table, times)
	f.Chart("nanoseconds", billionChart(times))
	necessary(&f, "scheduling: steps at random over steps in sequence", table.Rows[3][2]/table.Rows[1][2], says.random, 0,
		"a ticket is dropped in either, so that what is longer at random is not steps")
	f.Measured = fmt.Sprintf("In sequence an operation takes exactly as many steps with %s events as with %s: schedule "+
		"%.0f, cancel %.0f, dispatch %.0f; at random 1, %.3f and %.3f.",
		scientific(float64(more)), scientific(float64(less)), table.Rows[1][2], table.Rows[1][3], table.Rows[1][4],
		table.Rows[3][3], table.Rows[3][4])
	if run.Options.Full {
		f.Measured += fmt.Sprintf(" SHA-256 of the numbers of all events in the order in which they leave, 4 bytes each, "+
			"in the four runs one after the other: %x.", sequence.Sum(nil))
	}
	timeBillion(&f, times)
	return f
}

// timeBillion says how long it took.
func timeBillion(f *reproduce.Finding, times reproduce.Table) {
	fewer, more := scientific(times.Rows[0][1]), scientific(times.Rows[1][1])
	grown := func(order, kind int) float64 { return times.Rows[2*order+1][2+kind] / times.Rows[2*order][2+kind] }
	f.Timed = fmt.Sprintf("On this machine an operation in sequence takes %.2f (schedule), %.2f (cancel) and %.2f "+
		"(dispatch) times as long with %s events as with %s. Scheduling at random takes %.1f times as long as in "+
		"sequence with %s and %.1f times with %s.", grown(0, timedSchedule), grown(0, timedCancel), grown(0, timedNext),
		more, fewer, times.Rows[2][2]/times.Rows[0][2], fewer, times.Rows[3][2]/times.Rows[1][2], more)
	for i, where := range []string{"in sequence", "at random"} {
		a, b := times.Rows[2*i], times.Rows[2*i+1]
		f.Notes = append(f.Notes, fmt.Sprintf("Time on this machine, %s: schedule %.0f, cancel %.0f and dispatch %.0f ns "+
			"with %s events, %.0f, %.0f and %.0f ns with %s. It decides nothing here.",
			where, a[2], a[3], a[4], fewer, b[2], b[3], b[4], more))
	}
	f.Notes = append(f.Notes, "That caches make random order slow fits: it takes no more steps to schedule, and as many "+
		"with the larger number. How much slower it is depends on the machine.")
}

// compareBillion compares the steps with two numbers of events.
func compareBillion(f *reproduce.Finding, says billionSays, rows [2]performance, less, more int, shuffled bool) {
	grown := says.growth(float64(more)) / says.growth(float64(less))
	for k, name := range timedNames {
		if !shuffled {
			necessary(f, fmt.Sprintf("%s in sequence: steps with more events over steps with fewer", name),
				rows[1].steps[k]/rows[0].steps[k], grown, 0, "“exactly the same”; counted, and every bin has one event")
			continue
		}
		// An event's steps to cancel have variance 7/12 + 1/2 (see lehman-cancel). To dispatch:
		// those of a bin, from the law of its list.
		se := rows[0].se
		if k == timedCancel {
			se = math.Sqrt((7.0/12 + 0.5) / float64(less))
		}
		necessary(f, fmt.Sprintf("%s at random: steps with more events less steps with fewer", name),
			rows[1].steps[k]-rows[0].steps[k], (grown-1)*rows[0].steps[k],
			reproduce.Sigmas*se*math.Sqrt(1+float64(less)/float64(more))+3/float64(less),
			"4.5 standard errors of both; and a term of order 1/N, as bins fill by the binomial law")
	}
}

// A performance is the steps and the nanoseconds for each operation, and the standard error of the
// steps to dispatch.
type performance struct {
	steps, ns [timedKinds]float64
	se        float64
}

// performAll goes through all operations with n events, and adds the events to the checksum as they
// leave. Times are drawn as they are needed, since a list of them would take half as much memory
// again.
func performAll(run *reproduce.Runner, n int, shuffled bool, sequence hash.Hash,
	progress func(float64)) (p performance) {
	s := reproduce.Must(static.New(static.Config{Buckets: n, Width: 1, Discipline: static.JustInTime, Capacity: n}))
	size := float64(n)
	r := random.New(run.Options.Seed, 0x62696c6c, uint64(n))
	schedule := func(i int) error { return s.Schedule(calendar.ID(i), float64(i)+0.5) }
	if shuffled {
		schedule = func(i int) error { return s.Schedule(calendar.ID(i), r.Float64()*size) }
	}
	passes := 0.0
	timed := func(kind int, do func(i int) error, after func()) static.Work {
		before, took := s.Work(), time.Duration(0)
		for from := 0; from < n; from += patience {
			run.Checkpoint()
			to, began := min(from+patience, n), time.Now()
			for i := from; i < to; i++ {
				run.FailOn(do(i))
			}
			took += time.Since(began)
			after()
			progress((passes + float64(to)/size) / 4)
		}
		passes++
		p.ns[kind] = float64(took.Nanoseconds()) / size
		return s.Work().Since(before)
	}
	nothing := func() {}
	timed(timedSchedule, schedule, nothing)
	w := timed(timedCancel, func(i int) error { s.Cancel(calendar.ID(i)); return nil }, nothing)
	p.steps[timedCancel] = float64(w.Traversed) / size
	w = timed(timedSchedule, schedule, nothing)
	// a ticket dropped, and entries passed, of which there are none
	p.steps[timedSchedule] = float64(uint64(n)+w.Traversed) / size
	left := make([]byte, 0, 4*patience) // the events of a block; the checksum is made while the clock stands
	w = timed(timedNext, func(int) error {
		id, _, ok := s.Next()
		if !ok {
			return errEmpty
		}
		left = binary.LittleEndian.AppendUint32(left, id)
		return nil
	}, func() {
		sequence.Write(left)
		left = left[:0]
	})
	// The bin of the last event is not left.
	p.steps[timedNext] = float64(w.EmptyBuckets+1+w.Traversed) / size
	// Comparisons for a bin with k tickets are about k(k−1)/2 for few, with a variance of that
	// order; E[k²(k−1)²]/4 = 7/4 at λ = 1. The bins beyond the last event, which are not passed,
	// are one or two.
	p.se = math.Sqrt(7.0 / 4 / size)
	return p
}

func billionChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Time to schedule an event, by the number of events", XLabel: "events", YLabel: "ns",
		LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "at random"}, {Name: "in sequence"}, {Name: "paper, at random", X: []float64{6e7, 1e9},
			Y: []float64{90, 180}}, {Name: "paper, in sequence", X: []float64{6e7, 1e9}, Y: []float64{30, 30}}}}
	for _, row := range t.Rows {
		c.Series[2-int(row[0])].Add(row[1], row[2])
	}
	return c
}
