package syntax

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// A TimeVarying is a value that changes with time:
//
//	{seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}}
//	{steps: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{line: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{steps: {file: beta.csv, column: beta, unit: per day}}
//	{steps: {2020-01-07: 100%, 2020-07-20: 0%, 2020-09-01: 100%}, period: 1 calendar year}
//
// With Since it changes with the time since an individual came into some states instead.
type TimeVarying struct {
	Form                          string // seasonal, steps or line; density with Since only
	Mean, Amplitude, Peak, Period Value  // seasonal; steps and line may have a Period, too
	Months                        int    // repeated so many calendar months later, in place of Period
	Knots                         []Knot // steps and line
	Since                         *Since // whose time it is by; nil for the clock of the model
	Density                       Value  // density: the distribution
}

// A Knot is the value from a time of the clock on (steps), or at that time (line).
type Knot struct {
	At    diag.Place
	Text  string
	Time  quantity.Quantity
	Value Value
}

const (
	exampleSeasonal = "{mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}"
	exampleSteps    = "{0 days: 0.5 per day, 30 days: 0.2 per day}"
	exampleFile     = "{file: beta.csv, column: beta, unit: per day}"
)

// timeVarying reads a value that changes with time. It returns nil, and reports it, if it cannot.
func (r *Reader) timeVarying(n *yaml.Node, what string, want quantity.Kind) *TimeVarying {
	before := r.Count
	f := r.Pairs(n, what, "{steps: "+exampleSteps+"}")
	if r.Count > before {
		return nil
	}
	var period *yaml.Node
	for i := range f {
		if f[i].Name == "period" && len(f) == 2 && f[1-i].Name != "seasonal" {
			period = f[i].Value
			f = f[1-i : 2-i]
			break
		}
	}
	if len(f) != 1 {
		r.Fail(n, "%s: a value that changes with time is one of seasonal, steps and line, such as {steps: %s}; "+
			"there are %d names here", what, exampleSteps, len(f))
		return nil
	}
	t := &TimeVarying{Form: f[0].Name}
	what += ": " + t.Form
	body := f[0].Value
	switch {
	case t.Form == "seasonal":
		r.seasonal(t, body, what, want)
	case body.Kind == yaml.MappingNode && (HasKey(body, "file") || HasKey(body, "column")):
		t.Knots = r.knotsFromFile(body, what)
	default:
		t.Knots = r.knots(body, what, want)
	}
	if period != nil {
		r.period(t, period, what)
	}
	if r.Count > before {
		return nil
	}
	return t
}

// seasonal reads the arguments of seasonal.
func (r *Reader) seasonal(t *TimeVarying, n *yaml.Node, what string, want quantity.Kind) {
	f := r.Fields(n, what, exampleSeasonal, "mean", "amplitude", "peak", "period")
	if f == nil {
		return
	}
	mean, amplitude := f.Need("mean", "0.4 per day"), f.Need("amplitude", "20%")
	peak, period := f.Need("peak", "15 days"), f.Need("period", "1 year")
	if mean == nil || amplitude == nil || peak == nil || period == nil {
		return
	}
	t.Mean, t.Amplitude = r.Value(mean, what+": mean", want), r.Value(amplitude, what+": amplitude", quantity.Share)
	t.Peak = r.Value(peak, what+": peak", quantity.Duration)
	r.period(t, period, what)
}

// period reads a period, which may be of the calendar.
func (r *Reader) period(t *TimeVarying, n *yaml.Node, what string) {
	var calendar bool
	if t.Months, calendar = r.calendarMonths(n, what+": period"); !calendar {
		t.Period = r.Value(n, what+": period", quantity.Duration)
	}
}

// knots reads the times and values of steps or line.
func (r *Reader) knots(n *yaml.Node, what string, want quantity.Kind) []Knot {
	const expected = "expected a time of the model's clock, such as 30 days or 2020-03-01"
	before := r.Count
	var knots []Knot
	for _, p := range r.Pairs(n, what, exampleSteps) {
		q, err := quantity.Parse(p.Name)
		switch {
		case err != nil:
			r.Fail(p.Key, "%s: %v; %s", what, err, expected)
		case q.Kind != quantity.Number && q.Kind != quantity.Duration && q.Kind != quantity.Date:
			r.Fail(p.Key, "%s: %s is %s; %s", what, diag.Shorten(p.Name), q.Kind, expected)
		}
		v := r.Value(p.Value, what+": "+diag.Shorten(p.Name), want)
		knots = append(knots, Knot{At: r.Place(p.Key), Text: diag.Shorten(p.Name), Time: q, Value: v})
	}
	if len(knots) == 0 && r.Count == before {
		r.Fail(n, "%s: expected times and what holds from each on, such as %s, or a file, such as %s",
			what, exampleSteps, exampleFile)
	}
	return knots
}

// each calls do for every value that it contains.
func (t *TimeVarying) each(do func(part Value)) {
	if t.Form == "seasonal" {
		for _, v := range []Value{t.Mean, t.Amplitude, t.Peak} {
			do(v)
		}
	}
	if t.Period.Given() {
		do(t.Period)
	}
	for i := range t.Knots {
		do(t.Knots[i].Value)
	}
	if t.Form == "density" {
		do(t.Density)
	}
}

// describe names the value in messages.
func (t *TimeVarying) describe() string {
	if t.Since != nil {
		return "a curve by time since " + t.Since.String()
	}
	switch t.Form {
	case "seasonal":
		return "a season"
	case "steps":
		return "a series of steps"
	}
	return "a line through points"
}

// DescribeKnots names its knots in messages.
func (t *TimeVarying) DescribeKnots() string {
	if t.Form == "line" {
		return "points of a line"
	}
	return "steps"
}

// A CountDependent is a rate that depends on the numbers of individuals, with the most that it may
// be: {value: r * (1 - total / 10_000), most: r}. Most is not Given if it is to follow from the
// value and the largest size of the population.
type CountDependent struct {
	Value, Most Value
	Pairs       bool // Value is for each pair of individuals: the rate is Value times the number of others
	Near        int  // Pairs: 1 + the number in Program.Near that the others are of; 0 for everybody alive
}

// ratePerPair reads a rate for each pair of individuals.
func (r *Reader) ratePerPair(n *yaml.Node, what string) Value {
	r.inPairs = true
	v := r.Value(n, what, quantity.Rate)
	r.inPairs = false
	return Value{At: v.At, Text: v.Text, Bad: v.Bad, CountDependent: &CountDependent{Value: v, Pairs: true}}
}

// countDependent reads a rate that depends on counts. It returns nil, and reports it, if it cannot.
func (r *Reader) countDependent(n *yaml.Node, what string) *CountDependent {
	before := r.Count
	f := r.Fields(n, what, "{value: r * (1 - total / 10_000), most: r}", "value", "most")
	if f == nil {
		return nil
	}
	v := f.Need("value", "r * (1 - total / 10_000)")
	if v == nil || r.Count > before {
		return nil
	}
	c := &CountDependent{Value: Value{At: r.Place(v)}, Most: f.Value("most", quantity.Rate)}
	text, ok := r.text(v, what+": value", "an expression such as r * (1 - total / 10_000)")
	if !ok {
		return nil
	}
	c.Value.Text = diag.Shorten(text)
	r.scalar(&c.Value, v, what+": value", quantity.Rate, true)
	if r.Count > before {
		return nil
	}
	return c
}

// A Since says from when on a curve counts the time of an individual:
//
//	{since: [exposed, infectious], density: {gamma: {mean: 5 days, shape: 4}}}
//	{since: {hiv: [acute, chronic]}, line: {0 days: 0.1 per day, 90 days: 0.02 per day}}
//	{since: birth, steps: {0 years: 0 per year, 15 years: 0.1 per year, 45 years: 0 per year}}
//	{since: immune, of: met, line: {0 days: 0%, 180 days: 60%}}
type Since struct {
	Groups []SinceGroup // one, unless a message is due
	Met    bool         // it is read for the individual that is met
	Birth  bool         // it is the age
	At     diag.Place
}

// A SinceGroup is some states of one machine, or of states if it has no name.
type SinceGroup struct {
	Machine Ref
	States  []Ref
}

const exampleSince = "{since: infectious, line: {0 days: 0 per day, 2 days: 0.6 per day, 6 days: 0 per day}}"

// sinceCurve reads a value that changes with the time since something. It returns nil, and reports
// it, if it cannot.
func (r *Reader) sinceCurve(n *yaml.Node, what string, want quantity.Kind) *TimeVarying {
	before := r.Count
	f := r.Fields(n, what, exampleSince, "since", "of", "line", "steps", "density")
	if f == nil || r.Count > before {
		return nil
	}
	t := &TimeVarying{}
	var body *yaml.Node
	for _, form := range []string{"line", "steps", "density"} {
		if b := f.Get(form); b != nil {
			if body != nil {
				r.Fail(b, "%s: both %s and %s; expected one of them", what, t.Form, form)
				return nil
			}
			t.Form, body = form, r.Resolve(b)
		}
	}
	since := f.Get("since")
	switch {
	case since == nil:
		r.Fail(n, "%s: a density is by the time since something; write since: and the states, as in {since: infectious, "+
			"density: {gamma: {mean: 5 days, shape: 4}}}", what)
		return nil
	case body == nil:
		r.Fail(n, "%s: since: and then? Expected line, steps or density beside it, as in %s", what, exampleSince)
		return nil
	}
	t.Since = r.since(since, what+": since")
	if of := f.Get("of"); of != nil {
		if t.Since.Met = of.Value == "met"; !t.Since.Met {
			r.Fail(of, "%s: of: found %s, expected met: the one who is met; "+
				"without it the time is that of the individual itself", what, Describe(of))
		}
	}
	switch form := what + ": " + t.Form; {
	case t.Form == "density":
		t.Density = r.Value(body, form, quantity.Distribution)
	case body.Kind == yaml.MappingNode && (HasKey(body, "file") || HasKey(body, "column")):
		t.Knots = r.knotsFromFile(body, form)
	default:
		t.Knots = r.knots(body, form, want)
	}
	if r.Count > before {
		return nil
	}
	return t
}

// since reads what stands behind since.
func (r *Reader) since(n *yaml.Node, what string) *Since {
	const example = "[exposed, infectious]"
	n = r.Resolve(n)
	s := &Since{At: r.Place(n)}
	read := func(machine Ref, n *yaml.Node, what string) {
		before := r.Count
		g := SinceGroup{Machine: machine}
		for _, item := range r.oneOrMore(n, what, example) {
			g.States = append(g.States, r.Ref(item, what))
		}
		if len(g.States) == 0 && r.Count == before {
			r.Fail(n, "%s: expected at least one state, such as %s", what, example)
		}
		s.Groups = append(s.Groups, g)
	}
	if n.Kind != yaml.MappingNode {
		s.Birth = n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == "birth"
		read(Ref{}, n, what)
		return s
	}
	before := r.Count
	for _, p := range r.Pairs(n, what, "{hiv: [acute, chronic]}") {
		machine := Ref{Name: p.Name, At: r.Place(p.Key)}
		if p.Name == StateName {
			machine = Ref{}
		}
		read(machine, p.Value, what+": "+diag.Shorten(p.Name))
	}
	if len(s.Groups) == 0 && r.Count == before {
		r.Fail(n, "%s: expected a machine and its states, such as {hiv: [acute, chronic]}", what)
	}
	return s
}

// String names what the time is since, for messages.
func (s *Since) String() string {
	if s.Birth {
		return "birth"
	}
	var names []string
	for _, g := range s.Groups {
		for _, n := range g.States {
			if name := n.Name; g.Machine.Given() {
				names = append(names, g.Machine.Name+"="+name)
			} else {
				names = append(names, name)
			}
		}
	}
	return diag.Shorten(strings.Join(names, " or "))
}

// knotsFromFile reads the knots of steps or line from a CSV file:
// {file: beta.csv, column: beta, unit: per day}.
func (r *Reader) knotsFromFile(n *yaml.Node, what string) []Knot {
	f := r.Fields(n, what, exampleFile, "file", "column", "unit")
	if f == nil {
		return nil
	}
	fileNode, columnNode := f.Need("file", "beta.csv"), f.Need("column", "beta")
	if fileNode == nil || columnNode == nil {
		return nil
	}
	name, ok := r.text(fileNode, what+": file", "the name of a file, such as beta.csv")
	column, ok2 := r.text(columnNode, what+": column", "the name of a column, such as beta")
	if !ok || !ok2 {
		return nil
	}
	one := quantity.Quantity{Kind: quantity.Number, Number: 1} // of the unit
	if u := f.Get("unit"); u != nil {
		if one, ok = r.columnUnit(u, what); !ok {
			return nil
		}
	}
	text, err := r.Tables.Content(name)
	if err != nil {
		r.Fail(fileNode, "%s: file: %s: %v", what, diag.Quote(name), err)
		return nil
	}
	return r.readColumn(name, text, column, one, columnNode, what)
}

// columnUnit reads the unit of a column, and returns one of that unit.
func (r *Reader) columnUnit(n *yaml.Node, what string) (quantity.Quantity, bool) {
	text, ok := r.text(n, what+": unit", "a unit such as per day")
	if !ok {
		return quantity.Quantity{}, false
	}
	one := "1 " + text
	if text == "%" {
		one = "1%"
	}
	q, err := quantity.Parse(one)
	if err != nil || q.Kind == quantity.Number {
		r.Fail(n, "%s: unit: found %s, expected what is written behind a number, such as per day, days or %%",
			what, diag.Quote(text))
		return quantity.Quantity{}, false
	}
	return q, true
}

// readColumn reads a column of a CSV file with the times of its rows, which are in the first
// column. one is one of the column's unit. A column that the file does not have is reported at
// asked.
func (r *Reader) readColumn(
	name string, text []byte, column string, one quantity.Quantity, asked *yaml.Node, what string,
) []Knot {
	in := tablefile.NewReader(text)
	fail := func(line, column int, format string, args ...any) []Knot {
		r.Add(diag.Place{File: name, Line: line, Column: column}, format, args...)
		return nil
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return fail(1, 1, "the file is empty; expected a line with the names of the columns, time or date first")
	case err != nil:
		return fail(tablefile.Line(err), 1, "this is not a table: %v", tablefile.Reason(err))
	}
	header = slices.Clone(header)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	dated := header[0] == "date"
	if !dated && header[0] != "time" {
		line, _ := in.FieldPos(0)
		words := strings.FieldsFunc(header[0], func(c rune) bool { return c == ';' || c == '\t' })
		if len(header) == 1 && len(words) > 1 {
			return fail(line, 1, "there is one column, %s; "+
				"expected a comma between two columns, and a point in numbers",
				diag.Quote(header[0]))
		}
		return fail(line, 1, "the first column is %s; expected time, in the unit of the model, or date",
			diag.Quote(header[0]))
	}
	k := slices.Index(header[1:], column) + 1
	if k == 0 {
		columns := func() []string { return header[1:] }
		r.Fail(asked, "%s: column: %s", what, diag.Unknown("column of "+diag.Shorten(name), column, columns))
		return nil
	}
	if slices.Contains(header[k+1:], column) {
		line, at := in.FieldPos(k + 1 + slices.Index(header[k+1:], column))
		return fail(line, at, "a second column %s; expected one", diag.Quote(column))
	}
	var knots []Knot
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			return fail(tablefile.Line(err), 1, "%s here, and %d names of columns; expected the same",
				format.Plural(len(row), "value"), len(header))
		}
		if err != nil {
			return fail(tablefile.Line(err), 1, "this is not a table: %v", tablefile.Reason(err))
		}
		line, first := in.FieldPos(0)
		if len(knots) == tablefile.MaxRows {
			return fail(line, first, "more than %d rows", tablefile.MaxRows)
		}
		q, err := quantity.Parse(row[0])
		if dated != (q.Kind == quantity.Date) || !dated && q.Kind != quantity.Number || err != nil {
			expected := "a number, the time in the unit of the model"
			if dated {
				expected = "a date such as 2020-03-01"
			}
			return fail(line, first, "%s: found %s, expected %s", header[0], diag.Quote(row[0]), expected)
		}
		line, at := in.FieldPos(k)
		x, ok := quantity.ParseNumber(strings.TrimSpace(row[k]))
		if !ok {
			return fail(line, at, "%s: found %s, expected a number", diag.Shorten(column), diag.Quote(row[k]))
		}
		y := one
		if y.Number *= x; one.Kind == quantity.Share {
			y.Number = x / 100
		}
		cell := diag.Place{File: name, Line: line, Column: at}
		knots = append(knots, Knot{
			At:    diag.Place{File: name, Line: line, Column: first},
			Text:  diag.Shorten(strings.TrimSpace(row[0])),
			Time:  q,
			Value: Value{At: cell, Text: diag.Shorten(strings.TrimSpace(row[k])), Quantity: y},
		})
	}
	if len(knots) == 0 {
		return fail(1, 1, "there is no row; expected at least one")
	}
	return knots
}
