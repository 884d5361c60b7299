package population_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A replica that goes on with a past is the process that started with its seed and was forked as it
// was: every event up to the end is the same, to the last bit.
func TestPastIsAProcess(t *testing.T) {
	for name, m := range processModels(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			// Forks at rows and in between, and the last one.
			times := []float64{m.Times()[1], m.Start() + 0.4*(m.End()-m.Start()), m.Times()[len(m.Times())/2],
				m.Start() + 0.7*(m.End()-m.Start())}
			slices.Sort(times)
			past := modelfit.Past{Seed: 9, Until: times[3], Luck: r.Uint64()}
			var told []population.Event
			p, err := m.Begin(t.Context(), population.Options{Seed: past.Seed, OnEvent: func(e population.Event) {
				told = append(told, e)
			}}, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, at := range times {
				luck := past.Luck
				if i < 3 {
					luck = r.Uint64()
					past.Forks = append(past.Forks, modelfit.Fork{Time: at, Luck: luck})
				}
				if err := p.Advance(t.Context(), at); err != nil {
					t.Fatal(err)
				}
				past.Fingerprint = p.Fingerprint()
				f, err := p.Fork(luck)
				if err != nil {
					t.Fatal(err)
				}
				p.Close()
				p = f
			}
			if err := p.Advance(t.Context(), m.End()); err != nil {
				t.Fatal(err)
			}
			d := &diary{}
			o := population.Options{Seed: 1, OnEvent: func(e population.Event) { d.events = append(d.events, e) }}
			modelfit.SetPast(&o, func(int) modelfit.Past { return past })
			got, err := m.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			d.run = &got.Runs[0]
			if err := d.compare(p, m); err != nil {
				t.Error(err)
			}
			if !reflect.DeepEqual(d.events, told) {
				t.Errorf("%d events, and the process has %d others", len(d.events), len(told))
			}
			past.Fingerprint++
			o.OnEvent = nil
			if _, err := m.Run(t.Context(), o); !errors.Is(err, modelfit.ErrOtherPast) {
				t.Error("another past: ", err)
			}
		})
	}
}

// seasons is a model with rates that change over time. One has so short a period that its pieces
// depend on the end.
const seasons = `
name: seasons
time: {unit: day, start: 0, end: 200}
population: {size: 300, start: {ill: 20, well: rest}}
parameters:
  beta: 40 per day
  swing: 0.3
  later: 0.1 per day
  stay: {exponential: {mean: 4 days}}
states:
  well: {race: [{rate: {seasonal: {mean: later, amplitude: swing, period: 50 days, peak: 10 days}}, to: away}]}
  away: {race: [{rate: {steps: {0 days: 0.1 per day, 120 days: later}}, to: well}]}
  ill: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: well}, {after: stay, to: away}]}
transmission:
  - from: ill
    rate: {seasonal: {mean: beta, amplitude: swing, period: 5 hours, peak: 1 hour}}
    chance: 1%
    to: {well: ill}
scenarios: {short: {stay: {exponential: {mean: 1 day}}}}
record: {every: 1 day}
`

// Changes after a time, and another end, change nothing up to that time: every event is the same,
// to the last bit. All parameters of the examples are changed, one after the other.
func TestAfterChangesNothingBefore(t *testing.T) {
	sources := map[string]string{"seasons": seasons, "language": languageModel, "people": peopleModel}
	for i, c := range changingRates {
		sources[fmt.Sprint("rate ", i)] = fmt.Sprintf(varyingModel, c.text, 200, "race: [{rate: changing, to: other}]", "")
	}
	examples, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[strings.TrimSuffix(filepath.Base(path), ".yaml")] = string(source)
	}
	changed := 0
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			changes := []population.Change{population.Files(population.Dir("../examples"))}
			switch name {
			case "patches":
				changes = append(changes, population.Size(800), population.Until("6"))
			case "fishery":
				changes = append(changes, population.Size(150), population.Until("6"))
			case "hospital":
				changes = append(changes, population.Size(100))
			case "coinfection":
				source = string(fewImmigrants(t, []byte(source)))
				changes = append(changes, population.Size(150))
			default:
				changes = append(changes, population.Size(150))
			}
			m, err := population.Compile(name, []byte(source), changes...)
			if err != nil {
				t.Fatal(err)
			}
			span := m.End() - m.Start()
			until, last, later := fmt.Sprint(m.End()), m.Start()+0.6*span, m.Start()+1.3*span
			events := func(m *population.Model) (all []population.Event) {
				if _, err := m.Run(t.Context(), population.Options{Seed: 3, OnEvent: func(e population.Event) {
					if e.Time <= last {
						all = append(all, e)
					}
				}}); err != nil {
					t.Fatal(err)
				}
				return all
			}
			want := events(m)
			compare := func(what string, after ...population.Change) {
				with, err := population.Compile(name, []byte(source), slices.Concat(changes, []population.Change{
					population.Until(fmt.Sprint(later)), population.After(last, until, after...)})...)
				if err != nil {
					return // not every parameter can have such a value
				}
				changed++
				if got := events(with); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %d events up to %g, want the same as without it, %d", what, len(got), last, len(want))
				}
			}
			compare("a later end")
			for _, scenario := range m.Scenarios() {
				compare("scenario "+scenario, population.Scenario(scenario))
			}
			for k, p := range m.Parameters() {
				for _, factor := range testscale.Size([]string{[]string{"0.7", "0"}[k%2]}, []string{"0.7", "0"}) {
					compare(p.Name+" times "+factor, population.Set(p.Name, "("+p.Value+") * "+factor))
				}
			}
		})
	}
	if changed < 60 {
		t.Errorf("%d changes were tried", changed)
	}
}

// What is said after a time holds after it: of a pure death process, nobody dies any more.
func TestAfterHolds(t *testing.T) {
	const source = `
name: death
time: {unit: day, end: 10}
population: {size: 1000, start: {alive: rest}}
parameters: {mu: 0.1 per day}
states: {alive: {race: [{rate: mu, to: out}]}}
scenarios: {none: {mu: 0 per day}}
record: {every: 1 day}
`
	for _, change := range []population.Change{population.Scenario("none"), population.Set("mu", "0 per day")} {
		m, err := population.Compile("death", []byte(source), population.Until("20"), population.After(5, "", change))
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), population.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		run := &r.Runs[0]
		if run.Total(4) <= run.Total(5) || run.Total(5) != run.Total(20) {
			t.Errorf("%d, %d and %d are alive at days 4, 5 and 20", run.Total(4), run.Total(5), run.Total(20))
		}
	}
	for text, change := range map[string]population.Change{
		"--set population.size: it says who is there at the start": population.Set("population.size", "5"),
		"--set nu: ": population.Set("nu", "5"),
		"--scenario": population.Scenario("nobody"),
		"0.1 days":   population.Set("mu", "0.1 days"),
	} {
		if _, err := population.Compile("death", []byte(source), population.After(5, "", change)); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// The law of a number is the same throughout a run, whoever enters later; shares of an attribute
// are those of the time, for those who enter by a clock, too.
func TestAfterNumbers(t *testing.T) {
	const source = `
name: numbers
time: {unit: day, end: 10}
population: {size: 1000, start: {a: rest}}
parameters: {mu: 1, north: 0%}
attributes: {x: {number: {gamma: {mean: mu, shape: 2}}}, region: {north: north, south: rest}}
states: {a: {race: [{rate: 0.1 per day * x, enter: child}]}, child: {}}
record: {every: 1 day, by: [region]}
`
	const want = "--set mu: attributes: x: number is fixed when a run begins, and the runs of the fit have begun"
	_, err := population.Compile("numbers", []byte(source), population.After(5, "", population.Set("mu", "2")))
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "nothing that happens") {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = population.Compile("numbers", []byte(source), population.After(5, "", population.Set("north", "100%")))
	if err != nil {
		t.Error(err)
	}
}
