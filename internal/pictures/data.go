package pictures

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// Data are observations that are drawn over a run.
type Data struct {
	Name    string // of the file
	Times   []float64
	Columns []Column
	Unused  []string // columns that are nothing of the model
}

// A Column is the observations of one quantity.
type Column struct {
	Name   string
	Values []float64 // NaN is a gap; of a survey, shares

	of     quantity
	tested string // of a survey: the column of how many were tested; empty if the values are shares
	group  string // the individuals that are observed, as region=north; empty for everybody
	groups []int  // of the model, which make up the group; nil if it does not record by them
	record string // what it would have to record by
	// observed is the probability that an individual is observed, in a replica; nil for 1.
	observed func(replica int) float64
}

// title is what points are called.
func (c *Column) title() string {
	if c.tested != "" {
		return c.Name + " of " + c.tested
	}
	return c.Name
}

func (c *Column) share(replica int) float64 {
	if c.observed == nil {
		return 1
	}
	return c.observed(replica)
}

// A Match is a column and what the model compares it with.
type Match struct {
	modelfit.Match
	Observed func(replica int) float64 // the probability of being observed; nil for 1
}

// ReadData reads a table: its first column is time, in the unit of the model, or date. Other
// columns have the names of states, flows, names, observations or values, or of matches. What
// happens is counted since the row before. Columns that are nothing of the model are left out.
func ReadData(name string, table []byte, m *population.Model, matches []Match) (*Data, error) {
	bad := func(line int, text string, args ...any) error {
		return &Mistake{"data", fmt.Sprintf("%s:%d: %s", name, line, fmt.Sprintf(text, args...))}
	}
	table = bytes.TrimPrefix(table, []byte("\xef\xbb\xbf"))
	in := csv.NewReader(bytes.NewReader(table))
	in.FieldsPerRecord, in.Comment, in.TrimLeadingSpace = -1, '#', true
	first, _, _ := bytes.Cut(table, []byte("\n"))
	for _, c := range ";\t" {
		if bytes.ContainsRune(first, c) && !bytes.Contains(first, []byte(",")) {
			in.Comma, in.TrimLeadingSpace = c, c != '\t'
		}
	}
	head, err := in.Read()
	switch {
	case err == io.EOF:
		return nil, bad(1, "the file is empty; expected a line with the names of the columns, time or date first")
	case err != nil:
		return nil, bad(1, "this is not a table: %v", err)
	}
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	if head[0] != "time" && head[0] != "date" {
		return nil, bad(1, "the first column is %q; expected time, in the unit of the model, or date", head[0])
	}
	if _, dated := m.StartDate(); head[0] == "date" && !dated {
		return nil, bad(1, "the first column is date, but the clock of the model does not start at one; give a column time "+
			"in %ss", m.Unit())
	}
	d := &Data{Name: name}
	places := d.find(head, m, matches)
	if len(d.Columns) == 0 {
		_, words := known(m)
		for _, column := range head[1:] {
			if near := suggest.Name(column, words); near != "" {
				return nil, bad(1, "no column is a state, flow or name of the model; is %q meant to be %q?", column, near)
			}
		}
		return nil, bad(1, "no column is a state, flow or name of the model")
	}
	for _, c := range d.Columns {
		if c.tested != "" && !slices.Contains(head[1:], c.tested) {
			return nil, bad(1, "%s is of %s, and there is no column of that name", c.Name, c.tested)
		}
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return nil, bad(broken.StartLine, "this is not a table: %v", broken.Err)
		}
		line, _ := in.FieldPos(0)
		if len(row) != len(head) {
			return nil, bad(line, "expected %d cells, as in the first line", len(head))
		}
		t, err := m.Clock(strings.TrimSpace(row[0]))
		if err != nil {
			return nil, bad(line, "%v", err)
		}
		if n := len(d.Times); n > 0 && !(t > d.Times[n-1]) {
			return nil, bad(line, "%s is not after the row before", row[0])
		}
		d.Times = append(d.Times, t)
		for i, place := range places {
			y, err := cell(row[place])
			if err != nil {
				return nil, bad(line, "%s: %q is not a number", head[place], row[place])
			}
			if of := d.Columns[i].tested; of != "" {
				text := row[1+slices.Index(head[1:], of)]
				n, err := cell(text)
				switch {
				case err != nil:
					return nil, bad(line, "%s: %q is not a number", of, text)
				case y < 0 || y > n:
					return nil, bad(line, "%s: %g of %g; expected a number from 0 to how many were tested", head[place], y, n)
				}
				y /= n // 0/0 is a gap
			}
			d.Columns[i].Values = append(d.Columns[i].Values, y)
		}
	}
	if len(d.Times) == 0 {
		return nil, bad(1, "there is no row; expected at least one")
	}
	return d, nil
}

// find finds the columns of the table that are something of the model.
func (d *Data) find(head []string, m *population.Model, matches []Match) (places []int) {
	every, words := known(m)
	for i, name := range head[1:] {
		c := Column{Name: name}
		k, at := slices.IndexFunc(matches, func(m Match) bool { return m.Column == name }), slices.Index(words, name)
		if k >= 0 {
			match := &matches[k]
			at = slices.IndexFunc(every, func(q quantity) bool { return q.matches(m, &match.Match) })
			c.tested, c.observed = match.Tested, match.Observed
			c.narrow(m, match.Where)
		} else if slices.ContainsFunc(matches, func(m Match) bool { return m.Tested == name }) {
			continue
		}
		if at < 0 {
			d.Unused = append(d.Unused, name)
			continue
		}
		if c.of = every[at]; k >= 0 && matches[k].Kind == "flow" {
			c.of.kind = map[kind]kind{flow: cumulative, named: happened}[c.of.kind]
		}
		d.Columns, places = append(d.Columns, c), append(places, i+1)
	}
	return places
}

// matches reports whether a column with a match is of a quantity.
func (q quantity) matches(m *population.Model, match *modelfit.Match) bool {
	switch q.kind {
	case state:
		return match.Kind == "state" && m.Counted()[q.index] == match.Of
	case flow:
		return (match.Kind == "incidence" || match.Kind == "flow") && m.Flows()[q.index].String() == match.Of
	case named:
		return (match.Kind == "incidence" || match.Kind == "flow") && m.Names()[q.index] == match.Of
	case seen:
		return match.Kind == "seen" && m.Observations()[q.index] == match.Of
	case survey:
		return match.Kind == "survey" && m.Observations()[q.index] == match.Of
	case value:
		return match.Kind == "value" && m.Values()[q.index] == match.Of
	}
	return false
}

// cell is a number, or NaN for a gap.
func cell(text string) (float64, error) {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "", "na", "n/a", "nan", "null":
		return math.NaN(), nil
	}
	return strconv.ParseFloat(text, 64)
}

// rows returns the rows of the model at the start, at the times of the data and, after the last, as
// far apart as the last two. If intervals are counted, each time of the data needs a row.
func (d *Data) rows(m *population.Model) ([]int, error) {
	times := m.Times()
	near := func(t float64) int {
		i, found := slices.BinarySearchFunc(times, t, func(a, t float64) int {
			switch tolerance := 1e-6 * max(1, math.Abs(t)); {
			case math.Abs(a-t) <= tolerance:
				return 0
			case a < t:
				return -1
			}
			return 1
		})
		if !found {
			return -1
		}
		return i
	}
	at := []int{0}
	counted := d.counted()
	for _, t := range d.Times {
		i := near(t)
		switch {
		case t <= times[0] || t > times[len(times)-1]: // beyond the run
		case i >= 0:
			at = append(at, i)
		case counted:
			return nil, &Mistake{"data", fmt.Sprintf("%s: the run has no row at %.12g, to count since the row before; "+
				"record more often", d.Name, t)}
		}
	}
	if n := len(at); n > 1 {
		step := times[at[n-1]] - times[at[n-2]]
		for t := times[at[n-1]] + step; t <= times[len(times)-1]*(1+1e-9); t += step {
			if i := near(t); i >= 0 {
				at = append(at, i)
			}
		}
	}
	return at, nil
}

// points are the data of a quantity, within the time of the run.
func (v View) points(r *population.Result, q quantity) plot.Series {
	s := plot.Series{Name: q.column.title() + " (data)", Same: true, Data: true}
	if v.Panels != "" { // the columns of several groups share the legend
		s.Name = strings.TrimSuffix(q.name, asObserved) + " (data)"
	}
	all, before := View{}.line(r, quantity{kind: total, groups: q.groups}).Y, r.Times[0]
	for i, t := range v.Data.Times {
		y, x := q.column.Values[i], t
		if q.interval() {
			x, before = (before+t)/2, max(before, t) // in the middle of the interval
		}
		if t < r.Times[0] || t == r.Times[0] && q.interval() || t > r.Model.End() || math.IsNaN(y) {
			continue
		}
		if v.Per > 0 && q.counts() { // of the living then, or at the start of the interval, by the median run
			at := t
			if q.interval() {
				at = 2*x - t
			}
			row, found := slices.BinarySearch(r.Times[:r.Rows()], at)
			if !found {
				row--
			}
			if row < 0 || row >= len(all) || all[row] == 0 {
				continue
			}
			y *= v.Per / all[row]
		}
		s.Add(x, y)
	}
	return s
}
