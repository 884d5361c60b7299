package lehman

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// A shape is the width of a cycle, Qw, and its number of bins, Qn.
type shape struct {
	width float64
	bins  int
}

func (s shape) String() string { return fmt.Sprintf("Qw = %.8g, Qn = %d", s.width, s.bins) }

// sequenceSays is with which cycles events are said to leave in sequence.
type sequenceSays struct {
	example, again           shape   // those of the calendars with two events, and with three
	printed, printedSameTime []shape // “the bins … can be any values”; new events may be at the time of the last
	saved                    []shape // as corrected: multiples of Qw are exact, and new events are later than the last
	savedSameTime            []shape // and if they need not be later: Qn is a power of two, multiples of Qw/Qn are exact
}

// paperSequence is what the paper says, and the correction.
//
// In real numbers the algorithms are right. With floating point, Qt0 is a sum of Qw, each rounded.
// The edges drift, and an event may lie in a bin before that of an earlier event, or beyond the end
// of its cycle. And one time may get two bins, since the quotient is rounded more coarsely some
// cycles ahead: an event that is scheduled at the time t of the last may lie in a bin that is
// passed.
//
// What saves it for new events later than t is a width of few digits. Let 2^q be the last digit of
// Qw that is not 0, and all times below 2^(53+q): whole numbers for times below 2⁵³, as TW = 20 of
// the appendix, or 0.1 rounded to a multiple of 2⁻²⁰ for times below 2³³.
//  1. Qt0 and Qt1 are multiples of Qw, without error.
//  2. te − Qt0 is exact: both are multiples of the distance d from te to the next number, and the
//     difference is at most te.
//  3. The quotient v = (te − Qt0)/Qw is rounded, to a unit that depends on the cycle. The phases of
//     two different times differ by d/Qw or more. That is more than U/2, U being the unit of te/Qw,
//     since a unit is more than 2⁻⁵³ and at most 2⁻⁵² of its number. Let s ≤ L ≤ U be the units of
//     the two. The rounded phases are multiples of s, and the earlier exceeds the later by less
//     than (L + s)/2 − U/2 ≤ s/2, hence not at all. In the same way a quotient below a whole number
//     is not rounded to it.
//  4. Taking away the whole number is exact. The product with Qn is rounded once, which keeps
//     order, and stays below Qn: the largest phase is 1 − 2⁻⁵³, and Qn·2⁻⁵³ is more than half the
//     distance from Qn to the number below it.
//
// So in a cycle an earlier event lies in an earlier bin, or in the same, which is sorted; T < Qt1
// is decided without error; and an event that is scheduled later than t is not in a bin that is
// passed. Two events at one time may lie in two bins, but between them is nothing of another time.
//
// What saves it for new events at t too: Qn = 2^k besides, and times below 2^(53+q−k), so that the
// multiples of Qw/Qn are exact. Then Qn·v is rounded as the quotient by Qw/Qn would be. As in 3, a
// quotient below a whole number is not rounded to it, so that the bin is that of real numbers:
// ⌊te/(Qw/Qn)⌋ modulo Qn, whenever the event is scheduled.
var paperSequence = sequenceSays{
	example:         shape{0.1, 10},
	again:           shape{20, 100},
	printed:         []shape{{0.1, 10}, {0.3, 10}, {0.7, 10}},
	printedSameTime: []shape{{20, 100}, {49, 49}},
	saved:           []shape{{roundedTenth, 10}, {0.125, 10}, {1, 10}, {20, 100}, {49, 49}, {365, 10}},
	savedSameTime:   []shape{{roundedTenth, 16}, {0.125, 8}, {1, 16}, {20, 128}, {49, 64}, {365, 512}},
}

// roundedTenth is 0.1, rounded to a multiple of 2⁻²⁰.
const roundedTenth = 104858.0 / (1 << 20)

// A workload is a kind of times at which events are scheduled.
type workload struct {
	name string
	// after returns a time after another one; width is that of a cycle, of so many bins
	after func(now, width float64, bins int, r *random.Stream) float64
}

// Times in decimals are those that a program reads from a table or rounds to a hundredth. Times at
// edges are those of bins, or next to them. All are later than now.
var workloads = []workload{
	{"times in hundredths of a cycle", func(now, width float64, _ int, r *random.Stream) float64 {
		tick := math.Round(now/width*100) + float64(1+r.Below(400))
		return later(now, tick*(width*100)/10_000)
	}},
	{"times at the edges of bins", func(now, width float64, bins int, r *random.Stream) float64 {
		return later(now, edge(now, width, bins, r))
	}},
	{"exponential times", func(now, width float64, _ int, r *random.Stream) float64 {
		return later(now, now+2*width*r.Exp())
	}},
}

// sameTime has every other event at the time of the one that was last dispatched, as Algorithm 1
// allows.
var sameTime = workload{"edges, or the time of the last event", func(now, width float64, bins int,
	r *random.Stream) float64 {
	if r.Below(2) == 0 {
		return now
	}
	return max(now, edge(now, width, bins, r))
}}

// later is a time, or the first after now.
func later(now, at float64) float64 { return max(at, math.Nextafter(now, math.Inf(1))) }

// edge is one of a bin in the next four cycles or next to it.
func edge(now, width float64, bins int, r *random.Stream) float64 {
	at := (math.Floor(now/width*float64(bins)) + float64(1+r.Below(uint64(4*bins)))) / float64(bins) * width
	switch r.Below(3) {
	case 0:
		return math.Nextafter(at, 0)
	case 1:
		return math.Nextafter(at, math.Inf(1))
	}
	return at
}

// A disorder is how events left a calendar.
type disorder struct {
	dispatched int
	backwards  int     // events that are earlier than one that has left
	latest     float64 // how late the latest of them left, in cycles
	stopped    error   // the algorithm ended the program
}

// measureSequence checks the claim with so many events dispatched for each cycle and workload.
func measureSequence(run *reproduce.Runner, says sequenceSays, events int) reproduce.Finding {
	var f reproduce.Finding
	example := sequenceExample(run, newPaperCalendar(2, says.example.bins, says.example.width))
	f.Check("events out of sequence, 0.7999999999999999 and 0.85", float64(example), 0, 0,
		"“precisely in sequence”; two events, so nothing is left to chance")
	again := sameTimeExample(run, newPaperCalendar(2, says.again.bins, says.again.width))
	f.Check("events out of sequence, 20.2, 25, and 20.2 again", float64(again), 0, 0,
		"“precisely in sequence”, and Algorithm 1 allows the time of the last event; nothing is left to chance")
	table := reproduce.Table{Name: "Events that leave after a later one", Columns: []string{"Qw", "Qn", "times (1 " +
		"hundredths, 2 edges, 3 exponential, 4 edges or that of the last)", "dispatched", "out of sequence",
		"latest, in cycles", "ended by the algorithm (1 yes)", "as corrected (1 yes)"}}
	parts := []struct {
		kind    reproduce.Kind
		shapes  []shape
		loads   []workload
		first   int // the number of the first load in the table
		what    string
		because string
	}{
		{reproduce.Printed, says.printed, workloads, 1, "%v",
			"“precisely in sequence”, and “any values”: not one of them"},
		{reproduce.Printed, says.printedSameTime, []workload{sameTime}, 4, "%v, some at the time of the last",
			"“precisely in sequence”, and “any values”: not one of them"},
		{reproduce.Corrected, says.saved, workloads, 1, "%v, multiples of Qw exact, all later than the last",
			"an earlier event is then never in a later bin: see the proof in the notes"},
		{reproduce.Corrected, says.savedSameTime, append(slices.Clip(workloads), sameTime), 1,
			"%v, multiples of Qw/Qn exact, some at the time of the last",
			"the bin is then that of real numbers: see the proof in the notes"},
	}
	all, done := 0, 0
	for _, part := range parts {
		all += len(part.shapes)
	}
	for _, part := range parts {
		for _, s := range part.shapes {
			total := 0
			for i, load := range part.loads {
				d := disorderOf(run, newPaperCalendar(100, s.bins, s.width), load, events)
				table.Rows = append(table.Rows, []float64{s.width, float64(s.bins), float64(part.first + i),
					float64(d.dispatched), float64(d.backwards), d.latest, yes(d.stopped != nil),
					yes(part.kind == reproduce.Corrected)})
				total += d.backwards
			}
			f.For(part.kind).Check("events out of sequence, "+fmt.Sprintf(part.what, s), float64(total), 0, 0, part.because)
			done++
			run.Options.ReportProgress(float64(done) / float64(all+1))
		}
	}
	f.Tables = append(f.Tables, table)
	f.For(reproduce.Corrected).Check("events out of sequence, Qw = 0.1 and whole days as in Static",
		float64(staticDisorder(run, events)), 0, 0, "the number of a day is a whole number, so that no edge is added up")
	f.Chart("backwards", sequenceChart(table))
	noteSequence(&f, table)
	return f
}

// sequenceExample has two events in a calendar with Qw = 0.1, and counts those that leave after a
// later one.
//
// Qt0 is 0 when they are scheduled: 0.7999999999999999 is in cycle 7, bin 9, and 0.85 in cycle 8,
// bin 5. But 0.1 added up eight times is 0.7999999999999999, so that cycle 8 begins there: the
// first event is not before Qt1 in cycle 7, and in cycle 8 bin 5 comes before bin 9.
func sequenceExample(run *reproduce.Runner, c *paperCalendar) (backwards int) {
	run.FailOn(c.schedule(1, 0.7999999999999999))
	run.FailOn(c.schedule(2, 0.85))
	return drainBackwards(c, math.Inf(-1))
}

// sameTimeExample has two events in a calendar with Qw = 20 and Qn = 100, dispatches the first and
// schedules it again at the time that it is. It counts the events that leave after a later one.
//
// 20.2/20 is rounded to 1.01, and 100 times its phase is 1.0000000000000009: bin 1. In the second
// cycle Qt0 is 20 and (20.2 − 20)/20 is 0.009999999999999964: bin 0, which is passed.
func sameTimeExample(run *reproduce.Runner, c *paperCalendar) (backwards int) {
	run.FailOn(c.schedule(1, 20.2))
	run.FailOn(c.schedule(2, 25))
	first := c.dispatch()
	run.FailOn(c.schedule(first, c.now))
	return drainBackwards(c, c.now)
}

// drainBackwards dispatches all events, and counts those that are earlier than one before them.
func drainBackwards(c *paperCalendar, last float64) (backwards int) {
	for n := c.dispatch(); n != 0; n = c.dispatch() {
		backwards += reproduce.Above(last, c.now)
		last = max(last, c.now)
	}
	return backwards
}

// disorderOf dispatches events, each of which is scheduled again at a time of the workload.
func disorderOf(run *reproduce.Runner, c *paperCalendar, load workload, events int) (d disorder) {
	r := random.New(run.Options.Seed, 0x73657175, math.Float64bits(c.width), uint64(len(load.name)))
	n := len(c.links) - 1
	forEach(run, n, func(i int) error {
		return c.schedule(int32(i+1), load.after(0, c.width, len(c.heads), &r))
	})
	last := math.Inf(-1)
	for ; d.dispatched < events; d.dispatched++ {
		run.CheckpointEvery(patience, d.dispatched)
		id := c.dispatch()
		if c.now < last {
			d.backwards++
			d.latest = max(d.latest, (last-c.now)/c.width)
		}
		last = max(last, c.now)
		if d.stopped = c.schedule(id, load.after(c.now, c.width, len(c.heads), &r)); d.stopped != nil {
			if !errors.Is(d.stopped, errOutside) && !errors.Is(d.stopped, errPaper) {
				run.FailOn(d.stopped)
			}
			break
		}
	}
	return d
}

// yes is 1 in a table, and no is 0.
func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// staticDisorder counts events out of sequence in Static with Qw = 0.1, over all workloads.
func staticDisorder(run *reproduce.Runner, events int) (backwards int) {
	const width, bins, n = 0.1, 10, 100
	for _, load := range append(slices.Clip(workloads), sameTime) {
		s := reproduce.Must(static.New(static.Config{Buckets: bins, Width: width / bins,
			Discipline: static.JustInTime, Capacity: n}))
		r := random.New(run.Options.Seed, 0x73746174, uint64(len(load.name)))
		forEach(run, n, func(i int) error {
			return s.Schedule(calendar.ID(i), load.after(0, width, bins, &r))
		})
		last := math.Inf(-1)
		forEach(run, events, func(int) error {
			id, at, ok := s.Next()
			if !ok {
				return errEmpty
			}
			backwards += reproduce.Above(last, at)
			last = at
			return s.Schedule(id, load.after(at, width, bins, &r))
		})
	}
	return backwards
}

func noteSequence(f *reproduce.Finding, t reproduce.Table) {
	worst, exact := t.Rows[0], 0.0
	for _, row := range t.Rows {
		exact += row[7] * row[3]
		if row[4]/row[3] > worst[4]/worst[3] {
			worst = row
		}
	}
	f.Measured = fmt.Sprintf("With Qw = 0.1 and Qn = 10, of events at 0.7999999999999999 and 0.85 the later leaves "+
		"first; with Qw = 20 and Qn = 100, 25 leaves before an event at 20.2 that is scheduled at 20.2. With Qw = %g, "+
		"%.0f of %.0f events at the edges of bins leave after a later one, up to %.2f cycles late, until the algorithm "+
		"writes outside its array; under the conditions of the correction none of %.0f does.",
		worst[0], worst[4], worst[3], worst[5], exact)
	f.Notes = append(f.Notes,
		"Why: 0.1 added up eight times is 0.7999999999999999. Cycle 8 begins there, and the event at that time, which was "+
			"put into the last bin of cycle 7, is not before the end of cycle 7. It leaves in the last bin of cycle 8, after "+
			"0.85.",
		"And one time may have two bins, since a quotient is rounded more coarsely some cycles ahead. With Qw = 20 and Qn "+
			"= 100, 20.2 is in bin 1 if it is scheduled at the start, and in bin 0 if it is scheduled at 20.2, when bin 1 is "+
			"the current one. Algorithm 1 allows an event at the time of the last.",
		"The correction: it holds if the multiples of Qw are exact and every new event is later than the one last "+
			"dispatched; if it may be at the same time, Qn must also be a power of two and the multiples of Qw/Qn exact. "+
			"Multiples are exact if a width has few binary digits: a whole number, as TW = 20 in the appendix, or 0.1 "+
			"rounded to a multiple of 2⁻²⁰. The proof is in reproduce/lehman/sequence.go. Static computes the number of a "+
			"day from the time alone, and needs nothing of Qw or Qn.",
		"An event that leaves late takes the clock back before Qt0. An event that is then scheduled before Qt0 has a "+
			"negative phase, and Algorithm 1 writes to a bin with a negative number.",
		"Random times with 53 digits hardly ever meet an edge. Times that are rounded to days or hundredths do.",
		"The authors know of rounding: Algorithm 2 looks into the bins beside (see lehman-adjacent-bins). Algorithm 3 does "+
			"not.")
}

func sequenceChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Events that leave after a later one", XLabel: "Qw", YLabel: "per cent of all events",
		LogX: true, FromZero: true, LegendBeside: true}
	for i, load := range append(slices.Clip(workloads), sameTime) {
		for corrected, name := range []string{load.name, load.name + ", as corrected"} {
			s := plot.Series{Name: name, Points: true, Triangles: corrected == 1}
			for _, row := range t.Rows {
				if row[2] == float64(i+1) && row[7] == float64(corrected) {
					s.Add(row[0], 100*row[4]/row[3])
				}
			}
			c.Series = append(c.Series, s)
		}
	}
	return c
}
