package lehman

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// cancelSays is what is said of cancelling.
type cancelSays struct {
	tickets float64                 // in the bin of the event, on average, one event a bin
	average func(k float64) float64 // tickets looked at of k, as corrected
}

// paperCancel is what the paper says, and the correction.
//
// There is one ticket in a bin on average over the bins. But the bin of an event is not any bin: it
// has that event, and a Poisson number of others with mean λ = 1. So there are two tickets on
// average over the events, and since the search ends when it has found its ticket, which is as
// likely to be any of the k in the list, (k+1)/2 are looked at: 1.5 with two tickets on average, as
// the comment in Algorithm 2 has it.
var paperCancel = cancelSays{tickets: 1, average: func(k float64) float64 { return (k + 1) / 2 }}

// measureCancel checks the claim with n events, and with clusters of some sizes.
func measureCancel(run *reproduce.Runner, says cancelSays, n int, clusters []int) reproduce.Finding {
	var f reproduce.Finding
	spread := cancelSpread(run, n)
	size := float64(n)
	// The tickets in a bin, 1 + P with P Poisson of mean 1, have variance 1; and the pairs that
	// share a bin are n/2 with variance n/2, which makes 2n for twice as many. The place in a list
	// has variance E[(1+P)²−1]/12 + 1/4 = 7/12, and the pairs add 1/2.
	ticketsSE, lookedSE := math.Sqrt(3/size), math.Sqrt((7.0/12+0.5)/size)
	f.Check("tickets in the bin of an event, 1 event a bin", spread.tickets, says.tickets,
		reproduce.Sigmas*ticketsSE+1/size,
		"4.5 standard errors: the number in a bin has variance 1, the pairs that share one add 2; and 1/N, since an event "+
			"does not share a bin with itself")
	corrected := f.For(reproduce.Corrected)
	corrected.Check("tickets in the bin of an event, 1 event a bin, counting itself", spread.tickets, 2,
		reproduce.Sigmas*ticketsSE+1/size,
		"itself and one other; 4.5 standard errors as above, and 1/N")
	corrected.Check("tickets looked at, 1 event a bin", spread.looked, says.average(2), reproduce.Sigmas*lookedSE+1/size,
		"4.5 standard errors: the place in a list has variance 7/12, the lists themselves add 1/2; and 1/N")
	run.Options.ReportProgress(0.4)
	table := reproduce.Table{Name: "Tickets looked at to cancel one of k in a bin", Columns: []string{"k", "measured",
		"(k+1)/2", "the first scheduled"}}
	for i, k := range clusters {
		looked, most := cancelClustered(run, max(20_000, 2*k), k)
		tickets := float64(k)
		f.Check(fmt.Sprintf("tickets looked at for the first scheduled of %d", k), most, tickets, 0,
			"it lies at the bottom, below all the others: one operation for every ticket, exactly")
		want := says.average(tickets)
		corrected.Check(fmt.Sprintf("tickets looked at for one of %d", k), looked, want,
			reproduce.Sigmas*math.Sqrt((tickets*tickets-1)/12/float64(max(20_000, 2*k))),
			"any place in the list is as likely; 4.5 standard errors, with variance (k²−1)/12")
		table.Rows = append(table.Rows, []float64{tickets, looked, (tickets + 1) / 2, most})
		run.Options.ReportProgress(0.4 + 0.6*float64(i+1)/float64(len(clusters)))
	}
	f.Tables = append(f.Tables, reproduce.Table{Name: "One event a bin at random times",
		Columns: []string{"events", "tickets in the bin", "tickets looked at"},
		Rows:    [][]float64{{size, spread.tickets, spread.looked}}}, table)
	f.Chart("clusters", cancelChart(table))
	last := table.Rows[len(table.Rows)-1]
	f.Measured = fmt.Sprintf("With one event a bin, the bin of an event to cancel has %.3f tickets on average, not 1, "+
		"and %.3f are looked at; with %.0f events clustered in a bin it is %.0f, and %.0f at worst.",
		spread.tickets, spread.looked, last[0], last[1], last[3])
	f.Notes = append(f.Notes,
		"One ticket a bin is the average over bins, of which 37 % are empty. Averaged over events it is two: the event "+
			"itself, and one other.",
		"In bins with k tickets cancelling grows as k, while scheduling stays a single step and sorting takes log₂ k "+
			"for a ticket: of the three operations it is the one that clusters make slow, as the paper says.")
	return f
}

// A cancelled is what was counted for a cancel, on average.
type cancelled struct{ tickets, looked float64 }

// cancelSpread cancels n times one of n events that lie in n bins at random.
func cancelSpread(run *reproduce.Runner, n int) cancelled {
	r := random.New(run.Options.Seed, 0x73707264)
	c := newPaperCalendar(n, n, 1)
	forEach(run, n, func(i int) error { return c.schedule(int32(i+1), r.Float64()) })
	tickets := 0
	forEach(run, n, func(int) error {
		id := int32(r.Below(uint64(n))) + 1
		tickets += c.tickets(id)
		if err := c.cancel(id); err != nil {
			return err
		}
		return c.schedule(id, r.Float64())
	})
	return cancelled{float64(tickets) / float64(n), float64(c.flipped) / float64(n)}
}

// cancelClustered has two bins with k events each among 2k. It cancels random events some times and
// tells how many tickets are looked at on average; and how many for the event that was scheduled
// first.
func cancelClustered(run *reproduce.Runner, times, k int) (looked, most float64) {
	r := random.New(run.Options.Seed, 0x636c7573, uint64(k))
	c := newPaperCalendar(2*k, 2*k, 1)
	at := func(n int32) float64 { return (float64(n&1) + 0.25 + 0.5*r.Float64()) / float64(2*k) }
	order := rand.New(&r).Perm(2 * k)
	for _, n := range order {
		run.FailOn(c.schedule(int32(n+1), at(int32(n+1))))
	}
	first := int32(order[0] + 1)
	run.FailOn(c.cancel(first))
	most, c.flipped = float64(c.flipped), 0
	run.FailOn(c.schedule(first, at(first)))
	forEach(run, times, func(i int) error {
		run.Checkpoint()
		id := int32(r.Below(uint64(2*k))) + 1
		if err := c.cancel(id); err != nil {
			return err
		}
		return c.schedule(id, at(id))
	})
	return float64(c.flipped) / float64(times), most
}

func cancelChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Cancelling in clustered bins", XLabel: "tickets in the bin", YLabel: "tickets looked at",
		LogX: true, LogY: true,
		Series: []plot.Series{{Name: "a random one"}, {Name: "(k+1)/2", Dashed: true}, {Name: "the first scheduled"}}}
	for _, row := range t.Rows {
		for i := range c.Series {
			c.Series[i].Add(row[0], row[i+1])
		}
	}
	return c
}
