package results_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// An attribute has the name of a column, a value needs quotes in CSV only if names could have
// commas, and a name of an intervention does.
const regions = `name: regions
time: {unit: day, end: 6}
population: {size: 200, start: {ill: 20, well: rest}}
parameters: {beta: 0.9 per day}
attributes:
  region: {north: 40%, south: rest}
  count: {young: 60%, old's: 40%}
states: {well: {}, ill: {race: [{rate: 0.4 per day, to: immune}]}, immune: {}}
always: [{rate: 0.2 per day, move: {region: north}, name: going north}]
births: {rate: 0.02 per day, enter: well}
transmission: [{from: ill, rate: beta, to: {well: ill}, name: 'a "quoted", name'}]
interventions: [{when: {ill: above 15%}, set: {beta: 0.5 per day}, name: alarm}]
record: {every: 0.1 days, by: [region, [region, count]], incidence: true}
`

func ran(t testing.TB, source string, o population.Options) *population.Result {
	t.Helper()
	m, err := population.Compile("regions.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// write puts a result into a directory as almanac run does.
func write(t testing.TB, f results.Format, r *population.Result) *results.Directory {
	t.Helper()
	dir := t.TempDir()
	save := func(name string, to func(io.Writer) error) {
		file, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(to(file), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	save("summary.json", func(w io.Writer) error { text, err := r.MarshalJSON(); _, _ = w.Write(text); return err })
	save("series."+string(f), func(w io.Writer) error { return results.WriteSeries(w, f, r) })
	save("flows."+string(f), func(w io.Writer) error { return results.WriteFlows(w, f, r) })
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is read back is what was recorded, number by number, from both formats.
func TestReadBack(t *testing.T) {
	r := ran(t, regions, population.Options{Seed: 1, Replicas: 3})
	m := r.Model
	want := map[string]int64{}
	key := func(kind string, replica int, time float64, what, group string) string {
		return fmt.Sprintf("%s %d %g %s %s", kind, replica, time, what, group)
	}
	group := func(g int) string { // the columns region and count_
		if g < 0 {
			return "/"
		}
		v := m.Groups()[g].Values
		return strings.Join(append(slices.Clone(v), "")[:2], "/")
	}
	for i := range r.Runs {
		for g := -1; g < len(m.Groups()); g++ {
			run := &r.Runs[i]
			if g >= 0 {
				run = run.In(g)
			}
			for row, time := range r.Times {
				for s, state := range m.States() {
					want[key("series", i, time, state, group(g))] = int64(run.Count(row, s))
				}
				for f, flow := range m.Flows() {
					want[key("flow", i, time, flow.String(), group(g))] = int64(run.Flow(row, f))
					want[key("flow incidence", i, time, flow.String(), group(g))] = int64(run.Incidence(row, f))
				}
				for k, name := range m.Names() {
					want[key("named", i, time, name, group(g))] = int64(run.Named(row, k))
					want[key("named incidence", i, time, name, group(g))] = int64(run.NamedIncidence(row, k))
				}
			}
		}
	}
	for _, f := range results.Formats() {
		d := write(t, f, r)
		if names, err := d.Attributes(); err != nil || !slices.Equal(names, []string{"region", "count_"}) {
			t.Errorf("%s: attributes %v, %v", f, names, err)
		}
		left := make(map[string]int64, len(want))
		for k, v := range want {
			left[k] = v
		}
		take := func(key string, n int64) {
			if have, ok := left[key]; !ok || have != n {
				t.Fatalf("%s: %s is %d, want %d (%t)", f, key, n, have, ok)
			}
			delete(left, key)
		}
		for row, err := range d.Series() {
			if err != nil {
				t.Fatal(err)
			}
			take(key("series", row.Replica, row.Time, row.State, strings.Join(row.Values, "/")), row.Count)
		}
		for row, err := range d.Flows() {
			if err != nil {
				t.Fatal(err)
			}
			take(key(row.Kind, row.Replica, row.Time, row.Flow, strings.Join(row.Values, "/")), row.Count)
			take(key(row.Kind+" incidence", row.Replica, row.Time, row.Flow, strings.Join(row.Values, "/")), row.Incidence)
		}
		if len(left) > 0 {
			t.Errorf("%s: %d of %d numbers are missing", f, len(left), len(want))
		}
	}
}

// The summary that is read is written as it was, byte by byte, so that nothing is lost or put into
// another order.
func TestSummary(t *testing.T) {
	drawn := []string{"gamma"}
	for i, source := range []string{regions, strings.Replace(regions, ", by: [region, [region, count]], incidence: true",
		"", 1), strings.Replace(regions, "0.2 per day, move", "1e-12 per day, move", 1)} {
		r := ran(t, source, population.Options{Seed: 1, Replicas: 2})
		if i > 0 {
			r.Stopped = errors.New("no more")
			modelfit.SetDrawn(r, &modelfit.Drawn{From: "posterior.csv", Rows: 5, Effective: 4.5, Parameters: drawn[:i-1]})
		}
		text, err := r.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		s, err := results.ReadSummary(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		e := encoder(&again)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(again.String()), `\u003e`, ">"); got != string(text) {
			i := 0
			for i < len(got) && i < len(text) && got[i] == text[i] {
				i++
			}
			t.Errorf("from byte %d on it is another: %.80s, was %.80s", i, got[max(0, i-20):], text[max(0, i-20):])
		}
		if got := s.States.Names(); !slices.Equal(got, r.Model.States()) {
			t.Errorf("states %v", got)
		}
		if ill, ok := s.States.Get("ill"); !ok || !slices.Equal(ill.Q95, r.State(1).Q95) {
			t.Error("the series of a state is another")
		}
		if p, _ := s.Parameters.Get("beta"); p != "0.9 per day" {
			t.Errorf("beta is %s", p)
		}
	}
}

// With a clock that has dates there is a column for them, and they are beside the times in the
// summary.
func TestDates(t *testing.T) {
	dated := strings.Replace(regions, "{unit: day, end: 6}", "{unit: day, start: 2020-02-27, end: 2020-03-02}", 1)
	dated = strings.Replace(dated, "every: 0.1 days", "every: 1 day", 1)
	r := ran(t, dated, population.Options{Seed: 1})
	want := []string{"2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01", "2020-03-02"}
	for _, f := range results.Formats() {
		d := write(t, f, r)
		if !slices.Equal(d.Summary.Dates, want) {
			t.Errorf("dates %v", d.Summary.Dates)
		}
		if names, err := d.Attributes(); err != nil || !slices.Equal(names, []string{"region", "count_"}) {
			t.Errorf("%s: attributes %v, %v", f, names, err)
		}
		rows := 0
		for row, err := range d.Series() {
			if err != nil || row.Date != want[int(row.Time)] {
				t.Fatalf("%s: %+v, %v", f, row, err)
			}
			rows++
		}
		for row, err := range d.Flows() {
			if err != nil || row.Date != want[int(row.Time)] || row.Kind != "flow" && row.Kind != "named" {
				t.Fatalf("%s: %+v, %v", f, row, err)
			}
			rows++
		}
		if flows := len(r.Model.Flows()) + len(r.Model.Names()); rows != 5*7*(3+flows) {
			t.Errorf("%s: %d rows", f, rows)
		}
	}
}

// Events come back as they were told, also if they were written in parts, and of a model without
// attributes.
func TestEvents(t *testing.T) {
	plain := `name: plain
time: {unit: day, end: 6}
population: {size: 20, start: {ill: 9, well: rest}}
states: {well: {}, ill: {race: [{rate: 0.4 per day, to: well}]}}
interventions: [{when: {ill: below 20%}, who: well, to: ill, name: alarm}]
`
	for _, source := range []string{regions, plain} {
		compareEvents(t, source)
	}
}

func compareEvents(t *testing.T, source string) {
	var events []population.Event
	r := ran(t, source, population.Options{Seed: 2, Replicas: 2, Workers: 1, OnEvent: func(e population.Event) {
		events = append(events, e)
	}})
	for _, f := range results.Formats() {
		d := write(t, f, r)
		var parts [2]bytes.Buffer
		var w [2]*results.EventWriter
		for i := range w {
			var err error
			if w[i], err = results.NewEventWriter(&parts[i], f, r.Model); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range events {
			if err := w[e.Replica].Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w[1].Close(), w[0].Append(bytes.NewReader(parts[1].Bytes()), int64(parts[1].Len())),
			w[0].Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Path, "events."+string(f)), parts[0].Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		k := 0
		for row, err := range d.Events() {
			if err != nil {
				t.Fatal(err)
			}
			e := events[k]
			if row.Replica != e.Replica || row.Time != e.Time || row.Kind != e.Kind.String() || row.Individual != e.Individual ||
				row.From != e.From || row.To != e.To ||
				row.Name != e.Name || row.By != e.By || !slices.Equal(row.Values, e.Values) {
				t.Fatalf("%s: event %d is %+v, was %+v", f, k, row, e)
			}
			k++
		}
		if !slices.ContainsFunc(events, func(e population.Event) bool {
			return e.Kind == population.Happened &&
				e.Individual == 0
		}) {
			t.Error("no event is about nobody")
		}
		if k != len(events) || k == 0 {
			t.Errorf("%s: %d events of %d", f, k, len(events))
		}
	}
}

// A table of several row groups, whose reading is broken off, and what is wrong with one.
func TestWrong(t *testing.T) {
	long := ran(t, strings.Replace(regions, "every: 0.1 days, by: [region, [region, count]]",
		"every: 0.001 days, by: [region, [region, count]]", 1), population.Options{Seed: 1, Replicas: 1})
	d := &results.Directory{Path: t.TempDir()}
	file, err := os.Create(filepath.Join(d.Path, "series.parquet"))
	if err == nil {
		err = errors.Join(results.WriteSeries(file, results.Parquet, long), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range d.Series() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if want := len(long.Times) * 3 * 7; n != want || want < 1<<16 {
		t.Errorf("%d rows, want %d, more than a row group", n, want)
	}
	for row, err := range d.Series() {
		if err != nil || row.State != "well" || row.Count != 180 {
			t.Errorf("the first row is %+v, %v", row, err)
		}
		break
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"no table", "", "", "has no series.csv, .parquet or .json"},
		{"empty", "series.csv", "", "the table is empty"},
		{"no count", "series.csv", "replica,time,state\n0,0,a\n", `there is no column "count"`},
		{"no number", "series.csv", "replica,time,state,count\n0,0,a,5\n0,0,b,many\n",
			`row 2: count: found "many", expected a number`},
		{"short row", "series.csv", "replica,time,state,count\n0,0,a\n", "wrong number of fields"},
		{"not parquet", "series.parquet", "replica", "series.parquet: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var last error
			for _, err := range (&results.Directory{Path: dir}).Series() {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("%v, want %s", last, c.want)
			}
		})
	}
	if _, err := results.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(),
		"is it a directory that almanac run --out wrote?") {
		t.Error(err)
	}
	if err := results.WriteSeries(io.Discard, "xml", long); err == nil {
		t.Error("there is a format xml")
	}
	for _, text := range []string{"", "[]", "{}", `{"model":"a","states":[1]}`} {
		if _, err := results.ReadSummary(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a summary", text)
		}
	}
}

// A table whose numbers are texts is refused in all formats, and not read as zeros.
func TestTextsForNumbers(t *testing.T) {
	r := ran(t, regions, population.Options{Seed: 1})
	for _, f := range results.Formats() {
		d := write(t, f, r)
		var b bytes.Buffer
		w, err := results.NewPointWriter(&b, f, []results.PointColumn{{Name: "replica", Number: true}, {Name: "state"},
			{Name: "count"}})
		if err != nil {
			t.Fatal(err)
		}
		row := results.PointRow{Values: []string{"", "ill", "many"}, Numbers: []float64{0, 0, 0}}
		if err := errors.Join(w.Write(row), w.Close(), os.WriteFile(filepath.Join(d.Path, "series."+string(f)), b.Bytes(),
			0o666)); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range d.Series() {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), `row 1: count: found "many", expected a number`) {
			t.Errorf("%s: %v", f, last)
		}
	}
}
