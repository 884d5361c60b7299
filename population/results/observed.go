package results

import (
	"io"
	"strconv"

	"github.com/almanac-sim/almanac/population"
)

// WriteObserved writes what each observation has seen since the start: replica, time, the date if
// the model's clock has dates, name, what, the attributes that the model records by, and count.
// What is seen, or, of surveys, tested and expected, or, if the model records it, incidence: how
// many were seen in the interval that ends with the row.
func WriteObserved(w io.Writer, f Format, r *population.Result) error {
	names := r.Model.Observations()
	return writeCounts(w, f, &observedTable, r, func(at *moment, writeRow func(*ObservedRow) error) error {
		row := ObservedRow{Replica: at.run.Replica, Time: at.time, Date: at.date, Values: at.values}
		write := func(what string, count float64) error {
			row.What, row.Count = what, count
			return writeRow(&row)
		}
		for o, name := range names {
			row.Name = name
			if err := write("seen", float64(at.run.Seen(at.row, o))); err != nil {
				return err
			}
			if r.Model.RecordsIncidence() {
				if err := write("incidence", float64(at.run.SeenIncidence(at.row, o))); err != nil {
					return err
				}
			}
			if !r.Model.IsSurvey(o) {
				continue
			}
			if err := write("tested", float64(at.run.Tested(at.row, o))); err != nil {
				return err
			}
			if err := write("expected", at.run.Expected(at.row, o)); err != nil {
				return err
			}
		}
		return nil
	})
}

// A TreeWriter writes who infected whom, one infection at a time. It must not be used from several
// goroutines at once.
type TreeWriter struct {
	out sink
	l   layout[TreeRow]
}

// NewTreeWriter begins a table of the infections of a model: replica, infected, time, by, by time,
// generation, root and among.
func NewTreeWriter(w io.Writer, f Format) (*TreeWriter, error) {
	l := treeTable.layout(func(presence) bool { return false }, nil, nil, nil)
	out, err := newSink(w, f, treeTable.name, l.columns)
	if err != nil {
		return nil, err
	}
	return &TreeWriter{out, l}, nil
}

// Write adds an infection.
func (w *TreeWriter) Write(e population.Infection) error {
	row := TreeRow(e)
	return w.out.row(w.l.row(&row))
}

// Append adds the infections of another table of the same format.
func (w *TreeWriter) Append(r io.ReaderAt, size int64) error { return w.out.append(r, size) }

// Close ends the table. It does not close what is written to.
func (w *TreeWriter) Close() error { return w.out.close() }

// A PeopleWriter writes a line list, one individual at a time. It must not be used from several
// goroutines at once.
type PeopleWriter struct {
	out sink
	l   layout[PersonRow]
}

// NewPeopleWriter begins a table of the people of a model: replica, number, id, entered, left, how,
// mother, state, its attributes, numbers and places, and "time of" each thing whose first time the
// model records.
func NewPeopleWriter(w io.Writer, f Format, m *population.Model) (*PeopleWriter, error) {
	names := append(append(m.Attributes(), m.Numbers()...), m.Places()...)
	l := peopleTable.layout(func(presence) bool { return false }, names, names, peopleTable.names(), m.PersonTimes()...)
	out, err := newSink(w, f, peopleTable.name, l.columns)
	if err != nil {
		return nil, err
	}
	return &PeopleWriter{out, l}, nil
}

// Write adds an individual.
func (w *PeopleWriter) Write(p population.Person) error {
	row := PersonRow{Replica: p.Replica, Number: p.Number, ID: p.ID, Entered: p.Entered, Left: p.Left, How: p.How,
		Mother: p.Mother, State: p.State, Values: p.Values, Times: p.Times}
	for _, x := range p.Numbers {
		row.Values = append(row.Values, strconv.FormatFloat(x, 'g', -1, 64))
	}
	for _, number := range p.Places {
		text := ""
		if number > 0 {
			text = strconv.Itoa(number)
		}
		row.Values = append(row.Values, text)
	}
	return w.out.row(w.l.row(&row))
}

// Append adds the people of another table of the same model and format.
func (w *PeopleWriter) Append(r io.ReaderAt, size int64) error { return w.out.append(r, size) }

// Close ends the table. It does not close what is written to.
func (w *PeopleWriter) Close() error { return w.out.close() }
