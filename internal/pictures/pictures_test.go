package pictures

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// ran is the result of a model.
func ran(t *testing.T, source string, replicas int) (*population.Model, *population.Result) {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// What is drawn is what the pictures say it is.
func TestRunCharts(t *testing.T) {
	const model = `name: arrivals
time: {unit: day, end: 25}
population: {size: 0, start: {}}
states: {a: {}}
interventions: [{at: 3, every: 10 days, enter: a, count: 7}, {at: 24, enter: a, count: 5}]
record: {every: 10 days}
`
	_, r := ran(t, model, 3)
	all, each := States(r)
	const note = "lines: median of 3 replicas; bands: middle 90 %"
	if all.Note != note || each.Note != "individuals in each state; "+note {
		t.Errorf("%q, %q", all.Note, each.Note)
	}
	if got := fmt.Sprint(all.Series[0].X, all.Series[0].Y, all.Series[0].High); got != "[0 10 20 25] [0 7 14 26] [0 "+
		"7 14 26]" {
		t.Error(got)
	}
	modelfit.SetDrawn(r, &modelfit.Drawn{})
	if all, _ := States(r); all.Note != note+"; parameters from a posterior" {
		t.Error(all.Note)
	}
	modelfit.SetDrawn(r, nil)
	// In the last five days there were as many as in ten, which cannot be compared, and is left out.
	flows := Flows(r)
	if want := "changes of state in each interval of 10 days; " + note; flows.Note != want {
		t.Errorf("%q, want %q", flows.Note, want)
	}
	s := flows.Charts[0].Series[0]
	if got := fmt.Sprint(flows.Charts[0].Title, s.X, s.Y, s.Low); got != "interventions → a[0 10 20] [0 7 7] [0 7 7]" {
		t.Error(got)
	}
	_, r = ran(t, strings.Replace(model, "end: 25", "end: 1", 1), 1)
	if flows := Flows(r); !strings.HasSuffix(flows.Note, "interval of 1 day; one replica") {
		t.Error(flows.Note)
	}
	if err := Save(t.TempDir(), r); err != nil {
		t.Error(err)
	}
}

// A model with thousands of flows has the largest of them drawn.
func TestManyFlows(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: many\ntime: {unit: day, end: 4}\npopulation: {size: 500, start: {s0: rest}}\n" +
		"record: {every: 1 day}\nstates:\n")
	for i := range 12 {
		fmt.Fprintf(&b, "  s%d: {race: [", i)
		for k := range 12 {
			fmt.Fprintf(&b, "{rate: 0.1 per day, to: s%d}, ", k)
		}
		b.WriteString("]}\n")
	}
	m, r := ran(t, b.String(), 1)
	flows := Flows(r)
	if len(flows.Charts) != mostFlows || !strings.HasPrefix(flows.Note,
		"the largest 24 of 144 flows in each interval of 1 day") {
		t.Errorf("%d charts: %s", len(flows.Charts), flows.Note)
	}
	least := r.Flow(0).Mean[4]
	drawn := map[string]bool{}
	for _, c := range flows.Charts {
		drawn[c.Title] = true
	}
	for i, f := range m.Flows() {
		if drawn[f.From+" → "+f.To] {
			least = min(least, r.Flow(i).Mean[4])
		}
	}
	for i, f := range m.Flows() {
		if !drawn[f.From+" → "+f.To] && r.Flow(i).Mean[4] > least {
			t.Errorf("%v is not drawn", f)
		}
	}
}

// Groups are lines of the same charts, with what was recorded of each; of many the largest are
// drawn.
func TestGroupCharts(t *testing.T) {
	const model = `name: groups
time: {unit: day, end: 4}
population: {size: 3000, start: {a: rest}}
attributes:
  region: {north: 70%, south: 30%}
  cell: {c0: 50%, c1: 20%, c2: 8%, c3: 7%, c4: 1%, c5: 1%, c6: 5%, c7: 4%, c8: 4%}
states: {a: {race: [{rate: 0.5 per day, to: b}]}, b: {}}
record: {every: 1 day, by: [region, [region, cell]]}
`
	m, r := ran(t, model, 3)
	by := Groupings(m)
	if len(by) != 2 || by[0].Name != "region" || len(by[0].Groups) != 2 || by[1].Name != "region,cell" ||
		len(by[1].Groups) != 18 {
		t.Fatalf("%v", by)
	}
	states, flows := Groups(r, by[0])
	const note = "; lines: median of 3 replicas; bands: middle 90 %"
	if states.Note != "individuals in each state, by region"+note || flows.Note !=
		"changes of state in each interval of 1 day, by region"+note {
		t.Errorf("%q, %q", states.Note, flows.Note)
	}
	south := r.In(1)
	if s := states.Charts[1].Series[1]; states.Charts[1].Title != "b" || s.Name != "south" ||
		!slices.Equal(s.Y, south.State(1).Median) || !slices.Equal(s.High, south.State(1).Q95) {
		t.Errorf("%s: %+v", states.Charts[1].Title, s)
	}
	if s, in := flows.Charts[0].Series[1], south.Incidence(0).Median; !s.Steps || s.Y[1] != in[1] || s.Y[4] != in[4] {
		t.Errorf("%v of %v", s.Y, in)
	}
	states, _ = Groups(r, by[1])
	var names []string
	for _, s := range states.Charts[0].Series {
		names = append(names, s.Name)
		if s.Low != nil {
			t.Error("bands of eight groups")
		}
	}
	if len(names) != 8 || names[0] != "north, c0" || slices.Contains(names, "north, c4") ||
		!slices.Contains(names, "south, c0") {
		t.Errorf("drawn: %v", names)
	}
	if want := "individuals in each state, the largest 8 of 18 groups by region and cell; lines: median of 3 " +
		"replicas"; states.Note != want {
		t.Errorf("%q", states.Note)
	}
}
