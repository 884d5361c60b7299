package population_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

const branchModel = `
name: town
time: {unit: day, end: 30}
attributes: {place: {north: 50%, south: 50%}}
population: {size: 500, start: {well: rest, ill: 10}}
parameters: {beta: 0.5 per day, stay: {exponential: {mean: 5 days}}}
states:
  well: {}
  ill: {race: [{after: stay, to: immune}]}
  immune: {}
always: [{after: {gamma: {mean: 40 days, shape: 3}}, to: out}]
transmission: [{from: ill, rate: beta, to: {well: ill}}]
interventions: [{at: 3, who: well, coverage: 5%, to: immune, name: early}]
scenarios: {less: {beta: 0.1 per day}, start: {population.start.ill: 20}}
record: {every: 1 day}
`

// A branch has the past of the state, also with interventions that the saved model did not have;
// and everybody whom these leave alone has the same luck.
func TestBranches(t *testing.T) {
	s := saveState(t, branchModel, "10", population.Options{Seed: 2, Replicas: 2})
	whole, err := population.Compile("model.yaml", []byte(branchModel))
	if err != nil {
		t.Fatal(err)
	}
	o := population.Options{Seed: s.Seed(), Replicas: 2}
	base := runModel(t, whole, o)
	other := strings.Replace(branchModel, "name: early}", `name: early},
  {at: 15, who: well, coverage: reach, to: immune, name: late},
  {when: {ill: above 15}, set: {beta: 0.05 per day}, name: alarm},
  {when: {incidence(early) over 7 days: above 1}, set: {beta: 0.05 per day}, name: never},
  {at: 20, enter: ill, count: 5, name: guests}`, 1)
	other = strings.Replace(other, "5 days}}}\nstates", "5 days}}, reach: 0%}\nstates", 1)
	if other == branchModel || !strings.Contains(other, "reach: 0%") {
		t.Fatal("nothing was replaced")
	}
	// Who is asked whether a campaign reaches it draws a number: this one is without.
	idle := strings.Replace(other, "above 15}", "above 450}", 1)
	idle = strings.Replace(idle, "\n  {at: 15, who: well, coverage: reach, to: immune, name: late},", "", 1)
	idle = strings.Replace(idle, ",\n  {at: 20, enter: ill, count: 5, name: guests}", "", 1)
	for name, source := range map[string]string{"other": other, "idle": idle} {
		m, err := s.CompileOther("other.yaml", []byte(source))
		if err != nil {
			t.Fatal(name, err)
		}
		got := runModel(t, m, o)
		for i := range got.Runs {
			for row := range base.Times {
				for state := range m.States() {
					same := got.Runs[i].Count(row, state) == base.Runs[i].Count(row, state)
					if !same && (row <= 10 || name == "idle") {
						t.Errorf("%s: replica %d, row %d: %d in state %d, not %d", name, i, row, got.Runs[i].Count(row, state), state,
							base.Runs[i].Count(row, state))
					}
				}
			}
		}
		alarm := slices.Index(m.Names(), "alarm")
		if n := got.Runs[0].Named(got.Runs[0].Rows()-1, alarm); name == "other" && n != 1 {
			t.Errorf("the alarm happened %d times", n)
		}
	}
	less, err := s.Compile(population.Scenario("less"))
	if err != nil {
		t.Fatal(err)
	}
	got := runModel(t, less, o)
	if last := len(base.Times) - 1; got.Runs[0].Count(10, 1) != base.Runs[0].Count(10, 1) ||
		!(got.Runs[0].Flow(last, 0) < base.Runs[0].Flow(last, 0)) {
		t.Error("a scenario from the state on has another past, or no effect")
	}
}

// A branch that changes nothing is the run that was not interrupted, also if interventions that
// draw come after the state: neither a value that is given again nor an intervention that never
// happens, though it is the first of the file, changes what they draw. So it is if the branch is
// saved and gone on with.
func TestBranchesKeepDraws(t *testing.T) {
	source := strings.Replace(branchModel, "name: early}]", `name: early},
  {when: {immune: above 60}, who: well, count: 7, to: immune, name: ring},
  {at: 15, who: well, count: 9, to: immune, name: late},
  {at: 20, enter: ill, count: 5, name: guests}]`, 1)
	s := saveState(t, source, "10", population.Options{Seed: 2, Replicas: 2})
	o := population.Options{Seed: s.Seed(), Replicas: 2}
	m, err := population.Compile("model.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	whole := runModel(t, m, o)
	first := "interventions: [{when: {ill: above 499}, set: {beta: 0 per day}, name: never}, {at: 3"
	other := strings.Replace(source, "interventions: [{at: 3", first, 1)
	compare := func(what string, m *population.Model, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(what, err)
		}
		got := runModel(t, m, o)
		for i := range got.Runs {
			for row := range whole.Times {
				for state := range m.States() {
					if n, want := got.Runs[i].Count(row, state), whole.Runs[i].Count(row, state); n != want {
						t.Fatalf("%s: replica %d, row %d: %d in state %d, not %d", what, i, row, n, state, want)
					}
				}
			}
		}
	}
	again, err := s.Compile(population.Set("beta", "0.5 per day"))
	compare("a value again", again, err)
	more, err := s.CompileOther("other.yaml", []byte(other))
	compare("one more that never happens", more, err)
	if more, err = s.CompileOther("other.yaml", []byte(other), population.SaveAt("12")); err != nil {
		t.Fatal(err)
	}
	path, o2 := filepath.Join(t.TempDir(), "state"), o
	if o2.Save, err = more.CreateState(path); err != nil {
		t.Fatal(err)
	}
	runModel(t, more, o2)
	if err := o2.Save.Keep(); err != nil {
		t.Fatal(err)
	}
	saved, err := population.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	on, err := saved.Compile()
	compare("saved again", on, err)
}

func TestOtherModelsAreRefused(t *testing.T) {
	s := saveState(t, branchModel, "10", population.Options{Seed: 2})
	for _, c := range []struct{ old, new, want string }{
		{"immune: {}", "immune: {}\n  dead: {}", "states: dead is new"},
		{"place: {north: 50%, south: 50%}", "place: {north: 50%, east: 50%}", "attributes: place: east is new"},
		{"shape: 3}", "shape: 2}", "always: 1: after: gamma: shape is 2, and 3 in the saved model"},
		{"beta: 0.5 per day", "beta: 0.6 per day", "parameters: beta is 0.6 per day, and 0.5 per day in the saved model"},
		{"size: 500", "size: 600", "population: size is 600, and 500 in the saved model"},
		{"at: 3,", "at: 4,", "before the saved state"},
		{"[{at: 3, who: well, coverage: 5%, to: immune, name: early}]", "[]", "counts"},
		{"name: early}", "name: early}, {at: 12, set: {stay: {gamma: {mean: 5 days, shape: 2}}}}", "kept in another way"},
		{"{every: 1 day}", "{every: 1 day, by: [place]}", "it records the group place=north"},
		{"{every: 1 day}", "{every: 0.5 days}", "the model records day 0.5, and the saved run did not"},
		{"unit: day", "unit: hour", "time: unit is hour"},
	} {
		source := strings.Replace(branchModel, c.old, c.new, 1)
		if source == branchModel {
			t.Fatalf("%q is not in the model", c.old)
		}
		_, err := s.CompileOther("other.yaml", []byte(source))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
	}
	for _, c := range []struct {
		change population.Change
		want   string
	}{
		{population.Scenario("start"), "it says who is there at the start, and the run has begun"},
		{population.Size(5), "--size: the run has begun"},
		{population.Until("100"), "can go on until 60: save it again, with --until 100"},
		{population.Until("5"), "before the time of the saved state"},
		{population.Set("none", "1"), "none"},
	} {
		if _, err := s.Compile(c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	for at, want := range map[string]string{"-1": "before the start", "31": "after the end of the model"} {
		_, err := population.Compile("model.yaml", []byte(branchModel), population.SaveAt(at))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := population.OpenState("state_other_test.go"); err == nil || !strings.Contains(err.Error(), "not a state") {
		t.Error(err)
	}
}

// Whatever a model file can say: saved at a time at which something happens, saved again, and gone
// on with; everything that happens after it is the same, too.
func TestEveryModelGoesOn(t *testing.T) {
	draws := rand.New(rand.NewPCG(3, 4))
	for name, m := range processModels(t) {
		if population.Unsavable(m) != "" {
			continue
		}
		d := wholeRun(t, m, 9)
		stops := d.stops(m, draws)
		first := stops[len(stops)/3]
		second := stops[len(stops)*2/3]
		t.Run(name, func(t *testing.T) {
			at := m
			var events []population.Event
			rows := 0
			for _, stop := range []float64{first, second, m.End()} {
				var err error
				saving := at
				if stop < m.End() {
					if saving, err = population.Again(at, stop); err != nil {
						t.Fatal(err)
					}
				}
				o := population.Options{Seed: 9, First: 2, OnEvent: func(e population.Event) { events = append(events, e) },
					OnRecord: func(population.Record) { rows++ }}
				path := filepath.Join(t.TempDir(), "state")
				if stop < m.End() {
					if o.Save, err = saving.CreateState(path); err != nil {
						t.Fatal(err)
					}
				}
				result, err := saving.Run(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				if stop == m.End() {
					want, got := *d.run, result.Runs[0]
					want.Seconds, want.Setup, got.Seconds, got.Setup = 0, 0, 0, 0
					a, errA := want.MarshalBinary()
					b, errB := got.MarshalBinary()
					if errA != nil || errB != nil || !bytes.Equal(a, b) {
						t.Errorf("saved at %v and %v, it is another run", first, second)
					}
					break
				}
				if err := o.Save.Keep(); err != nil {
					t.Fatal(err)
				}
				s, err := population.OpenState(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				if at, err = s.Compile(); err != nil {
					t.Fatal(err)
				}
			}
			if len(events) != len(d.events) {
				t.Fatalf("%d events, not %d", len(events), len(d.events))
			}
			for i := range events {
				if !reflect.DeepEqual(events[i], d.events[i]) {
					t.Fatalf("event %d is %v, not %v", i, events[i], d.events[i])
				}
			}
		})
	}
}
