package population_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// processModels are models with all that a model file can say: the examples, with each of their
// scenarios, and those of other tests. They are compiled once for all tests: nothing changes a
// model.
func processModels(t *testing.T) map[string]*population.Model {
	t.Helper()
	compiledModels.Lock()
	defer compiledModels.Unlock()
	if compiledModels.all != nil {
		return compiledModels.all
	}
	all := map[string]*population.Model{}
	add := func(name, source string, changes ...population.Change) *population.Model {
		m, err := population.Compile(name, []byte(source), changes...)
		if err != nil {
			t.Fatal(name, err)
		}
		all[name] = m
		return m
	}
	examples, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(examples) < 8 {
		t.Fatal("there are no examples", err)
	}
	for _, path := range examples {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		changes := []population.Change{population.Files(population.Dir("../examples")), population.Size(150)}
		switch name {
		case "patches": // which has groups of so many
			changes = append(changes, population.Size(800), population.Until("6"))
		case "hospital": // whose wards have room for so many
			changes = append(changes, population.Size(100))
		case "fishery": // which grows
			changes = append(changes, population.Until("7"))
		case "coinfection": // treatment begins in year 20
			source = fewImmigrants(t, source)
			changes = append(changes, population.Until("22"))
		}
		for _, s := range add(name, string(source), changes...).Scenarios() {
			add(name+" "+s, string(source), append(slices.Clip(changes), population.Scenario(s))...)
		}
	}
	for name, source := range population.Busy {
		add(name, source)
	}
	add("people", peopleModel)
	add("people of a file", fileModel, files(map[string]string{"people.csv": fileOfModel}))
	add("language", languageModel)
	add("groups", groupsModel)
	for i, c := range changingRates {
		add(fmt.Sprint("branch at a rate that changes ", i), fmt.Sprintf(varyingModel, c.text, 200,
			"split: [{chance: 50%, rate: changing, to: gone}, {otherwise: true, after: {gamma: {mean: 3 days, shape: 2}}, "+
				"to: other}], race: [{rate: changing, to: other}]", ""))
	}
	compiledModels.all = all
	return all
}

var compiledModels struct {
	sync.Mutex
	all map[string]*population.Model
}

// fewImmigrants is examples/coinfection.yaml with the immigration of a population of 300: that of
// the file would add 2,500 individuals a year, whatever the size.
func fewImmigrants(t *testing.T, source []byte) []byte {
	t.Helper()
	const rate = "immigration: {rate: 2_500 per year"
	if !bytes.Contains(source, []byte(rate)) {
		t.Fatal("examples/coinfection.yaml has another rate of immigration")
	}
	return bytes.Replace(source, []byte(rate), []byte("immigration: {rate: 8 per year"), 1)
}

// A diary is what was told of a replica, and what it came to.
type diary struct {
	events []population.Event
	rows   []population.Record
	run    *population.Run
}

// wholeRun keeps a diary of a replica that is run in one go.
func wholeRun(t *testing.T, m *population.Model, seed uint64) *diary {
	t.Helper()
	d := &diary{}
	r, err := m.Run(t.Context(), population.Options{Seed: seed, First: 2,
		OnEvent:  func(e population.Event) { d.events = append(d.events, e) },
		OnRecord: func(r population.Record) { d.rows = append(d.rows, r) }})
	if err != nil {
		t.Fatal(err)
	}
	d.run = &r.Runs[0]
	return d
}

// stops are times to stop at, in order: at random, at events, at rows and at interventions, and
// right before and after those.
func (d *diary) stops(m *population.Model, r *rand.Rand) []float64 {
	var all []float64
	add := func(time float64) {
		all = append(all, time, math.Nextafter(time, math.Inf(-1)), math.Nextafter(time, math.Inf(1)))
	}
	for range 20 {
		all = append(all, m.Start()+(m.End()-m.Start())*r.Float64())
		add(d.events[r.IntN(len(d.events))].Time)
		add(d.rows[r.IntN(len(d.rows))].Time)
		if planned := m.Planned(); len(planned) > 0 {
			add(planned[r.IntN(len(planned))])
		}
	}
	for i := range all {
		all[i] = min(max(all[i], m.Start()), m.End())
	}
	slices.Sort(all)
	return append(all, m.End())
}

// compare compares a process that stands at the end with the run.
func (d *diary) compare(p *population.Process, m *population.Model) error {
	last := d.run.Rows() - 1
	for s := range m.States() {
		if p.Count(s) != d.run.Count(last, s) {
			return fmt.Errorf("%d in state %d, want %d", p.Count(s), s, d.run.Count(last, s))
		}
	}
	for f := range m.Flows() {
		if p.Flow(f) != d.run.Flow(last, f) {
			return fmt.Errorf("%d by flow %d, want %d", p.Flow(f), f, d.run.Flow(last, f))
		}
	}
	for k := range m.Supplies() {
		if p.Supply(k) != d.run.Supply(last, k) {
			return fmt.Errorf("supply %d: %+v, want %+v", k, p.Supply(k), d.run.Supply(last, k))
		}
	}
	for n := range m.Names() {
		if p.Named(n) != d.run.Named(last, n) {
			return fmt.Errorf("%d by name %d, want %d", p.Named(n), n, d.run.Named(last, n))
		}
	}
	for g := range m.Groups() {
		counts, flows, named := p.Grouped(g)
		in := d.run.In(g)
		for s := range counts {
			if counts[s] != in.Count(last, s) {
				return fmt.Errorf("%d of group %d in state %d, want %d", counts[s], g, s, in.Count(last, s))
			}
		}
		for f := range flows {
			if flows[f] != in.Flow(last, f) {
				return fmt.Errorf("%d of group %d by flow %d, want %d", flows[f], g, f, in.Flow(last, f))
			}
		}
		for n := range named {
			if named[n] != in.Named(last, n) {
				return fmt.Errorf("%d of group %d by name %d, want %d", named[n], g, n, in.Named(last, n))
			}
		}
	}
	switch {
	case p.Time() != m.End():
		return fmt.Errorf("it stands at %v, want %v", p.Time(), m.End())
	case p.Total() != d.run.Total(last):
		return fmt.Errorf("%d are alive, want %d", p.Total(), d.run.Total(last))
	case p.Events() != d.run.Events:
		return fmt.Errorf("%d events, want %d", p.Events(), d.run.Events)
	case !slices.Equal(p.Peaks(), d.run.Peaks):
		return fmt.Errorf("peaks %v, want %v", p.Peaks(), d.run.Peaks)
	case p.PersonYears() != d.run.PersonYears:
		return fmt.Errorf("%v person-years, want %v", p.PersonYears(), d.run.PersonYears)
	}
	return p.Check()
}

// Wherever a process stops, what happens is what happens in a run in one go, to the last bit; and
// what is seen at a stop is all that has happened by then.
func TestProcessIsRun(t *testing.T) {
	for name, m := range processModels(t) {
		t.Run(name, func(t *testing.T) {
			want := wholeRun(t, m, 7)
			r := rand.New(rand.NewPCG(1, 2))
			for range testscale.Size(1, 2) {
				var events []population.Event
				p, err := m.Begin(t.Context(), population.Options{Seed: 7, OnEvent: func(e population.Event) {
					events = append(events, e)
				}}, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, stop := range want.stops(m, r) {
					if err := p.Advance(t.Context(), stop); err != nil {
						t.Fatal(err)
					}
					if n := len(events); n < len(want.events) && want.events[n].Time <= stop {
						t.Fatalf("at %v this has not happened: %+v", stop, want.events[n])
					} else if n > 0 && events[n-1].Time > stop+1e-9 {
						t.Fatalf("at %v this has happened: %+v", stop, events[n-1])
					}
					for _, row := range want.rows {
						if row.Time == stop && (p.Count(0) != row.Counts[0] || p.Total() != row.Total) {
							t.Fatalf("at %v: %d of %d in the first state, the row has %d of %d", stop, p.Count(0), p.Total(), row.Counts[0],
								row.Total)
						}
					}
				}
				for i, e := range events {
					if !reflect.DeepEqual(e, want.events[i]) {
						t.Fatalf("event %d is %+v, want %+v", i, e, want.events[i])
					}
				}
				if err := want.compare(p, m); err != nil {
					t.Error(err)
				}
				p.Close()
			}
		})
	}
}

// A process refuses to go where it cannot, and stays as it was; after an error on the way it does
// not go on.
func TestProcessRefuses(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(sir))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Begin(t.Context(), population.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Advance(t.Context(), 30); err != nil {
		t.Fatal(err)
	}
	for time, want := range map[float64]string{
		29:          "sir: a process cannot go back to time 29: it is at 30",
		61:          "sir: a process cannot go to time 61: the model ends at 60",
		math.NaN():  "sir: a process cannot go to time NaN: the model ends at 60",
		math.Inf(1): "sir: a process cannot go to time +Inf: the model ends at 60",
	} {
		if err := p.Advance(t.Context(), time); err == nil || err.Error() != want || p.Time() != 30 {
			t.Errorf("to %v: %v, it is at %v; want %s", time, err, p.Time(), want)
		}
	}
	if err := p.Advance(t.Context(), 60); err != nil || p.Time() != 60 {
		t.Errorf("%v, at %v", err, p.Time())
	}
	p.Close()
	p.Close()

	crowd, err := population.Compile("model.yaml", []byte("name: crowd\ntime: {unit: day, end: 10}\n"+
		"population: {size: 10, most: 100, start: {a: rest}}\nstates: {a: {}}\nbirths: {rate: 1 per day, enter: a}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err = crowd.Begin(t.Context(), population.Options{}, 3); err != nil {
		t.Fatal(err)
	}
	first, again := p.Advance(t.Context(), 10), p.Advance(t.Context(), 10)
	if first == nil || first != again || !strings.HasPrefix(first.Error(), "crowd, replica 3: at time ") || p.Time() >=
		10 || p.Total() != 101 {
		t.Errorf("%v, then %v, at %v with %d", first, again, p.Time(), p.Total())
	}
	p.Close()
	if _, err := m.Begin(t.Context(), population.Options{Memory: 1000}, 0); err == nil || !strings.Contains(err.Error(),
		"not enough memory") {
		t.Errorf("with a kilobyte: %v", err)
	}
}
