package lehman

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

func jitSorting() reproduce.Claim {
	return reproduce.Claim{
		Name:  "lehman-jit-sorting",
		Paper: paper,
		Place: "sections 4.1, 4.3 and 6", Found: reproduce.Holds,
		Says: "Sorting a bin when its turn comes takes one or two operations per ticket if bins are nearly empty, Order N on lists that are " +
			"partially sorted, and Order N log₂ N at worst; keeping bins always sorted can be disabling if a large number of events accumulate in any.",
		How: "k events are scheduled in one bin, at random, in order of time, in reverse, and in an order made to break up all runs. The " +
			"comparisons that sorting makes are counted, and the entries passed over when every event is put in its place at once. One event a bin on average is counted too.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			lengths, longest := []int{1, 2, 3, 10, 100, 1_000, 10_000, 30_000, 100_000}, 30_000
			if o.Full {
				lengths, longest = append(lengths, 1_000_000), 100_000
			}
			return measureSorting(ctx, o, lengths, longest, 1_000_000)
		},
	}
}

// An arrival is an order in which k events at the times 0 … k−1 arise.
type arrival struct {
	name  string
	times func(k int, r *random.Stream) []int
	most  func(k float64) float64 // comparisons that sorting may take
	why   string
}

func arrivals() []arrival {
	merge := func(k float64) float64 { return k*math.Log2(k) + k }
	whole := "runs have two events or more, so merging them in pairs takes log₂ k rounds of k comparisons at most, and finding them one more; a bound, so nothing is left to chance"
	linear := func(k float64) float64 { return k - 1 }
	one := "the list is a single run, which takes a comparison of each event with the one before; a bound, so nothing is left to chance"
	return []arrival{
		{"at random", func(k int, r *random.Stream) []int { return rand.New(r).Perm(k) }, merge, whole},
		{"runs broken up", brokenRuns, merge, whole},
		{"in order of time", func(k int, _ *random.Stream) []int { return ascending(k) }, linear, one},
		{"in reverse", func(k int, _ *random.Stream) []int { return descending(k) }, linear, one},
	}
}

func ascending(k int) []int {
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	return all
}

func descending(k int) []int {
	all := ascending(k)
	for i := range all {
		all[i] = k - 1 - i
	}
	return all
}

// brokenRuns is 0 … k−1 by their bits in reverse: no run is longer than two, and the runs that are merged interleave.
func brokenRuns(k int, _ *random.Stream) []int {
	width := bits.Len(uint(k - 1))
	all := make([]int, 0, k)
	for i := range 1 << width {
		if n := int(bits.Reverse64(uint64(i)) >> (64 - width)); n < k {
			all = append(all, n)
		}
	}
	return all
}

// measureSorting checks the claim for lists of some lengths, ordered ones up to the longest, and for n events in n bins.
func measureSorting(ctx context.Context, o reproduce.Options, lengths []int, longest, n int) (reproduce.Finding, error) {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Comparisons for k events in one bin", Columns: []string{"k", "k·log2(k) + k"}}
	orders := arrivals()
	for _, a := range orders {
		table.Columns = append(table.Columns, a.name)
	}
	table.Columns = append(table.Columns, "one more")
	for i, k := range lengths {
		row, err := sortBins(ctx, &f, o, k, orders)
		if err != nil {
			return f, err
		}
		table.Rows = append(table.Rows, row)
		o.ReportProgress(0.3 * float64(i+1) / float64(len(lengths)))
	}
	f.Tables = append(f.Tables, table)
	ordered, err := keepOrdered(ctx, &f, o, lengths, longest)
	if err != nil {
		return f, err
	}
	o.ReportProgress(0.8)
	f.Tables = append(f.Tables, ordered)
	f.Chart("comparisons", sortingChart(table, ordered))
	noteSorting(&f, table, ordered)
	if err := nearlyEmpty(ctx, &f, o, n); err != nil {
		return f, err
	}
	o.ReportProgress(1)
	return f, nil
}

// noteSorting says in words what the longest list that was kept in order took.
func noteSorting(f *reproduce.Finding, sorted, ordered reproduce.Table) {
	last := ordered.Rows[len(ordered.Rows)-1]
	for _, row := range sorted.Rows {
		if row[0] == last[0] {
			f.Notes = append(f.Notes, fmt.Sprintf("With %.0f events in a bin, at random, sorting takes %.1f comparisons an event, and keeping the bin in order passes over %.0f entries an event: %.0f times as many.",
				row[0], row[2]/row[0], last[1]/row[0], last[1]/row[2]))
		}
	}
}

// sortBins counts the comparisons that sorting k events takes, in every order of arrival, and one more event afterwards.
func sortBins(ctx context.Context, f *reproduce.Finding, o reproduce.Options, k int, orders []arrival) ([]float64, error) {
	size := float64(k)
	row := []float64{size, size*math.Log2(size) + size}
	var more float64
	for _, a := range orders {
		r := random.New(o.Seed, 0x736f7274, uint64(k))
		s, err := oneBin(ctx, calendar.JustInTime, a.times(k, &r))
		if err != nil {
			return nil, err
		}
		sorted := comparisons(s)
		f.Between(fmt.Sprintf("comparisons, %d events %s", k, a.name), sorted, 0, a.most(size), 0, a.why)
		row = append(row, sorted)
		s.Next() // lest the first event be remembered, and nothing sorted
		if err := s.Schedule(calendar.ID(k), size/2); err != nil {
			return nil, err
		}
		more = comparisons(s)
	}
	f.Between(fmt.Sprintf("comparisons, one more on top of %d sorted", k), more, 0, size, 0,
		"what is sorted stays sorted, and one event is merged with it by a comparison with each at most; a bound")
	return append(row, more), nil
}

// oneBin is a calendar whose events are all in one bin, scheduled in the given order of times.
func oneBin(ctx context.Context, d calendar.Discipline, times []int) (*calendar.Static, error) {
	k := len(times)
	s, err := calendar.NewStatic(calendar.StaticConfig{Buckets: 2, Width: float64(k + 1), Discipline: d, Capacity: k + 1})
	if err != nil {
		return nil, err
	}
	// A list that is kept in order is slow, hence the shorter stretches.
	return s, forEach(ctx, k, func(i int) error {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return s.Schedule(calendar.ID(i), float64(times[i]))
	})
}

// comparisons sorts the current bin, and tells how many it took. One of the entries counted is the look at the first event.
func comparisons(s *calendar.Static) float64 {
	before := s.Work()
	s.Peek()
	return float64(s.Work().Since(before).Traversed) - 1
}

// keepOrdered counts what it takes to put k events, at random, in their places at once. The i-th passes over any number of the i−1
// before it with the same probability: k(k−1)/4 in all, with variance Σ(i²−1)/12 = k(k−1)(2k+5)/72.
func keepOrdered(ctx context.Context, f *reproduce.Finding, o reproduce.Options, lengths []int, longest int) (reproduce.Table, error) {
	t := reproduce.Table{Name: "Entries passed over to keep k events of one bin in order, at random", Columns: []string{"k", "entries", "k(k-1)/4"}}
	for _, k := range lengths {
		if k > longest {
			continue
		}
		r := random.New(o.Seed, 0x736f7274, uint64(k))
		s, err := oneBin(ctx, calendar.Ordered, rand.New(&r).Perm(k))
		if err != nil {
			return t, err
		}
		size, passed := float64(k), float64(s.Work().Traversed)
		want, se := size*(size-1)/4, math.Sqrt(size*(size-1)*(2*size+5)/72)
		f.Check(fmt.Sprintf("entries passed over, %d events kept in order", k), passed, want, reproduce.Sigmas*se,
			"4.5 standard errors of the number of inversions of a random permutation")
		t.Rows = append(t.Rows, []float64{size, passed, want})
	}
	return t, nil
}

// nearlyEmpty counts the comparisons with one event a bin on average: one or two per ticket, says section 4.3.
func nearlyEmpty(ctx context.Context, f *reproduce.Finding, o reproduce.Options, n int) error {
	s, err := binsOf(ctx, random.New(o.Seed, 0x6e656172), n, n)
	if err != nil {
		return err
	}
	err = forEach(ctx, n, func(int) error {
		if _, _, ok := s.Next(); !ok {
			return errEmpty
		}
		return nil
	})
	w := s.Work()
	each := float64(w.Traversed-w.Dispatched) / float64(n) // the look at the first of a bin is once for every event
	f.Between("comparisons for an event, 1 event a bin", each, 0, 2, 0, "“one or two more per ticket” is taken as a bound")
	f.Notes = append(f.Notes, fmt.Sprintf("With one event a bin, ordering takes %.2f comparisons for an event: less than the “one or two more per ticket” of section 4.3.", each))
	return err
}

func sortingChart(sorted, ordered reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "k events in one bin", XLabel: "k", YLabel: "comparisons", LogX: true, LogY: true,
		Series: []plot.Series{{Name: "kept in order, at random"}, {Name: "k·log2(k) + k"}, {Name: "just-in-time, at random"}, {Name: "just-in-time, runs broken up"}, {Name: "just-in-time, in order of time"}}}
	for _, row := range ordered.Rows {
		c.Series[0].Add(row[0], row[1])
	}
	for _, row := range sorted.Rows {
		for i := 1; i < len(c.Series); i++ {
			c.Series[i].Add(row[0], row[i])
		}
	}
	return c
}
