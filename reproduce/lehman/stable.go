package lehman

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A sorting is Algorithm 5, or what is tried in its place. It sorts the list that begins with
// first, and returns its new first entry.
type sorting func(s *sorter, first int32) int32

var paperStable sorting = (*sorter).sort

// measureStable checks that Algorithm 5 leaves equal entries as they lie, for all lists of up to so
// many entries, and shows the order of ties in the calendar.
//
// Proof: isort takes entries from the front of the list, a run goes on while the next entry is not
// earlier, and a merge takes the entry of the primary list unless that of the secondary one is
// earlier. All of the primary list lay before all of the secondary list. So no entry passes one
// that is equal to it.
func measureStable(run *reproduce.Runner, sort sorting, length int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "All lists of k entries with times from 0 to k−1", Columns: []string{"k", "lists",
		"not in order of time", "equal entries not as they lay"}}
	total := 0
	for k := 1; k <= length; k++ {
		lists, unsorted, swapped := allLists(run, sort, k)
		total += lists
		table.Rows = append(table.Rows, []float64{float64(k), float64(lists), float64(unsorted), float64(swapped)})
		f.Check(fmt.Sprintf("lists of %d entries that are not in order of time", k), float64(unsorted), 0, 0,
			"all lists are gone through")
		f.Check(fmt.Sprintf("lists of %d entries in which equal ones are not as they lay", k), float64(swapped), 0, 0,
			"“the original ordering is preserved for entries that are equal”; all lists are gone through")
		run.Options.ReportProgress(float64(k) / float64(length))
	}
	f.Tables = append(f.Tables, table, tiesTable(run))
	f.Chart("lists", stableChart(table))
	f.Measured = fmt.Sprintf("Algorithm 5 puts all %d lists of up to %d entries in order, and equal entries stay as they "+
		"lay. In the calendar they lie in reverse, so that of events at one time the last scheduled leaves first.", total,
		length)
	f.Notes = append(f.Notes,
		"Proof: a run ends only before an earlier entry, and a merge takes the entry of the list that lay in front unless "+
			"the other one is earlier. So no entry passes one that is equal to it.",
		"Algorithm 1 drops a new event on top of its bin. What the sort preserves is therefore the reverse of the order in "+
			"which events were scheduled. Events with equal times leave a calendar of this paper last in, first out; those "+
			"of Static and Queue first in, first out.")
	return f
}

// allLists sorts all lists of k entries with k different times at most, and counts those that are
// not in order, and those in which equal entries have changed places.
func allLists(run *reproduce.Runner, sort sorting, k int) (lists, unsorted, swapped int) {
	s, _ := newSorter(make([]float64, k))
	for {
		run.CheckpointEvery(patience, lists)
		lists++
		late, equal := false, false
		last := int32(0)
		for i := sort(s, s.relink()); i > 0; i = s.links[i] {
			if last > 0 {
				late = late || s.at[last] > s.at[i]
				equal = equal || s.at[last] == s.at[i] && last > i
			}
			last = i
		}
		unsorted += int(yes(late))
		swapped += int(yes(equal))
		i := 1
		for ; i <= k && s.at[i] == float64(k-1); i++ {
			s.at[i] = 0
		}
		if i > k {
			return lists, unsorted, swapped
		}
		s.at[i]++
	}
}

// tiesTable shows in which order six events at one time leave the calendar of the paper, of which
// the last two are scheduled when the first has left.
func tiesTable(run *reproduce.Runner) reproduce.Table {
	t := reproduce.Table{Name: "Events 1 to 6 at one time, 5 and 6 scheduled after the first has left",
		Columns: []string{"place", "event"}}
	c := newPaperCalendar(6, 10, 1)
	for n := int32(1); n <= 4; n++ {
		run.FailOn(c.schedule(n, 0.35))
	}
	for n := c.dispatch(); n != 0; n = c.dispatch() {
		if len(t.Rows) == 0 {
			run.FailOn(c.schedule(5, 0.35))
			run.FailOn(c.schedule(6, 0.35))
		}
		t.Rows = append(t.Rows, []float64{float64(len(t.Rows) + 1), float64(n)})
	}
	return t
}

func stableChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Lists that were sorted", XLabel: "entries", YLabel: "lists", LogY: true,
		Series: []plot.Series{{Name: "all"}}}
	for _, row := range t.Rows {
		c.Series[0].Add(row[0], row[1])
	}
	return c
}
