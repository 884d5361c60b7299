package population_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// TestTimesOfTheClock has interventions at times that are written as the start and the end are: as
// bare numbers, also below 0.
func TestTimesOfTheClock(t *testing.T) {
	const model = `name: m
time: {unit: year, start: -10, end: 2}
population: {size: 0, start: {}}
states: {a: {}}
interventions:
  - {at: -5 years, enter: a, count: 3}
  - {at: -5 years, every: 2 years, until: 0 years, enter: a, count: 100}
record: {every: 1 year}
`
	flows := func(source string) [][]float64 {
		m, err := population.Compile("model.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		return [][]float64{r.Times, r.State(0).Mean}
	}
	want := [][]float64{{-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2}, {0, 0, 0, 0, 0, 103, 103, 203, 203, 303, 303,
		303, 303}}
	bare := strings.NewReplacer("-5 years", "-5", "0 years,", "0,").Replace(model)
	for _, source := range []string{model, bare} {
		if got := flows(source); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Those who are there at the start have their ages then: what an intervention does to lives later
// does not make them wrong.
func TestLivesShortenLater(t *testing.T) {
	const model = `name: m
time: {unit: year, start: 0, end: 2}
population: {size: 10, start: {a: 10}, age: {uniform: {low: 0 years, high: 90 years}}}
parameters: {life: 100 years}
states: {a: {}}
always: [{after: life, to: out}]
interventions: [{at: 1, set: {life: 50 years}}]
`
	if _, err := population.Compile("model.yaml", []byte(model)); err != nil {
		t.Error(err)
	}
	_, err := population.Compile("model.yaml", []byte(model), population.Set("life", "50 years"))
	if want := "--set life: population: age: ages reach 90 years, but a clock of always ends every life by 50 years " +
		"(see line 3)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestOne has one of everything: no word is in the plural, and no article is before a name, which
// may begin with any sound.
func TestOne(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(`name: one
time: {unit: day, end: 1}
population: {size: 1, start: {a: 1}, age: {hazard: {0 days: 1 per day}}}
attributes: {activity: {high: 1}}
states: {a: {race: [{after: 1 day, to: a}]}}
interventions: [{at: 1, enter: a, count: 1}]
record: {every: 1 day}
`))
	if err != nil {
		t.Fatal(err)
	}
	if want := "one: 1 individual, states a"; m.String() != want {
		t.Errorf("%q, want %q", m, want)
	}
	const want = `one: 1 individual from day 0 to day 1, recorded 2 times.
Ages at the start: by a table of rates from 1 age on, mean 1 day.

Everybody has a value of
  activity: 100% high

States
  a: 1 at the start
    becomes a after exactly 1 day

Interventions
  day 1
    1 individual enters as a
`
	if got := m.Explain(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
