package sim

import (
	"fmt"
	"math"
	"weak"

	"github.com/almanac-sim/almanac/sim/internal/text"
)

// A Report is a snapshot of the statistics of a simulation, in the order in which they were made.
type Report struct {
	Now  float64
	Rows []ReportRow
}

// A ReportRow is one statistic of a [Report]. What is not known, because nothing was observed, is
// NaN.
type ReportRow struct {
	Name                   string
	Mean, StdDev, Min, Max float64
	TimeWeighted           bool    // of a TimeWeighted, over time, and else of a Tally
	N                      int64   // observations of a Tally
	Time                   float64 // over which a TimeWeighted was observed
}

// A reporter makes the rows of one or more statistics.
type reporter interface {
	report(name string) []ReportRow
}

// Report returns all named statistics of the simulation: those of its resources, stores and
// containers, and those made by [Simulation.NewTally] and [Simulation.NewTimeWeighted]. A resource
// has its units in use, queue, waits and utilization. A tally with a [QuantileSketch] also has rows
// for its median, 90 % and 99 % quantiles, and one with a target ([Tally.AddTarget]) a row for its
// service level.
func (s *Simulation) Report() Report {
	r := Report{Now: s.Now()}
	for _, registered := range s.registry.named {
		if x, ok := registered.what.(reporter); ok {
			r.Rows = append(r.Rows, x.report(registered.name)...)
		}
	}
	return r
}

// Row returns the first statistic with a name.
func (r Report) Row(name string) (row ReportRow, ok bool) {
	for _, row := range r.Rows {
		if row.Name == name {
			return row, true
		}
	}
	return ReportRow{}, false
}

// String returns a table with a line for each statistic.
func (r Report) String() string {
	rows := [][]string{{"statistic", "mean", "sd", "min", "max", "n", "time"}}
	for _, row := range r.Rows {
		cells := []string{row.Name, text.Short(row.Mean), text.Short(row.StdDev), text.Short(row.Min), text.Short(row.Max),
			"", ""}
		if row.TimeWeighted {
			cells[6] = text.Short(row.Time)
		} else {
			cells[5] = fmt.Sprint(row.N)
		}
		rows = append(rows, cells)
	}
	return text.Table(rows)
}

// report returns a row for each count that is not 0.
func (c *counters) report(name string) (rows []ReportRow) {
	for _, x := range []struct {
		what  string
		count int
	}{{"balked", c.balked}, {"reneged", c.reneged}, {"preempted", c.preempted}, {"withdrawn", c.withdrawn},
		{"stopped", c.stopped}} {
		if x.count > 0 {
			none := math.NaN()
			rows = append(rows, ReportRow{Name: name + " " + x.what, Mean: none, StdDev: none, Min: none, Max: none,
				N: int64(x.count)})
		}
	}
	return rows
}

func (t *Tally) report(name string) []ReportRow {
	rows := []ReportRow{{Name: name, Mean: t.Mean(), StdDev: t.StdDev(), Min: t.Min(), Max: t.Max(), N: t.N()}}
	if t.quantiles == nil {
		return rows
	}
	single := func(what string, x float64) {
		none := math.NaN()
		rows = append(rows, ReportRow{Name: name + " " + what, Mean: x, StdDev: none, Min: none, Max: none, N: t.N()})
	}
	if t.quantiles.dd != nil {
		for _, percent := range []int{50, 90, 99} {
			single(fmt.Sprint("p", percent), t.Quantile(float64(percent)/100))
		}
	}
	for _, target := range t.quantiles.targets {
		single(fmt.Sprint("within ", target.x), t.ServiceLevel(target.x))
	}
	return rows
}

func (l *TimeWeighted) report(name string) []ReportRow {
	return []ReportRow{{
		Name: name, Mean: l.Mean(), StdDev: l.StdDev(), Min: l.Min(), Max: l.Max(), TimeWeighted: true, Time: l.Observed(),
	}}
}

// A registry lists the statistics of a simulation, so that it can reset and report them.
//
// What has a name is part of the report, and so has to stay. If it could be collected as garbage,
// the report would depend on when that happens. What has no name is in no report, and is known by a
// weak pointer, which costs about 70 bytes until the next sweep.
type registry struct {
	named     []statistic
	unnamed   []unnamed
	retention *Retention // what those with a name are to keep, if anything
	sweepAt   int        // how many unnamed ones there may be before those are taken out that are gone
}

// A statistic is something that WarmUp resets, under the name that a report shows.
type statistic struct {
	name string
	what resetter
}

type resetter interface{ Reset() }

// An observed thing has statistics: a resource has several, and a Tally is one itself.
type observed interface {
	// statistics calls f with each of them, and what it is of; "" if that goes without saying.
	statistics(f func(of string, x resetter))
}

// unnamed is an observed thing that may have been collected.
type unnamed interface {
	get() (x observed, ok bool)
}

type weakly[T any, P interface {
	*T
	observed
}] struct {
	p weak.Pointer[T]
}

func (w weakly[T, P]) get() (observed, bool) {
	x := w.p.Value()
	return P(x), x != nil
}

// fewUnnamed are not worth a sweep.
const fewUnnamed = 64

// register adds the statistics of x, so that they are reset after warming up, and reported if there
// is a name.
func register[T any, P interface {
	*T
	observed
}](s *Simulation, name string, x P) {
	r := &s.registry
	if name != "" {
		x.statistics(func(of string, x resetter) {
			if of != "" {
				of = " " + of
			}
			r.named = append(r.named, statistic{name + of, x})
			if r.retention != nil {
				keep(x, *r.retention, s.clock)
			}
		})
		return
	}
	if len(r.unnamed) >= max(r.sweepAt, fewUnnamed) {
		r.sweep(func(observed) {})
	}
	r.unnamed = append(r.unnamed, weakly[T, P]{weak.Make((*T)(x))})
}

// sweep calls f with everything unnamed, and removes what has been collected. It costs amortized
// constant time for each registration, since it is repeated only when there are twice as many.
func (r *registry) sweep(f func(observed)) {
	kept := r.unnamed[:0]
	for _, u := range r.unnamed {
		if x, ok := u.get(); ok {
			f(x)
			kept = append(kept, u)
		}
	}
	if len(kept) < cap(kept)/4 {
		kept = append([]unnamed(nil), kept...) // the memory of the others is free
	} else {
		clear(r.unnamed[len(kept):])
	}
	r.unnamed, r.sweepAt = kept, 2*len(kept)
}

// reset resets all statistics.
func (r *registry) reset() {
	for _, x := range r.named {
		x.what.Reset()
	}
	r.sweep(func(x observed) {
		x.statistics(func(_ string, x resetter) { x.Reset() })
	})
}

func (t *Tally) statistics(f func(string, resetter)) { f("", t) }

func (l *TimeWeighted) statistics(f func(string, resetter)) { f("", l) }

func (r *Resource) statistics(f func(string, resetter)) {
	f("in use", &r.usage)
	f("queue", &r.queue.lengths)
	f("wait", &r.waits)
	f("", &r.refused)
	f("", capacities{r})
	f("", holders{r})
}

// capacities is the capacity of a resource over time. A report has the utilization, which is
// computed from it.
type capacities struct{ of *Resource }

// Reset restarts the observation of the capacity.
func (c capacities) Reset() { c.of.total.Reset() }

func (c capacities) report(name string) []ReportRow {
	none := math.NaN()
	return []ReportRow{{
		Name: name + " utilisation", Mean: c.of.Utilization(), StdDev: none, Min: none, Max: none,
		TimeWeighted: true, Time: c.of.usage.Observed(),
	}}
}

// orElse returns the name, or the kind of something without one.
func orElse(name, kind string) string {
	if name == "" {
		return kind
	}
	return name
}
