package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
	m, r := ran(t, model, 3)
	all, each := stateCharts(m, r)
	const note = "lines: median of 3 replicas; bands: middle 90 %"
	if all.Note != note || each.Note != "individuals in each state; "+note {
		t.Errorf("%q, %q", all.Note, each.Note)
	}
	if got := fmt.Sprint(all.Series[0].X, all.Series[0].Y, all.Series[0].High); got != "[0 10 20 25] [0 7 14 26] [0 7 14 26]" {
		t.Error(got)
	}
	// In the last five days there were as many as in ten, which cannot be compared, and is left out.
	flows := flowCharts(m, r)
	if want := "changes of state in each interval of 10 days; " + note; flows.Note != want {
		t.Errorf("%q, want %q", flows.Note, want)
	}
	s := flows.Charts[0].Series[0]
	if got := fmt.Sprint(flows.Charts[0].Title, s.X, s.Y, s.Low); got != "interventions → a[0 10 10 20] [7 7 7 7] [7 7 7 7]" {
		t.Error(got)
	}
	m, r = ran(t, strings.Replace(model, "end: 25", "end: 1", 1), 1)
	if flows := flowCharts(m, r); !strings.HasSuffix(flows.Note, "interval of 1 day; one replica") {
		t.Error(flows.Note)
	}
	if err := plotRun(t.TempDir(), m, r); err != nil {
		t.Error(err)
	}
}

// A model with thousands of flows has the largest of them drawn.
func TestManyFlows(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: many\ntime: {unit: day, end: 4}\npopulation: {size: 500, start: {s0: rest}}\nrecord: {every: 1 day}\nstates:\n")
	for i := range 12 {
		fmt.Fprintf(&b, "  s%d: {race: [", i)
		for k := range 12 {
			fmt.Fprintf(&b, "{rate: 0.1 per day, to: s%d}, ", k)
		}
		b.WriteString("]}\n")
	}
	m, r := ran(t, b.String(), 1)
	flows := flowCharts(m, r)
	if len(flows.Charts) != mostFlows || !strings.HasPrefix(flows.Note, "the largest 24 of 144 flows in each interval of 1 day") {
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
