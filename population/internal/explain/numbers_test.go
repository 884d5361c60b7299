package explain

import (
	"strings"
	"testing"
)

// What check says of numbers: their laws, and where they stand.
func TestNumbersInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
attributes:
  group: {one: 50%, two: 50%}
  activity: {number: {gamma: {mean: 1, shape: 0.3}}}
  risk: {number: {normal: {mean: 1, sd: 2, least: 0, most: 4}}}
  friends: {number: {poisson: {mean: {by: group, one: 2, two: 3}}}}
parameters:
  season: {seasonal: {mean: 1, amplitude: 50%, peak: 0 days, period: 5 days}}
  shedding: {since: ill, density: {gamma: {mean: 5 days, shape: 4}}}
states: {well: {}, ill: {race: [{after: {exponential: {mean: 5 days / activity}}, to: well}]}}
transmission:
  - {from: ill, rate: activity * season * shedding, chance: {value: risk / 4, of: met}, to: {well: ill}}
`)
	for _, want := range []string{
		"  activity: a number of its own, gamma with mean 1 and shape 0.3\n",
		"  risk: a number of its own, normal with mean 1 and standard deviation 2, at least 0, at most 4\n",
		"  friends: a number of its own, Poisson with mean 2, or by group Poisson with mean 3\n",
		"becomes well after a time that is exponential with mean 5 days / activity, with the activity of the individual " +
			"itself\n",
		"at activity * season * shedding, with the activity of the individual itself, and changes with time, and " +
			"changes with the time since ill",
		"becomes ill with probability risk / 4, with the risk of the individual who is met",
		"Remembered of each individual, 8 bytes each: when it came into ill, its activity, its risk, its friends.\n",
		"A run uses one core once it is set up",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
