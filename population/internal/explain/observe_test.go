package explain

import (
	"strings"
	"testing"
)

// What check says of observations, trees, people and sources; and a source that the rate does not
// depend on.
func TestObservationsInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 100}
population: {size: 5_000_000, start: {mild: 5, severe: 2, susceptible: rest}}
attributes: {age: {child: 25%, adult: 75%}}
parameters: {heavy: 2}
states:
  susceptible:
    race:
      - {rate: {value: 0.1 per day * count(severe) / total, most: 1 per day}, to: mild,
         source: {mild: 1, severe: heavy}}
  mild: {race: [{after: 3 days, to: severe, name: worse}]}
  severe: {}
observe:
  reports: {of: worse, chance: {by: age, child: 20%, adult: 40%}, after: 2 days}
  survey: {at: 40 days, every: 30 days, until: 90, count: 500, chance: 90%}
  half: {at: 50 days, who: mild, coverage: 50%}
record: {every: 1 day, people: {times: [worse, reports], only: worse}, tree: {of: susceptible->mild}}
`)
	for _, want := range []string{
		"Observed, which changes nobody\n",
		"  reports: each worse is seen with probability 20% for age child, 40% for age adult, after a time that is " +
			"exactly 2 days\n",
		"  survey: day 40, and every 30 days from then on until day 90\n",
		"    500 of all, chosen at random (all of them, if there are fewer) are tested, and positive with probability " +
			"90%; counted at once\n",
		"    whoever is mild, each with probability 50% is tested, and positive always; counted at once\n",
		"Who infected whom is recorded for each susceptible->mild.\n",
		"Everybody to whom worse happened is listed, with the first time of worse, reports.\n",
		"      caused by one of the others who are mild (weight 1) or severe (weight 2 (heavy)), drawn when it happens\n",
		"  states: susceptible: race: clock 1: source: the rate does not depend on count(mild)\n",
		"What is recorded of individuals takes 72 bytes for each, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "count(severe)\n") || t.Failed() {
		t.Errorf("got\n%s", text)
	}
}
