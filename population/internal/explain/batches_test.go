package explain

import (
	"strings"
	"testing"
)

// check says in words how many enter, what children have, what is for each pair, and which bounds
// follow from the file.
func TestExplainBatches(t *testing.T) {
	text := explainText(t, `
name: batches
time: {unit: day, end: 10}
population: {size: 5_000_000, start: {a: rest}}
attributes: {sex: {f: 50%, m: 50%}}
parameters: {litter: {poisson: {mean: 3}}}
states:
  a: {race: [{rate: 1 per day, to: b, enter: a, count: litter, inherit: [sex], name: birth},
    {rate: {value: 2 per day * count(b) / total}, to: b}]}
  b: {race: [{rate: 1 per day, enter: b, with: {sex: f}}]}
births: {rate: 0.1 per day, enter: a,
  count: {by: sex, f: {negative binomial: {mean: 6, dispersion: 0.5, least: 1}}, m: 2}}
immigration: {rate: 1 per day, enter: a, count: {1: 25%, 4: 75%}}
transmission: [{from: a, rate each: 0.001 per day, to: {a: b}}]
record: {every: 1 day, values: {double: 2 * count(a)}}
`)
	for _, want := range []string{
		"recorded 11 times, with double, 2 * count(a).",
		"    has children, a Poisson number with mean 3 (litter) at once, beginning as a, and becomes b at 1 per day " +
			"[birth]\n" +
			"    they have the parent's sex\n",
		"    has a child of sex f, beginning as b, at 1 per day\n",
		"2 per day * count(b) / total, which is 0 per day at the start, never below 0 and at most 2 per day while no more " +
			"than 10,000,000 are alive\n",
		"    a negative binomial number of dispersion 0.5 with mean 6, given that it is at least 1, which is 8.303 on " +
			"average for sex f; 2 for sex m at once\n",
		"    1 with probability 25%, 4 with probability 75% at once\n",
		"  each individual that is a meets each of the others at 0.001 per day\n",
		"A run uses one core once it is set up, because several enter at once, or by a clock.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// A bound follows for the share of those with a value of an attribute, and in a state of a machine,
// too.
func TestExplainShareOfGroup(t *testing.T) {
	text := explainText(t, `
name: shares
time: {unit: day, end: 10}
population: {size: 10, start: {a: rest}}
attributes: {region: {north: 50%, south: rest}}
states:
  a: {race: [{rate: {value: 0.1 per day * count(region=north) / total}, to: b},
    {rate: {value: 0.3 per day * count(m=x) / total}, to: b}]}
  b: {}
machines: {m: {start: {x: 50%, y: rest}, states: {x: {}, y: {}}}}
record: {every: 1 day}
`)
	const alive = " while no more than 10 are alive"
	for _, want := range []string{
		"0.1 per day * count(region=north) / total, never below 0 and at most 0.1 per day" + alive,
		"0.3 per day * count(m=x) / total, never below 0 and at most 0.3 per day" + alive,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}
