package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/design"
)

// own are the columns of points.csv besides those of the axes. columns also has the last one, which
// is there if an axis has a unit.
var (
	own     = []string{"replicas", "output", "mean", "sd", "low", "high"}
	columns = append(own[:len(own):len(own)], unitsColumn)
)

const unitsColumn = "units"

// units are the units of axes, as points.csv has them: "beta per day; coverage %". It is empty if
// no axis has one.
func units(axes []*design.Axis) string {
	var all []string
	for _, a := range axes {
		if a.Unit != "" {
			all = append(all, a.Name+" "+a.Unit)
		}
	}
	return strings.Join(all, "; ")
}

// setUnits sets the units of axes that were made from the columns.
func setUnits(axes []*design.Axis, text string) {
	for one := range strings.SplitSeq(text, "; ") {
		for _, a := range axes {
			if unit, ok := strings.CutPrefix(one, strings.TrimPrefix(a.Name, "parameter ")+" "); ok {
				a.Unit = unit
			}
		}
	}
}

// ReadPoints reads points.csv. The axes are those of the study; without axes, they are made from
// the columns. At most Kept points are read.
func ReadPoints(r io.Reader, title string, axes []*design.Axis, sampled bool) (*Sweep, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	head, united := slices.Clone(head), head[len(head)-1] == unitsColumn
	if united {
		head = head[:len(head)-1]
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
	if names := design.Names(axes, columns...); !slices.Equal(names, head[:n]) && !unknown {
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
		if united && unknown && point == nil {
			setUnits(axes, row[len(row)-1])
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
			value = a.Write(cells[i])
			a.Values = append(a.Values, value)
			known[i][cells[i]] = value
		case a.IsRange():
			value = a.Write(cells[i])
		default:
			return nil, fmt.Errorf("%q is no value of %s", cells[i], a.Name)
		}
		values = append(values, value)
	}
	return values, nil
}

// readNumbers parses cells; an empty one is NaN.
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

// The columns of the tables of a comparison as earlier versions wrote them: low and high are the
// confidence interval of the mean.
var (
	earlierScenarioColumns   = []string{"scenario", "replicas", "output", "mean", "sd", "low", "high"}
	earlierDifferenceColumns = []string{"scenario", "output", "difference", "low", "high"}
)

// ReadScenarios reads scenarios.csv: at least two scenarios with the same outputs, and at most so
// many rows.
func ReadScenarios(r io.Reader, most int) (*Comparison, error) {
	c := &Comparison{}
	columns := [][]string{scenarioColumns, earlierScenarioColumns}
	err := readRows(r, columns, most, func(row []string) (err error) {
		o := Output{Name: row[2]}
		if o.N, err = strconv.Atoi(row[1]); err == nil && o.N < 0 {
			err = errors.New("fewer replicas than none")
		}
		if err == nil {
			err = readNumbers(row[3:], &o.Mean, &o.SD, &o.Low, &o.High)
		}
		if err == nil && len(row) == len(scenarioColumns) {
			o.Runs, err = readRange(row[7:])
		}
		n := len(c.Scenarios)
		if n == 0 || c.Scenarios[n-1].Name != row[0] {
			if slices.ContainsFunc(c.Scenarios, func(s Scenario) bool { return s.Name == row[0] }) {
				return fmt.Errorf("scenario %q stands in two places", row[0])
			}
			c.Scenarios = append(c.Scenarios, Scenario{Name: row[0]})
			n++
		}
		c.Scenarios[n-1].Outputs = append(c.Scenarios[n-1].Outputs, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	if n := len(c.Scenarios); n < 2 {
		return nil, fmt.Errorf("it has %d scenarios; expected at least two", n)
	}
	for _, s := range c.Scenarios {
		if !sameNames(s.Outputs, c.Scenarios[0].Outputs) {
			return nil, fmt.Errorf("scenario %q has other outputs than the first", s.Name)
		}
	}
	return c, nil
}

// ReadDifferences reads differences.csv, which belongs to the scenarios that are there.
func (c *Comparison) ReadDifferences(r io.Reader) error {
	most := (len(c.Scenarios) - 1) * len(c.Scenarios[0].Outputs)
	columns := [][]string{differenceColumns, earlierDifferenceColumns}
	err := readRows(r, columns, most, func(row []string) error {
		i := slices.IndexFunc(c.Scenarios, func(s Scenario) bool { return s.Name == row[0] })
		if i < 1 {
			return fmt.Errorf("scenario %q is the first of scenarios.csv, or not there", row[0])
		}
		d := Output{Name: row[1], N: -1, SD: math.NaN()}
		var err error
		if len(row) == len(earlierDifferenceColumns) {
			err = readNumbers(row[2:], &d.Mean, &d.Low, &d.High)
		} else {
			if row[2] != "" {
				if d.N, err = strconv.Atoi(row[2]); err == nil && d.N < 0 {
					err = errors.New("fewer pairs than none")
				}
			}
			if err == nil {
				err = readNumbers(row[3:], &d.Mean, &d.SD, &d.Low, &d.High)
			}
			if err == nil {
				d.Runs, err = readRange(row[7:])
			}
		}
		c.Scenarios[i].Differences = append(c.Scenarios[i].Differences, d)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range c.Scenarios[1:] {
		if !sameNames(s.Differences, s.Outputs) {
			return fmt.Errorf("scenario %q has other outputs than in scenarios.csv", s.Name)
		}
	}
	return nil
}

// ReadCourse reads series.csv and series-differences.csv, which belong to the scenarios that are
// there, with at most so many rows each.
func (c *Comparison) ReadCourse(series, differences io.Reader, most int) error {
	course := &Course{}
	for _, s := range c.Scenarios {
		course.Scenarios = append(course.Scenarios, s.Name)
	}
	lines, err := course.read(series, seriesColumns, course.Scenarios, most, func(b *Band) []*[]float64 {
		return []*[]float64{&b.Mean, &b.SD, &b.Q05, &b.Median, &b.Q95, &b.RunsLow, &b.RunsHigh}
	})
	if err != nil {
		return err
	}
	for _, l := range lines {
		course.Lines = append(course.Lines, Line{Kind: l.kind, Name: l.name, Of: l.bands})
	}
	times := course.Times
	lines, err = course.read(differences, seriesDifferenceColumns, course.Scenarios[1:], most, func(b *Band) []*[]float64 {
		return []*[]float64{&b.Mean, &b.SD, &b.Low, &b.High, &b.RunsLow, &b.RunsHigh}
	})
	if err == nil && (len(lines) != len(course.Lines) || !slices.Equal(times, course.Times)) {
		err = errors.New("the differences have other times or names than the scenarios")
	}
	for i := range lines {
		if l := &course.Lines[i]; err == nil && (l.Kind != lines[i].kind || l.Name != lines[i].name) {
			err = fmt.Errorf("the differences have no %s %s in its place", l.Kind, l.Name)
		} else if err == nil {
			l.Differences = lines[i].bands
		}
	}
	if err == nil {
		c.Course = course
	}
	return err
}

// A readLine is a line of a table over time.
type readLine struct {
	kind, name string
	bands      []Band // by scenario
}

// read reads a table over time, whose rows are in the order of the scenarios, times and lines. It
// sets the times.
func (c *Course) read(
	r io.Reader, columns, scenarios []string, most int, of func(*Band) []*[]float64,
) (lines []readLine, err error) {
	var rows [][]string
	err = readRows(r, [][]string{columns}, most, func(row []string) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	if err != nil {
		return nil, err
	}
	first := len(rows) / max(len(scenarios), 1) // rows of a scenario
	for _, row := range rows[:first] {
		if row[2] != rows[0][2] {
			break
		}
		lines = append(lines, readLine{row[3], row[4], make([]Band, len(scenarios))})
	}
	if len(lines) == 0 || len(rows) != first*len(scenarios) || first%len(lines) != 0 {
		return nil, errors.New("it is cut short")
	}
	c.Times = make([]float64, first/len(lines))
	for i, row := range rows {
		k, l, at := i/first, &lines[i%len(lines)], i%first/len(lines)
		if row[0] != scenarios[k] || row[2] != rows[at*len(lines)][2] || row[3] != l.kind || row[4] != l.name {
			return nil, fmt.Errorf("a row of %q at time %s is not in its place", row[0], row[2])
		}
		b := &l.bands[k]
		n, err := strconv.Atoi(row[1])
		if err == nil {
			err = readNumbers(row[2:], &c.Times[at])
		}
		b.N = append(b.N, n)
		for j, to := range of(b) {
			x := 0.0
			if err == nil {
				err = readNumbers(row[5+j:], &x)
			}
			*to = append(*to, x)
		}
		if err != nil {
			return nil, err
		}
		c.Sketched = c.Sketched || row[len(row)-1] == "sketch"
	}
	return lines, nil
}

// readRange parses the ends of a range; it is not known if a cell is empty.
func readRange(cells []string) (r Range, err error) {
	r.Known = cells[0] != "" && cells[1] != ""
	if !r.Known {
		return r, nil
	}
	err = readNumbers(cells, &r.Low, &r.High)
	return r, err
}

// sameNames reports whether two lists have the same outputs.
func sameNames(a, b []Output) bool {
	return slices.EqualFunc(a, b, func(a, b Output) bool { return a.Name == b.Name })
}

// readRows reads a table with one of some lists of columns, and at most so many rows.
func readRows(r io.Reader, columns [][]string, most int, each func(row []string) error) error {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(columns, func(all []string) bool { return slices.Equal(head, all) }) {
		return fmt.Errorf("its columns are %q; expected %q", head, columns[0])
	}
	for n := 1; ; n++ {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n > most {
			err = fmt.Errorf("it has more than %d rows", most)
		}
		if err == nil {
			err = each(row)
		}
		if err != nil {
			return err
		}
	}
}
