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
		Place: "sections 1 and 4.3", Found: reproduce.Holds,
		Says: "Adding an event, cancelling one, or finding the next is the same whether the schedule contains 100 events or 100 million, " +
			"by maintaining at least as many bins as there are events.",
		How: "Hold model with exponential jumps, one bin an event, all bins together as wide as the mean jump, just-in-time sorting: the empty " +
			"buckets and list entries that an event takes are counted for several numbers of events, and compared with the largest.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			sizes := []int{100, 1_000, 10_000, 100_000}
			if o.Full {
				sizes = append(sizes, 1_000_000)
			}
			return measureOrder1(ctx, o, sizes, 20)
		},
	}
}

// orderTerm is what may be added for n events in place of very many. Two things differ. An event comes back to the bin it has just
// left with probability 1−e^(−1/n) < 1/n. And the number in a bin at its turn is binomial where the limit is Poisson; both have
// mean 1/(1−1/e) = 1.58, for later years' events are there too, and are within 1.58/n of each other (Le Cam). Either way
// one event makes a difference of at most a look at the bin and a comparison with each other event in it, of which there are ten
// or more in one bin of a hundred thousand only: 2.58 × 11 < 30.
func orderTerm(n int) float64 { return 30 / float64(n) }

// measureOrder1 checks the claim for some numbers of events, the largest last.
func measureOrder1(ctx context.Context, o reproduce.Options, sizes []int, batches int) (reproduce.Finding, error) {
	var f reproduce.Finding
	table := reproduce.Table{
		Name:    "Work for an event, one bin an event",
		Columns: []string{"events", "empty buckets", "list entries", "both", "SE", "entries moved by Queue"},
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
		moved, err := holdMoved(ctx, o, n)
		if err != nil {
			return f, err
		}
		table.Rows = append(table.Rows, []float64{float64(n), w.empty, w.entries, w.both.Mean, w.both.SE, moved})
		done += float64(max(n, 10_000))
		o.ReportProgress(done / total)
	}
	f.Tables = append(f.Tables, table)
	f.Chart("work", orderChart(table))
	compareOrder(&f, table)
	return f, nil
}

// compareOrder compares all sizes with the largest.
func compareOrder(f *reproduce.Finding, t reproduce.Table) {
	last := t.Rows[len(t.Rows)-1]
	least, most := math.Inf(1), 0.0
	for i, row := range t.Rows {
		n := int(row[0])
		least, most = min(least, row[5]), max(most, row[5])
		if i < len(t.Rows)-1 {
			f.Check(fmt.Sprintf("work for an event, %d events against %.0f", n, last[0]), row[3], last[3], reproduce.Sigmas*math.Hypot(row[4], last[4])+orderTerm(n),
				"4.5 standard errors of both, from batches; and 30/N, since with few events one may return to the bin it left, and bins fill by the binomial law and not Poisson's")
		}
		f.Check(fmt.Sprintf("empty buckets for an event, %d events", n), row[1], 1, reproduce.Sigmas*row[4],
			"1/x whatever N is (Erickson et al., equation 8): the clock goes one bin forward for an event, on average; 4.5 standard errors of all the work, of which this is part")
	}
	f.Notes = append(f.Notes,
		fmt.Sprintf("An event takes %.3f steps with %.0f events and %.3f with %.0f.", t.Rows[0][3], t.Rows[0][0], last[3], last[0]),
		fmt.Sprintf("The self-tuning Queue, which is told neither the number nor the width, moves an entry %.2f to %.2f times for each event dispatched.", least, most))
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
	static, moved := plot.Series{Name: "Static: empty buckets + entries"}, plot.Series{Name: "Queue: entries moved"}
	for _, row := range t.Rows {
		static.Add(row[0], row[3])
		static.Low, static.High = append(static.Low, row[3]-reproduce.Sigmas*row[4]), append(static.High, row[3]+reproduce.Sigmas*row[4])
		moved.Add(row[0], row[5])
	}
	return plot.Chart{Title: "Work for an event by the number of events", XLabel: "events", YLabel: "steps for an event",
		LogX: true, FromZero: true, LegendBeside: true, Series: []plot.Series{static, moved}}
}
