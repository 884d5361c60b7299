package explain

import (
	"strings"
	"testing"
)

// What check says of machines: their states, who begins and enters in which, contacts that change
// them, what moves give, and that a clock with a memory reads a machine when it starts.
func TestMachinesInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
attributes: {home: {n: 50%, s: 50%}, region: {n: 50%, s: 50%}}
states:
  well: {}
  ill:
    race:
      - {after: {by: hiv, negative: 4 days, positive: 9 days}, to: well}
      - {after: {exponential: {mean: {by: hiv, negative: 4 days, positive: 9 days}}}, to: well, move: {region: home}}
      - {after: {by: hiv, negative: {gamma: {mean: 4 days, shape: 1}}, positive: {erlang: {mean: 9 days, k: 1}}},
         to: well}
      - {after: {weibull: {scale: {by: hiv, negative: 4 days, positive: 9 days}, shape: 1}}, to: well}
machines:
  hiv:
    start: {positive: {share: 5%, since: 1 day}, negative: rest}
    enter: {positive: 10%, negative: rest}
    states:
      negative: {}
      positive: {race: [{after: 3 days, to: out, where: {state: ill}}]}
  care: {start: {some: 7, none: rest}, enter: none, states: {none: {}, some: {}}}
immigration: {rate: 1 per day, enter: well, with: {care: {some: 20%, none: rest}}}
transmission:
  - {machine: hiv, from: positive, rate: 1 per day, to: {negative: positive},
     move: {care: {by: home, n: some, other: none}}}
  - {where: {care: some}, rate: 1 per day, whom: {care: none}, inherit: [region, care]}
`)
	for _, want := range []string{
		"(hiv is read when the clock starts; what it becomes later changes nothing)\n",
		"exponential with mean 9 days for hiv positive\n",
		"moves to region home after",
		"Machine hiv: everybody is in one of these states too",
		"  positive: at the start with probability 5%, for a time that is exactly 1 day, from which their clocks go on\n",
		"    leaves the population after exactly 3 days, for those of state ill\n",
		"  whoever enters begins as positive with probability 10%, otherwise negative, unless it says otherwise there\n",
		"  some: 7 at the start, chosen at random\n",
		"individuals of care some with probability 20%, otherwise none arrive at 1 per day as well\n",
		"  each individual of hiv positive meets others at 1 per day\n",
		"    whoever is met and is of hiv negative becomes positive and moves to care some for home n, none for any " +
			"other home\n",
		"  each individual of care some meets others at 1 per day\n" +
			"    whoever is met of care none has the region and care of the one who met it\n",
		"A run uses one core once it is set up, because the machine hiv changes while it goes on.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if n := strings.Count(text, "is read when the clock starts"); n != 1 {
		t.Errorf("it says %d times that a machine is read when a clock starts, expected once", n)
	}
	if t.Failed() {
		t.Log(text)
	}
}
