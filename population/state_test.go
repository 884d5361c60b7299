package population_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// runBytes are the runs of a result, without what differs between two runs of the same.
func runBytes(t *testing.T, result *population.Result) (all [][]byte) {
	t.Helper()
	for i := range result.Runs {
		run := result.Runs[i]
		run.Seconds, run.Setup = 0, 0
		b, err := run.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func runModel(t *testing.T, m *population.Model, o population.Options) *population.Result {
	t.Helper()
	result, err := m.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// saveState runs a model up to a time and saves its state.
func saveState(t *testing.T, source, at string, o population.Options, changes ...population.Change) *population.State {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(source), append(changes, population.SaveAt(at))...)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "saved.almanac")
	if o.Save, err = m.CreateState(path); err != nil {
		t.Fatal(err)
	}
	defer o.Save.Drop()
	runModel(t, m, o)
	if err := o.Save.Keep(); err != nil {
		t.Fatal(err)
	}
	s, err := population.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestSavedAndContinuedIsUninterrupted(t *testing.T) {
	draws := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(population.Busy)) {
		source := population.Busy[name]
		m, err := population.Compile("model.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if population.Unsavable(m) != "" {
			continue
		}
		o := population.Options{Seed: 5, Replicas: 2, Workers: 2}
		want := runBytes(t, runModel(t, m, o))
		for k := range testscale.Size(2, 4) {
			at := m.Start() + draws.Float64()*(m.End()-m.Start())
			if k == 0 {
				at = m.Times()[len(m.Times())/2] // one that is recorded
			}
			t.Run(fmt.Sprintf("%s at %v", name, at), func(t *testing.T) {
				s := saveState(t, source, fmt.Sprint(at), o)
				on, err := s.Compile()
				if err != nil {
					t.Fatal(err)
				}
				from := o
				from.Seed, from.Workers = 77, 1+k%2
				got := runBytes(t, runModel(t, on, from))
				for i := range want {
					if !bytes.Equal(got[i], want[i]) {
						t.Errorf("replica %d differs", i)
					}
				}
			})
		}
	}
}

// The tree and the people of a run are those of the run before the state and of the run after it.
func TestStreamsGoOn(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["observed"]))
	if err != nil {
		t.Fatal(err)
	}
	const at = 13.3
	type streams struct{ infections, left, there []string }
	listen := func(o *population.Options) *streams {
		var s streams
		o.OnInfection = func(i population.Infection) { s.infections = append(s.infections, fmt.Sprint(i)) }
		o.OnPerson = func(p population.Person) {
			if math.IsNaN(p.Left) {
				s.there = append(s.there, fmt.Sprint(p))
			} else {
				s.left = append(s.left, fmt.Sprint(p))
			}
		}
		return &s
	}
	o := population.Options{Seed: 5}
	all := listen(&o)
	runModel(t, m, o)
	o = population.Options{Seed: 5}
	before := listen(&o)
	s := saveState(t, population.Busy["observed"], fmt.Sprint(at), o)
	on, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	o = population.Options{Seed: 5}
	after := listen(&o)
	runModel(t, on, o)
	if len(before.infections) == 0 || len(after.infections) == 0 || len(after.left) == 0 || len(after.there) == 0 {
		t.Error("nothing is compared")
	}
	if !slices.Equal(append(before.infections, after.infections...), all.infections) {
		t.Error("the tree is another")
	}
	if !slices.Equal(append(before.left, after.left...), all.left) || !slices.Equal(after.there, all.there) {
		t.Error("the people are others")
	}
}

// A parameter that has been set back has the text that it had at the start, and interventions that
// come later go on from there.
func TestSavedAfterSettingBack(t *testing.T) {
	const source = `
name: back
time: {unit: day, end: 20}
population: {size: 200, start: {b: 20, a: rest}}
parameters: {beta: 0.5 per day}
supplies: {doses: {at: 1 day, every: 2 days, count: beta * 10 days}}
states:
  a: {race: [{rate: 0.1 per day, to: c, uses: doses}]}
  b: {race: [{rate: 0.3 per day, to: c}]}
  c: {race: [{rate: 0.1 per day, to: a}]}
transmission: [{from: b, rate: beta, to: {a: b}}]
interventions:
  - {at: 5 days, set: {beta: 0.1 per day}}
  - {at: 8 days, set: {beta: 0.5 per day}}
  - {at: 15 days, who: everyone, coverage: 10%, to: b}
  - {at: 16 days, set: {beta: 1 per day}}
record: {every: 1 day}
`
	m, err := population.Compile("model.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	o := population.Options{Seed: 5, Replicas: 2}
	want := runBytes(t, runModel(t, m, o))
	for _, at := range []string{"3", "6", "9", "15.5", "17"} {
		for _, changes := range [][]population.Change{nil, {population.Set("beta", "0.7 per day")}} {
			on, err := saveState(t, source, at, o).Compile(changes...)
			if err != nil {
				t.Fatal(err)
			}
			got := runBytes(t, runModel(t, on, o))
			for i := range want {
				if changes == nil && !bytes.Equal(got[i], want[i]) {
					t.Errorf("saved at %s, replica %d differs", at, i)
				}
			}
		}
	}
}

// A run that is interrupted while a replica waits for its turn to be saved was interrupted, and
// nothing else went wrong.
func TestInterruptedBeforeItIsSaved(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["observed"]), population.SaveAt("5"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	second, last := make(chan struct{}), len(m.Times())-1
	o := population.Options{Replicas: 2, Workers: 2}
	if o.Save, err = m.CreateState(filepath.Join(t.TempDir(), "state")); err != nil {
		t.Fatal(err)
	}
	defer o.Save.Drop()
	o.OnRecord = func(r population.Record) {
		switch {
		case r.Replica == 1 && r.Row == last:
			close(second)
		case r.Replica == 0 && r.Row == 0:
			<-second
			cancel()
		}
	}
	if _, err := m.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A branch can change when links end, and how many somebody may have.
func TestBranchesOfNetworks(t *testing.T) {
	source := strings.Replace(population.Busy["networks"], "parameters: {", "parameters: {many: 2, ", 1)
	source = strings.Replace(source, "high: 5, low: 2}", "high: 5, low: many}", 1)
	s := saveState(t, source, "1.7", population.Options{Seed: 3})
	ended := map[string]uint64{}
	for name, value := range map[string]string{"": "", "breakup": "20 per year", "lasting": "0.01 years", "many": "9"} {
		var changes []population.Change
		if name != "" {
			changes = append(changes, population.Set(name, value), population.Until("1.9"))
		}
		on, err := s.Compile(append(changes, population.Until("1.9"))...)
		if err != nil {
			t.Fatal(name, err)
		}
		run := &runModel(t, on, population.Options{Seed: 3}).Runs[0]
		for k := range 2 {
			ended[name] += run.Network(run.Rows()-1, k).Ended + run.Network(run.Rows()-1, k).Formed
		}
	}
	for name, n := range ended {
		if name != "" && n == ended[""] {
			t.Errorf("%s changes nothing: %d links have begun or ended", name, n)
		}
	}
}

// A branch cannot change how many places hold: the message says so.
func TestBranchOfCapacity(t *testing.T) {
	source := "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 9, start: {a: rest}}\nparameters: {beds: 2}\n" +
		"places: {ward: {number: 1, capacity: beds, where: {state: b}}}\n" +
		"states: {a: {race: [{rate: 1 per day, to: b}]}, b: {}}\n"
	_, err := saveState(t, source, "3", population.Options{Seed: 3}).Compile(population.Set("beds", "4"))
	if err == nil || !strings.Contains(err.Error(), "places: ward: capacity is fixed when a run begins") {
		t.Error(err)
	}
}
