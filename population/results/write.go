package results

import (
	"io"
	"slices"

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

// withAttributes adds columns for attributes. One that has the name of another column gets an underscore behind it.
func withAttributes(columns []column, all, names []string, k kind) []column {
	for _, name := range names {
		for slices.ContainsFunc(columns, func(c column) bool { return c.name == name }) {
			name += "_"
			for slices.Contains(all, name) {
				name += "_"
			}
		}
		columns = append(columns, column{name, k, true})
	}
	return columns
}

// ownColumns are those of the tables of counts that are no attributes. An attribute of such a name is another column in all of them.
var ownColumns = []string{"replica", "time", "date", "state", "kind", "flow", "count", "incidence"}

// A layout is the columns of a table of counts: before come those that say when and of what, then the attributes, then the numbers.
type layout struct {
	columns []column
	first   int // the first of the attributes
	names   []string
}

func newLayout(m *population.Model, before []column, numbers ...string) layout {
	before = append([]column{{"replica", whole, true}, {"time", number, true}}, before...)
	if m.Dates() != nil {
		before = slices.Insert(before, 2, column{"date", text, true})
	}
	l := layout{first: len(before), names: groupColumns(m)}
	var taken []column
	for _, name := range ownColumns {
		taken = append(taken, column{name: name})
	}
	l.columns = append(slices.Clone(before), withAttributes(taken, m.Attributes(), l.names, maybe)[len(taken):]...)
	for _, n := range numbers {
		l.columns = append(l.columns, column{n, whole, false})
	}
	return l
}

// group puts the values of a group into their columns; of everybody there are none.
func (l *layout) group(cells []cell, g *population.Group) {
	for i, name := range l.names {
		cells[l.first+i].text = ""
		if g == nil {
			continue
		}
		if k := slices.Index(g.Attributes, name); k >= 0 {
			cells[l.first+i].text = g.Values[k]
		}
	}
}

// eachRow calls back for everybody and for each group, at each row of each replica. The cells have the replica, the time and the group.
func (l *layout) eachRow(r *population.Result, call func(cells []cell, run *population.Run, row int) error) error {
	cells := make([]cell, len(l.columns))
	groups, dates := r.Model.Groups(), r.Model.Dates()
	for i := range r.Runs {
		run := &r.Runs[i]
		cells[0].whole = int64(run.Replica)
		parts := []*population.Run{run}
		for g := range groups {
			parts = append(parts, run.In(g))
		}
		for row := range run.Rows() {
			cells[1].number = r.Times[row]
			if dates != nil {
				cells[2].text = dates[row]
			}
			for k, part := range parts {
				if k == 0 {
					l.group(cells, nil)
				} else {
					l.group(cells, &groups[k-1])
				}
				if err := call(cells, part, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// WriteSeries writes how many were in each state: replica, time, the date if the model's clock has dates, state, the attributes that the
// model records by, and count.
func WriteSeries(w io.Writer, f Format, r *population.Result) error {
	l := newLayout(r.Model, []column{{"state", text, true}}, "count")
	out, err := newSink(w, f, "series", l.columns)
	if err != nil {
		return err
	}
	states, last := r.Model.States(), len(l.columns)-1
	err = l.eachRow(r, func(cells []cell, run *population.Run, row int) error {
		for s, name := range states {
			cells[l.first-1].text, cells[last].whole = name, int64(run.Count(row, s))
			if err := out.row(cells); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.close()
}

// WriteFlows writes how many had gone each way: replica, time, the date if the model's clock has dates, kind, flow, the attributes that the
// model records by, count, and, if the model records incidence, incidence: how many in the interval that ends with the row. What goes by a
// name may have any, also that of a flow: kind is flow or named, and tells them apart.
func WriteFlows(w io.Writer, f Format, r *population.Result) error {
	numbers := []string{"count"}
	if r.Model.RecordsIncidence() {
		numbers = append(numbers, "incidence")
	}
	l := newLayout(r.Model, []column{{"kind", text, true}, {"flow", text, true}}, numbers...)
	out, err := newSink(w, f, "flows", l.columns)
	if err != nil {
		return err
	}
	var flows []string
	for _, f := range r.Model.Flows() {
		flows = append(flows, f.String())
	}
	names, at := r.Model.Names(), len(l.columns)-len(numbers)
	err = l.eachRow(r, func(cells []cell, run *population.Run, row int) error {
		all := func(kind string, names []string, count, incidence func(row, k int) uint64) error {
			cells[l.first-2].text = kind
			for k, name := range names {
				cells[l.first-1].text, cells[at].whole = name, int64(count(row, k))
				if len(numbers) > 1 {
					cells[at+1].whole = int64(incidence(row, k))
				}
				if err := out.row(cells); err != nil {
					return err
				}
			}
			return nil
		}
		if err := all("flow", flows, run.Flow, run.Incidence); err != nil {
			return err
		}
		return all("named", names, run.Named, run.NamedIncidence)
	})
	if err != nil {
		return err
	}
	return out.close()
}

// An EventWriter writes events, one at a time. It must not be used from several goroutines at once.
type EventWriter struct {
	out   sink
	cells []cell
}

// NewEventWriter begins a table of the events of a model: replica, time, kind, individual, from, to, name, by, and its attributes.
func NewEventWriter(w io.Writer, f Format, m *population.Model) (*EventWriter, error) {
	columns := []column{
		{"replica", whole, true}, {"time", number, false}, {"kind", text, true}, {"individual", anyone, false},
		{"from", maybe, true}, {"to", maybe, true}, {"name", maybe, true}, {"by", anyone, false},
	}
	columns = withAttributes(columns, m.Attributes(), m.Attributes(), maybe)
	out, err := newSink(w, f, "events", columns)
	if err != nil {
		return nil, err
	}
	return &EventWriter{out, make([]cell, len(columns))}, nil
}

// Write adds an event.
func (w *EventWriter) Write(e population.Event) error {
	c := w.cells
	c[0].whole, c[1].number, c[2].text, c[3].whole = int64(e.Replica), e.Time, e.Kind.String(), int64(e.Individual)
	c[4].text, c[5].text, c[6].text, c[7].whole = e.From, e.To, e.Name, int64(e.By)
	for i := range c[8:] {
		c[8+i].text = "" // an intervention that happens is nobody's event
		if i < len(e.Values) {
			c[8+i].text = e.Values[i]
		}
	}
	return w.out.row(c)
}

// Append adds the events of another table of the same model and format.
func (w *EventWriter) Append(r io.ReaderAt, size int64) error { return w.out.append(r, size) }

// Close ends the table. It does not close what is written to.
func (w *EventWriter) Close() error { return w.out.close() }
