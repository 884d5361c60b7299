package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

const placeHousehold = `
name: household
time: {unit: day, end: 200}
population: {size: %d, start: {infectious: 1, susceptible: rest}}
places: {household: {size: %d}}
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: household, rate each: %s, to: {susceptible: infectious}}]
record: {every: 200 days}
`

// Test 1 of section 3.
func TestExactHousehold(t *testing.T) {
	n := testscale.Size(20_000, 400_000)
	law := func(k float64) float64 { return math.Pow(1+0.3*k, -2) }
	checkSizes(t, exactSimulate(t, 1, n, placeHousehold, 4, 4, "0.3 per day"), "recovered", ballSizes(3, law))
	// Of 8 seats 3 are empty.
	checkSizes(t, exactSimulate(t, 2, n, placeHousehold, 5, 5, "0.3 per day"), "recovered", ballSizes(4, law))
	checkSizes(t, exactSimulate(t, 3, n, placeHousehold, 5, 5, "{value: 1.5 per day / size, most: 1 per day}"),
		"recovered", ballSizes(4, law))
	// Nobody else is met: there are 10 in all, in places of 5.
	checkSizes(t, exactSimulate(t, 4, n, placeHousehold, 10, 5, "0.3 per day"), "recovered", ballSizes(4, law))
}

// Test 2 of section 3: the number of members falls.
func TestExactHouseholdThatShrinks(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(20_000, 400_000), `
name: household
time: {unit: day, end: 200}
population: {size: 4, start: {infectious: 1, susceptible: rest}}
places: {household: {size: 4}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.5 per day, to: out}]}
transmission: [{from: infectious, among: household, rate: 0.9 per day, to: {susceptible: infectious}}]
record: {every: 200 days}
`)
	checkMean(t, "never infected", r.counts(r.last(), "susceptible"), 1.356653)
	checkVariance(t, "never infected", r.counts(r.last(), "susceptible"), 1.867723)
}
