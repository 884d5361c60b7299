package population

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

func dated(t *testing.T, clock, more string, asked ...Change) *Model {
	t.Helper()
	m, err := Compile("model.yaml", []byte("name: m\ntime: "+clock+"\npopulation: {size: 1, start: {a: 1}}\n"+
		"states: {a: {}}\n"+more), asked...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDates(t *testing.T) {
	m := dated(t, "{unit: day, start: 2020-02-27, end: 2020-03-02}", "record: {every: 1 day}\n")
	if got, want := m.Dates(), []string{"2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01",
		"2020-03-02"}; !slices.Equal(got, want) {
		t.Errorf("dates %v, want %v", got, want)
	}
	if got, want := m.Times(), []float64{0, 1, 2, 3, 4}; !slices.Equal(got, want) || m.Start() != 0 || m.End() != 4 {
		t.Errorf("times %v, want %v", got, want)
	}
	if at, ok := m.StartDate(); !ok || !at.Equal(time.Date(2020, 2, 27, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("it starts on %v, %v", at, ok)
	}
	// Not all at midnight.
	m = dated(t, "{unit: hour, start: 2019-12-31, end: 2020-01-01}", "record: {every: 12 hours}\n")
	if got, want := m.Dates(), []string{"2019-12-31T00:00:00", "2019-12-31T12:00:00",
		"2020-01-01T00:00:00"}; !slices.Equal(got, want) || m.End() != 24 {
		t.Errorf("dates %v, want %v", got, want)
	}
	// The end by a number, by a duration, and by Until; a year is 365.25 days.
	for clock, want := range map[string]float64{
		"{unit: week, start: 2021-01-01, end: 2}":             2,
		"{unit: week, start: 2021-01-01, end: 28 days}":       4,
		"{unit: week, start: 2021-01-01, end: 2021-01-15}":    2,
		"{unit: year, start: 2000-01-01, end: 2004-01-01}":    4,
		"{unit: day, start: 1900-02-28, end: 1900-03-01}":     1, // no leap year
		"{unit: day, start: 2000-02-28, end: 2000-03-01}":     2,
		"{unit: day, start: 0001-01-01, end: 9999-12-31}":     3652058,
		"{unit: day, start: 1969-12-31, end: \"1970-01-02\"}": 2,
	} {
		if got := dated(t, clock, "").End(); got != want {
			t.Errorf("%s ends at %v, want %v", clock, got, want)
		}
	}
	if got := dated(t, "{unit: day, start: 2020-03-01, end: 2020-12-31}", "", Until("2020-04-01")).End(); got != 31 {
		t.Errorf("April begins on day %v", got)
	}
	// A clock without a date is as before, also if its start looks like a year.
	if m := dated(t, "{unit: year, start: 2020, end: 2030}", ""); m.Dates() != nil || m.Start() != 2020 {
		t.Errorf("dates %v of a clock that starts in %v", m.Dates(), m.Start())
	}
}

// TestDatesOfTheClock puts dates where times of the clock stand.
func TestDatesOfTheClock(t *testing.T) {
	m := dated(t, "{unit: day, start: 2020-03-01, end: 2020-12-31}", `parameters:
  beta: 0.5 per day
  shut: {steps: {2020-03-01: 1, 2020-03-11: 0.5, 31 days: 0.2}}
  slope: {line: {2020-03-01: 0 per day, 2020-03-11: 1 per day}}
  season: {seasonal: {mean: 1, amplitude: 50%, peak: 2020-03-21, period: 20 days}}
  when: 2020-03-21
  again: {seasonal: {mean: 1, amplitude: 50%, peak: when, period: 20 days}}
interventions:
  - {at: 2020-03-15, set: {beta: 0.2 per day}}
  - {at: 2020-04-01, every: 7 days, until: 2020-04-20, set: {beta: 0.1 per day}}
`)
	var at []float64
	for _, p := range m.program.Scheduled {
		at = append(at, p.At)
	}
	if want := []float64{14, 31, 38, 45}; !slices.Equal(at, want) {
		t.Errorf("interventions at %v, want %v", at, want)
	}
	here := m.compiled.StartScope()
	for _, c := range []struct {
		name     string
		at, want float64
	}{{"shut", 9.5, 1}, {"shut", 10, 0.5}, {"shut", 31, 0.2}, {"season", 20, 1.5}, {"season", 10, 0.5}, {"again", 40, 1.5},
		{"slope", 2.5, 0.25}} {
		m, ok := here.Term(syntax.Value{Name: c.name}, c.name)
		if got := m.At(c.at, program.Census{}); !ok || got != c.want {
			t.Errorf("%s on day %v is %v, want %v", c.name, c.at, got, c.want)
		}
	}
}

func TestTablesFromFiles(t *testing.T) {
	files := map[string]string{
		"beta.csv": "time,beta,share\n0,0.5,10\n# by hand\n30,0.25,20\n60,1_0e-2, 30\n",
		"d.csv":    "\xef\xbb\xbfdate, cases\r\n2020-03-01,7\r\n2020-03-03,14\r\n",
		"q.csv":    "time,\"a, b\"\n1,2\n",
	}
	reads := map[string]int{}
	read := Files(func(name string) ([]byte, error) {
		reads[name]++
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("no such file")
	})
	const clock, more = "{unit: day, start: 2020-03-01, end: 2020-12-31}", `parameters:
  beta: {steps: {file: beta.csv, column: beta, unit: per day}}
  weekly: {line: {file: beta.csv, column: beta, unit: per week}}
  share: {line: {file: beta.csv, column: share, unit: "%"}}
  cases: {line: {file: d.csv, column: cases}}
  one: {steps: {file: q.csv, column: "a, b", unit: days}}
`
	m := dated(t, clock, more, read)
	here := m.compiled.StartScope()
	for _, c := range []struct {
		name     string
		at, want float64
		d        quantity.Dimension
	}{
		{"beta", 29, 0.5, quantity.RateDimension}, {"beta", 30, 0.25, quantity.RateDimension},
		{"beta", 99, 0.1, quantity.RateDimension}, {"weekly", 15, 0.375 / 7, quantity.RateDimension},
		{"share", 15, 0.15, quantity.Dimensionless},
		{"cases", 1, 10.5, quantity.Dimensionless}, {"one", 1, 2, quantity.DurationDimension},
	} {
		m, ok := here.Term(syntax.Value{Name: c.name}, c.name)
		if got := m.At(c.at, program.Census{}); !ok || got < c.want-1e-15 || got > c.want+1e-15 || m.Dimension != c.d {
			t.Errorf("%s on day %v is %v %v, want %v %v", c.name, c.at, got, m.Dimension, c.want, c.d)
		}
	}
	for name, n := range reads {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	// What was read is all that is needed to compile it elsewhere.
	kept := m.Files()
	again := dated(t, clock, more, Files(func(name string) ([]byte, error) { return kept[name], nil }))
	if again.Explain() != m.Explain() || len(kept) != 3 {
		t.Error("with the files that it has kept it is another model")
	}
	for name, c := range map[string]struct{ File, Value, want string }{
		"no file": {"", "{steps: {file: gone.csv, column: beta}}",
			`model.yaml:6:21: parameters: p: steps: file: "gone.csv": no such file`},
		"no column": {"time,beta\n0,1\n", "{steps: {file: x.csv, column: betta}}",
			`model.yaml:6:36: parameters: p: steps: column: there is no column of x.csv "betta"; did you mean "beta"?`},
		"the time": {"time,beta\n0,1\n", "{steps: {file: x.csv, column: time}}",
			`model.yaml:6:36: parameters: p: steps: column: there is no column of x.csv "time"; expected one of beta`},
		"first column": {"day,beta\n0,1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:1:1: the first column is "day"; expected time, in the unit of the model, or date`},
		"no number": {"time,beta\n0,1\n1,NA\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:3:3: beta: found "NA", expected a number`},
		"empty cell": {"time,beta\n0,1\n1,\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:3:3: beta: found "", expected a number`},
		"no time": {"time,beta\n0,1\nsoon,1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:3:1: time: found "soon", expected a number, the time in the unit of the model`},
		"date as a time": {"time,beta\n2020-03-01,1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:2:1: time: found "2020-03-01", expected a number, the time in the unit of the model`},
		"time as a date": {"date,beta\n1,1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:2:1: date: found "1", expected a date such as 2020-03-01`},
		"30 February": {"date,beta\n2020-02-30,1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:2:1: date: found "2020-02-30", expected a date such as 2020-03-01`},
		"not ascending": {"time,beta\n1,1\n2,1\n2,3\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:4:1: parameters: p: steps: 2 does not come after 2, the time before it`},
		"more cells": {"time,beta\n1,1,2\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:2:1: 3 values here, and 2 names of columns; expected the same`},
		"a cell missing": {"time,beta\n1,1\n2\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:3:1: 1 value here, and 2 names of columns; expected the same`},
		"semicolons": {"time;beta\n0;0,5\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:1:1: there is one column, "time;beta"; expected a comma between two columns, and a point in numbers`},
		"a column twice": {"time,beta,x,beta\n0,1,2,3\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:1:13: a second column "beta"; expected one`},
		"no such column": {"time,beta\r0,1\r", "{steps: {file: x.csv, column: betas}}",
			`model.yaml:6:36: parameters: p: steps: column: there is no column of x.csv "betas"; did you mean "beta"?`},
		"empty": {"", "{steps: {file: empty.csv, column: beta}}",
			`empty.csv:1:1: the file is empty; expected a line with the names of the columns, time or date first`},
		"only names": {"time,beta\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:1:1: there is no row; expected at least one`},
		"no unit": {"time,beta\n0,1\n", "{steps: {file: x.csv, column: beta, unit: per dya}}",
			`model.yaml:6:48: parameters: p: steps: unit: found "per dya", expected what is written behind a number, such as ` +
				`per day, days or %`},
		"key": {"time,beta\n0,1\n", "{steps: {file: x.csv, colunm: beta}}",
			`model.yaml:6:28: parameters: p: steps: there is no key "colunm"; did you mean "column"?`},
		"file and times": {"time,beta\n0,1\n", "{steps: {file: x.csv, column: beta, 3 days: 1}}",
			`model.yaml:6:42: parameters: p: steps: there is no key "3 days"; expected one of file, column, unit`},
		"too large": {"", "{line: {file: large.csv, column: beta}}",
			`model.yaml:6:20: parameters: p: line: file: "large.csv": it is larger than 16 MB`},
		"too many rows": {"time,beta\n" + strings.Repeat("1,1\n", tablefile.MaxRows+1),
			"{line: {file: x.csv, column: beta}}", `x.csv:100002:1: more than 100000 rows`},
		"a quote too much": {"time,beta\n0,\"1\n", "{steps: {file: x.csv, column: beta}}",
			`x.csv:2:1: this is not a table: extraneous or missing " in quoted-field`},
	} {
		_, err := Compile("model.yaml", []byte("name: m\ntime: {unit: day, end: 10}\n"+
			"population: {size: 1, start: {a: 1}}\nstates: {a: {}}\nparameters:\n  p: "+c.Value+"\n"),
			Files(func(file string) ([]byte, error) {
				switch file {
				case "x.csv":
					return []byte(c.File), nil
				case "empty.csv":
					return nil, nil
				case "large.csv":
					return make([]byte, tablefile.MaxBytes+1), nil
				}
				return nil, fmt.Errorf("no such file")
			}))
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	_, err := Compile("model.yaml", []byte("name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\n"+
		"states: {a: {}}\nparameters:\n  p: {steps: {file: go.mod, column: a}}\n"))
	if got, want := fmt.Sprint(err),
		`model.yaml:6:21: parameters: p: steps: file: "go.mod": tables are not read here`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
