package population_test

import (
	"bytes"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// languageModel has a value of every form, in every place where it can stand.
const languageModel = `name: language
time: {unit: day, start: 2020-03-01, end: 2020-04-15}
population: {size: 60, start: {ill: 5, well: rest}}
attributes: {age: {child: 20%, adult: 1 - 40%, elder: 20%}, region: {north: 50%, south: 50%}}
parameters:
  beta: 0.5 per day
  stay: 4 days
  R0: beta * stay
  severity: {by: age, child: 0.1%, adult: 1%, other: 2 * 4%}
  season: {seasonal: {mean: 1, amplitude: 20%, peak: 2020-03-20, period: 30 days}}
  shut: {steps: {2020-03-01: 1, 2020-03-10: 0.5, 30 days: 80%}}
  slope: {line: {0: 1, 2020-04-15: 0.5}}
  logistic: {value: "0.02 per day * season * (1 - total / 100) * count(well) / max(total, 1)", most: 0.03 per day}
  length: {gamma: {mean: {by: region, north: stay, other: stay / 2}, shape: R0 ^ 2 / 2}}
states:
  well: {}
  ill:
    race:
      - {after: length, to: well}
      - {rate: severity / 1 week, to: out, name: death}
      - {rate: {by: age, elder: 0.1 per day * shut, other: 0 per day}, to: weak}
  weak:
    split:
      - {chance: "min(1, severity)", after: {by: age, child: 1 day, other: length}, to: out}
      - {otherwise: true, rate: sqrt(beta * beta) / 2, to: well}
births: {rate: logistic, enter: well}
transmission:
  - {from: ill, rate: beta * season * shut, chance: {by: age, of: met, child: slope, other: 90%}, to: {well: ill}}
interventions:
  - {at: 2020-03-10, set: {beta: 0.3 per day, severity: 2%}}
record: {every: 7 * 1 day}
`

// TestLanguage runs it: the same seed gives the same run, with nobody lost.
func TestLanguage(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(languageModel))
	if err != nil {
		t.Fatal(err)
	}
	var printed [2][]byte
	for i := range printed {
		result, err := m.Run(t.Context(), population.Options{Seed: 3, Replicas: 4, Workers: 1 + i})
		if err != nil {
			t.Fatal(err)
		}
		for k := range result.Runs {
			checkFlows(t, m, &result.Runs[k])
		}
		result.Seconds = 0
		if printed[i], err = result.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(printed[0], printed[1]) {
		t.Error("with two workers it is another result")
	}
}
