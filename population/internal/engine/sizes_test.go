package engine

import (
	"strings"
	"testing"
)

// However individuals enter, the population goes on with a larger size class before the next event:
// by those who wait, are served by a delivery, an intervention, a condition or a clock, and have
// children at that instant.
func TestServedWhoHaveChildrenOutgrow(t *testing.T) {
	const model = `
name: served
time: {unit: day, start: 0, end: 3}
population: {size: 60, start: {in: 10, e: 50}}
supplies: {doses: {every: 1 day, count: 50}}
places: {ward: {number: 1, capacity: 10, where: {state: [in, ill]}}}
states:
  in: {race: [LEAVE]}
  e: {race: [{after: 0.5 days, to: TO, enter: c, count: 9, full: r, queue: true}]}
  ill: {}
  r: {}
  c: {}
  gone: {}
transmission: [{from: ill, rate each: 0.01 per day, to: {c: r}}]
interventions: [INTERVENTION]
record: {every: 0.25 days}
`
	for _, c := range []struct{ by, to, leave, intervention string }{
		{by: "delivery", to: "r, uses: doses"},
		{by: "intervention", to: "ill", intervention: "{at: 1 day, who: in, to: gone}"},
		{by: "condition", to: "ill", intervention: "{when: {r: above 20, for: 0.5 days}, who: in, to: gone}"},
		{by: "clock", to: "ill", leave: "{after: 1 day, to: gone}"},
	} {
		m := programOf(t, strings.NewReplacer("TO", c.to, "LEAVE", c.leave, "INTERVENTION", c.intervention).Replace(model))
		r := Run{sparseRule: usualSparse}
		walk(t, &r, m, 1, 0.25)
		if r.Alive <= m.Sizes[0] {
			t.Errorf("%s: %d are alive, no more than the first size class allows", c.by, r.Alive)
		}
	}
}
