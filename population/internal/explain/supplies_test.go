package explain

import (
	"strings"
	"testing"
)

// What check says of supplies: when they are added to, who uses them, what happens if none is left,
// and what may be a mistake.
func TestSuppliesInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
parameters: {amount: 150, shelf: 600}
supplies:
  doses: {at: 2 days, every: 1 day, until: 8 days, count: amount, keep: shelf}
  beds: {at: 0 days, count: 30}
  masks: {at: 0 days, count: 30}
states:
  well: {}
  ill: {race: [{after: 3 days, to: cared, uses: beds, full: waiting}, {after: 4 days, to: well, uses: doses}]}
  waiting: {race: [{rate: 1 per day, to: cared, uses: beds}]}
  cared: {}
transmission: [{from: ill, rate: 1 per day, to: {well: ill}, uses: doses, full: out}]
interventions:
  - {at: 3 days, who: well, count: doses, to: cared}
  - {at: 4 days, who: everyone, count: doses, to: cared}
`)
	for _, want := range []string{
		"\nSupplies\n  doses: day 2, and every day from then on until day 8, 150 (amount) more; what is above 600 (shelf) " +
			"is lost\n  beds: day 0, 30 more\n",
		"    becomes cared after exactly 3 days, if there is one of beds left, which is used; otherwise it becomes waiting\n",
		"    becomes cared at 1 per day, if there is one of beds left, which is used; otherwise nothing happens\n",
		"    whoever is met and is well becomes ill, if there is one of doses left, which is used; otherwise it leaves the " +
			"population\n",
		"    of those who are well, as many as there are doses left, chosen at random, which takes one for each, become " +
			"cared\n",
		"    of all, as many as there are doses left, chosen at random, which takes one for each, become cared\n",
		"A run uses one core once it is set up, because beds are used while it goes on.\n",
		"  states: ill: race: clock 2: if it fires while no doses are left, nothing comes after it; write full: and a " +
			"state beside it, or a rate, which fires again\n",
		"  nothing uses the supply masks\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, wrong := range []string{"nobody is ever", "waiting: race: clock 1: if", "is used nowhere"} {
		if strings.Contains(text, wrong) {
			t.Errorf("it says %q", wrong)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
