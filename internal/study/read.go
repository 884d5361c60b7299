package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/internal/design"
)

// own are the columns of points.csv beside those of the axes.
var own = []string{"replicas", "output", "mean", "sd", "low", "high"}

// ReadPoints reads points.csv. The axes are those of the study, whose units the table does not
// have; without any they are made of the columns, with the values as they stand there. At most Kept
// points are read.
func ReadPoints(r io.Reader, title string, axes []*design.Axis, sampled bool) (*Sweep, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	n := len(head) - len(own)
	if n < 1 || !slices.Equal(head[n:], own) {
		return nil, fmt.Errorf("its columns are %q; expected those of names, and then %q", head, own)
	}
	unknown := len(axes) == 0
	if unknown {
		for _, name := range head[:n] {
			axes = append(axes, &design.Axis{Name: name, Values: []string{}})
		}
	}
	if names := design.Names(axes, own...); !slices.Equal(names, head[:n]) && !unknown {
		return nil, fmt.Errorf("its columns are %q where %q was varied", head[:n], names)
	}
	s := NewSweep(title, axes, sampled, nil)
	known := make([]map[string]string, len(axes)) // the value of each cell
	for i, a := range axes {
		known[i] = map[string]string{}
		for _, v := range a.Values {
			known[i][a.Cell(v)] = v
		}
	}
	var last []string
	var point *Point
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if point == nil || !slices.Equal(last, row[:n]) {
			if len(s.points) == Kept {
				return nil, fmt.Errorf("it has more than %d points", Kept)
			}
			last = slices.Clone(row[:n])
			values, err := s.values(last, known, unknown)
			if err != nil {
				return nil, err
			}
			s.points = append(s.points, Point{Values: values})
			s.count++
			point = &s.points[len(s.points)-1]
		}
		o := Output{Name: row[n+1]}
		if o.N, err = strconv.Atoi(row[n]); err != nil {
			return nil, err
		}
		if err := readNumbers(row[n+2:], &o.Mean, &o.SD, &o.Low, &o.High); err != nil {
			return nil, err
		}
		point.Replicas = max(point.Replicas, o.N)
		point.Outputs = append(point.Outputs, o)
	}
	for _, p := range s.points {
		if !sameNames(p.Outputs, s.points[0].Outputs) {
			return nil, fmt.Errorf("the point %q has other outputs than the first", p.Values)
		}
	}
	return s, nil
}

// values are those of a point, whose cells a row has.
func (s *Sweep) values(cells []string, known []map[string]string, unknown bool) (values []string, err error) {
	for i, a := range s.Axes {
		value, ok := known[i][cells[i]]
		switch {
		case ok:
		case unknown:
			value = cells[i]
			a.Values = append(a.Values, value)
			known[i][value] = value
		case a.IsRange():
			value = a.Write(cells[i])
		default:
			return nil, fmt.Errorf("%q is no value of %s", cells[i], a.Name)
		}
		values = append(values, value)
	}
	return values, nil
}

// readNumbers reads cells; one that is empty is no number.
func readNumbers(cells []string, to ...*float64) (err error) {
	for i, x := range to {
		if *x = math.NaN(); cells[i] != "" {
			if *x, err = strconv.ParseFloat(cells[i], 64); err != nil {
				return err
			}
		}
	}
	return nil
}
