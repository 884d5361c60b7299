package explain

import (
	"strings"
	"testing"
)

// TestUsedParameterMissed uses a parameter in every place that can have one, and checks that only
// the unused parameter is listed.
func TestUsedParameterMissed(t *testing.T) {
	text := explainText(t, `
name: everywhere
time: {unit: day, end: 10}
population:
  size: 100
  age: {uniform: {low: 0 days, high: p1}}
  start: {a: {count: p2, since: p3}, b: rest}
parameters:
  {p1: 5 days, p2: 3, p3: 1 day, p4: 40%, p5: 9 days, p6: 10%, p7: 0.1 per day, p8: 0.01 per day, p9: 20%,
   p10: 100, p11: 2 days, p12: 0.2 per day, p13: 30%, p14: 90%, p15: 50%, p16: 2, p17: 80, p18: 0.3 per day,
   p19: 60%, p20: 1 day, p21: 0.5 per day, p22: 2, p23: 1 day, p24: 7 days, p25: 8, p26: 4 days, p27: 3 days, spare: 1}
attributes: {region: {north: p4, south: rest}, band: {age: {young: 0 days, old: p23}}}
states:
  a: {split: [{after: p5, to: b, chance: p6}, {after: 9 days, to: b, otherwise: true}]}
  b: {}
always: [{rate: p7, chance: p19, to: a}]
births: {rate: p8 * p22, enter: {a: p9, b: rest}}
immigration: {rate: 1 per day, per: p10, age: p11, enter: a}
transmission:
  - from: a
    rate: p12
    chance: p13
    to: {b: a}
    mixing: {by: region, matrix: [[p14, 0.1], [0.1, 0.9]]}
interventions:
  - {at: 3 days, who: a, coverage: p15, to: b}
  - {at: 4 days, count: p16, enter: a, age: p26}
  - {when: {a: above p17}, set: {p12: p18}}
  - {when: {incidence(b->a) over p24: above p25, for: p27}, set: {p12: p18}}
record: {every: p20}
scenarios: {other: {p12: p21}}
`)
	const want = "the parameter spare is used nowhere"
	if n := strings.Count(text, "is used nowhere"); n != 1 || !strings.Contains(text, want) {
		t.Errorf("%d parameters are used nowhere, want spare alone:\n%s", n, text)
	}
}
