package results

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/population"
)

// groupColumns are the attributes that a model records by, in the order of the file.
func groupColumns(m *population.Model) []string {
	var names []string
	for _, name := range m.Attributes() {
		if slices.ContainsFunc(m.Groups(), func(g population.Group) bool { return slices.Contains(g.Attributes, name) }) {
			names = append(names, name)
		}
	}
	return names
}

// countColumns are the names that columns of the tables series and flows have. An attribute with
// one of these names has another column name, the same in both tables.
func countColumns() []string { return append(seriesTable.names(), flowTable.names()...) }

// writeCounts writes a table of counts. Rows writes those of a moment.
func writeCounts[R any](w io.Writer, f Format, s *schema[R], r *population.Result,
	rows func(at *moment, write func(*R) error) error) error {
	m := r.Model
	has := func(p presence) bool {
		return p == ifDated && m.Dates() != nil || p == ifIncidence && m.RecordsIncidence()
	}
	l := s.layout(has, groupColumns(m), m.Attributes(), append(countColumns(), s.names()...))
	out, err := newSink(w, f, s.name, l.columns)
	if err != nil {
		return err
	}
	write := func(row *R) error { return out.row(l.row(row)) }
	if err := eachMoment(r, func(at *moment) error { return rows(at, write) }); err != nil {
		return err
	}
	return out.close()
}

// A moment is a row of a replica, of everybody or of a group.
type moment struct {
	run    *population.Run // or the group's part of it
	row    int
	time   float64
	date   string
	values []string // of the group, by groupColumns; all empty for everybody
}

// eachMoment calls back for everybody and for each group, at each row of each replica.
func eachMoment(r *population.Result, call func(*moment) error) error {
	groups, dates, names := r.Model.Groups(), r.Model.Dates(), groupColumns(r.Model)
	values := make([][]string, 1+len(groups))
	values[0] = make([]string, len(names))
	for g := range groups {
		values[1+g] = make([]string, len(names))
		for i, name := range names {
			if k := slices.Index(groups[g].Attributes, name); k >= 0 {
				values[1+g][i] = groups[g].Values[k]
			}
		}
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		parts := []*population.Run{run}
		for g := range groups {
			parts = append(parts, run.In(g))
		}
		for row := range run.Rows() {
			at := moment{row: row, time: r.Times[row]}
			if dates != nil {
				at.date = dates[row]
			}
			for k := range parts {
				at.run, at.values = parts[k], values[k]
				if err := call(&at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// WriteSeries writes how many were in each state, and in each state of machines, as in
// hiv=positive: replica, time, the date if the model's clock has dates, state, the attributes that
// the model records by, and count.
func WriteSeries(w io.Writer, f Format, r *population.Result) error {
	states := r.Model.Counted()
	return writeCounts(w, f, &seriesTable, r, func(at *moment, write func(*SeriesRow) error) error {
		row := SeriesRow{Replica: at.run.Replica, Time: at.time, Date: at.date, Values: at.values}
		for s, name := range states {
			row.State, row.Count = name, int64(at.run.Count(at.row, s))
			if err := write(&row); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteFlows writes how many individuals have made each transition: replica, time, the date if the
// model's clock has dates, kind, flow, the attributes that the model records by, count, and, if the
// model records incidence, incidence: how many in the interval that ends with the row. Named events
// may have any name, also that of a flow; kind, which is flow or named, tells them apart.
func WriteFlows(w io.Writer, f Format, r *population.Result) error {
	var flows []string
	for _, f := range r.Model.Flows() {
		flows = append(flows, f.String())
	}
	names := r.Model.Names()
	return writeCounts(w, f, &flowTable, r, func(at *moment, write func(*FlowRow) error) error {
		row := FlowRow{Replica: at.run.Replica, Time: at.time, Date: at.date, Values: at.values}
		all := func(kind string, names []string, count, incidence func(row, k int) uint64) error {
			row.Kind = kind
			for k, name := range names {
				row.Flow, row.Count, row.Incidence = name, int64(count(at.row, k)), int64(incidence(at.row, k))
				if err := write(&row); err != nil {
					return err
				}
			}
			return nil
		}
		if err := all("flow", flows, at.run.Flow, at.run.Incidence); err != nil {
			return err
		}
		return all("named", names, at.run.Named, at.run.NamedIncidence)
	})
}

// WriteOutcomes writes what each outcome of the model has accrued since the start: replica, time,
// the date if the model's clock has dates, outcome, the attributes that the model records by, and
// value.
func WriteOutcomes(w io.Writer, f Format, r *population.Result) error {
	names := r.Model.Outcomes()
	return writeCounts(w, f, &outcomeTable, r, func(at *moment, write func(*OutcomeRow) error) error {
		row := OutcomeRow{Replica: at.run.Replica, Time: at.time, Date: at.date, Values: at.values}
		for o, name := range names {
			row.Outcome, row.Value = name, at.run.Outcome(at.row, o)
			if err := write(&row); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteSupplies writes how much of each supply there was: replica, time, the date if the model's
// clock has dates, supply, left, used, lost and refused, the last three since the start.
func WriteSupplies(w io.Writer, f Format, r *population.Result) error {
	names := r.Model.Supplies()
	return writeWhole(w, f, &supplyTable, r, len(names),
		func(run *population.Run, row, k int, time float64, date string) SupplyRow {
			s := run.Supply(row, k)
			return SupplyRow{Replica: run.Replica, Time: time, Date: date, Supply: names[k], Left: int64(s.Left),
				Used: int64(s.Used), Lost: int64(s.Lost), Refused: int64(s.Refused)}
		})
}

// WriteNetworks writes how many links there were: replica, time, the date if the model's clock has
// dates, network, what (links, degrees, formed or ended), degree, and count.
func WriteNetworks(w io.Writer, f Format, r *population.Result) error {
	dates, names := r.Model.Dates(), r.Model.Networks()
	l := networkTable.layout(func(p presence) bool { return p == ifDated && dates != nil }, nil, nil, nil)
	out, err := newSink(w, f, networkTable.name, l.columns)
	if err != nil {
		return err
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		for at := range run.Rows() {
			row := NetworkRow{Replica: run.Replica, Time: r.Times[at]}
			if dates != nil {
				row.Date = dates[at]
			}
			for k, name := range names {
				n := run.Network(at, k)
				row.Network = name
				put := func(what string, degree int, count int64) {
					row.What, row.Degree, row.Count = what, degree, count
					if err == nil {
						err = out.row(l.row(&row))
					}
				}
				put("links", -1, int64(n.Links))
				for _, degree := range slices.Sorted(maps.Keys(n.Degrees)) {
					put("degrees", degree, int64(n.Degrees[degree]))
				}
				put("formed", -1, int64(n.Formed))
				put("ended", -1, int64(n.Ended))
			}
			if err != nil {
				return err
			}
		}
	}
	return out.close()
}

// WriteValues writes the values of the whole population: replica, time, the date if the model's
// clock has dates, name and value.
func WriteValues(w io.Writer, f Format, r *population.Result) error {
	names := r.Model.Values()
	return writeWhole(w, f, &valueTable, r, len(names),
		func(run *population.Run, row, k int, time float64, date string) ValueRow {
			return ValueRow{Replica: run.Replica, Time: time, Date: date, Name: names[k], Value: run.Value(row, k)}
		})
}

// writeWhole writes a table of the whole population, without groups: n rows for each replica and
// time.
func writeWhole[R any](w io.Writer, f Format, table *schema[R], r *population.Result, n int,
	rowOf func(run *population.Run, row, k int, time float64, date string) R) error {
	dates := r.Model.Dates()
	l := table.layout(func(p presence) bool { return p == ifDated && dates != nil }, nil, nil, nil)
	out, err := newSink(w, f, table.name, l.columns)
	if err != nil {
		return err
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			date := ""
			if dates != nil {
				date = dates[row]
			}
			for k := range n {
				one := rowOf(run, row, k, r.Times[row], date)
				if err := out.row(l.row(&one)); err != nil {
					return err
				}
			}
		}
	}
	return out.close()
}

// An EventWriter writes events, one at a time. It must not be used from several goroutines at once.
type EventWriter struct {
	out  sink
	l    layout[EventRow]
	none []string // the values of an event that is about nobody
}

// NewEventWriter begins a table of the events of a model: replica, time, kind, individual, from,
// to, name, by, its attributes, and the numbers of its places.
func NewEventWriter(w io.Writer, f Format, m *population.Model) (*EventWriter, error) {
	names := append(append(m.Attributes(), m.Numbers()...), m.Places()...)
	none := func(presence) bool { return false }
	l := eventTable.layout(none, names, names, eventTable.names())
	out, err := newSink(w, f, eventTable.name, l.columns)
	if err != nil {
		return nil, err
	}
	return &EventWriter{out, l, make([]string, len(names))}, nil
}

// Write adds an event.
func (w *EventWriter) Write(e population.Event) error {
	row := EventRow{
		Replica:    e.Replica,
		Time:       e.Time,
		Kind:       e.Kind.String(),
		Individual: e.Individual,
		From:       e.From,
		To:         e.To,
		Name:       e.Name,
		By:         e.By,
		Values:     e.Values,
	}
	if n := len(w.none); len(row.Values) < n {
		row.Values = append(append(make([]string, 0, n), e.Values...), w.none[len(e.Values):]...)
		first := n - len(e.Numbers) - len(e.Places)
		for k, x := range e.Numbers {
			row.Values[first+k] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		for k, number := range e.Places {
			if number > 0 {
				row.Values[first+len(e.Numbers)+k] = strconv.Itoa(number)
			}
		}
	}
	return w.out.row(w.l.row(&row))
}

// Append adds the events of another table of the same model and format.
func (w *EventWriter) Append(r io.ReaderAt, size int64) error { return w.out.append(r, size) }

// Close ends the table. It does not close what is written to.
func (w *EventWriter) Close() error { return w.out.close() }
