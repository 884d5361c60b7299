package explain

import (
	"strings"
	"testing"
)

// Whoever leaves makes no move: the words of what happens leave it out, and a warning says so.
func TestLeaversMakeNoMove(t *testing.T) {
	const model = `
name: leavers
time: {unit: day, end: 10}
population: {size: 100, start: {ill: 50%, well: rest}}
attributes: {region: {north: 100%, south: 0%}}
machines: {care: {start: {none: rest}, states: {none: {}, tried: {}}}}
states:
  well: {}
  ill: {race: [{rate: 0.1 per day, to: out, move: {region: south, care: tried}}, {rate: 0.2 per day, to: well, move: {region: north}}]}
transmission: [{from: ill, rate: 1 per day, to: {well: out}, move: {care: tried}}]
interventions: [{at: 2 days, who: ill, to: out, move: {care: tried}, name: rescue}]
record: {every: 1 day}
`
	text := explainText(t, model)
	for _, want := range []string{
		"    leaves the population at 0.1 per day\n",
		"    becomes well and moves to region north at 0.2 per day\n",
		"is well leaves the population\n",
		"leaves the population\n",
		"  states: ill: race: clock 1: move beside to: out changes nothing, because those who leave make no move\n",
		"  intervention rescue: move beside to: out changes nothing, because those who leave make no move\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "moves to care") {
		t.Errorf("somebody moves:\n%s", text)
	}
}
