package population

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// What cannot go on is an error that says where and why, with what was recorded until then, not a
// loop.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, model string
		rows        int
		want        []string
	}{
		{"circle", `
states: {a: {race: [{after: 0 days, to: b}]}, b: {race: [{after: 0 days, to: a}]}}
`, 0, []string{"at time 10 the clock stands still", "most of them ", "takes no time"}},
		{"nearly a circle", `
states: {a: {race: [{after: 1e-300 days, to: b}]}, b: {race: [{after: 1e-300 days, to: a}]}}
`, 0, []string{"at time 10 the clock stands still", "most of them ", "takes no time"}},
		{"nearly a circle, later", `
states:
  a: {race: [{after: 10.5 days, to: b}]}
  b: {race: [{after: 1e-15 days, to: c, name: forth}]}
  c: {race: [{after: 0 days, to: b}]}
`, 11, []string{"at time 20.5", "b->c [forth]"}},
		{"far too fast", `
states: {a: {race: [{rate: 1e300 per day, to: a, name: again}]}, b: {}}
`, 0, []string{"at time 10 ", "a->a [again]"}},
		{"as fast as numbers go", `
states:
  a: {race: [{rate: 1e308 per day, to: b}, {rate: 1e308 per day, to: b}]}
  b: {race: [{rate: 1e308 per day, to: a}]}
`, 0, []string{"at time 10 ", "most of them "}},
		{"not quite as fast", `
states: {a: {race: [{rate: 1e14 per day, to: b}]}, b: {race: [{rate: 1e14 per day, to: a}]}}
`, 1, []string{"most of them "}},
		{"contacts without effect", `
states: {a: {}, b: {}}
transmission: [{from: a, rate: 1e300 per day, to: {b: a}}]
`, 0, []string{"without changing anybody's state", "state a"}},
		{"moves", `
attributes: {region: {north: 50%, south: 50%}}
states: {a: {}}
always:
  - {rate: 1e300 per day, move: {region: north}, name: north}
  - {rate: 1e300 per day, move: {region: south}, name: south}
`, 0, []string{"most of them [", "th]"}},
		{"after an intervention", `
parameters: {r: 1 per day}
states: {a: {race: [{rate: r, to: a}]}}
interventions: [{at: 15 days, set: {r: 1e200 per day}}]
`, 5, []string{"at time 15 ", "a->a"}},
		{"flood", `
states: {a: {}}
births: {rate: 0.8 per day, enter: a}
`, 9, []string{"more than 10000 individuals"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := modelFrom(t, `
name: stuck
time: {unit: day, start: 10, end: 22}
population: {size: 10, most: 10_000, start: {a: rest}}
record: {every: 1 day}
`+c.model)
			result, err := m.Run(context.Background(), Options{Seed: 1, patience: 1 << 14})
			if err == nil || result == nil || result.Stopped != err || !strings.HasPrefix(err.Error(),
				m.program.Name+", replica 0: ") {
				t.Fatalf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, expected %q", err, want)
				}
			}
			if !result.Incomplete || result.Rows() != c.rows {
				t.Errorf("%d rows are recorded, expected %d", result.Rows(), c.rows)
			}
			if text, err := result.MarshalJSON(); err != nil || !strings.Contains(string(text),
				`"stopped":"stuck, replica 0: at time`) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

// Much at one time, or in next to no time, is not a standstill.
func TestBursts(t *testing.T) {
	for _, c := range []struct {
		name            string
		patience, least uint64
		model           string
	}{
		{"everybody at once, through many states", 1 << 12, 100_000, `
population: {size: 2_000, start: {a: rest}}
states:
  a: {race: [{after: 1 year, to: b}]}
  b: {race: [{after: 0 days, to: c}]}
  c: {race: [{after: 0 days, to: d}]}
  d: {split: [{chance: 95%, after: 0 days, to: b}, {otherwise: true, after: 0 days, to: e}]}
  e: {}
`},
		{"thousands let in at once, who change at once", 1 << 12, 50_000, `
population: {size: 0, start: {}}
states: {a: {race: [{after: 0 days, to: b}]}, b: {race: [{after: 0 days, to: c}]}, c: {}}
interventions: [{at: 1 year, enter: a, count: 25_000}]
`},
		{"a quarter of what there may be, within a second of a century", 1 << 18, 60_000, `
population: {size: 10, start: {a: rest}}
parameters: {r: 0 per day}
states: {a: {race: [{rate: r, to: a}]}}
interventions: [{at: 1 year, set: {r: 6.5e3 per second}}, {at: 1.00000003169 years, set: {r: 0 per day}}]
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := modelFrom(t, "name: burst\ntime: {unit: year, end: 100}\n"+c.model)
			result, err := m.Run(context.Background(), Options{Seed: 1, patience: c.patience})
			if err != nil {
				t.Fatal(err)
			}
			if result.Events < c.least {
				t.Errorf("%d events", result.Events)
			}
		})
	}
}

// Of several replicas that fail, the one with the lowest number is named, though another failed
// first, and the result ends with it.
func TestLowestFailure(t *testing.T) {
	m := modelFrom(t, `
name: few
time: {unit: day, start: 0, end: 2}
population: {size: 10, start: {a: rest}}
states: {a: {}}
`)
	began := make(chan struct{}) // replica 4 has been given its error
	wrong := errors.New("no such model")
	result, err := m.Run(t.Context(), Options{First: 10, Replicas: 5, Workers: 5, Vary: func(replica int) (*Model, error) {
		switch replica {
		case 12:
			<-began
			for range 1000 { // it is likely that the other has ended
				runtime.Gosched()
			}
			return nil, wrong
		case 14:
			defer close(began)
			return nil, wrong
		}
		return m, nil
	}})
	if !errors.Is(err, wrong) || !strings.HasPrefix(err.Error(), "few, replica 12: ") || result.Stopped != err ||
		!result.Incomplete {
		t.Errorf("%v", err)
	}
	last := result.Runs[len(result.Runs)-1].Replica
	if len(result.Runs) != 3 || last != 12 || result.Done != 2 || result.Rows() == 0 {
		t.Errorf("%d runs until replica %d, %d done", len(result.Runs), last, result.Done)
	}
}
