package explain

import (
	"strings"
	"testing"
)

// What check says of places: who is in them, how they are filled, who joins, with whom contacts
// are, and what may be a mistake.
func TestPlacesInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
attributes: {age: {child: 20%, adult: 80%}, region: {north: 40%, south: 60%}}
places:
  household: {by: age, made of: [{share: 40%, adult: 1}, {share: 60%, adult: 2, child: 2}], alike: [region]}
  school: {size: {10: 40%, 20: 60%}, where: {age: child}, join: any}
  ward: {number: 12, capacity: 3, where: {state: [cared]}}
  club: {number: 5, join: none}
states:
  well: {}
  ill: {race: [{after: 3 days, to: cared}, {rate: 1 per day, to: cared, full: late}]}
  cared: {}
  late: {}
transmission:
  - {from: ill, among: household, rate each: 0.3 per day, to: {well: ill}}
  - {from: ill, among: school, rate: 1 per day, to: {well: ill}}
`)
	for _, want := range []string{
		"\nPlaces\n  household: everybody, in places made up by age\n    who shares one has the same region\n" +
			"    40% of them begin with 1 adult\n    60% of them begin with 2 adult and 2 child\n",
		"  school: those of age child, in places of size 10 with probability 40%, 20 with probability 60%\n" +
			"    who comes to belong joins one that has room, all with the same probability\n",
		"  ward: those of state cared, in places of which there are always 12, at most 3 in each\n",
		"  club: everybody, in places of which there are always 5\n" +
			"    who comes to belong is in none, until a move leads there\n",
		"meets each of the others in the same household at 0.3 per day\n",
		"any of the others in the same school may be met, all with the same probability; without others nobody is met\n",
		"if there is room; otherwise it becomes late\n",
		"A run uses one core once it is set up, because people are in places, such as household.\n",
		"states: ill: race: clock 1: if it fires while no ward has room, nothing comes after it; write full: and a state " +
			"beside it, or a rate, which fires again",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "clock 2: if it fires") {
		t.Error("a clock with full is no mistake")
	}
}
