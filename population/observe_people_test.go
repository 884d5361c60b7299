package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// A line list has when a survey first found somebody positive: when the result was there.
func TestPeopleOfASurvey(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(`
name: survey
time: {unit: day, end: 20}
population: {size: 400, start: {immune: 100, susceptible: rest}}
states: {susceptible: {race: [{rate: 0.05 per day, to: immune}]}, immune: {race: [{rate: 0.05 per day, to: out}]}}
observe: {survey: {at: 4 days, every: 6 days, coverage: 60%,
  chance: {by: state, immune: 90%, susceptible: 0%}, after: 3 days}}
record: {every: 1 day, people: {times: [susceptible->immune, survey], only: survey}}
`))
	if err != nil {
		t.Fatal(err)
	}
	found := map[float64]int{}
	o := population.Options{Seed: 4, OnPerson: func(p population.Person) {
		immune, at := p.Times[0], p.Times[1]
		if found[at]++; immune > at-3 { // NaN from the start on
			t.Errorf("%d was immune from %v on, and found at %v", p.Number, immune, at)
		}
	}}
	result := runModel(t, m, o)
	run := &result.Runs[0]
	// All whom the first survey finds are found for the first time, and some of those of the others.
	if found[7] != int(run.Seen(7, 0)) || found[7] < 40 {
		t.Errorf("%d were found at 7 days, and %d seen", found[7], run.Seen(7, 0))
	}
	if again := int(run.Seen(13, 0)) - found[7]; found[13] == 0 || found[13] >= again {
		t.Errorf("%d were found at 13 days for the first time, and %d seen", found[13], again)
	}
	if late := int(run.Seen(19, 0) - run.Seen(13, 0)); len(found) != 3 || found[19] == 0 || found[19] >= late {
		t.Errorf("found %v, and %d seen late", found, late)
	}
}
