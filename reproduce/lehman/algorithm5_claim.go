package lehman

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// algorithm5Says is what is said of the comparisons that sorting takes.
type algorithm5Says struct {
	partly func(n float64) float64    // a list as it remains from earlier passes takes a number in proportion to it
	worst  func(n float64) float64    // no list takes more
	runs   func(n, r float64) float64 // and none of r runs takes more
}

// paperAlgorithm5 is what the paper says, with bounds that make it precise.
//
// To get n entries, isort asks for n/2 and then for what is missing, n/2 rounded up at most; so
// there are ⌈log₂ N⌉ levels of requests at most. The lists that are merged at one level have no
// entry in common, and a merge takes fewer comparisons than it has entries: N·⌈log₂ N⌉ at most in
// all. Finding the runs takes N−1. And r runs are made one by r−1 merges, each of N entries at
// most: N·(r−1), which is less if there are few.
//
// So a list of a fixed number of runs takes Order N: one that is in order N−1, with a few new
// tickets on top a few times as many. That is how lists remain from earlier passes: what was not
// due is in order, and below the tickets that came since. A list half of which is new has N/4 runs,
// and takes Order N log N, as with any sort by comparisons: there are (N/2)! orders to tell apart.
// And what arises in order of time lies in reverse, since new tickets are dropped on top. It has N
// runs of one ticket. A merge of two neighbours then compares once for each entry of the second, so
// that W(n) = W(⌊n/2⌋) + W(⌈n/2⌉) + ⌈n/2⌉: about ½N·log₂ N.
var paperAlgorithm5 = algorithm5Says{
	partly: func(n float64) float64 { return n },
	worst:  func(n float64) float64 { return n*math.Ceil(math.Log2(n)) + n - 1 },
	runs:   func(n, r float64) float64 { return n*min(r-1, math.Ceil(math.Log2(n))) + n - 1 },
}

// A listing is a kind of list, as it lies from top to bottom.
type listing struct {
	name  string
	times func(n int, r *random.Stream) []float64
}

var listings = []listing{
	{"in order", func(n int, _ *random.Stream) []float64 { return ascending(n) }},
	{"1 new on the rest in order", func(n int, _ *random.Stream) []float64 { return newOnTop(n, []float64{float64(n)}) }},
	{"7 new on the rest in order", func(n int, _ *random.Stream) []float64 {
		fresh := ascending(7)
		for i := range fresh {
			fresh[i] = float64(n - i)
		}
		return newOnTop(n, fresh)
	}},
	{"half new", func(n int, r *random.Stream) []float64 {
		fresh := make([]float64, n/2)
		for i := range fresh {
			fresh[i] = r.Float64() * float64(n-n/2)
		}
		return newOnTop(n, fresh)
	}},
	{"neighbours swapped", func(n int, _ *random.Stream) []float64 {
		all := ascending(n)
		for i := 1; i < n; i += 2 {
			all[i-1], all[i] = all[i], all[i-1]
		}
		return all
	}},
	{"in reverse", func(n int, _ *random.Stream) []float64 { return reversed(ascending(n)) }},
	{"at random", arrivals[0].times},
	{"runs broken up", brokenRuns},
}

// newOnTop has new tickets above others that are in order, n in all.
func newOnTop(n int, fresh []float64) []float64 { return append(fresh, ascending(n-len(fresh))...) }

// brokenRuns is 0 … n−1 by their bits in reverse: no run is longer than two, and the runs that are
// merged interleave.
func brokenRuns(n int, _ *random.Stream) []float64 {
	width := bits.Len(uint(n - 1))
	all := make([]float64, 0, n)
	for i := range 1 << width {
		if t := int(bits.Reverse64(uint64(i)) >> (64 - width)); t < n {
			all = append(all, float64(t))
		}
	}
	return all
}

// inReverse is what Algorithm 5 takes for a list in reverse, from the recurrence.
func inReverse(n int) int {
	var merges func(n int) int
	merges = func(n int) int {
		if n < 2 {
			return 0
		}
		return merges(n/2) + merges(n-n/2) + n - n/2
	}
	return merges(n) + n - 1
}

// measureAlgorithm5 checks the claim for lists of some lengths, the shortest first, and for lists
// that remain in a calendar with so many events a bin.
func measureAlgorithm5(run *reproduce.Runner, says algorithm5Says, lengths, remain []int) reproduce.Finding {
	var f reproduce.Finding
	f.Check("comparisons for 1 ticket", float64(comparisonsOf(ascending(1))), 0, 0, "it is returned as it is")
	f.Check("comparisons for 2 tickets", float64(max(comparisonsOf([]float64{0, 1}), comparisonsOf([]float64{1, 0}))), 1,
		0, "sorted by inspection")
	for k := 3; k <= enumerated; k++ {
		_, most := enumerate(k)
		f.Between(fmt.Sprintf("most comparisons for %d tickets, all orders", k), float64(most), 0, says.worst(float64(k)), 0,
			"N⌈log₂ N⌉ + N − 1, a bound; all orders were gone through")
	}
	table := reproduce.Table{Name: "Comparisons of Algorithm 5 for N tickets, by how they lie",
		Columns: []string{"N", "N·log2(N)"}}
	for _, l := range listings {
		table.Columns = append(table.Columns, l.name)
	}
	table.Columns = append(table.Columns, "in reverse, sort of Static")
	for i, n := range lengths {
		run.Checkpoint()
		row := sortListings(run, &f, says, n)
		table.Rows = append(table.Rows, row)
		run.Options.ReportProgress(0.5 * float64(i+1) / float64(len(lengths)))
	}
	kept := measureRemaining(run, &f, says, remain)
	f.Tables = append(f.Tables, kept, table)
	f.Chart("comparisons", algorithm5Chart(table))
	last, remained := table.Rows[len(table.Rows)-1], kept.Rows[len(kept.Rows)-1]
	f.Measured = fmt.Sprintf("Lists of %.0f tickets as they remain from earlier passes, with %.1f new ones on average, "+
		"take %.2f comparisons for a ticket, and lists of %.0f take %.2f. With %.0f tickets, a list in order takes %.0f, "+
		"one with 7 new tickets on top %.2f for a ticket; the most found is %.0f, below N log₂ N + N.",
		kept.Rows[0][1], kept.Rows[0][2], kept.Rows[0][3], remained[1], remained[3], last[0], last[2], last[4]/last[0],
		last[9])
	f.Notes = append(f.Notes,
		"A list of r runs, stretches that are in order as they lie, takes N·min(r−1, ⌈log₂ N⌉) + N − 1 "+
			"comparisons at "+
			"most. So it is Order N in the number of tickets if the number of new ones is fixed.",
		fmt.Sprintf("If half of the list is new it takes %.1f comparisons for a ticket with %.0f tickets. No sort by "+
			"comparisons is of Order N there.", last[5]/last[0], last[0]),
		fmt.Sprintf("Events that arise in order of time lie in reverse, as every new one is dropped on top. They are the "+
			"worst case of runs, one for each ticket: 10 000 take %d comparisons, where an ordered list takes 9999.",
			inReverse(10_000)),
		fmt.Sprintf("Static looks for falling runs as well as rising ones, and takes %.0f comparisons for %.0f events "+
			"that arose in order of time.", last[10], last[0]))
	return f
}

// measureRemaining checks lists as they remain from earlier passes: a calendar of four bins with so
// many events each, in which two new ones come to a bin from one pass to the next.
func measureRemaining(run *reproduce.Runner, f *reproduce.Finding, says algorithm5Says, lengths []int) reproduce.Table {
	table := reproduce.Table{Name: "Lists as they remain from earlier passes", Columns: []string{"events a bin",
		"tickets in a list that is sorted", "new in it", "comparisons for a ticket", "comparisons for a ticket at random"}}
	for i, length := range lengths {
		row := sortRemaining(run, length)
		table.Rows = append(table.Rows, row)
		f.Between(fmt.Sprintf("remaining lists of %d tickets: comparisons over those at random", length), row[3]/row[4], 0, 1,
			0, "“best performance when the list is already partially sorted”: fewer than for one in random order")
		run.Options.ReportProgress(0.5 + 0.5*float64(i+1)/float64(len(lengths)))
	}
	first, last := table.Rows[0], table.Rows[len(table.Rows)-1]
	grown := says.partly(last[1]) / says.partly(first[1])
	f.Check(fmt.Sprintf("remaining lists: comparisons with %.0f tickets over those with %.0f", last[1], first[1]),
		last[1]*last[3]/(first[1]*first[3]), grown, 0.1*grown,
		"Order N lets it grow as N does; 10 % for terms of lower order, where a factor of log₂ N adds 40 % or more")
	return table
}

// sortRemaining is the hold model with exponential jumps of mean 1 in four bins with so many events
// each. A cycle is so short that two of them are due in a pass. It returns a row of the table.
func sortRemaining(run *reproduce.Runner, length int) []float64 {
	const bins, fresh = 4, 2
	n := bins * length
	r := random.New(run.Options.Seed, 0x72656d61, uint64(length))
	c := newPaperCalendar(n, bins, fresh/float64(length))
	forEach(run, n, func(i int) error { return c.schedule(int32(i+1), r.Exp()) })
	hold := func(ops int) {
		forEach(run, ops, func(int) error {
			id := c.dispatch()
			return c.schedule(id, c.now+r.Exp())
		})
	}
	hold(n / 2)
	c.compared, c.lists, c.entries = 0, 0, 0
	hold(n)
	shuffled := comparisonsOf(arrivals[0].times(length, &r))
	return []float64{float64(length), float64(c.entries) / float64(c.lists), float64(n) / float64(c.lists),
		float64(c.compared) / float64(c.entries), float64(shuffled) / float64(length)}
}

// sortListings sorts all kinds of lists of n tickets, and makes a row of the table.
func sortListings(run *reproduce.Runner, f *reproduce.Finding, says algorithm5Says, n int) []float64 {
	size := float64(n)
	row := []float64{size, size * math.Log2(size)}
	for i, l := range listings {
		r := random.New(run.Options.Seed, 0x616c6735, uint64(n), uint64(i))
		times := l.times(n, &r)
		took := float64(comparisonsOf(times))
		row = append(row, took)
		f.Between(fmt.Sprintf("comparisons for %d tickets, %s", n, l.name), took, 0, says.worst(size), 0,
			"N⌈log₂ N⌉ + N − 1, a bound, so nothing is left to chance")
		f.Between(fmt.Sprintf("comparisons for %d tickets, %s, by runs", n, l.name), took, 0,
			says.runs(size, float64(runsOf(times))), 0,
			"N·min(r−1, ⌈log₂ N⌉) + N − 1 for r runs, a bound, so nothing is left to chance")
		switch l.name {
		case "in order":
			f.Check(fmt.Sprintf("comparisons for %d tickets in order", n), took, size-1, 0,
				"each with the one before, and no more")
		case "in reverse":
			f.For(reproduce.Control).Check(fmt.Sprintf("comparisons for %d tickets in reverse", n), took,
				float64(inReverse(n)), 0,
				"W(n) = W(⌊n/2⌋) + W(⌈n/2⌉) + ⌈n/2⌉ for merging, and n−1 for finding runs, exactly")
		}
	}
	return append(row, staticComparisons(run, ascending(n)))
}

// staticComparisons counts the comparisons that Static makes to sort a bin with events at these
// times, as they arise.
func staticComparisons(run *reproduce.Runner, times []float64) float64 {
	k := len(times)
	s := reproduce.Must(static.New(static.Config{Buckets: 2, Width: float64(k + 1), Discipline: static.JustInTime,
		Capacity: k}))
	forEach(run, k, func(i int) error { return s.Schedule(calendar.ID(i), times[i]) })
	s.Peek()
	return float64(s.Work().Traversed) - 1 // one of the entries counted is the look at the first event
}

func algorithm5Chart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Comparisons of Algorithm 5 for a ticket, by how the list lies", XLabel: "tickets in the list",
		YLabel: "comparisons for a ticket", LogX: true, FromZero: true, LegendBeside: true}
	for _, i := range []int{9, 8, 7, 5, 4, 3, 2} {
		s := plot.Series{Name: t.Columns[i]}
		for _, row := range t.Rows {
			s.Add(row[0], row[i]/row[0])
		}
		c.Series = append(c.Series, s)
	}
	return c
}
