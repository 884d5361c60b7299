package population_test

import (
	"strings"
	"testing"
)

// A clock with a memory reads where when it starts. If the machine has changed when it fires, the
// flow is from the state that the machine is in then.
func TestMachineFlowsOfWhereThatHasChanged(t *testing.T) {
	for name, clocks := range map[string]string{
		"always":       "states: {a: {}}\nalways: [{after: 2 days, to: out, where: {k: u}}]",
		"race":         "states: {a: {race: [{after: 2 days, to: out, where: {k: u}}]}}",
		"always, move": "states: {a: {}}\nalways: [{after: 2 days, move: {k: w}, where: {k: u}}]",
		"race, move":   "states: {a: {race: [{after: 2 days, to: a, move: {k: w}, where: {k: u}}]}}",
	} {
		t.Run(name, func(t *testing.T) {
			r := exactSimulate(t, 1, 2, `
name: changed
time: {unit: day, end: 3}
population: {size: 10, start: {a: rest}}
%s
machines: {k: {start: {u: rest}, states: {u: {race: [{after: 1 day, to: v}]}, v: {}, w: {}}}}
record: {every: 3 days}
`, clocks)
			to := "w"
			if strings.Contains(clocks, "out") {
				to = "out"
			}
			if got := r.flows(1, "k=v", to)[0]; got != 10 {
				t.Errorf("%v went from v to %s, expected 10", got, to)
			}
		})
	}
}
