package explain

import (
	"strings"
	"testing"
)

// What check says of curves: what they are, what they are since, how many candidates they cost and
// what is remembered.
func TestSinceInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: {count: 5, since: 2 days}, well: rest}}
attributes: {age: {young: 50%, old: 50%}}
parameters:
  shedding: {since: [ill, worse], density: {gamma: {mean: 5 days, shape: 4}}}
  waned: {since: well, of: met, line: {0 days: 0%, 180 days: 60%}}
  fertile: {since: birth, steps: {0 days: 0 per day, 15 days: 0.1 per day}}
  season: {seasonal: {mean: 1, amplitude: 50%, peak: 0 days, period: 5 days}}
  often: {by: age, young: 2, old: 3}
states:
  well: {}
  ill: {race: [{rate: 0.5 * fertile + shedding, to: worse}]}
  worse: {race: [{rate: {value: shedding * total, most: 1 per day}, to: well}]}
births: {rate: fertile, enter: well}
transmission: [{from: ill, rate: often * shedding * season, chance: waned, to: {well: ill}}]
`)
	for _, want := range []string{
		"  shedding: a value by time since ill or worse: the density of a time that is gamma with mean 5 days and shape " +
			"4, 1 in all\n",
		"  waned: a value by time since well of the one who is met: 0 at 0 days, 0.6 at 180 days, with straight lines " +
			"between; 0 for everybody else\n",
		"  fertile: a value by time since birth: 0 per day from 0 days on, 0.1 per day from 15 days on\n",
		"    becomes worse at 0.5 * fertile + shedding, which changes with the time since birth and since ill or worse, " +
			"between 0 per day and 0.2292 per day\n",
		"    becomes well at shedding * total, never below 0 and at most 1 per day\n",
		" which changes with time and with the time since ill or worse, between 0 per day and 0.5377 per day (drawn with " +
			"about 1.3 candidates for each event) for age young;",
		"they have been so for a time that is exactly 2 days, and their clocks go on from there\n",
		"\nRemembered of each individual, 8 bytes each: when it came into ill or worse, when it came into well, when it " +
			"was born.\n",
		"A run uses one core once it is set up, because values depend on the time since ill or worse.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "Is this meant?") {
		t.Error("it warns")
	}
	if t.Failed() {
		t.Log(text)
	}
}
