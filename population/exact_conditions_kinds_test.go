package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// A condition is looked at after every kind of change that it may depend on. In each of these
// models exactly one event makes it true, and nothing happens after that.
func TestConditionsSeeEveryChange(t *testing.T) {
	for _, c := range []struct{ change, model string }{
		{"state", `states: {a: {race: [{after: 2 days, to: b}]}, b: {}}
interventions: [{when: {b: above 0}, set: {x: 2}, name: seen}]`},
		{"presence by state", `places: {ward: {number: 1, capacity: 1, where: {state: b}}}
states: {a: {race: [{after: 2 days, to: b}]}, b: {}}
interventions: [{when: {total: below 1, where: {ward: none}}, set: {x: 2}, name: seen}]`},
		{"share", `states: {a: {race: [{after: 2 days, to: b}]}, b: {}}
interventions: [{when: {a: below 50%}, set: {x: 2}, name: seen}]`},
		{"leaving", `states: {a: {race: [{after: 2 days, to: out}]}}
interventions: [{when: {total: below 1}, set: {x: 2}, name: seen}]`},
		{"birth", `states: {a: {race: [{after: 2 days, enter: b}]}, b: {}}
interventions: [{when: {total: above 1}, set: {x: 2}, name: seen}]`},
		{"attribute", `attributes: {dose: {none: 100%, one: 0%}}
states: {a: {race: [{after: 2 days, move: {dose: one}}]}}
interventions: [{when: {a: above 0, where: {dose: one}}, set: {x: 2}, name: seen}]`},
		{"members", `attributes: {dose: {none: 100%, one: 0%}}
states: {a: {race: [{after: 2 days, move: {dose: one}}]}}
interventions: [{when: {total: above 0, where: {dose: one}}, set: {x: 2}, name: seen}]`},
		{"machine", `machines: {test: {start: {no: rest}, states: {no: {race: [{after: 2 days, to: done}]}, done: {}}}}
states: {a: {}}
interventions: [{when: {total: above 0, where: {test: done}}, set: {x: 2}, name: seen}]`},
		{"presence", `places: {ward: {number: 1, capacity: 1, where: {test: sick}}}
machines: {test: {start: {no: rest}, states: {no: {race: [{after: 2 days, to: sick}]}, sick: {}}}}
states: {a: {}}
interventions: [{when: {total: below 1, where: {ward: none}}, set: {x: 2}, name: seen}]`},
		{"threshold", `states: {a: {}}
interventions:
  - {at: 2, set: {limit: 0}}
  - {when: {a: above limit}, set: {x: 2}, name: seen}`},
	} {
		at := -1.0
		exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
			if e.Kind == population.Happened && e.Name == "seen" {
				at = e.Time
			}
		}}, `
name: changes
time: {unit: day, end: 10}
population: {size: 1, start: {a: rest}}
parameters: {x: 1, limit: 3}
record: {every: 10 days}
%s
`, c.model)
		if at != 2 {
			t.Errorf("%s: the condition was seen at %v, and becomes true at 2", c.change, at)
		}
	}
}
