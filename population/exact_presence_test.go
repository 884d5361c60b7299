package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Conditions by a kind of places ask whether somebody is in one. Who is in a club becomes b at 2
// per day, who is in none becomes c at 0.5; they join at 1 and leave at 1.5. From none, b is
// reached with the probability h/1.5, where 3.5·h = 2 + h.
func TestExactPresence(t *testing.T) {
	const size = 50
	for _, model := range []string{
		`a: {race: [{rate: 2 per day, where: {club: any}, to: b}, {rate: 0.5 per day, where: {club: none}, to: c}]}`,
		`a: {race: [{rate: {by: club, any: 2 per day, none: 0 per day}, to: b}, ` +
			`{rate: {by: club, any: 0 per day, other: 0.5 per day}, to: c}]}`,
		// With a timer each.
		`a: {race: [{after: {exponential: {mean: 0.5 days}}, where: {club: any}, to: b}, ` +
			`{after: {exponential: {mean: 2 days}}, where: {club: none}, to: c}]}`,
	} {
		r := exactSimulate(t, 1, testscale.Size(150, 3000), `
name: clubs
time: {unit: day, end: 12}
population: {size: %d, start: {a: rest}}
places: {club: {number: 3, join: none}}
states:
  %s
  b: {}
  c: {}
always: [{rate: 1 per day, move: {club: any}}, {rate: 1.5 per day, move: {club: none}}]
outcomes: {member time: {time: {by: club, any: 1 per day, none: 0 per day}}}
record: {every: 12 days}
`, size, model)
		checkMean(t, "b", r.counts(1, "b"), size*0.8/1.5)
		// It is in a club for a share 0.4 of the time in the long run: x' = 1 − 2.5x.
		total := make([]float64, len(r.Runs))
		for i := range r.Runs {
			total[i] = r.Runs[i].Outcome(1, 0)
		}
		checkMean(t, "days in a club", total, size*0.4*(12-1/2.5))
	}
}

// A clock with a memory reads whether somebody is in a place when it starts: at the start of the
// run, for those who enter, and after all that an event changes.
func TestPresenceWhenClocksStart(t *testing.T) {
	r := exactSimulate(t, 1, 20, `
name: stays
time: {unit: day, end: 10}
population: {size: 5, start: {cared: 2, ill: 3}}
places: {ward: {number: 1, capacity: 5, where: {state: cared}}}
states:
  ill: {race: [{after: {by: ward, none: 2 days, any: 9 days}, to: cared}]}
  cared: {race: [{after: {by: ward, any: 1 day, none: 9 days}, to: well}]}
  well: {}
interventions:
  - {at: 5 days, enter: cared, count: 4}
  - {at: 5.5 days, who: everyone, where: {ward: any}, to: ill}
record: {every: 0.5 days}
`)
	for i := range r.Runs {
		for row, want := range map[int][3]int{
			1: {3, 2, 0}, 2: {3, 0, 2}, 4: {0, 3, 2}, 6: {0, 0, 5}, 10: {0, 4, 5}, 11: {4, 0, 5}, 15: {0, 4, 5}, 17: {0, 0, 9},
		} {
			for k, state := range []string{"ill", "cared", "well"} {
				if n := r.Runs[i].Count(row, r.state(state)); n != want[k] {
					t.Fatalf("row %d: %d are %s, want %d", row, n, state, want[k])
				}
			}
		}
	}
}

// Observations, outcomes and values by whether somebody is in a place or has a link change nothing:
// no clock is drawn anew when that changes.
func TestPresenceIsOnlySeen(t *testing.T) {
	const model = `
name: seen
time: {unit: day, end: 4}
population: {size: 30, start: {a: {count: 10, since: {uniform: {low: 0 days, high: 2 days}}}, b: rest}}
attributes: {sex: {f: 50%%, m: 50%%}}
places: {ward: {number: 2, capacity: 6, where: {state: c}}}
networks: {pairs: {most: 2, ends: {rate: 0.5 per day}}}
states:
  a: {race: [{rate: {by: sex, f: 0.4 per day, m: 0.7 per day}, to: b, name: turn}]}
  b: {race: [{rate: 0.8 per day, to: c}, {after: {gamma: {mean: 2 days, shape: 2}}, to: a}]}
  c: {race: [{rate: 0.5 per day, to: a}]}
transmission: [{rate: {by: sex, f: 0.5 per day, m: 1 per day}, link: pairs}]
always: [{rate: 0.3 per day, move: {sex: {f: 50%%, m: rest}}}]
`
	const looks = `
observe:
  reports: {of: turn, chance: {by: pairs, any: 50%%, none: 20%%}}
  long: {of: turn, chance: {since: a, steps: {0 days: 20%%, 1 day: 60%%}}}
  survey: {at: 1 day, where: {ward: any}}
outcomes: {cost: {time: {by: ward, any: 1 per day, none: 0 per day}}}
record: {every: 1 day, values: {linked: count(pairs=any)}}
`
	plain, seen := exactSimulate(t, 1, 20, model+"record: {every: 1 day}\n"), exactSimulate(t, 1, 20, model+looks)
	for i := range plain.Runs {
		for row := range 5 {
			for _, s := range []string{"a", "b", "c"} {
				if x, y := plain.Runs[i].Count(row, plain.state(s)), seen.Runs[i].Count(row, seen.state(s)); x != y {
					t.Fatalf("run %d, row %d: %d in %s, and %d if somebody looks", i, row, x, s, y)
				}
			}
		}
	}
}
