package syntax

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
)

// TestOneProblemHidesAnother: a problem in one section must not keep the others from being read.
func TestOneProblemHidesAnother(t *testing.T) {
	const source = `name: sir
time: {unit: dya, start: 0, end: 160}
population: {size: 1000, start: {infectious: 0.5, susceptible: rest}}
parameters: {beta: 0.5 per fortnight, stay: {gamma: {mean: 5 days, shap: 2}}}
states:
  susceptible: {}
  infectious: {race: [{after: stay, rate: 1 per day, to: recovered}, {rate: 0.1 * (beta, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}, mixing: {by: region}}]
interventions: [{at: 30 days, who: susceptible}]
record: {evry: 1 day}
`
	const want = `m.yaml:2:14: time: unit: there is no unit "dya"; did you mean "day"?
m.yaml:3:46: population: start: infectious: 0.5 is not a whole number of individuals; ` +
		`write 50% for a share of the population
m.yaml:4:20: parameters: beta: "0.5 per fortnight": there is no unit "fortnight"; ` +
		`the units are second, minute, hour, day, week, month, year; ` +
		`expected a value such as 0.5 per day, 5 days or 30%
m.yaml:4:68: parameters: stay: gamma: there is no key "shap"; did you mean "shape"?
m.yaml:7:23: states: infectious: race: clock 1: both rate and after; a clock has one of them
m.yaml:7:83: states: infectious: race: clock 2: rate: "0.1 * (beta": there is no ) for (
m.yaml:9:86: transmission 1: mixing: "matrix" is missing; write matrix: [[0.9, 0.1], [0.1, 0.9]], for example
m.yaml:10:17: intervention 1: what becomes of them? Write to: recovered, for example
m.yaml:11:10: record: there is no key "evry"; did you mean "every"?`
	list := &diag.List{}
	m := NewReader(list, "m.yaml").Parse([]byte(source))
	if err := list.Err(); err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
	if m == nil || len(m.States) != 3 || len(m.Parameters) != 2 || len(m.Transmission) != 1 {
		t.Errorf("not everything was read: %+v", m)
	}
}
