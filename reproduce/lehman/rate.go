package lehman

import (
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

func rate(run *reproduce.Runner) reproduce.Finding {
	sizes := []int{10_000, 100_000, 1_000_000}
	if run.Options.Full {
		sizes = append(sizes, 10_000_000, 60_000_000)
	}
	return measureRate(run, sizes, 200_000)
}

// measureRate measures with some numbers of events pending, in stretches of so many operations.
func measureRate(run *reproduce.Runner, sizes []int, ops int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Million events a second", Columns: []string{"pending",
		"Static, scheduled and dispatched", "Static, cancelled besides", "Queue, scheduled and dispatched", "Queue, cancelled besides"}}
	for i, n := range sizes {
		static := reproduce.Must(calendar.NewStatic(calendar.StaticConfig{Buckets: n, Width: 1 / float64(n), Discipline: calendar.JustInTime, Capacity: n}))
		row := []float64{float64(n)}
		for _, s := range []calendartest.Set{static, calendar.New(calendar.Capacity(n))} {
			for _, cancels := range []bool{false, true} {
				best := rateOf(run, s, n, ops, cancels)
				row = append(row, best)
			}
		}
		table.Rows = append(table.Rows, row)
		run.Options.ReportProgress(float64(i+1) / float64(len(sizes)))
	}
	f.Tables = append(f.Tables, table, reproduce.Table{Name: "Million events a second by the paper's times of section 5, 60 million pending",
		Columns: []string{"order (1 in sequence, 2 at random)", "scheduled and dispatched", "cancelled besides"},
		Rows:    [][]float64{{1, 1e3 / (30 + 12), 1e3 / (30 + 18 + 12)}, {2, 1e3 / (90 + 12), 1e3 / (90 + 18 + 12)}}})
	f.Chart("rate", rateChart(table))
	last := table.Rows[len(table.Rows)-1]
	f.Timed = fmt.Sprintf("With %s pending on this machine, Static schedules and dispatches %.1f million events a second, and %.1f million if each is cancelled once besides; Queue %.1f and %.1f million.",
		scientific(last[0]), last[1], last[2], last[3], last[4])
	f.Notes = append(f.Notes,
		"By the paper's own times 10⁷ a second is reached in sequence (42 ns to schedule and dispatch: 24 million; 60 ns with a cancel: 17 million), and just missed at random (102 ns or more: 9.8 million).")
	return f
}

// rateOf is how many million events a second a calendar handles with n pending. Filling it the first time is not counted.
func rateOf(run *reproduce.Runner, s calendartest.Set, n, ops int, cancels bool) float64 {
	r := random.New(run.Options.Seed, 0x72617465, uint64(n))
	if s.Len() == 0 {
		// Exponential times are what the hold model settles to, so that there is nothing to wait for.
		forEach(run, n, func(i int) error { return s.Schedule(calendar.ID(i), r.Exp()) })
	}
	best := math.Inf(1)
	for range 3 {
		began := time.Now()
		runHold(run, s, ops, &r)
		if cancels {
			now := s.Now()
			forEach(run, ops, func(int) error {
				id := calendar.ID(r.Below(uint64(n)))
				s.Cancel(id)
				return s.Schedule(id, now+r.Exp())
			})
		}
		best = min(best, time.Since(began).Seconds())
	}
	return float64(ops) / best / 1e6
}

func rateChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Events a second with so many pending", XLabel: "pending", YLabel: "million events a second", LogX: true, FromZero: true, LegendBeside: true}
	for i, name := range t.Columns[1:] {
		s := plot.Series{Name: name}
		for _, row := range t.Rows {
			s.Add(row[0], row[i+1])
		}
		c.Series = append(c.Series, s)
	}
	c.Series = append(c.Series, plot.Series{Name: "paper", X: []float64{t.Rows[0][0], 6e7}, Y: []float64{10, 10}, Dashed: true})
	return c
}
