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

// sequenceSays is with which widths of a cycle, Qw, events are said to leave in sequence.
type sequenceSays struct {
	example float64   // that of the calendar with two events
	printed []float64 // “the bins … can be any values”
	saved   []float64 // as corrected: widths of which all multiples are exact
}

// paperSequence is what the paper says, and the correction.
//
// In real numbers the algorithms are right. With floating point, Qt0 is a sum of Qw, each rounded.
// The edges drift, and an event may lie in a bin before that of an earlier event, or beyond the end
// of its cycle.
//
// What saves it is a width of few digits. Let 2^q be the last digit of Qw that is not 0, and all
// times below 2^(53+q): whole numbers for times below 2⁵³, as TW = 20 of the appendix, or 0.1
// rounded to a multiple of 2⁻²⁰ for times below 2³³.
//  1. Qt0 and Qt1 are multiples of Qw, without error.
//  2. te − Qt0 is exact: both are multiples of the distance d from te to the next number, and the
//     difference is at most te.
//  3. The quotient v = (te − Qt0)/Qw is rounded, to a unit that depends on the cycle. The phases of
//     two times differ by d/Qw or more. That is more than U/2, U being the unit of te/Qw, since a
//     unit is more than 2⁻⁵³ and at most 2⁻⁵² of its number. Let s ≤ L ≤ U be the units of the two.
//     The rounded phases are multiples of s, and the earlier exceeds the later by less than
//     (L + s)/2 − U/2 ≤ s/2, hence not at all. In the same way a quotient below a whole number is
//     not rounded to it.
//  4. Taking away the whole number is exact. The product with Qn is rounded once, which keeps
//     order, and stays below Qn: the largest phase is 1 − 2⁻⁵³, and Qn·2⁻⁵³ is more than half the
//     distance from Qn to the number below it.
//
// So in a cycle an earlier event lies in an earlier bin, or in the same, which is sorted; T < Qt1
// is decided without error; and an event that is scheduled at t or later is not in a bin that is
// passed.
var paperSequence = sequenceSays{example: 0.1, printed: []float64{0.1, 0.3, 0.7},
	saved: []float64{roundedTenth, 0.125, 1, 20, 365}}

// roundedTenth is 0.1, rounded to a multiple of 2⁻²⁰.
const roundedTenth = 104858.0 / (1 << 20)

// A workload is a kind of times at which events are scheduled.
type workload struct {
	name string
	// after returns a time after another one; width is that of a cycle, of so many bins
	after func(now, width float64, bins int, r *random.Stream) float64
}

// Times in decimals are those that a program reads from a table or rounds to a hundredth. Times at
// edges are those of bins, or next to them.
var workloads = []workload{
	{"times in hundredths of a cycle", func(now, width float64, _ int, r *random.Stream) float64 {
		tick := math.Round(now/width*100) + float64(1+r.Below(400))
		return tick * (width * 100) / 10_000
	}},
	{"times at the edges of bins", func(now, width float64, bins int, r *random.Stream) float64 {
		edge := math.Floor(now/width*float64(bins)) + float64(1+r.Below(uint64(4*bins)))
		at := edge / float64(bins) * width
		switch r.Below(3) {
		case 0:
			at = math.Nextafter(at, 0)
		case 1:
			at = math.Nextafter(at, math.Inf(1))
		}
		return max(at, now)
	}},
	{"exponential times", func(now, width float64, _ int, r *random.Stream) float64 { return now + 2*width*r.Exp() }},
}

// A disorder is how events left a calendar.
type disorder struct {
	dispatched int
	backwards  int     // events that are earlier than one that has left
	latest     float64 // how late the latest of them left, in cycles
	stopped    error   // the algorithm ended the program
}

// sequenceBins are Qn. They are no powers of two, since nothing depends on that.
const sequenceBins = 10

// measureSequence checks the claim with so many events dispatched for each width and workload.
func measureSequence(run *reproduce.Runner, says sequenceSays, events int) reproduce.Finding {
	var f reproduce.Finding
	example := sequenceExample(run, newPaperCalendar(2, sequenceBins, says.example))
	f.Check("events out of sequence, 0.7999999999999999 and 0.85", float64(example), 0, 0,
		"“precisely in sequence”; two events, so nothing is left to chance")
	corrected := f.For(reproduce.Corrected)
	table := reproduce.Table{Name: "Events that leave after a later one", Columns: []string{"Qw", "times (1 hundredths, " +
		"2 edges, 3 exponential)", "dispatched", "out of sequence", "latest, in cycles", "ended by the algorithm (1 yes)"}}
	outOf := func(width float64) (total int) {
		for i, load := range workloads {
			d := disorderOf(run, newPaperCalendar(100, sequenceBins, width), load, events)
			table.Rows = append(table.Rows, []float64{width, float64(i + 1), float64(d.dispatched), float64(d.backwards),
				d.latest, yes(d.stopped != nil)})
			total += d.backwards
		}
		return total
	}
	all := len(says.printed) + len(says.saved)
	for i, width := range says.printed {
		f.Check(fmt.Sprintf("events out of sequence, Qw = %g", width), float64(outOf(width)), 0, 0,
			"“precisely in sequence”, and “any values”: not one of them")
		run.Options.ReportProgress(float64(i+1) / float64(all+1))
	}
	for i, width := range says.saved {
		corrected.Check(fmt.Sprintf("events out of sequence, Qw = %.8g, edges exact", width), float64(outOf(width)), 0, 0,
			"an earlier event is then never in a later bin: see the proof in the notes")
		run.Options.ReportProgress(float64(len(says.printed)+i+1) / float64(all+1))
	}
	f.Tables = append(f.Tables, table)
	corrected.Check("events out of sequence, Qw = 0.1 and whole days as in Static",
		float64(staticDisorder(run, events)), 0, 0, "the number of a day is a whole number, so that no edge is added up")
	f.Chart("backwards", sequenceChart(table, says))
	noteSequence(&f, says, table)
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
	last := math.Inf(-1)
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
	const width, n = 0.1, 100
	for _, load := range workloads {
		s := reproduce.Must(static.New(static.Config{Buckets: sequenceBins, Width: width / sequenceBins,
			Discipline: static.JustInTime, Capacity: n}))
		r := random.New(run.Options.Seed, 0x73746174, uint64(len(load.name)))
		forEach(run, n, func(i int) error {
			return s.Schedule(calendar.ID(i), load.after(0, width, sequenceBins, &r))
		})
		last := math.Inf(-1)
		forEach(run, events, func(int) error {
			id, at, ok := s.Next()
			if !ok {
				return errEmpty
			}
			backwards += reproduce.Above(last, at)
			last = at
			return s.Schedule(id, load.after(at, width, sequenceBins, &r))
		})
	}
	return backwards
}

func noteSequence(f *reproduce.Finding, says sequenceSays, t reproduce.Table) {
	worst, exact := t.Rows[0], 0.0
	for _, row := range t.Rows {
		if slices.Contains(says.saved, row[0]) {
			exact += row[2]
		}
		if row[3]/row[2] > worst[3]/worst[2] {
			worst = row
		}
	}
	f.Measured = fmt.Sprintf("With Qw = 0.1 and Qn = 10, of events at 0.7999999999999999 and 0.85 the later leaves "+
		"first. With Qw = %g, %.0f of %.0f events at the edges of bins leave after a later one, up to %.2f cycles late, "+
		"until the algorithm writes outside its array; if all edges are exact, as with Qw = 20, none of %.0f does.",
		worst[0], worst[3], worst[2], worst[4], exact)
	f.Notes = append(f.Notes,
		"Why: 0.1 added up eight times is 0.7999999999999999. Cycle 8 begins there, and the event at that time, which was "+
			"put into the last bin of cycle 7, is not before the end of cycle 7. It leaves in the last bin of cycle 8, after "+
			"0.85.",
		"What saves it: a width Qw of few binary digits, so that every multiple of it that occurs is exact: a whole number, "+
			"as TW = 20 in the appendix, or 0.1 rounded to a multiple of 2⁻²⁰. The proof is in reproduce/lehman/sequence.go. "+
			"Nothing is needed of Qn. Static counts days in whole numbers, and needs nothing of Qw either.",
		"An event that leaves late takes the clock back before Qt0. An event that is then scheduled before Qt0 has a "+
			"negative phase, and Algorithm 1 writes to a bin with a negative number.",
		"Random times with 53 digits hardly ever meet an edge. Times that are rounded to days or hundredths do.",
		"The authors know of rounding: Algorithm 2 looks into the bins beside (see lehman-adjacent-bins). Algorithm 3 does "+
			"not.")
}

func sequenceChart(t reproduce.Table, says sequenceSays) plot.Chart {
	c := plot.Chart{Title: "Events that leave after a later one", XLabel: "Qw", YLabel: "per cent of all events",
		LogX: true, FromZero: true, LegendBeside: true}
	for i, load := range workloads {
		for _, kind := range []struct {
			name   string
			widths []float64
		}{{load.name, says.printed}, {load.name + ", edges exact", says.saved}} {
			s := plot.Series{Name: kind.name, Points: true, Triangles: len(kind.name) > len(load.name)}
			for _, width := range kind.widths {
				for _, row := range t.Rows {
					if row[0] == width && row[1] == float64(i+1) {
						s.Add(width, 100*row[3]/row[2])
					}
				}
			}
			c.Series = append(c.Series, s)
		}
	}
	return c
}
