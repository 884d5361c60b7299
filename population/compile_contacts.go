package population

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
)

// contact works out what a contact does, and puts making it on the menus of those who do.
func (c *compiler) contact(here scope, t *tables, text *contactText) {
	if !c.room(len(c.m.states) / 32) { // two bytes each
		return
	}
	ct := contactTable{chance: 1, attribute: -1, self: same, becomes: make([]uint16, len(c.m.states))}
	for i := range ct.becomes {
		ct.becomes[i] = same
	}
	for _, to := range text.to {
		met := c.state(to.met, text.what+": to", false)
		becomes := asIs
		if !c.f.stays(to) {
			becomes = c.state(to.becomes, text.what+": to: "+to.met.name, true)
		}
		if met != nobody {
			ct.becomes[met] = becomes
		}
	}
	if text.self.given() {
		ct.self = c.state(text.self, text.what+": self", true)
	}
	ct.whom = c.conditions(text.whom, text.what+": whom")
	if text.chance.given() {
		ct.chance, ct.odds = c.odds(here, text.chance, text.what+": chance", true)
	}
	if text.by.given() {
		c.mixing(here, &ct, text)
	} else {
		c.m.plainMixing = true
	}
	ct.special = ct.odds != nil || len(ct.whom) > 0 || ct.self != same || slices.Contains(ct.becomes, asIs)
	do := action{verb: doContact, contact: len(t.contacts), name: c.name(text.name), chance: 1}
	t.contacts = append(t.contacts, ct)
	l := c.line(here, rateLine{what: text.what, rate: text.rate, where: c.conditions(text.where, text.what+": where"), do: do})
	if from := c.set(text.from, text.what+": from"); from != nil {
		c.everywhere(from, l)
	}
}

// mixing works out with whom contacts are: the rows of its matrix, added up.
func (c *compiler) mixing(here scope, ct *contactTable, text *contactText) {
	what := text.what + ": mixing"
	if text.by.bad {
		return
	}
	a := c.attribute(text.by, what+": by")
	if a < 0 || text.matrixBad {
		return
	}
	c.m.mixes[a] = true
	values := c.m.attributes[a].values
	if len(text.matrix) != len(values) {
		c.add(text.matrixAt, "%s: matrix: %s, expected %d, one for each of %s", what, format.Plural(len(text.matrix), "row"), len(values), some(values))
		return
	}
	if !c.room(len(values) * len(values) / 16) { // numbers are smaller
		return
	}
	ct.attribute = a
	for i, row := range text.matrix {
		if len(row) != len(values) {
			c.add(text.rowsAt[i], "%s: matrix: row %d has %s, expected %d, one for each of %s", what, i+1, format.Plural(len(row), "number"), len(values), some(values))
			continue
		}
		shares := make([]float64, len(row))
		sum, good := 0.0, true
		for j, v := range row {
			if here.depends(v).time {
				here.complain(v, v.at, "%s: matrix: its numbers cannot change with time by themselves; let an intervention set a parameter that stands here", what)
			}
			var ok bool
			shares[j], ok = here.chance(v, what+": matrix")
			sum, good = sum+shares[j], good && ok
		}
		if good && !isOne(sum) {
			here.broken(row[0].at, row, "%s: matrix: row %d adds up to %.6g, expected 1", what, i+1, sum)
		}
		ct.rows = append(ct.rows, spread(shares))
	}
}
