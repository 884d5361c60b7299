package lehman

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// orderSays is what is said of the work by the number of events.
type orderSays struct {
	growth func(n float64) float64 // the work with n events is in proportion to it
	cancel float64                 // entries looked at to cancel an event, from theory
}

// paperOrder is Order 1. In the hold model with exponential jumps of mean 1, N bins of width 1/N
// and the time in a year's phase u ahead, events of all years make a Poisson number of mean a(u) =
// Σ e^(−u−y) = e^(−u)/(1−1/e) in a bin. The bin of a random event is at u with density a(u), and
// half of the others in it lie above: 1 + ½∫a² = 1 + ¼·coth(½) entries are looked at.
var paperOrder = orderSays{growth: func(float64) float64 { return 1 }, cancel: 1 + 0.25/math.Tanh(0.5)}

// orderTerm is what may be added for n events in place of very many. Two things differ. An event
// comes back to the bin it has just left with probability 1−e^(−1/n) < 1/n. And the number in a bin
// at its turn is binomial where the limit is Poisson; both have mean 1/(1−1/e) = 1.58, for later
// years' events are there too, and are within 1.58/n of each other (Le Cam). Either way one event
// makes a difference of at most a look at the bin and a comparison with each other event in it, of
// which there are ten or more in one bin of a hundred thousand only: 2.58 × 11 < 30.
func orderTerm(n int) float64 { return 30 / float64(n) }

// measureOrder1 checks the claim for some numbers of events, the largest last.
func measureOrder1(run *reproduce.Runner, says orderSays, sizes []int, batches int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{
		Name: "Work for an event, one bin an event",
		Columns: []string{"events", "empty buckets", "list entries", "both", "SE", "entries to cancel", "SE",
			"entries moved by Queue"},
	}
	total, done := 0.0, 0.0
	for _, n := range sizes {
		total += float64(max(n, 10_000))
	}
	for _, n := range sizes {
		w := holdWork(run, n, n, 1, static.JustInTime, batches)
		cancel := holdCancel(run, n, batches)
		moved := holdMoved(run, n)
		table.Rows = append(table.Rows, []float64{float64(n), w.empty, w.entries, w.both.Mean, w.both.SE, cancel.Mean,
			cancel.SE, moved})
		done += float64(max(n, 10_000))
		run.Options.ReportProgress(done / total)
	}
	f.Tables = append(f.Tables, table)
	f.Chart("work", orderChart(table))
	compareOrder(&f, table, says)
	return f
}

// compareOrder compares all sizes with the largest.
func compareOrder(f *reproduce.Finding, t reproduce.Table, says orderSays) {
	first, last := t.Rows[0], t.Rows[len(t.Rows)-1]
	least, most := math.Inf(1), 0.0
	for i, row := range t.Rows {
		n := int(row[0])
		least, most = min(least, row[7]), max(most, row[7])
		if grown := says.growth(last[0]) / says.growth(row[0]); i < len(t.Rows)-1 {
			f.Check(fmt.Sprintf("finding the next, %.0f events against %d", last[0], n), last[3], grown*row[3],
				reproduce.Sigmas*math.Hypot(row[4], last[4])+orderTerm(n),
				"4.5 standard errors of both, from batches; and 30/N, since with few events one may return to the bin it left, "+
					"and bins fill by the binomial law and not Poisson's")
			f.Check(fmt.Sprintf("cancelling, %.0f events against %d", last[0], n), last[5], grown*row[5],
				reproduce.Sigmas*math.Hypot(row[6], last[6])+1/float64(n),
				"4.5 standard errors of both, from batches; and 1/N, since an event does not share a bin with itself")
		}
		f.For(reproduce.Control).Check(fmt.Sprintf("empty buckets for an event, %d events", n), row[1], 1,
			reproduce.Sigmas*row[4],
			"1/x whatever N is (Erickson et al., equation 8): the clock goes one bin forward for an event, on average; 4.5 "+
				"standard errors of all the work, of which this is part")
		f.For(reproduce.Control).Check(fmt.Sprintf("entries to cancel, %d events", n), row[5], says.cancel,
			reproduce.Sigmas*row[6]+1/float64(n),
			"1 + coth(1/2)/4 from the hold model's law; 4.5 standard errors, and 1/N, since an event does not share a bin "+
				"with itself")
	}
	f.Measured = fmt.Sprintf("Finding the next event takes %.2f steps with %s events and %.2f with %s; cancelling one "+
		"looks at %.2f entries and at %.2f (in theory 1 + coth(½)/4 = %.2f); adding one is a single step.",
		first[3], scientific(first[0]), last[3], scientific(last[0]), first[5], last[5], says.cancel)
	f.Notes = append(f.Notes,
		fmt.Sprintf("A structure of Order log N would take %.1f times as many steps with %.0f events as with %.0f.",
			math.Log(last[0])/math.Log(first[0]), last[0], first[0]),
		fmt.Sprintf("The self-tuning Queue, which is told neither the number nor the width, moves an entry %.2f to %.2f "+
			"times for each event dispatched.", least, most))
}

// holdCancel counts the entries that cancelling a random event looks at in the hold model. It is
// scheduled anew by the same law, which leaves the law of all pending events as it is.
func holdCancel(run *reproduce.Runner, n, batches int) reproduce.Estimate {
	s := reproduce.Must(static.New(static.Config{Buckets: n, Width: 1 / float64(n), Discipline: static.JustInTime,
		Capacity: n}))
	r := random.New(run.Options.Seed, 0x63616e63, uint64(n))
	fillHold(run, s, n, &r)
	// Half of all events jump between batches and half are cancelled in one, so that of two that
	// share a bin one in seven still do in the next batch: batches are nearly independent.
	ops := max(n/2, 10_000)
	each := make([]float64, batches)
	for i := range each {
		runHold(run, s, n/2, &r)
		before := s.Work()
		forEach(run, ops, func(int) error {
			id := calendar.ID(r.Below(uint64(n)))
			s.Cancel(id)
			return s.Schedule(id, s.Now()+r.Exp())
		})
		each[i] = float64(s.Work().Since(before).Traversed) / float64(ops)
	}
	return reproduce.Mean(each)
}

// holdMoved counts how often Queue moves an entry for each event in the hold model.
func holdMoved(run *reproduce.Runner, n int) float64 {
	q := calendar.New(calendar.Capacity(n))
	r := random.New(run.Options.Seed, 0x6d6f7665, uint64(n))
	fillHold(run, q, n, &r)
	// Whole jumps of everybody: work comes in waves, when a bucket is opened.
	ops := max(10*n, 100_000)
	before := q.Stats().Moved
	runHold(run, q, ops, &r)
	return float64(q.Stats().Moved-before) / float64(ops)
}

func orderChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Steps by the number of events", XLabel: "events", YLabel: "steps",
		LogX: true, FromZero: true, LegendBeside: true}
	for _, of := range []struct {
		name     string
		mean, se int
	}{{"find the next", 3, 4}, {"cancel", 5, 6}} {
		s := plot.Series{Name: of.name}
		for _, row := range t.Rows {
			s.Add(row[0], row[of.mean])
			s.Low, s.High = append(s.Low, row[of.mean]-reproduce.Sigmas*row[of.se]),
				append(s.High, row[of.mean]+reproduce.Sigmas*row[of.se])
		}
		c.Series = append(c.Series, s)
	}
	moved := plot.Series{Name: "entries moved by Queue"}
	for _, row := range t.Rows {
		moved.Add(row[0], row[7])
	}
	c.Series = append(c.Series, moved)
	return c
}
