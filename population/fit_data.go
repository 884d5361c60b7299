package population

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

// Observations are the columns of a table that a model is to match.
type Observations struct {
	Name    string      // of the table
	Times   []float64   // of the rows, ascending, on the model's clock
	Columns [][]float64 // in the order of Fit.Columns; NaN is a gap
	Tested  [][]float64 // of columns of positives of a survey: how many were tested; nil for others
	Notes   []string    // remarks: gaps, missing rows, the separator
}

// Read reads a table of data. The first column is time, in the unit of the model, or date; the
// others are found by name. Empty cells and NA are gaps. If something is wrong, the error is of
// type [Problems], with lines of the table.
func (f *Fit) Read(name string, table []byte) (*Observations, error) {
	d := &dataReader{List: &diag.List{}, f: f, name: name}
	d.read(table)
	if err := d.Err(); err != nil {
		return nil, err
	}
	d.note()
	return &Observations{Name: name, Times: d.times, Columns: d.columns, Tested: d.tested, Notes: d.notes}, nil
}

// A dataReader reads a table of data.
type dataReader struct {
	*diag.List
	f       *Fit
	name    string
	dated   bool
	header  []string
	places  []int // of the matches among the columns of the table
	times   []float64
	lines   []int // of the rows
	columns [][]float64
	of      []int       // of the columns of how many were tested; 0 for none
	tested  [][]float64 // in them
	notes   []string
}

// gaps are the texts of a missing observation, in lower case.
var gaps = []string{"", "na", "n/a", "nan", "null"}

// read reads the table.
func (d *dataReader) read(table []byte) {
	in := tablefile.NewReader(table)
	in.FieldsPerRecord = -1
	if comma := separator(table); comma != ',' {
		in.Comma, in.TrimLeadingSpace = comma, comma != '\t' // between two tabs an empty cell is no space
		d.notes = append(d.notes, fmt.Sprintf("%s: its columns are separated by %s", d.name,
			map[rune]string{';': "semicolons", '\t': "tabs"}[comma]))
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		d.Add(diag.Place{File: d.name, Line: 1, Column: 1},
			"the file is empty; expected a line with the names of the columns, time or date first")
		return
	case err != nil:
		d.Add(diag.Place{File: d.name, Line: tablefile.Line(err), Column: 1}, "this is not a table: %v",
			tablefile.Reason(err))
		return
	}
	line, _ := in.FieldPos(0)
	if !d.head(header, line) {
		return
	}
	for d.row(in) {
	}
	if len(d.times) == 0 && d.Count == 0 {
		d.Add(diag.Place{File: d.name, Line: line, Column: 1}, "there is no row; expected at least one")
	}
	for i, column := range d.columns {
		if d.Count == 0 && !slices.ContainsFunc(column, func(x float64) bool { return !math.IsNaN(x) }) {
			d.Add(diag.Place{File: d.name, Line: line, Column: 1}, "column %s has no value; expected at least one",
				diag.Quote(d.f.Columns[i]))
		}
	}
}

// separator is the separator of the columns of a table.
func separator(table []byte) rune {
	for line := range bytes.Lines(table) {
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, c := range ";\t" {
			if bytes.ContainsRune(line, c) && !bytes.ContainsRune(line, ',') {
				return c
			}
		}
		break
	}
	return ','
}

// head checks the names of the columns.
func (d *dataReader) head(header []string, line int) bool {
	for _, h := range header {
		d.header = append(d.header, strings.TrimSpace(h))
	}
	first, before := d.header[0], d.Count
	at := diag.Place{File: d.name, Line: line, Column: 1}
	d.dated = first == "date"
	switch {
	case first != "time" && first != "date":
		d.Add(at, "the first column is %s; expected time, in the unit of the model, or date", diag.Quote(first))
	case d.dated && !d.f.m.compiled.Start.Zero.Dated:
		d.Add(at,
			"the first column is date, but the clock of the model does not start at one; write start: 2020-03-01 in time of "+
				"the model, or give a column time in %ss", d.f.m.program.Unit)
	}
	for _, m := range d.f.matches {
		k := slices.Index(d.header[1:], m.Column) + 1
		switch {
		case k == 0:
			d.Add(at, "%s", diag.Unknown("column", m.Column, func() []string { return d.header[1:] }))
		case slices.Contains(d.header[k+1:], m.Column):
			d.Add(at, "a second column %s; expected one", diag.Quote(m.Column))
		}
		of := 0
		if m.Tested != "" {
			if of = slices.Index(d.header[1:], m.Tested) + 1; of == 0 {
				d.Add(at, "%s", diag.Unknown("column", m.Tested, func() []string { return d.header[1:] }))
			}
		}
		d.places, d.columns = append(d.places, k), append(d.columns, nil)
		d.of, d.tested = append(d.of, of), append(d.tested, nil)
	}
	return d.Count == before
}

// row reads a row, and reports whether there may be another.
func (d *dataReader) row(in *csv.Reader) bool {
	row, err := in.Read()
	switch {
	case err == io.EOF || d.Stopped:
		return false
	case err != nil:
		d.Add(diag.Place{File: d.name, Line: tablefile.Line(err), Column: 1}, "this is not a table: %v",
			tablefile.Reason(err))
		return false
	}
	line, first := in.FieldPos(0)
	switch {
	case len(d.times) == tablefile.MaxRows:
		d.Add(diag.Place{File: d.name, Line: line, Column: first}, "more than %d rows", tablefile.MaxRows)
		return false
	case len(row) == 1 && strings.TrimSpace(row[0]) == "":
		return true
	case len(row) != len(d.header):
		d.Add(diag.Place{File: d.name, Line: line, Column: 1}, "%s here, and %d names of columns; expected the same",
			format.Plural(len(row), "value"), len(d.header))
		return true
	}
	t, ok := d.time(row[0], diag.Place{File: d.name, Line: line, Column: first})
	if !ok {
		return true
	}
	start := len(d.times) == 0 && t <= d.f.m.program.Start+d.f.m.program.TimeTolerance
	d.times, d.lines = append(d.times, t), append(d.lines, line)
	for i, k := range d.places {
		_, at := in.FieldPos(k)
		d.columns[i] = append(d.columns[i],
			d.cell(&d.f.matches[i], row[k], diag.Place{File: d.name, Line: line, Column: at}, start))
		if of := d.of[i]; of > 0 {
			_, at := in.FieldPos(of)
			d.tests(i, row[of], diag.Place{File: d.name, Line: line, Column: at})
		}
	}
	return true
}

// time reads the time of a row.
func (d *dataReader) time(text string, at diag.Place) (t float64, ok bool) {
	m := d.f.m
	text = strings.TrimSpace(text)
	q, err := quantity.Parse(text)
	if err != nil || d.dated != (q.Kind == quantity.Date) || !d.dated && q.Kind != quantity.Number {
		expected := "a number, the time in " + m.program.Unit + "s on the clock of the model"
		if d.dated {
			expected = "a date such as 2020-03-01"
		}
		d.Add(at, "%s: found %s, expected %s", d.header[0], diag.Quote(text), expected)
		return 0, false
	}
	if t, err = m.compiled.Start.Zero.ClockTime(q, m.compiled.File.Unit); err != nil {
		d.Add(at, "%s: %s is %v", d.header[0], diag.Shorten(text), err)
		return 0, false
	}
	switch n := len(d.times); {
	case !(t >= m.program.Start-m.program.TimeTolerance):
		d.Add(at, "%s: %s is before the start of the run, %s", d.header[0], diag.Shorten(text),
			m.compiled.File.FormatStart())
		return 0, false
	case m.state != nil && !(t > m.state.Time()+m.program.TimeTolerance):
		d.Add(at, "%s: %s is not after the time of the saved state, %.12g; leave the row out, or save the state earlier",
			d.header[0], diag.Shorten(text), m.state.Time())
		return 0, false
	case !(t <= m.program.End+m.program.TimeTolerance):
		d.Add(at,
			"%s: %s is after the end of the run, %s; let it end later, with time: end in the model or with --until, or leave "+
				"the row out", d.header[0], diag.Shorten(text), m.endWords())
		return 0, false
	case n > 0 && t == d.times[n-1]:
		d.Add(at, "%s: %s is here a second time, after line %d", d.header[0], diag.Shorten(text), d.lines[n-1])
		return 0, false
	case n > 0 && t < d.times[n-1]:
		d.Add(at, "%s: %s is before the time of line %d; expected times that ascend", d.header[0], diag.Shorten(text),
			d.lines[n-1])
		return 0, false
	}
	return min(max(t, m.program.Start), m.program.End), true
}

// cell reads an observation.
func (d *dataReader) cell(m *modelfit.Match, text string, at diag.Place, start bool) float64 {
	text = strings.TrimSpace(text)
	if slices.Contains(gaps, strings.ToLower(text)) {
		return math.NaN()
	}
	x, ok := quantity.ParseNumber(text)
	switch column := diag.Shorten(m.Column); {
	case !ok && strings.Contains(text, ","):
		d.Add(at, "%s: found %s, expected a number, with a point and without commas, or nothing for a gap", column,
			diag.Quote(text))
	case !ok:
		d.Add(at, "%s: found %s, expected a number, or nothing or NA for a gap", column, diag.Quote(text))
	case m.Error != "normal" && x < 0:
		d.Add(at, "%s: %s is negative; its error is %s, which is of counts: whole numbers from 0 on", column, text, m.Error)
	case m.Error != "normal" && x != math.Floor(x):
		d.Add(at,
			"%s: %s is not a whole number; its error is %s, which is of counts; {normal: {sd: 10%%}} takes other numbers",
			column, text, m.Error)
	case start && !slices.Contains([]string{"state", "survey", "value"}, m.Kind) && x != 0:
		d.Add(at,
			"%s: %s at the start of the run, by which nothing has happened; let the run start a row earlier, or leave the "+
				"cell empty", column, text)
	default:
		return x
	}
	return math.NaN()
}

// tests reads how many were tested, beside the positives of a column that have just been read.
func (d *dataReader) tests(column int, text string, at diag.Place) {
	m := &d.f.matches[column]
	positive := d.columns[column][len(d.columns[column])-1]
	before := d.Count
	n := d.cell(&modelfit.Match{Column: m.Tested, Kind: "state", Error: m.Error}, text, at, false)
	switch {
	case d.Count > before || math.IsNaN(positive):
	case math.IsNaN(n):
		d.Add(at, "%s: a gap beside %g in %s; expected how many were tested", diag.Shorten(m.Tested), positive,
			diag.Shorten(m.Column))
	case positive > n:
		d.Add(at, "%s: %g were tested, and %s has %g; expected no more", diag.Shorten(m.Tested), n, diag.Shorten(m.Column),
			positive)
	}
	d.tested[column] = append(d.tested[column], n)
}

// note adds notes on gaps and missing rows.
func (d *dataReader) note() {
	for i, m := range d.f.matches {
		var lines []string
		for row, x := range d.columns[i] {
			if math.IsNaN(x) {
				lines = append(lines, fmt.Sprint(d.lines[row]))
			}
		}
		if n := len(lines); n > 0 {
			d.notes = append(d.notes,
				fmt.Sprintf("%s: column %s has %s in %s, which %s no say", d.name, diag.Shorten(m.Column),
					format.Plural(n, "gap"), linesOf(lines), map[bool]string{true: "has", false: "have"}[n == 1]))
		}
	}
	m := d.f.m
	usual := d.usualStep()
	if usual == 0 {
		return
	}
	var lines []string
	for i := 1; i < len(d.times); i++ {
		if step := d.times[i] - d.times[i-1]; step > usual*1.5 {
			lines = append(lines, fmt.Sprint(d.lines[i]))
		}
	}
	sinceRow := func(m modelfit.Match) bool { return m.Kind == "incidence" || m.Kind == "seen" }
	incidence := slices.ContainsFunc(d.f.matches, sinceRow)
	counts := ""
	if incidence {
		counts = "; an incidence is what happened since the row before"
	}
	step := fmt.Sprintf("%.6g %s", usual, m.compiled.File.Unit.NameFor(usual))
	if len(lines) > 0 {
		d.notes = append(d.notes,
			fmt.Sprintf("%s: rows are missing before %s, where most are %s apart%s", d.name, linesOf(lines), step, counts))
	}
	from, since := m.program.Start, "the start"
	if m.state != nil {
		from, since = m.state.Time(), "the saved state"
	}
	if first := d.times[0] - from; incidence && first > usual*1.5 {
		d.notes = append(d.notes,
			fmt.Sprintf("%s: the first row, of line %d, is %.6g %s after %s of the run, and the others are %s apart; an "+
				"incidence of the first row is what happened since %[5]s", d.name, d.lines[0], first,
				m.compiled.File.Unit.NameFor(first), since, step))
	}
}

// usualStep is the most frequent time between rows, the least if there are several; 0 if there is
// none.
func (d *dataReader) usualStep() float64 {
	often := map[float64]int{}
	for i := 1; i < len(d.times); i++ {
		often[format.Tidy(math.Round((d.times[i]-d.times[i-1])*1e9)/1e9)]++
	}
	usual, most := 0.0, 0
	for step, n := range often {
		if n > most || n == most && step < usual {
			usual, most = step, n
		}
	}
	return usual
}

// linesOf lists line numbers, the first few of many.
func linesOf(lines []string) string {
	const few = 8
	if len(lines) == 1 {
		return "line " + lines[0]
	}
	if len(lines) > few {
		return fmt.Sprintf("lines %s and %d more", strings.Join(lines[:few], ", "), len(lines)-few)
	}
	return "lines " + strings.Join(lines, ", ")
}

// endWords is the end of the model, for a message.
func (m *Model) endWords() string {
	if start, dated := m.StartDate(); dated {
		return start.Add(time.Duration(m.program.End*m.program.UnitSeconds) * time.Second).Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g %s", m.program.End, m.compiled.File.Unit.NameFor(m.program.End))
}

// checkData checks the table if it can be read.
func (m *Model) checkData(f *Fit) error {
	if f.Data == "" || m.compiled.Changes.ReadFile == nil {
		return nil
	}
	table, err := m.compiled.Changes.ReadFile(f.Data)
	if err != nil {
		return nil
	}
	_, err = f.Read(f.Data, table)
	if errors.As(err, new(diag.Problems)) {
		return err
	}
	return nil
}
