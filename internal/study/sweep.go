// Package study puts into tables and pictures what a study of many points found: a sweep over
// parameters, or scenarios side by side.
//
// # Files
//
//	sweep.go      Sweep: points with their outputs; points.csv
//	draw.go       pictures of a sweep
//	compare.go    Comparison: scenarios and their differences
//	course.go     Course: scenarios over time
//	multiples.go  pictures of several scenarios
//	icer.go       ICER: costs and effects
//	missing.go    replicas without a number
//	read.go       reading the tables
//	write.go      writing the tables
//	text.go       tables as text
package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/almanac-sim/almanac/internal/design"
)

// An Output is the summary of an output at a point: the mean with its 95 % confidence interval.
type Output struct {
	Name      string
	N         int // number of values
	Mean, SD  float64
	Low, High float64
	Runs      Range // of the values, in a comparison
}

// A Point is a combination of values, with its outputs.
type Point struct {
	Values   []string // of each axis
	Replicas int
	Outputs  []Output // the same, in the same order, at all points
}

// A Sweep collects the points of a study. The table is written as they come; the first Kept are
// held for printing and drawing.
type Sweep struct {
	Title   string // of pictures
	Axes    []*design.Axis
	Sampled bool // the points are a sample, not a grid

	points []Point
	count  int
	table  *csv.Writer
	units  string // of the axes, as the table has them
}

// Kept is the number of points held for printing and drawing.
const Kept = 20_000

// NewSweep starts a sweep. The table, if not nil, gets points.csv: a column for each axis, in its
// unit; replicas, output, mean, sd, low, high; and units, if an axis has one. There is a row for
// each point and output.
func NewSweep(title string, axes []*design.Axis, sampled bool, table io.Writer) *Sweep {
	s := &Sweep{Title: title, Axes: axes, Sampled: sampled}
	if table == nil {
		return s
	}
	s.table = csv.NewWriter(table)
	head := append(design.Names(axes, columns...), own...)
	if s.units = units(axes); s.units != "" {
		head = append(head, unitsColumn)
	}
	_ = s.table.Write(head) // Flush returns the error
	return s
}

// Add adds the next point.
func (s *Sweep) Add(p Point) error {
	if s.count++; len(s.points) < Kept {
		s.points = append(s.points, p)
	}
	if s.table == nil {
		return nil
	}
	row := make([]string, 0, len(s.Axes)+len(columns))
	for i, a := range s.Axes {
		row = append(row, a.Cell(p.Values[i]))
	}
	for _, o := range p.Outputs {
		full := append(row, strconv.Itoa(o.N), o.Name, number(o.Mean), number(o.SD), number(o.Low), number(o.High))
		if s.units != "" {
			full = append(full, s.units)
		}
		if err := s.table.Write(full); err != nil {
			return err
		}
	}
	return nil
}

// Flush writes the rest of the table.
func (s *Sweep) Flush() error {
	if s.table == nil {
		return nil
	}
	s.table.Flush()
	return s.table.Error()
}

// number formats a number with full precision; empty for NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Outputs are the names of what is found.
func (s *Sweep) Outputs() (names []string) {
	if len(s.points) > 0 {
		for _, o := range s.points[0].Outputs {
			names = append(names, o.Name)
		}
	}
	return names
}

const (
	printedPoints  = 24
	printedOutputs = 4 // side by side
	printedTables  = 3
)

// Print prints tables: a line for each point and a column for each output, mean ± half the
// interval's width.
func (s *Sweep) Print(w io.Writer) error {
	names := s.Outputs()
	for from := 0; from < len(names) && from < printedTables*printedOutputs; from += printedOutputs {
		to := min(from+printedOutputs, len(names))
		var t textTable
		head := []string{}
		for _, a := range s.Axes {
			head = append(head, a.Column())
		}
		t.row(append(head, names[from:to]...)...)
		for _, p := range s.points[:min(len(s.points), printedPoints)] {
			line := []string{}
			for i, a := range s.Axes {
				line = append(line, a.Cell(p.Values[i]))
			}
			for _, o := range p.Outputs[from:to] {
				line = append(line, o.Text())
			}
			t.row(line...)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := t.print(w); err != nil {
			return err
		}
	}
	for _, note := range s.missing() {
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	if s.count > printedPoints || len(names) > printedTables*printedOutputs {
		_, err := fmt.Fprintf(w, "… and more: points: %d, outputs: %d; all of them are in points.csv, in the directory "+
			"of --out\n", s.count, len(names))
		return err
	}
	return nil
}

// Text is the mean with half the width of its interval.
func (o *Output) Text() string {
	if o.N == 0 || math.IsNaN(o.Mean) {
		return "–"
	}
	half := (o.High - o.Low) / 2
	if math.IsNaN(half) {
		return Short(o.Mean)
	}
	return Short(o.Mean) + " ± " + Short(half)
}
