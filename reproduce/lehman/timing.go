package lehman

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// What is timed, in the order of the columns.
const (
	timedSchedule = iota
	timedCancel
	timedNext
	timedKinds
)

var timedNames = [timedKinds]string{"schedule", "cancel", "dispatch"}

// timedRepetitions is how often all is timed; the best counts. One more comes first, untimed, in
// which memory is touched for the first time.
const timedRepetitions = 3

// A script is what is done to a calendar: event i is that of ids[i], i/n to (i+1)/n of a year into
// the year if in sequence, or at any time. They are cancelled in the order of cancels. All are read
// in sequence, lest they cost the calendar's caches more than they must.
type script struct {
	ids, cancels []calendar.ID
	at           []float64
}

func newScript(n int, shuffled bool, r *random.Stream) script {
	s := script{ids: make([]calendar.ID, n), at: make([]float64, n)}
	for i := range n {
		s.ids[i] = calendar.ID(i)
		s.at[i] = (float64(i) + 0.5) / float64(n)
		if shuffled {
			s.at[i] = r.Float64()
		}
	}
	s.cancels = s.ids
	if shuffled {
		s.ids = shuffledIDs(s.ids, r)
		s.cancels = shuffledIDs(s.ids, r)
	}
	return s
}

func shuffledIDs(ids []calendar.ID, r *random.Stream) []calendar.ID {
	all := append([]calendar.ID(nil), ids...)
	rand.New(r).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// A contestant is a calendar under the clock.
type contestant struct {
	set  calendartest.Set
	best [timedKinds]float64 // ns
}

// measureTiming measures for several numbers of events. Small ones are gone through again and
// again, until there were at least so many.
func measureTiming(run *reproduce.Runner, sizes []int, least int) reproduce.Finding {
	var f reproduce.Finding
	run.Runs(2 * len(sizes) * (timedRepetitions + 1))
	for i, where := range []string{"in sequence", "at random"} {
		shuffled := i == 1
		rows := timeSizes(run, sizes, least, shuffled)
		table := reproduce.Table{Name: "Nanoseconds " + where, Columns: []string{"events"}, Rows: rows}
		for _, name := range []string{"Static", "Queue"} {
			for _, kind := range timedNames {
				table.Columns = append(table.Columns, name+" "+kind)
			}
		}
		f.Tables = append(f.Tables, table, ratios(table, "Times as long as with the fewest, "+where))
		f.Chart(strings.ReplaceAll(where, " ", "-"), timingChart(table, where, shuffled))
		noteTiming(&f, table, where)
	}
	f.Tables = append(f.Tables, reproduce.Table{Name: "Nanoseconds in the paper, on a processor of 2.8 GHz",
		Columns: []string{"events", "schedule in sequence", "cancel in sequence", "dispatch in sequence",
			"schedule at random"},
		Rows: [][]float64{{6e7, 30, 18, 12, 90}, {1e9, 30, 18, 12, 180}}})
	sequence, shuffled := f.Tables[0].Rows, f.Tables[2].Rows
	compareOrders(&f, sequence, shuffled)
	last := sequence[len(sequence)-1]
	f.Timed = fmt.Sprintf("With %s events on this machine, Static takes %.0f ns to schedule, %.0f to cancel and %.0f "+
		"to dispatch one in sequence, and %.0f ns to schedule at random; Queue %.0f, %.0f, %.0f and %.0f.",
		scientific(last[0]), last[1], last[2], last[3], shuffled[len(shuffled)-1][1], last[4], last[5], last[6],
		shuffled[len(shuffled)-1][4])
	return f
}

// timeSizes makes the rows of a table. The sizes take turns as well as the structures: the speed of
// a machine wanders, and it is the ratios that matter.
func timeSizes(run *reproduce.Runner, sizes []int, least int, shuffled bool) [][]float64 {
	races := make([]*race, len(sizes))
	for i, n := range sizes {
		run.Checkpoint()
		races[i] = newRace(run.Options.Seed, n, shuffled, max(1, least/n))
	}
	runtime.GC() // now, and not while the clock runs
	for repetition := range timedRepetitions + 1 {
		for _, r := range races {
			r.repeat(run, repetition)
			run.Ran()
		}
	}
	var rows [][]float64
	for _, r := range races {
		rows = append(rows, r.row())
	}
	return rows
}

// compareOrders says how much longer scheduling takes at random than in sequence with the most
// events, as the paper does.
func compareOrders(f *reproduce.Finding, sequence, shuffled [][]float64) {
	a, b := sequence[len(sequence)-1], shuffled[len(shuffled)-1]
	const static, queue = 1 + timedSchedule, 1 + timedKinds + timedSchedule
	f.Notes = append(f.Notes, fmt.Sprintf("With %s events, scheduling at random takes %.1f times as long as in "+
		"sequence for Static, %.1f times for Queue; in the paper 3 times with 6×10⁷ and 6 times with 10⁹.",
		scientific(a[0]), b[static]/a[static], b[queue]/a[queue]))
}

// A race is both with n events.
type race struct {
	n, rounds int
	script    script
	all       []*contestant
}

// newRace is that of static.Queue as in section 5 and Queue. A year is 1.
func newRace(seed uint64, n int, shuffled bool, rounds int) *race {
	r := random.New(seed, 0x74696d65, uint64(n))
	bins, none := n+n/4, [timedKinds]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	config := static.Config{Buckets: bins, Width: 1 / float64(bins), Discipline: static.JustInTime, Capacity: n}
	return &race{n, rounds, newScript(n, shuffled, &r),
		[]*contestant{{reproduce.Must(static.New(config)), none}, {calendar.New(calendar.Capacity(n)), none}}}
}

// repeat lets each have a turn. The first does not count.
func (r *race) repeat(run *reproduce.Runner, repetition int) {
	for _, c := range r.all {
		took := r.script.perform(run, c.set, repetition*r.rounds, r.rounds)
		for k := range took {
			if repetition > 0 {
				c.best[k] = min(c.best[k], took[k])
			}
		}
	}
}

// row is the row of a table: the best times of both.
func (r *race) row() []float64 {
	row := []float64{float64(r.n)}
	for _, c := range r.all {
		row = append(row, c.best[:]...)
	}
	return row
}

// perform goes through the script in some years, one after the other, and tells how many
// nanoseconds each kind of operation took.
func (s script) perform(run *reproduce.Runner, set calendartest.Set, year, years int) (took [timedKinds]float64) {
	n := len(s.ids)
	timed := func(kind, times int, do func(i int) error) {
		began := time.Now()
		forEach(run, n, do)
		took[kind] += float64(time.Since(began).Nanoseconds()) / float64(n*years*times)
	}
	for y := range years {
		start := float64(year + y)
		schedule := func(i int) error { return set.Schedule(s.ids[i], start+s.at[i]) }
		timed(timedSchedule, 2, schedule)
		timed(timedCancel, 1, func(i int) error {
			if !set.Cancel(s.cancels[i]) {
				return calendar.ErrNotScheduled
			}
			return nil
		})
		timed(timedSchedule, 2, schedule)
		timed(timedNext, 1, func(int) error {
			if _, _, ok := set.Next(); !ok {
				return errEmpty
			}
			return nil
		})
	}
	return took
}

// ratios divides a table by its first row.
func ratios(t reproduce.Table, name string) reproduce.Table {
	out := reproduce.Table{Name: name, Columns: t.Columns}
	for _, row := range t.Rows {
		line := []float64{row[0]}
		for i, x := range row[1:] {
			line = append(line, x/t.Rows[0][i+1])
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// noteTiming says in words how the times grow.
func noteTiming(f *reproduce.Finding, t reproduce.Table, where string) {
	first, last := t.Rows[0], t.Rows[len(t.Rows)-1]
	grown := func(i int) float64 { return last[i] / first[i] }
	for i, name := range []string{"Static", "Queue"} {
		at := 1 + i*timedKinds
		f.Notes = append(f.Notes, fmt.Sprintf("%s, %s: with %s events it takes %.1f times as long to schedule as with %s, "+
			"%.1f times to cancel, %.1f times to dispatch: %.0f, %.0f and %.0f ns.",
			name, where, scientific(last[0]), grown(at+timedSchedule), scientific(first[0]), grown(at+timedCancel),
			grown(at+timedNext),
			last[at+timedSchedule], last[at+timedCancel], last[at+timedNext]))
	}
}

func timingChart(t reproduce.Table, where string, shuffled bool) plot.Chart {
	c := plot.Chart{Title: "Time for an operation, events " + where, XLabel: "events", YLabel: "ns", LogX: true,
		LogY: true, LegendBeside: true}
	c.Series = columnSeries(t)
	paper := []float64{30, 30}
	if shuffled {
		paper = []float64{90, 180}
	}
	c.Series = append(c.Series, plot.Series{Name: "paper, schedule", X: []float64{6e7, 1e9}, Y: paper})
	return c
}

// measureRate measures with some numbers of events pending, in stretches of so many operations.
func measureRate(run *reproduce.Runner, sizes []int, ops int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Million events a second", Columns: []string{"pending",
		"Static, scheduled and dispatched", "Static, cancelled besides", "Queue, scheduled and dispatched",
		"Queue, cancelled besides"}}
	for i, n := range sizes {
		fixed := reproduce.Must(static.New(static.Config{Buckets: n, Width: 1 / float64(n), Discipline: static.JustInTime,
			Capacity: n}))
		row := []float64{float64(n)}
		for _, s := range []calendartest.Set{fixed, calendar.New(calendar.Capacity(n))} {
			for _, cancels := range []bool{false, true} {
				best := rateOf(run, s, n, ops, cancels)
				row = append(row, best)
			}
		}
		table.Rows = append(table.Rows, row)
		run.Options.ReportProgress(float64(i+1) / float64(len(sizes)))
	}
	f.Tables = append(f.Tables, table, reproduce.Table{Name: "Million events a second by the paper's times of section " +
		"5, 60 million pending",
		Columns: []string{"order (1 in sequence, 2 at random)", "scheduled and dispatched", "cancelled besides"},
		Rows:    [][]float64{{1, 1e3 / (30 + 12), 1e3 / (30 + 18 + 12)}, {2, 1e3 / (90 + 12), 1e3 / (90 + 18 + 12)}}})
	f.Chart("rate", rateChart(table))
	last := table.Rows[len(table.Rows)-1]
	f.Timed = fmt.Sprintf("With %s pending on this machine, Static schedules and dispatches %.1f million events a "+
		"second, and %.1f million if each is cancelled once besides; Queue %.1f and %.1f million.",
		scientific(last[0]), last[1], last[2], last[3], last[4])
	f.Notes = append(f.Notes,
		"By the paper's own times 10⁷ a second is reached in sequence (42 ns to schedule and dispatch: 24 million; 60 "+
			"ns with a cancel: 17 million), and just missed at random (102 ns or more: 9.8 million).")
	return f
}

// rateOf is how many million events a second a calendar handles with n pending. Filling it the
// first time is not counted.
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
	c := plot.Chart{Title: "Events a second with so many pending", XLabel: "pending", YLabel: "million events a second",
		LogX: true, FromZero: true, LegendBeside: true}
	c.Series = columnSeries(t)
	c.Series = append(c.Series, plot.Series{Name: "paper", X: []float64{t.Rows[0][0], 6e7}, Y: []float64{10, 10},
		Dashed: true})
	return c
}

// columnSeries are the columns of a table, over the first.
func columnSeries(t reproduce.Table) []plot.Series {
	var all []plot.Series
	for i, name := range t.Columns[1:] {
		s := plot.Series{Name: name}
		for _, row := range t.Rows {
			s.Add(row[0], row[i+1])
		}
		all = append(all, s)
	}
	return all
}
