package lehman

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// sortingSays is what is said of just-in-time sorting.
type sortingSays struct {
	most   float64             // operations per ticket, one event a bin
	faster reproduce.Threshold // “much faster”, with a thousand tickets or more: the share of steps
}

var paperSorting = sortingSays{most: 2, faster: reproduce.Chosen("lehman: much faster")}

// An arrival is an order in which k events at the times 0 … k−1 arise. In a list to which events
// are added on top they lie the other way round.
type arrival struct {
	name  string
	times func(k int, r *random.Stream) []float64
}

var arrivals = []arrival{
	{"at random", func(k int, r *random.Stream) []float64 {
		all := make([]float64, k)
		for i, t := range rand.New(r).Perm(k) {
			all[i] = float64(t)
		}
		return all
	}},
	{"in order of time", func(k int, _ *random.Stream) []float64 { return ascending(k) }},
	{"in reverse", func(k int, _ *random.Stream) []float64 { return reversed(ascending(k)) }},
}

func ascending(k int) []float64 {
	all := make([]float64, k)
	for i := range all {
		all[i] = float64(i)
	}
	return all
}

func reversed(times []float64) []float64 {
	all := make([]float64, len(times))
	for i, t := range times {
		all[len(all)-1-i] = t
	}
	return all
}

// measureSorting checks the claim for lists of some lengths, and for n events in n bins.
func measureSorting(run *reproduce.Runner, says sortingSays, lengths []int, n int) reproduce.Finding {
	var f reproduce.Finding
	each := nearlyEmpty(run, &f, says, n)
	run.Options.ReportProgress(0.3)
	table := reproduce.Table{Name: "k events in one bin", Columns: []string{"k"}}
	for _, a := range arrivals {
		table.Columns = append(table.Columns, "sort, "+a.name, "keep in order, "+a.name)
	}
	for i, k := range lengths {
		row := []float64{float64(k)}
		for _, a := range arrivals {
			r := random.New(run.Options.Seed, 0x736f7274, uint64(k))
			times := a.times(k, &r)
			passed := keepOrdered(run, times)
			sorted := float64(comparisonsOf(reversed(times)))
			row = append(row, sorted, passed)
			if k >= 1000 && a.name != "in reverse" {
				f.For(reproduce.Printed).AtMost(fmt.Sprintf(
					"comparisons to sort %d events over entries passed to keep them in order, %s", k, a.name),
					sorted/passed, says.faster)
			}
		}
		table.Rows = append(table.Rows, row)
		if size := float64(k); k > 1 {
			// The i-th at random passes over any number of the i−1 before it with the same
			// probability: k(k−1)/4 in all, with variance Σ(i²−1)/12 = k(k−1)(2k+5)/72.
			f.For(reproduce.Control).Check(fmt.Sprintf("entries passed over, %d events at random kept in order", k), row[2],
				size*(size-1)/4, reproduce.Sigmas*math.Sqrt(size*(size-1)*(2*size+5)/72),
				"4.5 standard errors of the number of inversions of a random permutation, k(k−1)/4")
		}
		run.Options.ReportProgress(0.3 + 0.7*float64(i+1)/float64(len(lengths)))
	}
	f.Tables = append(f.Tables, table)
	f.Chart("comparisons", sortingChart(table))
	last := table.Rows[len(table.Rows)-1]
	f.Measured = fmt.Sprintf("With one event a bin, ordering takes %.2f comparisons for a ticket, below the paper's "+
		"one or two; with %.0f events in one bin at random, sorting them takes %.1f for a ticket and keeping the bin in "+
		"order passes over %.0f entries for a ticket, %.0f times as many.",
		each, last[0], last[1]/last[0], last[2]/last[0], last[2]/last[1])
	f.Notes = append(f.Notes,
		fmt.Sprintf("It is not so in every order: %.0f events that arise latest first are each put on top of a bin that "+
			"is kept in order, at one look, and sorting them takes %.0f comparisons in all.", last[0], last[5]),
		"What Algorithm 5 takes by the order of the list is lehman-algorithm-5.")
	return f
}

// nearlyEmpty counts the comparisons with one event a bin on average: one or two per ticket, says
// section 4.3. It returns those for a ticket.
func nearlyEmpty(run *reproduce.Runner, f *reproduce.Finding, says sortingSays, n int) float64 {
	const parts = 20
	means := meanComparisons(run.Options.Seed)
	var each []float64
	for i := range parts {
		r := random.New(run.Options.Seed, 0x6e656172, uint64(i))
		c := newPaperCalendar(n/parts, n/parts, 1)
		forEach(run, n/parts, func(i int) error { return c.schedule(int32(i+1), r.Float64()) })
		for c.dispatch() != 0 {
		}
		each = append(each, float64(c.compared)/float64(n/parts))
	}
	e := reproduce.Mean(each)
	f.For(reproduce.Control).Check("comparisons for a ticket, 1 event a bin, against the law", e.Mean,
		ticketComparisons(means, 1), 5.5*e.SE+20/float64(n),
		"Σ P(k)·c(k), with Poisson's law and the mean comparisons for k tickets, gone through in all orders up to 8; "+
			"5.5 standard errors, which Student's law with 20 parts goes beyond once in 40 000; and a term of order 1/N")
	f.Between("comparisons for a ticket, 1 event a bin", e.Mean, 0, says.most, 0,
		"“one or two more per ticket” is taken as a bound")
	return e.Mean
}

// keepOrdered counts the entries passed over to put events in their places at once, as they arise.
func keepOrdered(run *reproduce.Runner, times []float64) float64 {
	k := len(times)
	s := reproduce.Must(static.New(static.Config{Buckets: 2, Width: float64(k + 1), Discipline: static.Ordered,
		Capacity: k + 1}))
	// A list that is kept in order is slow, hence the shorter stretches.
	forEach(run, k, func(i int) error {
		run.Checkpoint()
		return s.Schedule(calendar.ID(i), times[i])
	})
	return float64(s.Work().Traversed)
}

func sortingChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "k events in one bin", XLabel: "k", YLabel: "comparisons, or entries passed", LogX: true,
		LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "keep in order, at random"}, {Name: "keep in order, in order of time"},
			{Name: "sort, in order of time"}, {Name: "sort, at random"}, {Name: "sort, in reverse"}}}
	for _, row := range t.Rows {
		for i, column := range []int{2, 4, 3, 1, 5} {
			if row[column] > 0 {
				c.Series[i].Add(row[0], row[column])
			}
		}
	}
	return c
}
