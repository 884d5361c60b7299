package study

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/plot"
)

const (
	mostPanels = 24 // outputs in a picture
	mostLines  = 8  // values of a second axis in a chart
	mostMaps   = 24
	mostSide   = 200 // values of an axis of a map
)

// Draw draws what there is into a directory: over-AXIS, the outputs over each axis that has
// numbers, as .svg and .png, and of a grid over two axes map-OUTPUT, a map of each output.
func (s *Sweep) Draw(dir string) error {
	if len(s.points) == 0 || s.count > Kept {
		return nil
	}
	var errs []error
	names := map[string]bool{}
	unique := func(name string) string { // what differs in letters that files are not named with is two files all the same
		for names[name] {
			name += "_"
		}
		names[name] = true
		return name
	}
	for k, a := range s.Axes {
		if !s.numeric(k) {
			continue
		}
		errs = append(errs, plot.SaveBoth(dir, unique("over-"+fileName(a.Name)), s.Over(k)))
	}
	for _, h := range s.Maps() {
		errs = append(errs, plot.SaveBoth(dir, unique("map-"+fileName(h.Title)), h))
	}
	return errors.Join(errs...)
}

// Maps are maps of the outputs over the two axes of a grid; none if the points are no such.
func (s *Sweep) Maps() (all []plot.Heat) {
	if len(s.Axes) != 2 || s.Sampled || len(s.Axes[0].Values) < 2 || len(s.Axes[1].Values) < 2 ||
		max(len(s.Axes[0].Values), len(s.Axes[1].Values)) > mostSide {
		return nil
	}
	for o := range s.Outputs()[:min(len(s.Outputs()), mostMaps)] {
		all = append(all, s.heat(o))
	}
	return all
}

// Points are those that are held.
func (s *Sweep) Points() []Point { return s.points }

// Pictures are the names that files of Draw may have.
var Pictures = []string{"over-*.svg", "over-*.png", "map-*.svg", "map-*.png"}

// numeric reports whether all values of an axis are numbers of one unit, and more than one.
func (s *Sweep) numeric(axis int) bool {
	if s.Axes[axis].IsRange() {
		return true
	}
	for _, v := range s.Axes[axis].Values {
		if math.IsNaN(s.Axes[axis].Number(v)) {
			return false
		}
	}
	return len(s.Axes[axis].Values) > 1
}

// Over is a chart for each output over an axis, none if it has no numbers. If the other axes, taken
// together, have few values there is a line with a band for each of them; otherwise there are
// points.
func (s *Sweep) Over(axis int) plot.Panels {
	if !s.numeric(axis) {
		return plot.Panels{}
	}
	lines := s.others(axis)
	ps := plot.Panels{Title: s.Title, Common: len(lines) > 1, Note: "lines: means; bands: 95 % intervals of the means"}
	if lines == nil {
		ps.Note = "means"
	}
	a := s.Axes[axis]
	for o, name := range s.Outputs()[:min(len(s.Outputs()), mostPanels)] {
		c := plot.Chart{Title: name, XLabel: a.Column()}
		if lines == nil {
			c.Series = []plot.Series{s.series(axis, o, "", func(Point) bool { return true })}
			c.Series[0].Points, c.Series[0].Low, c.Series[0].High = true, nil, nil
		}
		for _, line := range lines {
			c.Series = append(c.Series, s.series(axis, o, line, func(p Point) bool { return s.label(axis, p) == line }))
		}
		ps.Charts = append(ps.Charts, c)
	}
	return ps
}

// others are the combinations of values of all axes but one, or nothing if they are too many for
// lines.
func (s *Sweep) others(axis int) (names []string) {
	if s.Sampled && len(s.Axes) > 1 {
		return nil
	}
	for _, p := range s.points {
		if name := s.label(axis, p); !slices.Contains(names, name) {
			if names = append(names, name); len(names) > mostLines {
				return nil
			}
		}
	}
	return names
}

// label is the values of all axes of a point but one.
func (s *Sweep) label(axis int, p Point) string {
	var parts []string
	for k, v := range p.Values {
		if k != axis && len(s.Axes[k].Values) != 1 {
			parts = append(parts, s.Axes[k].Name+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// series is an output over an axis at the points that belong to it, in the order of the axis.
func (s *Sweep) series(axis, output int, name string, belongs func(Point) bool) plot.Series {
	line := plot.Series{Name: name}
	var points []Point
	for _, p := range s.points {
		if belongs(p) {
			points = append(points, p)
		}
	}
	a := s.Axes[axis]
	slices.SortStableFunc(points, func(p, q Point) int {
		return cmp.Compare(a.Number(p.Values[axis]), a.Number(q.Values[axis]))
	})
	for _, p := range points {
		o := p.Outputs[output]
		line.X, line.Y = append(line.X, a.Number(p.Values[axis])), append(line.Y, o.Mean)
		line.Low, line.High = append(line.Low, o.Low), append(line.High, o.High)
	}
	return line
}

// heat is a map of an output over the two axes of a grid.
func (s *Sweep) heat(output int) plot.Heat {
	x, y := s.Axes[0], s.Axes[1]
	cells := func(a *design.Axis) (all []string) {
		for _, v := range a.Values {
			all = append(all, a.Cell(v))
		}
		return all
	}
	h := plot.Heat{Title: s.Outputs()[output], Note: s.Title + "; means", XLabel: x.Column(), YLabel: y.Column(),
		X: cells(x), Y: cells(y)}
	for range y.Values {
		row := make([]float64, len(x.Values))
		for i := range row {
			row[i] = math.NaN()
		}
		h.Z = append(h.Z, row)
	}
	for _, p := range s.points {
		i, j := slices.Index(x.Values, p.Values[0]), slices.Index(y.Values, p.Values[1])
		if i >= 0 && j >= 0 {
			h.Z[j][i] = p.Outputs[output].Mean
		}
	}
	return h
}

// fileName removes characters that are not used in file names.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-', r > 127:
			return r
		}
		return '-'
	}, name)
	return strings.Trim(name[:min(len(name), 100)], "-.")
}
