package lehman

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/theory"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

func emptyBins() reproduce.Claim {
	return reproduce.Claim{
		Name:  "lehman-empty-bins",
		Paper: paper,
		Place: "section 6, footnote 4; comment in Algorithm 2", Found: reproduce.Holds,
		Says: "With one bin for each event, 1/e = 37 % of the bins are empty under random distribution, which is optimal for overall " +
			"speed if all bin operations are equally fast; and the average number of events in non-empty bins is about 1.5.",
		How: "Events at random times fill a calendar of as many bins, and of 1.25 times as many as in section 5; going through the " +
			"whole year tells how many bins had how many. Then random events are cancelled, and the entries looked at are counted. " +
			"Whether one bin an event is best is examined in the hold model, where the width that is best is known.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			n, hold := 1_000_000, 10_000
			if o.Full {
				n, hold = 60_000_000, 100_000
			}
			return measureEmptyBins(ctx, o, n, hold)
		},
	}
}

// measureEmptyBins checks the claim with n events, and with so many in the hold model.
func measureEmptyBins(ctx context.Context, o reproduce.Options, n, hold int) (reproduce.Finding, error) {
	var f reproduce.Finding
	one, err := countBins(ctx, &f, o, n, n)
	if err != nil {
		return f, err
	}
	o.ReportProgress(0.3)
	theirs, err := countBins(ctx, &f, o, n, n+n/4)
	if err != nil {
		return f, err
	}
	o.ReportProgress(0.6)
	if err := countCancelled(ctx, &f, o, n); err != nil {
		return f, err
	}
	o.ReportProgress(0.8)
	f.Notes = append(f.Notes, fmt.Sprintf("“About 1.5” is %.3f with one bin an event and %.3f with the 75 million bins for 60 million events of "+
		"section 5. It is exactly 1.5 for what the comment stands beside: the tickets flipped through to find the one to cancel.", one, theirs))
	if err := bestBins(ctx, &f, o, hold); err != nil {
		return f, err
	}
	return f, nil
}

// countBins puts n events into m bins and counts how many bins have how many. It returns the mean of those that have any.
func countBins(ctx context.Context, f *reproduce.Finding, o reproduce.Options, n, m int) (mean float64, err error) {
	s, err := binsOf(ctx, random.New(o.Seed, 0x62696e73, uint64(m)), n, m)
	if err != nil {
		return 0, err
	}
	bins, err := drainBins(ctx, s, n, m)
	if err != nil {
		return 0, err
	}
	// Balls in boxes: the number of empty boxes has mean M(1−1/M)ⁿ, about M·e^−λ, and variance about M(e^−λ − (1+λ)e^−2λ).
	buckets, load := float64(m), float64(n)/float64(m)
	none := math.Exp(-load)
	se := math.Sqrt((none - (1+load)*none*none) / buckets)
	f.Check(fmt.Sprintf("share of empty bins, %g events a bin", load), bins[0]/buckets, none, reproduce.Sigmas*se+load*none/(2*buckets),
		"4.5 standard errors of the number of empty boxes when balls are thrown, and λe^(−λ)/(2M), by which (1−1/M)^n is below e^(−λ)")
	mean = float64(n) / (buckets - bins[0])
	want := load / (1 - none)
	f.Check(fmt.Sprintf("events in a non-empty bin, %g events a bin", load), mean, want, reproduce.Sigmas*want*se/(1-none)+1/buckets,
		"4.5 standard errors: those of the share of bins that are not empty, by which it is divided; and a term of order 1/M")
	table := reproduce.Table{Name: fmt.Sprintf("Bins with k events, %d events in %d bins", n, m), Columns: []string{"k", "share", "Poisson"}}
	law := none
	for k, count := range bins {
		table.Rows = append(table.Rows, []float64{float64(k), count / buckets, law})
		law *= load / float64(k+1)
	}
	f.Tables = append(f.Tables, table)
	return mean, nil
}

// binsOf is a calendar with n events at random times of one year of m bins.
func binsOf(ctx context.Context, r random.Stream, n, m int) (*calendar.Static, error) {
	s, err := calendar.NewStatic(calendar.StaticConfig{Buckets: m, Width: 1, Discipline: calendar.JustInTime, Capacity: n})
	if err != nil {
		return nil, err
	}
	return s, forEach(ctx, n, func(i int) error { return s.Schedule(calendar.ID(i), r.Float64()*float64(m)) })
}

// drainBins dispatches n events of one year and tells how many of the m bins had 0, 1, 2 … of them.
//
// An event for which no bucket was left is in the same bin as the one before. The number of buckets left does not tell how many
// were empty from the start: a bin is visited once more after its last event, and is empty then.
func drainBins(ctx context.Context, s *calendar.Static, n, m int) ([]float64, error) {
	bins := []float64{float64(m)}
	left, length := uint64(0), 0
	leave := func() {
		if length == 0 {
			return
		}
		for len(bins) <= length {
			bins = append(bins, 0)
		}
		bins[length]++
		bins[0]--
		length = 0
	}
	err := forEach(ctx, n, func(int) error {
		if _, _, ok := s.Next(); !ok {
			return errEmpty
		}
		if now := s.Work().EmptyBuckets; now != left {
			leave()
			left = now
		}
		length++
		return nil
	})
	leave()
	return bins, err
}

// countCancelled counts the entries that cancelling looks at with one bin an event (Algorithm 2): the list of a random event has
// on average one other, which is as likely above it as below.
func countCancelled(ctx context.Context, f *reproduce.Finding, o reproduce.Options, n int) error {
	r := random.New(o.Seed, 0x63616e63)
	s, err := binsOf(ctx, r.Split(), n, n)
	if err != nil {
		return err
	}
	before := s.Work()
	err = forEach(ctx, n, func(int) error {
		id := calendar.ID(r.Below(uint64(n)))
		s.Cancel(id)
		return s.Schedule(id, r.Float64()*float64(n))
	})
	looked := float64(s.Work().Since(before).Traversed) / float64(n)
	// The place in a list of 1+P, with P Poisson of mean 1, has variance E[(1+P)²−1]/12 + 1/4 = 7/12. Besides, the pairs that
	// share a bin are n/2 with variance n/2 to begin with, which makes 1/2n.
	se := math.Sqrt((7.0/12 + 0.5) / float64(n))
	f.Check("entries looked at to cancel an event, 1 event a bin", looked, 1.5, reproduce.Sigmas*se+1/float64(n),
		"4.5 standard errors: the place in a list has variance 7/12, the lists themselves add 1/2; and 1/N, since an event does not share a bin with itself")
	return err
}

// bestBins examines whether one event a bin is best: a table and a note, since the paper does not say what is meant by speed.
func bestBins(ctx context.Context, f *reproduce.Finding, o reproduce.Options, n int) error {
	table := reproduce.Table{
		Name:    fmt.Sprintf("Work for an event in the hold model of %d events, empty bucket = entry = event = 1", n),
		Columns: []string{"x = events due in a bucket", "theory, unordered", "unordered", "SE", "just-in-time", "SE"},
	}
	costs := theory.Costs{Empty: 1, Entry: 1, Fixed: 1}
	xs := []float64{0.5, math.Sqrt2 / 2, 1, math.Sqrt2, 2, 2 * math.Sqrt2, 4}
	for i, x := range xs {
		predicted, err := costs.PerEvent(n, 1, x/float64(n))
		if err != nil {
			return err
		}
		row := []float64{x, predicted}
		for _, d := range []calendar.Discipline{calendar.Unordered, calendar.JustInTime} {
			work, err := holdWork(ctx, o, n, 32*n, x, d, 10)
			if err != nil {
				return err
			}
			row = append(row, work.both.Mean+1, work.both.SE) // and 1 for the event itself
		}
		table.Rows = append(table.Rows, row)
		o.ReportProgress(0.8 + 0.2*float64(i+1)/float64(len(xs)))
	}
	f.Tables = append(f.Tables, table)
	f.Chart("best", bestChart(table))
	one, best := table.Rows[2], table.Rows[3]
	f.Notes = append(f.Notes,
		fmt.Sprintf("One event a bin is not the optimum of Erickson, Ladner and LaMarca, who count the same steps: with b = c = d = 1 an event takes %.3f at one event a "+
			"bin (x = 1; in theory 3.5) and %.3f at their best, x = √2 (in theory 2+√2 = 3.414), where e^(−√2) = 24 %% of the bins are empty when their turn "+
			"comes, and q₀ = 41 %% of all visits find nothing (50 %% at x = 1). The difference is 2.5 %%, so the advice is good.", one[2], best[2]),
		fmt.Sprintf("With just-in-time sorting wider bins cost less than with unordered ones: %.3f at x = 1, %.3f at √2, %.3f at 2 and %.3f at 4.",
			one[4], best[4], table.Rows[4][4], table.Rows[6][4]),
		"What one event a bin does make largest is the share of bins that have exactly one: λe^(−λ) is largest at λ = 1, where it is 1/e too.")
	return nil
}

func bestChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Work for an event by the width of a bin", XLabel: "events due in a bin", YLabel: "steps for an event", LegendBeside: true}
	for _, i := range []int{4, 2, 1} { // the theory last, so that it shows
		s := plot.Series{Name: t.Columns[i]}
		for _, row := range t.Rows {
			s.Add(row[0], row[i])
		}
		c.Series = append(c.Series, s)
	}
	return c
}
