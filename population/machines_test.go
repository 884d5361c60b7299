package population_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// TestMachinesAgreeWithEvents derives the counts and flows of machines from the events of a run, in
// all and by group, and compares.
func TestMachinesAgreeWithEvents(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["machines"]))
	if err != nil {
		t.Fatal(err)
	}
	attributes, machines := m.Attributes(), m.Machines()
	if want := []string{"hiv", "care"}; !slices.Equal(machines, want) {
		t.Fatalf("machines %v, want %v", machines, want)
	}
	first := len(attributes) - len(machines)
	alive := map[uint64][]string{} // the values of everybody alive
	flows := map[string]uint64{}
	moves := 0
	r, err := m.Run(t.Context(), population.Options{Seed: 3, OnEvent: func(e population.Event) {
		if e.Individual == 0 {
			return
		}
		before := alive[e.Individual]
		for k, machine := range machines {
			now := e.Values[first+k]
			switch {
			case e.Kind == population.Left:
				if now != before[first+k] {
					flows[machine+"="+before[first+k]+"->"+now]++
				}
				flows[machine+"="+now+"->out"]++
			case e.Kind == population.Entered:
				flows[machine+"="+e.From+"->"+now]++
			case e.Kind != population.Started && before[first+k] != now:
				flows[machine+"="+before[first+k]+"->"+now]++
				if e.Kind == population.Moved {
					moves++
				}
			}
		}
		if e.Kind == population.Left {
			delete(alive, e.Individual)
		} else {
			alive[e.Individual] = slices.Clone(e.Values)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	run, last := &r.Runs[0], r.Rows()-1
	if moves == 0 {
		t.Error("no change of a machine is an event of kind move")
	}
	for i, f := range m.Flows() {
		machine, from, ok := strings.Cut(f.From, "=")
		if ok && slices.Contains(machines, machine) && from != f.To && run.Flow(last, i) != flows[f.String()] {
			t.Errorf("%s: %d, by events %d", f, run.Flow(last, i), flows[f.String()])
		}
		delete(flows, f.String())
	}
	if len(flows) > 0 {
		t.Errorf("flows that are not listed: %v", flows)
	}
	count := func(g *population.Group, machine int, value string) (n int) {
		for _, values := range alive {
			in := values[first+machine] == value
			for k := range g.Attributes {
				in = in && values[slices.Index(attributes, g.Attributes[k])] == g.Values[k]
			}
			if in {
				n++
			}
		}
		return n
	}
	groups := append([]population.Group{{}}, m.Groups()...)
	for k, machine := range machines {
		for i, name := range m.Counted() {
			value, ok := strings.CutPrefix(name, machine+"=")
			if !ok {
				continue
			}
			for g := range groups {
				of := run
				if g > 0 {
					of = run.In(g - 1)
				}
				if got, want := of.Count(last, i), count(&groups[g], k, value); got != want {
					t.Errorf("%v %s: %d, by events %d", groups[g], name, got, want)
				}
			}
		}
	}
	compareMachineTables(t, r)
}

// compareMachineTables compares JSON and tables with the result.
func compareMachineTables(t *testing.T, r *population.Result) {
	t.Helper()
	var text, series, flows bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	sum, err := results.ReadSummary(&text)
	if err != nil {
		t.Fatal(err)
	}
	if err := results.WriteSeries(&series, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFlows(&flows, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	last := r.Rows() - 1
	hiv, _ := sum.Machines.Get("hiv")
	if got, want := hiv.States.Names(), []string{"negative", "acute", "positive"}; !slices.Equal(got, want) {
		t.Errorf("states of hiv in JSON: %v, want %v", got, want)
	}
	for _, name := range sum.Flows.Names() {
		if strings.Contains(name, "=") {
			t.Errorf("%s is among the flows of states", name)
		}
	}
	positive, _ := hiv.States.Get("positive")
	infected, _ := hiv.Flows.Get("negative->acute")
	born, ok := hiv.Flows.Get("births->negative")
	_, incidence := hiv.Incidence.Get("acute->out")
	if !ok || !incidence || born.Mean[last] == 0 {
		t.Errorf("flows of hiv in JSON: %v; incidence: %v", hiv.Flows.Names(), hiv.Incidence.Names())
	}
	by, _ := sum.By.Get("hiv")
	group, _ := by.Get("positive")
	total := 0.0
	for _, s := range group.States.All() {
		total += s.Mean[last]
	}
	if total != positive.Mean[last] {
		t.Errorf("%v are positive, and %v by hiv", positive.Mean[last], total)
	}
	find := func(table *bytes.Buffer, column int, name string) (count string) {
		rows, err := csv.NewReader(table).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "count")
		for _, row := range rows {
			if row[column] == name && strings.Join(row[column+1:at], "") == "" {
				count = row[at]
			}
		}
		return count
	}
	if got, want := find(&series, 2, "hiv=positive"), strconv.FormatFloat(positive.Mean[last], 'f', -1, 64); got != want {
		t.Errorf("series.csv: %s are positive, want %s", got, want)
	}
	got, want := find(&flows, 3, "hiv=negative->acute"), strconv.FormatFloat(infected.Mean[last], 'f', -1, 64)
	if got != want {
		t.Errorf("flows.csv: %s were infected, want %s", got, want)
	}
}

// There can be 250 machines, and one more is refused; their names differ from those of attributes,
// and state is the attribute of that name where there is one.
func TestMachineLimitsAndNames(t *testing.T) {
	model := func(n int) string {
		return "name: m\ntime: {unit: day, end: 3}\npopulation: {size: 20, start: {a: rest}}\nstates: {a: {}}\n" +
			"attributes: {x: {p: 50%, q: 50%}}\nmachines: {" + manyOf(n, "m%d: {start: {no: rest}, states: {no: {race: "+
			"[{after: {gamma: {mean: 1 day, shape: 2}}, to: yes}]}, yes: {race: [{after: 1 day, to: no}]}}}") + "}\n"
	}
	m, err := population.Compile("model.yaml", []byte(model(250)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	moved := uint64(0)
	for k, f := range m.Flows() {
		if f.From == "m249=no" {
			moved = r.Runs[0].Flow(r.Rows()-1, k)
		}
	}
	if len(m.Machines()) != 250 || moved == 0 {
		t.Errorf("%d machines, of the last %d changes", len(m.Machines()), moved)
	}
	_, err = population.Compile("model.yaml", []byte(model(251)))
	if err == nil || !strings.HasSuffix(err.Error(), ": machines: 251 are more than the 250 there can be") {
		t.Errorf("251 machines: %v", err)
	}
	// An attribute called state is what state means.
	m, err = population.Compile("model.yaml", []byte(`
name: m
time: {unit: day, end: 3}
population: {size: 100, start: {a: rest}}
attributes: {state: {a: 0%, x: 100%}}
states: {a: {}, b: {}}
always: [{rate: 5 per day, to: b, from: a, where: {state: a}}]
record: {every: 1 day, by: state}
`))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = m.Run(t.Context(), population.Options{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if n := r.Runs[0].Count(r.Rows()-1, 0); n != 100 {
		t.Errorf("%d are still a: the condition was read for the section states", n)
	}
}

// A move gives a value, shares, a copy, or any of these by group, at every place: clocks of races,
// splits and always, contacts and interventions, beside to and alone. Everything of one event
// happens at once: first to, then move in the order of the file.
func TestMovesAtEveryPlace(t *testing.T) {
	const model = `
name: moves
time: {unit: day, end: 20}
population: {size: 400, start: {x: 1, a: rest}}
attributes: {home: {north: 50%%, south: 50%%}, region: {south: 0%%, north: 0%%, nowhere: 100%%}}
states: {x: {}, a: {%s}, b: {}}
%s
record: {every: 20 days, by: [[home, region]]}
`
	gives := map[string]func(home string) map[string]float64{ // the shares of regions afterwards
		"south": func(string) map[string]float64 { return map[string]float64{"south": 1} },
		"home":  func(home string) map[string]float64 { return map[string]float64{home: 1} },
		"{south: 30%, north: rest}": func(string) map[string]float64 {
			return map[string]float64{"south": 0.3, "north": 0.7}
		},
		"{by: home, north: south, other: {south: 20%, north: 80%}}": func(home string) map[string]float64 {
			if home == "north" {
				return map[string]float64{"south": 1}
			}
			return map[string]float64{"south": 0.2, "north": 0.8}
		},
		"{by: state, b: home, other: nowhere}": func(home string) map[string]float64 { return map[string]float64{home: 1} },
	}
	places := map[string][2]string{
		"race at a rate":     {"race: [{rate: 5 per day, to: b, move: {region: %s}}]", ""},
		"race with a memory": {"race: [{after: 1 day, to: b, move: {region: %s}}]", ""},
		"split":              {"split: [{otherwise: true, after: 1 day, to: b, move: {region: %s}}]", ""},
		"always":             {"", "always: [{after: 1 day, to: b, from: a, move: {region: %s}}]"},
		"always at a rate":   {"", "always: [{rate: 5 per day, to: b, from: a, move: {region: %s}}]"},
		"contact":            {"", "transmission: [{from: x, rate: 5_000 per day, to: {a: b}, move: {region: %s}}]"},
		"intervention":       {"", "interventions: [{at: 1 day, who: a, to: b, move: {region: %s}}]"},
		"a few by intervention": {"",
			"interventions: [{at: 1 day, every: 1 hour, who: a, count: 40, to: b, move: {region: %s}}]"},
		"move alone": {"",
			"interventions: [{at: 1 day, who: a, to: b}, {at: 2 days, who: b, move: {region: %s}}]"},
	}
	for place, parts := range places {
		for give, shares := range gives {
			fill := func(s string) string { return strings.Replace(s, "%s", give, 1) }
			r := exactSimulate(t, 1, 1, model, fill(parts[0]), fill(parts[1]))
			run := &r.Runs[0]
			b := slices.Index(r.Model.States(), "b")
			if n := run.Count(1, b); n != 399 {
				t.Errorf("%s, %s: %d are b", place, give, n)
			}
			all := map[string]float64{}
			for k, g := range r.Model.Groups() {
				all[g.Values[0]] += float64(run.In(k).Count(1, b))
			}
			for k, g := range r.Model.Groups() {
				checkShare(t, place+", "+give+", "+g.String(), float64(run.In(k).Count(1, b)), all[g.Values[0]],
					shares(g.Values[0])[g.Values[1]])
			}
		}
	}
}
