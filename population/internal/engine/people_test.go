package engine

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// filed is a model whose people come from a file with every kind of column, some of whose cells are
// empty.
const filed = `
name: filed
time: {unit: year, end: 10}
population:
  people: {file: people.csv}
  start: {ill: {share: 30%, since: {uniform: {low: 0 years, high: 1 year}}}, well: rest}
  age: {uniform: {low: 0 years, high: 70 years}}
attributes: {home: {north: 40%, south: 60%}, region: {same as: home}, activity: {number: {gamma: {mean: 1, shape: 2}}}}
places: {house: {join: new}, ward: {number: 5, capacity: 4, where: {state: cared}}}
states:
  well: {}
  ill: {race: [{after: {uniform: {low: 1 year, high: 3 years}}, to: cared, full: well}]}
  cared: {race: [{after: 1 year, to: well}]}
machines:
  hiv:
    start: {yes: 20, no: rest}
    enter: no
    states: {no: {}, yes: {race: [{after: {weibull: {scale: 9 years, shape: 2}}, to: no}]}}
always:
  - {after: {weibull: {scale: 80 years, shape: 5}}, to: out}
  - {rate: 0.3 per year, move: {region: {north: 30%, south: rest}}}
births: {rate: 0.02 per year, enter: well, inherit: [house]}
immigration: {rate: 3 per year, enter: well}
transmission:
  - {from: ill, among: house, rate each: activity * 0.5 per year, to: {well: ill}}
  - {from: ill, among: region, rate: 1 per year, to: {well: ill}}
record: {every: 1 year, by: [home, region]}
`

// filedProgram is its program, with a number of people.
func filedProgram(t *testing.T, n int) *program.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,state,since,age in years,home,hiv,since hiv,activity,house,count\n")
	for i := range n {
		states, times := []string{"ill", "", "well", "", "ill"}, []string{"0.5", "", "", "", ""}
		fmt.Fprintf(&b, "p%d,%s,%s,%s,%s,%s,%s,%s,%s,\n", 3*i, states[i%5], times[i%5], []string{"", "30", "65.5"}[i%3],
			[]string{"north", "", "south", ""}[i%4], []string{"", "yes", "no"}[i%3], []string{"", "2", ""}[i%3],
			[]string{"", "0.5"}[i%2], []string{"", fmt.Sprint("h", i/7)}[min(1, i%6)])
	}
	read := func(string) ([]byte, error) { return []byte(b.String()), nil }
	return modelOf(t, filed, syntax.Changes{ReadFile: read}).Program
}

// However many cores set people up, they are those of admitting one after the other; and what the
// file gives is theirs. With the race detector several cores set them up, and that is all.
func TestPeopleDependOnSetup(t *testing.T) {
	m := filedProgram(t, 20_000)
	var all [3][]seen
	for i, how := range []struct{ from, cores int }{{1 << 20, 1}, {1, 1}, {1, 3}} {
		if interleave.Enabled && how.cores == 1 {
			continue
		}
		r := Run{sparseRule: usualSparse, setupFrom: how.from, cores: how.cores}
		r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
		if err := r.Start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		if interleave.Enabled {
			return
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		if r.dealtStates != nil {
			t.Error("the states that were dealt are kept")
		}
		p := m.People
		for serial := range m.Size {
			id := r.firstID + uint32(serial)
			if s := p.State.At(serial); s >= 0 && int(r.status(id).state) != s {
				t.Fatalf("person %d is in state %d", serial, r.status(id).state)
			}
			for a, column := range p.Attributes {
				if v := column.At(serial); v >= 0 && int(r.attributes[a].Of(id)) != v {
					t.Fatalf("person %d has the value %d of attribute %d", serial, r.attributes[a].Of(id), a)
				}
			}
			if x := program.NumberOf(p.Numbers[0], serial); !math.IsNaN(x) && r.own[0][id] != x {
				t.Fatalf("person %d has the number %v", serial, r.own[0][id])
			}
			if r.attributes[0].Of(id) != r.attributes[1].Of(id) {
				t.Fatalf("person %d begins in another region than at home", serial)
			}
			if r.places.kinds[0].Seated(id) != (p.Places[0].At(serial) >= 0) {
				t.Fatalf("person %d has a place: %v", serial, r.places.kinds[0].Seated(id))
			}
		}
		if err := r.Advance(t.Context(), 0.5, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(all[1], all[0]) || !reflect.DeepEqual(all[2], all[0]) {
		t.Error("other events if people are set up in blocks")
	}
}

// A file of people with nothing that forbids windows can be run by them, with the same result.
func TestPeopleByWindows(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,state,since,home\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,%s,%s\n", i, []string{"ill,1", ",", "well,"}[i%3], []string{"north", ""}[i%2])
	}
	read := func(string) ([]byte, error) { return []byte(b.String()), nil }
	m := modelOf(t, `
name: filed
time: {unit: day, end: 10}
population: {people: {file: people.csv}, start: {ill: 10%, well: rest}}
attributes: {home: {north: 40%, south: 60%}}
states: {well: {}, ill: {race: [{after: {gamma: {mean: 5 days, shape: 3}}, to: well}]}}
transmission: [{from: ill, rate: {by: home, north: 0.3 per day, south: 0.2 per day}, to: {well: ill}}]
record: {every: 1 day}
`, syntax.Changes{ReadFile: read}).Program
	if !canUseWindows(m) {
		t.Fatal("windows are refused")
	}
	run := func(o *Options) string {
		b := NewBudget(o)
		if _, err := Afford(m, o, b); err != nil {
			t.Fatal(err)
		}
		r, rec := NewRun(o, b), NewRecording(m)
		if err := r.Simulate(t.Context(), m, 7, 0, nil, &rec, quiet); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Windows > 0, rec.All)
	}
	one, other := run(&Options{}), run(&Options{Windows: 1})
	if !strings.HasPrefix(other, "true") || strings.TrimPrefix(one, "false") != strings.TrimPrefix(other, "true") {
		t.Errorf("%.200s\n%.200s", one, other)
	}
}
