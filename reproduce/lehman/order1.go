package lehman

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

func order1() reproduce.Claim {
	return reproduce.Claim{
		Name:  "lehman-order-1",
		Paper: paper,
		Place: "sections 1 and 4.3",
		Says: "Adding an event, cancelling one, or finding the next is the same whether the schedule contains 100 events or 100 million, " +
			"by maintaining at least as many bins as there are events.",
		How: "Hold model with exponential jumps, one bin an event, all bins together as wide as the mean jump, just-in-time sorting: the empty " +
			"buckets and list entries that finding the next event takes are counted for several numbers of events, and the entries looked at to cancel a random one; " +
			"adding one is a single step in the algorithm. All sizes are compared with the largest.",
		Found: reproduce.Holds,
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			sizes := []int{100, 1_000, 10_000, 100_000}
			if o.Full {
				sizes = append(sizes, 1_000_000)
			}
			return measureOrder1(ctx, o, paperOrder, sizes, 20)
		},
	}
}

// orderSays is what is said of the work by the number of events.
type orderSays struct {
	growth func(n float64) float64 // the work with n events is in proportion to it
	cancel float64                 // entries looked at to cancel an event, from theory
}

// paperOrder is Order 1. In the hold model with exponential jumps of mean 1, N bins of width 1/N and the time in a year's phase u ahead, events of all
// years make a Poisson number of mean a(u) = Σ e^(−u−y) = e^(−u)/(1−1/e) in a bin. The bin of a random event is at u with density a(u), and half of
// the others in it lie above: 1 + ½∫a² = 1 + ¼·coth(½) entries are looked at.
var paperOrder = orderSays{growth: func(float64) float64 { return 1 }, cancel: 1 + 0.25/math.Tanh(0.5)}

// orderTerm is what may be added for n events in place of very many. Two things differ. An event comes back to the bin it has just
// left with probability 1−e^(−1/n) < 1/n. And the number in a bin at its turn is binomial where the limit is Poisson; both have
// mean 1/(1−1/e) = 1.58, for later years' events are there too, and are within 1.58/n of each other (Le Cam). Either way
// one event makes a difference of at most a look at the bin and a comparison with each other event in it, of which there are ten
// or more in one bin of a hundred thousand only: 2.58 × 11 < 30.
func orderTerm(n int) float64 { return 30 / float64(n) }

// measureOrder1 checks the claim for some numbers of events, the largest last.
func measureOrder1(ctx context.Context, o reproduce.Options, says orderSays, sizes []int, batches int) (reproduce.Finding, error) {
	var f reproduce.Finding
	table := reproduce.Table{
		Name:    "Work for an event, one bin an event",
		Columns: []string{"events", "empty buckets", "list entries", "both", "SE", "entries to cancel", "SE", "entries moved by Queue"},
	}
	total, done := 0.0, 0.0
	for _, n := range sizes {
		total += float64(max(n, 10_000))
	}
	for _, n := range sizes {
		w, err := holdWork(ctx, o, n, n, 1, calendar.JustInTime, batches)
		if err != nil {
			return f, err
		}
		cancel, err := holdCancel(ctx, o, n, batches)
		if err != nil {
			return f, err
		}
		moved, err := holdMoved(ctx, o, n)
		if err != nil {
			return f, err
		}
		table.Rows = append(table.Rows, []float64{float64(n), w.empty, w.entries, w.both.Mean, w.both.SE, cancel.Mean, cancel.SE, moved})
		done += float64(max(n, 10_000))
		o.ReportProgress(done / total)
	}
	f.Tables = append(f.Tables, table)
	f.Chart("work", orderChart(table))
	compareOrder(&f, table, says)
	return f, nil
}

// compareOrder compares all sizes with the largest.
func compareOrder(f *reproduce.Finding, t reproduce.Table, says orderSays) {
	first, last := t.Rows[0], t.Rows[len(t.Rows)-1]
	least, most := math.Inf(1), 0.0
	for i, row := range t.Rows {
		n := int(row[0])
		least, most = min(least, row[7]), max(most, row[7])
		if grown := says.growth(last[0]) / says.growth(row[0]); i < len(t.Rows)-1 {
			f.Check(fmt.Sprintf("finding the next, %.0f events against %d", last[0], n), last[3], grown*row[3], reproduce.Sigmas*math.Hypot(row[4], last[4])+orderTerm(n),
				"4.5 standard errors of both, from batches; and 30/N, since with few events one may return to the bin it left, and bins fill by the binomial law and not Poisson's")
			f.Check(fmt.Sprintf("cancelling, %.0f events against %d", last[0], n), last[5], grown*row[5], reproduce.Sigmas*math.Hypot(row[6], last[6])+1/float64(n),
				"4.5 standard errors of both, from batches; and 1/N, since an event does not share a bin with itself")
		}
		f.For(reproduce.Control).Check(fmt.Sprintf("empty buckets for an event, %d events", n), row[1], 1, reproduce.Sigmas*row[4],
			"1/x whatever N is (Erickson et al., equation 8): the clock goes one bin forward for an event, on average; 4.5 standard errors of all the work, of which this is part")
		f.For(reproduce.Control).Check(fmt.Sprintf("entries to cancel, %d events", n), row[5], says.cancel, reproduce.Sigmas*row[6]+1/float64(n),
			"1 + coth(1/2)/4 from the hold model's law; 4.5 standard errors, and 1/N, since an event does not share a bin with itself")
	}
	f.Measured = fmt.Sprintf("Finding the next event takes %.2f steps with %s events and %.2f with %s; cancelling one looks at %.2f entries and at %.2f (in theory 1 + coth(½)/4 = %.2f); adding one is a single step.",
		first[3], scientific(first[0]), last[3], scientific(last[0]), first[5], last[5], says.cancel)
	f.Notes = append(f.Notes,
		fmt.Sprintf("A structure of Order log N would take %.1f times as many steps with %.0f events as with %.0f.", math.Log(last[0])/math.Log(first[0]), last[0], first[0]),
		fmt.Sprintf("The self-tuning Queue, which is told neither the number nor the width, moves an entry %.2f to %.2f times for each event dispatched.", least, most))
}

// holdCancel counts the entries that cancelling a random event looks at in the hold model. It is scheduled anew by the same law, which leaves the
// law of all pending events as it is.
func holdCancel(ctx context.Context, o reproduce.Options, n, batches int) (reproduce.Estimate, error) {
	s, err := calendar.NewStatic(calendar.StaticConfig{Buckets: n, Width: 1 / float64(n), Discipline: calendar.JustInTime, Capacity: n})
	if err != nil {
		return reproduce.Estimate{}, err
	}
	r := random.New(o.Seed, 0x63616e63, uint64(n))
	if err := fillHold(ctx, s, n, &r); err != nil {
		return reproduce.Estimate{}, err
	}
	// Half of all events jump between batches and half are cancelled in one, so that of two that share a bin one in seven still do in the next
	// batch: batches are nearly independent.
	ops := max(n/2, 10_000)
	each := make([]float64, batches)
	for i := range each {
		if err := runHold(ctx, s, n/2, &r); err != nil {
			return reproduce.Estimate{}, err
		}
		before := s.Work()
		err := forEach(ctx, ops, func(int) error {
			id := calendar.ID(r.Below(uint64(n)))
			s.Cancel(id)
			return s.Schedule(id, s.Now()+r.Exp())
		})
		if err != nil {
			return reproduce.Estimate{}, err
		}
		each[i] = float64(s.Work().Since(before).Traversed) / float64(ops)
	}
	return reproduce.Mean(each), nil
}

// holdMoved counts how often Queue moves an entry for each event in the hold model.
func holdMoved(ctx context.Context, o reproduce.Options, n int) (float64, error) {
	q := calendar.New(calendar.Capacity(n))
	r := random.New(o.Seed, 0x6d6f7665, uint64(n))
	if err := fillHold(ctx, q, n, &r); err != nil {
		return 0, err
	}
	// Whole jumps of everybody: work comes in waves, when a bucket is opened.
	ops := max(10*n, 100_000)
	before := q.Stats().Moved
	if err := runHold(ctx, q, ops, &r); err != nil {
		return 0, err
	}
	return float64(q.Stats().Moved-before) / float64(ops), nil
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
			s.Low, s.High = append(s.Low, row[of.mean]-reproduce.Sigmas*row[of.se]), append(s.High, row[of.mean]+reproduce.Sigmas*row[of.se])
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
