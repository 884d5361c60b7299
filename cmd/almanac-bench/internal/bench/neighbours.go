package bench

import (
	"fmt"
	"slices"
)

// The models of those who meet: a plain epidemic, one in households, one on a configuration network
// on which everybody has 10 links on average, one in partnerships of which everybody has at most
// one, and a ward that is nearly always full.
const (
	plainEpidemic = "plain epidemic"
	inHouseholds  = "households"
	configuration = "configuration network"
	partnerships  = "partnerships"
	fullWard      = "a full ward"
)

// The numbers of individuals of these models.
const (
	village = 10_000
	million = 1_000_000
)

// neighbourModel returns the file of one of these models, or false if it is of another model.
func neighbourModel(name string) (string, bool) {
	text, ok := map[string]string{
		plainEpidemic: `name: plain
time: {unit: day, end: 60}
population: {size: 1000, start: {infectious: 1%, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}]
record: {every: 60 days}
`,
		inHouseholds: `name: households
time: {unit: day, end: 60}
population: {size: 1000, start: {infectious: 1%, susceptible: rest}}
places: {household: {size: {1: 30%, 2: 30%, 3: 15%, 4: 15%, 5: 10%}}}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission:
  - {from: infectious, among: household, rate each: 0.1 per day, to: {susceptible: infectious}}
  - {from: infectious, rate: 0.3 per day, to: {susceptible: infectious}}
record: {every: 60 days}
`,
		configuration: `name: configuration
time: {unit: day, end: 60}
population: {size: 1000, start: {infectious: 1%, susceptible: rest}}
networks: {friends: {degrees: {poisson: {mean: 10}}}}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, among: friends, rate each: 0.1 per day, to: {susceptible: infectious}}]
record: {every: 60 days}
`,
		partnerships: `name: partnerships
time: {unit: year, end: 5}
population: {size: 1000, start: {infectious: 10%, susceptible: rest}}
networks: {steady: {most: 1, ends: {rate: 0.5 per year}}}
states: {susceptible: {}, infectious: {race: [{rate: 1 per year, to: susceptible}]}}
transmission:
  - {rate: 1 per year, link: steady}
  - {from: infectious, among: steady, rate each: 4 per year, to: {susceptible: infectious}}
record: {every: 5 years}
`,
		fullWard: `name: ward
time: {unit: day, end: 50}
population: {size: 1000, start: {well: rest}}
places: {ward: {number: 20, capacity: 50, where: {state: cared}}}
states:
  well: {race: [{rate: 1 per day, to: cared}]}
  cared: {race: [{rate: 0.5 per day, to: well}]}
record: {every: 50 days}
`,
	}[name]
	return text, ok
}

// judgeGrowth compares how much more an event takes in a large population than in a small one with
// how much more it takes in a plain epidemic: that is what the caches make of it.
func judgeGrowth(results []Result, j *judge) {
	event := func(structure string, n int) float64 {
		if i := slices.IndexFunc(results, func(r Result) bool { return r.Structure == structure && r.N == n }); i >= 0 {
			return results[i].event()
		}
		return 0
	}
	for _, to := range []struct {
		n     int
		words string
	}{{million, "a million"}, {city, "10⁷"}} {
		plain := event(plainEpidemic, to.n) / event(plainEpidemic, village)
		for _, structure := range []string{inHouseholds, configuration, partnerships} {
			small, large := event(structure, village), event(structure, to.n)
			if small*large == 0 || !(plain > 0) {
				continue
			}
			j.add(Target{What: "an event of " + structure + ", " + to.words + " over 10⁴, over that of a plain epidemic",
				Limit: 1, Value: large / small / plain,
				Detail: fmt.Sprintf("%.0f over %.0f ns; plain %.2f", 1e9*large, 1e9*small, plain)})
		}
	}
}

// event is how many seconds an event of a run took, set-up not included.
func (r *Result) event() float64 {
	if r.Ops == 0 {
		return 0
	}
	return (r.Best - r.Setup) / (float64(r.Ops) / float64(r.Rounds))
}
