package explain

import (
	"strings"
	"testing"
)

// What check says of tracing: what makes a call, who is looked for and found, when they are
// reached, what becomes of them, and what it takes to remember contacts.
func TestTracingInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
states: {well: {}, ill: {race: [{rate: 1 per day, to: isolated, name: test}]}, isolated: {}, warned: {}}
supplies: {calls: {at: 1 day, count: 10}}
transmission: [{from: ill, rate: 8 per day, chance: 4%, to: {well: ill}, name: meeting}]
networks: {steady: {degrees: 1, ends: {rate: 1 per day}}, friends: {random: {mean: 4}}}
tracing:
  - {when: test, through: {steady: 10%, friends: 20%}, back: 3 days, to: {well: warned}}
  - {when: isolated, through: {meeting: 50%}, back: 5 days, after: {gamma: {mean: 2 days, shape: 2}},
     to: {ill: isolated}, uses: calls, full: warned, name: traced}
  - {when: {state: isolated}, through: {meeting: 10%}, back: 2 days, after: 1 day, to: {well: warned}}
  - {when: test, through: {meeting: 10%}, back: 1 day, to: {well: warned}}
`)
	for _, want := range []string{
		"    those who are linked with it by steady, or were in the last 3 days, each found with probability 10%\n" +
			"    those who are linked with it by friends, each found with probability 20%\n",
		"  links of steady that have ended are remembered for 3 days, 24 bytes each\n",
		"  whenever somebody becomes isolated, those near are looked for [traced]\n" +
			"    those met by contacts named meeting, made by either, in the last 5 days, each found with probability 50%\n" +
			"    whoever is found is reached after a time of their own that is gamma with mean 2 days and shape 2, whatever " +
			"happens in between\n" +
			"    whoever is reached and is then ill becomes isolated, if there is one of calls left, which is used; otherwise " +
			"it becomes warned\n",
		"    whoever is found is reached after exactly 1 day, whatever happens in between\n",
		"  whenever what is called test happens to somebody, those near are looked for\n",
		"    whoever is found is reached at once, before anything else happens\n",
		"  contacts named meeting are remembered for 5 days, 24 bytes each: up to 4.80 GB if everybody at the start made " +
			"them all the time\n",
		"A run uses one core once it is set up, because people are linked, as in steady.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	for _, wrong := range []string{"nobody is ever warned", "nothing uses the supply"} {
		if strings.Contains(text, wrong) {
			t.Errorf("it says %q", wrong)
		}
	}
}
