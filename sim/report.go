package sim

import (
	"fmt"
	"math"
)

// A Report is what the statistics of a simulation were at a moment, in the order in which they were made.
type Report struct {
	Now  float64
	Rows []ReportRow
}

// A ReportRow is one statistic of a [Report]. What is not known, because nothing was observed, is NaN.
type ReportRow struct {
	Name                   string
	Mean, StdDev, Min, Max float64
	Level                  bool    // of a Level, over time, and else of a Tally
	N                      int64   // observations of a Tally
	Time                   float64 // over which a Level was observed
}

// A reporter is something with several statistics, which a simulation registers as one.
type reporter interface {
	report(name string) []ReportRow
}

// Report tells all statistics that belong to the simulation and have a name: those of its resources, stores and containers, and those
// made by [Simulation.NewTally] and [Simulation.NewLevel].
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

// String is a table with a line for each statistic.
func (r Report) String() string {
	rows := [][]string{{"statistic", "mean", "sd", "min", "max", "n", "time"}}
	for _, row := range r.Rows {
		cells := []string{row.Name, short(row.Mean), short(row.StdDev), short(row.Min), short(row.Max), "", ""}
		if row.Level {
			cells[6] = short(row.Time)
		} else {
			cells[5] = fmt.Sprint(row.N)
		}
		rows = append(rows, cells)
	}
	return table(rows)
}

// report has a row for each that is not 0. They are counts, and have no other statistics.
func (c *counters) report(name string) (rows []ReportRow) {
	for _, x := range []struct {
		what  string
		count int
	}{{"balked", c.balked}, {"reneged", c.reneged}, {"preempted", c.preempted}, {"withdrawn", c.withdrawn}, {"stopped", c.stopped}} {
		if x.count > 0 {
			none := math.NaN()
			rows = append(rows, ReportRow{Name: name + " " + x.what, Mean: none, StdDev: none, Min: none, Max: none, N: int64(x.count)})
		}
	}
	return rows
}

func (t *Tally) report(name string) []ReportRow {
	return []ReportRow{{Name: name, Mean: t.Mean(), StdDev: t.StdDev(), Min: t.Min(), Max: t.Max(), N: t.N()}}
}

func (l *Level) report(name string) []ReportRow {
	return []ReportRow{{
		Name: name, Mean: l.Mean(), StdDev: l.StdDev(), Min: l.Min(), Max: l.Max(), Level: true, Time: l.Observed(),
	}}
}
