package lehman

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// A renumbering is Algorithm 4, or what is tried in its place.
type renumbering func(c *paperCalendar, n, m int32) error

var paperRenumbering renumbering = (*paperCalendar).renumber

// measureRenumber checks what is said at the exit of Algorithm 4, with n events and so many times
// as many numbers.
//
// The calendar is compared with a list of the time of each number. Events are renumbered, and
// dispatched and scheduled again at random times.
func measureRenumber(run *reproduce.Runner, renumber renumbering, n int, spare []int, ops int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Algorithm 4 against a list of times", Columns: []string{"events", "numbers",
		"renumbered", "not at the time of the old number", "old number not free", "dispatched", "not the earliest",
		"tickets looked at for a renumbering"}}
	for i, times := range spare {
		t := tryRenumber(run, renumber, n, n*times, ops)
		table.Rows = append(table.Rows, []float64{float64(n), float64(n * times), float64(ops), float64(t.wrong),
			float64(t.kept), float64(ops), float64(t.disordered), float64(t.flipped) / float64(ops)})
		for _, c := range []struct {
			what  string
			count int
		}{{"events that do not have the time of the old number", t.wrong}, {"old numbers that are not free", t.kept},
			{"dispatched events that are not the earliest", t.disordered}} {
			f.Check(fmt.Sprintf("%s, %d numbers for %d events", c.what, n*times, n), float64(c.count), 0, 0,
				"what is said at the exit of the algorithm; not one of them")
		}
		run.Options.ReportProgress(float64(i+1) / float64(len(spare)))
	}
	f.Tables = append(f.Tables, table)
	f.Chart("looked", renumberChart(table))
	last := table.Rows[len(table.Rows)-1]
	f.Measured = fmt.Sprintf("Of %d events that were renumbered in each of %d runs, every one had the time of its old "+
		"number, every old number was free, and events left in sequence; a renumbering looks at %.2f tickets.", ops,
		len(spare), last[7])
	f.Notes = append(f.Notes,
		"It is Algorithm 2 and then Algorithm 1 with the same time, so that it costs a cancel and a schedule.",
		"Of events at one time, the one that is renumbered leaves first afterwards, as its ticket is dropped on top again. "+
			"The paper promises nothing about it.",
		"If the new number has an event against the condition at entry, T[n] is overwritten and m is cancelled before "+
			"Algorithm 1 notices and ends the program.")
	return f
}

// A renumberTally is how often something was wrong, and how many tickets were looked at.
type renumberTally struct{ wrong, kept, disordered, flipped int }

// tryRenumber renumbers and dispatches an event in turn.
func tryRenumber(run *reproduce.Runner, renumber renumbering, n, numbers, ops int) (t renumberTally) {
	r := random.New(run.Options.Seed, 0x72656e75, uint64(numbers))
	c := newPaperCalendar(numbers, n, 1)
	due := make([]float64, numbers+1) // the list: when each number is due, or infinity
	for i := range due {
		due[i] = math.Inf(1)
	}
	used, free := make([]int32, 0, n), make([]int32, 0, numbers)
	for i := int32(1); int(i) <= numbers; i++ {
		if int(i) > n {
			free = append(free, i)
			continue
		}
		used = append(used, i)
		due[i] = r.Exp()
		run.FailOn(c.schedule(i, due[i]))
	}
	forEach(run, ops, func(int) error {
		u, v := int(r.Below(uint64(len(used)))), int(r.Below(uint64(len(free))))
		m, k := used[u], free[v]
		before := c.flipped
		if err := renumber(c, k, m); err != nil {
			return err
		}
		t.flipped += c.flipped - before
		if c.links[k] == unscheduled || c.at[k] != due[m] {
			t.wrong++
		}
		if c.links[m] != unscheduled {
			t.kept++
			if err := c.cancel(m); err != nil {
				return err
			}
		}
		due[k], due[m] = due[m], math.Inf(1)
		used[u], free[v] = k, m
		return t.next(c, due, used, &r)
	})
	return t
}

// next dispatches an event, compares it with the list, and schedules it again.
func (t *renumberTally) next(c *paperCalendar, due []float64, used []int32, r *random.Stream) error {
	earliest := used[0]
	for _, n := range used {
		if due[n] < due[earliest] {
			earliest = n
		}
	}
	if id := c.dispatch(); id != earliest {
		t.disordered++
		earliest = id
	}
	due[earliest] = c.now + r.Exp()
	return c.schedule(earliest, due[earliest])
}

func renumberChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Tickets that Algorithm 4 looks at", XLabel: "numbers", YLabel: "tickets for a renumbering",
		LogX: true, FromZero: true, Series: []plot.Series{{Name: "measured"}}}
	for _, row := range t.Rows {
		c.Series[0].Add(row[1], row[7])
	}
	return c
}
