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

// TestMachinesAgreeWithEvents derives the counts and flows of machines from the events of a run, in all
// and by group, and compares.
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
	if got, want := find(&flows, 3, "hiv=negative->acute"), strconv.FormatFloat(infected.Mean[last], 'f', -1, 64); got != want {
		t.Errorf("flows.csv: %s were infected, want %s", got, want)
	}
}
