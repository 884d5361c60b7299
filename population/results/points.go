package results

import (
	"fmt"
	"io"
	"slices"
)

// A PointColumn is a column that tells the points of a study apart: a parameter that was varied.
type PointColumn struct {
	Name   string
	Number bool // its values are numbers
}

// A PointRow summarises a count at a time over the replicas of a point.
type PointRow struct {
	Values   []string  // by column; ignored in columns of numbers
	Numbers  []float64 // by column; ignored in the other columns
	Replicas int
	Time     float64
	Kind     string // state, total, flow, named or outcome
	Name     string
	Mean, SD float64
	Q05      float64
	Median   float64
	Q95      float64
	Sketched bool // the quantiles are by sketch, and not exact
}

// PointColumns returns the columns that every table of points has, after those that tell the points
// apart.
func PointColumns() []string {
	names := make([]string, len(pointColumns))
	for i, c := range pointColumns {
		names[i] = c.name
	}
	return names
}

// pointColumns are those of a row, in the order in which [PointWriter.Write] sets them.
var pointColumns = [...]column{
	{"replicas", whole, true},
	{"time", number, true},
	{"kind", text, true},
	{"name", text, true},
	{"mean", number, false},
	{"sd", number, false},
	{"q05", number, false},
	{"median", number, false},
	{"q95", number, false},
	{"quantiles", text, true},
}

// A PointWriter writes a table of counts over time at the points of a study, one row at a time. It
// must not be used from several goroutines at once.
type PointWriter struct {
	out     sink
	columns []PointColumn
	cells   []cell
}

// NewPointWriter begins a table: the columns that tell the points apart, and then [PointColumns].
// No two columns may have the same name. The last column, quantiles, is exact or sketch.
func NewPointWriter(w io.Writer, f Format, columns []PointColumn) (*PointWriter, error) {
	var all []column
	seen := PointColumns()
	for _, c := range columns {
		if slices.Contains(seen, c.Name) {
			return nil, fmt.Errorf("results: two columns are called %q", c.Name)
		}
		seen = append(seen, c.Name)
		k := text
		if c.Number {
			k = number
		}
		all = append(all, column{c.Name, k, true})
	}
	all = append(all, pointColumns[:]...)
	out, err := newSink(w, f, "series", all)
	if err != nil {
		return nil, err
	}
	return &PointWriter{out, columns, make([]cell, len(all))}, nil
}

// Write adds a row.
func (w *PointWriter) Write(r PointRow) error {
	for i, c := range w.columns {
		if c.Number {
			w.cells[i].number = r.Numbers[i]
		} else {
			w.cells[i].text = r.Values[i]
		}
	}
	c := w.cells[len(w.columns):]
	c[0].whole, c[1].number, c[2].text, c[3].text = int64(r.Replicas), r.Time, r.Kind, r.Name
	c[4].number, c[5].number, c[6].number, c[7].number, c[8].number = r.Mean, r.SD, r.Q05, r.Median, r.Q95
	if c[9].text = "exact"; r.Sketched {
		c[9].text = "sketch"
	}
	return w.out.row(w.cells)
}

// Close ends the table. It does not close what is written to.
func (w *PointWriter) Close() error { return w.out.close() }
