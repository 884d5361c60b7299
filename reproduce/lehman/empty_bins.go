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

// binsSays is what the paper says about bins.
type binsSays struct {
	empty    float64 // share of bins that are empty, one event a bin, to whole per cents
	nonEmpty float64 // events in a non-empty bin, with the bins of section 5, to one decimal
}

var paperBins = binsSays{empty: 0.37, nonEmpty: 1.5}

// measureEmptyBins checks the claim with n events.
//
// With N events in M bins, λ = N/M, a bin is empty with probability (1−1/M)^N, about e^(−λ). The
// mean of the bins that are not is λ/(1−e^(−λ)): 1.582 with one bin an event, and 1.453 with the 75
// million bins for 60 million events of section 5. “About 1.5” is the latter, to its two digits.
func measureEmptyBins(run *reproduce.Runner, says binsSays, n int) reproduce.Finding {
	var f reproduce.Finding
	one := countBins(run, &f, n, n)
	run.Options.ReportProgress(0.5)
	theirs := countBins(run, &f, n, n+n/4)
	f.Check("share of empty bins, 1 event a bin", one.empty, says.empty, 0.005+reproduce.Sigmas*one.emptySE,
		"printed as a whole per cent, so half of one; and 4.5 standard errors of the number of empty boxes when balls "+
			"are thrown")
	f.Check("events in a non-empty bin, 0.8 events a bin", theirs.mean, says.nonEmpty, 0.05+reproduce.Sigmas*theirs.meanSE,
		"printed with one decimal, so half a tenth; and 4.5 standard errors")
	f.Measured = fmt.Sprintf("%.2f %% of the bins are empty with one event a bin (1/e is %.2f %%); a non-empty bin has "+
		"%.3f events with 75 bins for 60 events as in section 5, and %.3f with one bin an event.",
		100*one.empty, 100/math.E, theirs.mean, one.mean)
	f.Notes = append(f.Notes,
		fmt.Sprintf("“About 1.5” is %.3f = 0.8/(1−e^(−0.8)) with section 5's bins. With one bin an event it is "+
			"%.3f = 1/(1−1/e), which would be printed as 1.6.", theirs.mean, one.mean),
		"The comment with the 1.5 stands in Algorithm 2, beside the search for the event to cancel. With one bin an event "+
			"exactly 1.5 entries are looked at there: see lehman-cancel.",
		"Whether 37 % is optimal is lehman-best-bins.")
	f.Chart("bins", binsChart(f.Tables))
	return f
}

// A filling is how bins are filled.
type filling struct{ empty, emptySE, mean, meanSE float64 }

// countBins puts n events into m bins, counts how many bins have how many, and compares with the
// law.
func countBins(run *reproduce.Runner, f *reproduce.Finding, n, m int) filling {
	s := binsOf(run, random.New(run.Options.Seed, 0x62696e73, uint64(m)), n, m)
	bins := drainBins(run, s, n, m)
	// Balls in boxes: the number of empty boxes has mean M(1−1/M)ⁿ, about M·e^−λ, and variance
	// about M(e^−λ − (1+λ)e^−2λ).
	buckets, load := float64(m), float64(n)/float64(m)
	none := math.Exp(-load)
	c := filling{empty: bins[0] / buckets, emptySE: math.Sqrt((none - (1+load)*none*none) / buckets), mean: float64(n) /
		(buckets - bins[0])}
	c.meanSE = c.mean * c.emptySE / (1 - none)
	f.For(reproduce.Control).Check(fmt.Sprintf("share of empty bins, %g events a bin, against e^(−λ)", load), c.empty,
		none, reproduce.Sigmas*c.emptySE+load*none/(2*buckets),
		"4.5 standard errors of the number of empty boxes when balls are thrown, and λe^(−λ)/(2M), by which "+
			"(1−1/M)^n is below e^(−λ)")
	table := reproduce.Table{Name: fmt.Sprintf("Bins with k events, %d events in %d bins", n, m),
		Columns: []string{"k", "share", "Poisson"}}
	law := none
	for k, count := range bins {
		table.Rows = append(table.Rows, []float64{float64(k), count / buckets, law})
		law *= load / float64(k+1)
	}
	f.Tables = append(f.Tables, table)
	return c
}

// binsOf is a calendar with n events at random times of one year of m bins.
func binsOf(run *reproduce.Runner, r random.Stream, n, m int) *static.Queue {
	s := reproduce.Must(static.New(static.Config{Buckets: m, Width: 1, Discipline: static.JustInTime, Capacity: n}))
	forEach(run, n, func(i int) error { return s.Schedule(calendar.ID(i), r.Float64()*float64(m)) })
	return s
}

// drainBins dispatches n events of one year and tells how many of the m bins had 0, 1, 2 … of them.
//
// An event for which no bucket was left is in the same bin as the one before. The number of buckets
// left does not tell how many were empty from the start: a bin is visited once more after its last
// event, and is empty then.
func drainBins(run *reproduce.Runner, s *static.Queue, n, m int) []float64 {
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
	forEach(run, n, func(int) error {
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
	return bins
}

func binsChart(tables []reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Bins by the number of events in them", XLabel: "events in a bin", YLabel: "share of bins",
		FromZero: true, LegendBeside: true}
	for i, t := range tables {
		name := []string{"1 event a bin", "0.8 events a bin"}[i]
		counted, law := plot.Series{Name: name}, plot.Series{Name: name + ", Poisson", Dashed: true, Same: true}
		for _, row := range t.Rows {
			counted.Add(row[0], row[1])
			law.Add(row[0], row[2])
		}
		c.Series = append(c.Series, counted, law)
	}
	return c
}
