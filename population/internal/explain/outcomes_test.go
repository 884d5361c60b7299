package explain

import (
	"strings"
	"testing"
)

// What check says of outcomes.
func TestOutcomesInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: year, start: 2, end: 10}
population: {size: 5_000_000, start: {ill: rest}}
attributes: {age: {young: 60%, old: 40%}}
parameters: {drug: 400 per year, fee: 20, interest: 0.015 per year}
states: {ill: {race: [{rate: 0.1 per year, to: out, name: death}]}}
outcomes:
  cost: {time: {by: age, young: 50 per year, old: 2 * drug},
    events: {death: {by: age, young: 25, old: 8}, ill->out: fee}, discount: 3% per year}
  time: {time: drug, from: 5 years, discount: interest}
  nothing: {discount: 0% per year}
record: {every: 1 year, time: true}
`)
	for _, want := range []string{
		"recorded 9 times, with the person-time in each state.\n",
		"\nOutcomes, summed over all individuals since the start\n" +
			"  cost: for everybody alive 50 per year for age young, 800 per year (2 * drug) for age old; for each death 25 " +
			"for age young, 8 for age old; for each ill->out 20 (fee); discounted at 3% per year\n" +
			"  time: for everybody alive 400 per year (drug); counted from year 5 on; discounted at 1.5% per year (interest)\n" +
			"  nothing: nothing adds to it\n",
		"A run uses one core once it is set up, because outcomes are summed event by event.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
