package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// everything has a row in every table, with values that are missing in each column that may miss
// some, and people with ten links, which is after two.
const everything = `
name: everything
time: {unit: day, start: 2024-02-27, end: 2024-03-10}
population: {size: 120, start: {ill: 20, well: rest}}
attributes: {sex: {f: 50%, m: 50%}, weight: {number: {lognormal: {mean: 70, sd: 12}}}}
places: {home: {size: 3, join: any}}
networks: {friends: {degrees: {poisson: {mean: 8}}}}
supplies: {doses: {at: 2024-03-01, count: 12}}
states: {well: {}, ill: {race: [{after: {exponential: {mean: 4 days}}, to: immune}, {rate: 0.05 per day, to: out, name: death}]}, immune: {}}
births: {rate: 0.02 per day, enter: well, name: birth}
transmission:
  - {from: ill, among: friends, rate each: 0.08 per day, to: {well: ill}, name: infection}
  - {from: ill, rate: 0.3 per day, to: {well: ill}, name: infection}
interventions: [{at: 2024-03-02, who: well, count: doses, to: immune, name: dose}]
outcomes: {cost: {events: {infection: 3.5}, time: 0.1 per day}}
observe:
  reports: {of: infection, chance: 60%, after: {gamma: {mean: 2 days, shape: 2}}}
  seroprevalence: {at: 2024-02-28, every: 3 days, count: 40, chance: {by: state, immune: 90%, other: 2%}}
record:
  every: 1 day
  by: [sex]
  incidence: true
  tree: {of: infection}
  people: {times: [infection, reports]}
  values: {share of ill: count(ill) / total, dead: count(ill) / (total - total)}
`

// The tables of a run have the same values in every format, and columns of the same types.
func TestFormatsAgree(t *testing.T) {
	m, err := population.Compile("everything.yaml", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	formats := results.Formats()
	dirs := make([]*results.Directory, len(formats))
	for i, f := range formats {
		dirs[i] = writeEverything(t, m, f)
	}
	compareFormats(t, "series", dirs, (*results.Directory).Series)
	compareFormats(t, "flows", dirs, (*results.Directory).Flows)
	compareFormats(t, "outcomes", dirs, (*results.Directory).Outcomes)
	compareFormats(t, "supplies", dirs, (*results.Directory).Supplies)
	compareFormats(t, "places", dirs, (*results.Directory).Places)
	compareFormats(t, "networks", dirs, (*results.Directory).Networks)
	compareFormats(t, "values", dirs, (*results.Directory).Values)
	compareFormats(t, "observed", dirs, (*results.Directory).Observed)
	compareFormats(t, "tree", dirs, (*results.Directory).Tree)
	compareFormats(t, "people", dirs, (*results.Directory).People)
	compareFormats(t, "events", dirs, (*results.Directory).Events)
	compareTypes(t, dirs)
}

// writeEverything runs the model, and writes its tables in a format.
func writeEverything(t *testing.T, m *population.Model, f results.Format) *results.Directory {
	t.Helper()
	dir := t.TempDir()
	create := func(name string) *os.File {
		file, err := os.Create(filepath.Join(dir, name+"."+string(f)))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	var failed []error
	note := func(err error) { failed = append(failed, err) }
	files := []*os.File{create("events"), create("tree"), create("people")}
	events, err := results.NewEventWriter(files[0], f, m)
	note(err)
	tree, err := results.NewTreeWriter(files[1], f)
	note(err)
	people, err := results.NewPeopleWriter(files[2], f, m)
	note(err)
	r, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 2, Workers: 1,
		OnEvent:     func(e population.Event) { note(events.Write(e)) },
		OnInfection: func(e population.Infection) { note(tree.Write(e)) },
		OnPerson:    func(p population.Person) { note(people.Write(p)) }})
	note(err)
	note(errors.Join(events.Close(), tree.Close(), people.Close()))
	for _, file := range files {
		note(file.Close())
	}
	for _, table := range []struct {
		name  string
		write func(io.Writer, results.Format, *population.Result) error
	}{
		{"series", results.WriteSeries}, {"flows", results.WriteFlows}, {"outcomes", results.WriteOutcomes},
		{"supplies", results.WriteSupplies}, {"places", results.WritePlaces}, {"networks", results.WriteNetworks},
		{"values", results.WriteValues}, {"observed", results.WriteObserved},
	} {
		file := create(table.name)
		note(errors.Join(table.write(file, f, r), file.Close()))
	}
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	return &results.Directory{Path: dir}
}

// compareFormats compares the rows of a table, value by value: %v shows NaN as itself.
func compareFormats[R any](t *testing.T, name string, dirs []*results.Directory,
	rows func(*results.Directory) iter.Seq2[R, error]) {
	t.Helper()
	var want []string
	for i, d := range dirs {
		n := 0
		for row, err := range rows(d) {
			if err != nil {
				t.Fatalf("%s, %s: %v", name, results.Formats()[i], err)
			}
			got := fmt.Sprintf("%#v", row)
			if i == 0 {
				want = append(want, got)
			} else if n >= len(want) || want[n] != got {
				t.Fatalf("%s, %s: row %d is %s", name, results.Formats()[i], n+1, got)
			}
			n++
		}
		if n != len(want) || n == 0 {
			t.Errorf("%s: %d rows as %s, %d as %s", name, n, results.Formats()[i], len(want), results.Formats()[0])
		}
	}
}

// compareTypes wants a number in JSON where Parquet has one, and a text where it has that.
func compareTypes(t *testing.T, dirs []*results.Directory) {
	t.Helper()
	parquets, err := filepath.Glob(filepath.Join(dirs[1].Path, "*.parquet"))
	if err != nil || len(parquets) != 11 {
		t.Fatalf("%v, %v", parquets, err)
	}
	for _, path := range parquets {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		table := filepath.Base(path[:len(path)-len(".parquet")])
		var blocks []map[string][]any
		if text, err = os.ReadFile(filepath.Join(dirs[2].Path, table+".json")); err == nil {
			err = json.Unmarshal(text, &blocks)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range file.Schema().Fields() {
			isNumber := field.Type().Kind() != parquet.ByteArray
			if table == "networks" && field.Name() == "degree" && field.Type().Kind() != parquet.Int64 {
				t.Errorf("a degree is a %v", field.Type())
			}
			for _, value := range blocks[0][field.Name()] {
				if k := reflect.ValueOf(value).Kind(); value != nil && (k == reflect.Float64) != isNumber {
					t.Errorf("%s, %s: %v as JSON, %v as Parquet", table, field.Name(), k, field.Type())
					break
				}
			}
		}
	}
}
