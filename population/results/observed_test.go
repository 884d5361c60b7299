package results_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Tables of what is observed, of trees and of people hold the same in all formats, and what is
// missing stays missing.
func TestObservedTables(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(`name: tables
time: {unit: day, end: 30}
population: {size: 60, start: {ill: 3, well: rest}}
attributes: {age: {child: 25%, adult: 75%}, activity: {number: {gamma: {mean: 1, shape: 2}}}}
states:
  well: {}
  ill: {race: [{after: {exponential: {mean: 5 days}}, to: immune}, {rate: 0.05 per day, to: out}]}
  immune: {}
births: {from: [well, immune], rate: 0.02 per day, enter: well}
immigration: {rate: 0.1 per day, enter: ill, name: infection}
transmission: [{from: ill, rate: 0.6 per day, to: {well: ill}, name: infection}]
observe: {reports: {of: infection, chance: 50%, after: 2 days}, survey: {at: 10 days, count: 9, chance: 30%}}
record: {every: 10 days, by: [age], incidence: true, tree: {of: infection}, people: {times: [infection, reports]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var tree []population.Infection
	var people []population.Person
	o := population.Options{Seed: 4, Replicas: 2, Workers: 1}
	o.OnInfection = func(e population.Infection) { tree = append(tree, e) }
	o.OnPerson = func(p population.Person) { people = append(people, p) }
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var first []any
	for _, f := range results.Formats() {
		dir := t.TempDir()
		create := func(name string) *os.File {
			file, err := os.Create(filepath.Join(dir, name+"."+string(f)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { file.Close() })
			return file
		}
		summary, err := os.Create(filepath.Join(dir, "summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.WriteJSON(summary); err != nil {
			t.Fatal(err)
		}
		summary.Close()
		if err := results.WriteObserved(create("observed"), f, r); err != nil {
			t.Fatal(err)
		}
		trees, err := results.NewTreeWriter(create("tree"), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tree {
			if err := trees.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		list, err := results.NewPeopleWriter(create("people"), f, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range people {
			if err := list.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		if err := trees.Close(); err != nil {
			t.Fatal(err)
		}
		if err := list.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var all []any
		k := 0
		for row, err := range d.Tree() {
			if err != nil {
				t.Fatal(err)
			}
			if e := tree[k]; row.Infected != e.Infected || row.By != e.By || row.Time != e.Time ||
				math.IsNaN(row.ByTime) != math.IsNaN(e.ByTime) || row.Generation != e.Generation || row.Root != e.Root {
				t.Errorf("%s: %+v, want %+v", f, row, e)
			}
			k++
		}
		if k != len(tree) || k == 0 {
			t.Errorf("%s: %d rows of a tree, want %d", f, k, len(tree))
		}
		k = 0
		for row, err := range d.People() {
			if err != nil {
				t.Fatal(err)
			}
			p := people[k]
			if row.Number != p.Number || row.State != p.State || row.How != p.How || row.Mother != p.Mother ||
				math.IsNaN(row.Left) != math.IsNaN(p.Left) || len(row.Values) != 2 || row.Values[0] != p.Values[0] ||
				len(row.Times) != 2 || math.IsNaN(row.Times[1]) != math.IsNaN(p.Times[1]) {
				t.Errorf("%s: %+v, want %+v", f, row, p)
			}
			k++
		}
		if k != len(people) || k < 120 {
			t.Errorf("%s: %d people, want %d", f, k, len(people))
		}
		for row, err := range d.Observed() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, row)
		}
		// For 2 replicas, 4 rows, everybody and two groups: seen and incidence of both, tested and
		// expected.
		if len(all) != 2*4*3*6 {
			t.Errorf("%s: %d rows of what is observed", f, len(all))
		}
		if first == nil {
			first = all
		} else if !reflect.DeepEqual(all, first) {
			t.Errorf("%s has another table", f)
		}
		seen, ok := d.Summary.Observed.Get("survey")
		if !ok || seen.Tested == nil || seen.Tested.Mean[3] != 9 ||
			d.Summary.Tree == nil || len(d.Summary.Tree.Offspring) == 0 {
			t.Errorf("%s: the summary has %+v", f, d.Summary.Observed)
		}
	}
}
