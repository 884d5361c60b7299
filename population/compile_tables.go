package population

import (
	"fmt"
	"math"
)

func (c *compiler) tables(here scope) *tables {
	t := &tables{states: make([]stateTable, len(c.m.states))}
	c.afters = nil
	for i := range c.f.attributes {
		t.attributes = append(t.attributes, c.shares(here, &c.f.attributes[i]))
	}
	for i := range c.f.states {
		c.stateClocks(here, t, i)
	}
	for i := range c.f.always {
		c.always(here, t, &c.f.always[i])
	}
	for i := range c.f.births {
		b := &c.f.births[i]
		do := action{verb: doBirth, in: &entrance{given: c.given(nil, "", c.inherited(b))}, name: c.name(b.name), chance: 1}
		c.into(here, &b.enter, b.what+": enter", do.in)
		rate, _ := here.rate(b.rate, b.what+": rate")
		c.everywhere(t, c.set(b.from, b.what+": from"), rate, do)
	}
	for i := range c.f.transmission {
		c.contact(here, t, &c.f.transmission[i])
	}
	if !c.f.age.bad && c.m.first == nil { // those who are there at the start do not become others by an intervention
		t.ages = c.ages(here, t, c.f.age, "population: age")
	}
	for i := range c.f.immigration {
		e := &c.f.immigration[i]
		var a arrivalTable
		a.rate, _ = here.rate(e.rate, e.what+": rate")
		if e.isPer {
			if per, ok := here.positive(e.per, e.what+": per"); ok {
				a.rate *= float64(c.f.size) / per
			}
		}
		a.name, a.in.given = c.name(e.name), c.given(e.with, e.what+": with", nil)
		c.into(here, &e.enter, e.what+": enter", &a.in)
		if e.hasAge {
			a.in.age = c.ages(here, t, e.age, e.what+": age")
		}
		t.immigration = append(t.immigration, a)
	}
	c.limits(here, t)
	return t
}

// shares are those of an attribute's values, added up.
func (c *compiler) shares(here scope, a *attributeText) []float64 {
	shares := make([]float64, len(a.values))
	sum, good := 0.0, len(shares) > 0
	for i, v := range a.shares {
		if i == a.rest {
			continue
		}
		var ok bool
		shares[i], ok = here.chance(v, "attributes: "+a.name+": "+a.values[i].name)
		sum, good = sum+shares[i], good && ok
	}
	switch {
	case good && a.rest >= 0 && sum > 1+1e-6:
		here.broken(a.at, a.shares, "attributes: %s: the shares add up to %.6g, and nothing is left for %s", a.name, sum, a.values[a.rest].name)
	case a.rest >= 0:
		shares[a.rest] = max(0, 1-sum)
	case good && !isOne(sum):
		here.broken(a.at, a.shares, "attributes: %s: the shares add up to %.6g, expected 1; or write rest for one of them", a.name, sum)
	}
	return spread(shares)
}

func (c *compiler) stateClocks(here scope, t *tables, i int) {
	s, st := &c.f.states[i], &t.states[i]
	if !c.room(len(s.race) + len(s.split)) {
		return
	}
	for k := range s.race {
		clock := &s.race[k]
		do := c.action(clock)
		if clock.isRate {
			rate, _ := here.rate(clock.rate, clock.what+": rate")
			st.add(rate, do)
			continue
		}
		if l, ok := here.law(clock.after, clock.what+": after"); ok && c.merges(clock.after, &l) {
			st.add(l.a, do)
		} else {
			st.race = append(st.race, clockTable{law: l, do: do})
		}
	}
	st.timers = len(st.race) + min(1, len(s.split))
	var shares []float64
	var chances []value
	sum, good, otherwise := 0.0, !s.splitBad, -1
	for k := range s.split {
		clock := &s.split[k]
		branch := clockTable{do: c.action(clock)}
		share := 0.0
		switch {
		case clock.otherwise && otherwise >= 0:
			c.add(clock.at, "%s: a second otherwise; only one branch can have what is left over", clock.what)
			good = false
		case clock.otherwise:
			otherwise = k
		case clock.hasChance:
			var ok bool
			share, ok = here.chance(clock.chance, clock.what+": chance")
			chances, good = append(chances, clock.chance), good && ok
		case clock.chanceBad:
		default:
			c.add(clock.at, "%s: how probable? Write chance: 10%%, for example, or otherwise: true", clock.what)
			good = false
		}
		if clock.isRate {
			rate, _ := here.rate(clock.rate, clock.what+": rate")
			branch.law = exponential(rate) // which never strikes if the rate is 0
		} else {
			branch.law, _ = here.law(clock.after, clock.what+": after")
		}
		shares, sum = append(shares, share), sum+share
		st.split = append(st.split, branch)
	}
	switch {
	case len(s.split) == 0 || !good:
		return
	case otherwise >= 0 && sum > 1+1e-6:
		here.broken(s.split[0].at, chances, "states: %s: split: the chances add up to %.6g, more than 1", s.name, sum)
		return
	case otherwise < 0 && !isOne(sum):
		here.broken(s.split[0].at, chances, "states: %s: split: the chances add up to %.6g, expected 1; or write otherwise: true for one branch", s.name, sum)
		return
	case otherwise >= 0:
		shares[otherwise] = max(0, 1-sum)
	}
	for k, upTo := range spread(shares) {
		st.split[k].upTo = upTo
	}
}

// merges tells whether a clock can be one with all that happens at a rate. It must be exponential, also after every
// intervention.
func (c *compiler) merges(v value, l *law) bool {
	if l.family != lawExponential {
		return false
	}
	for v.name != "" {
		if c.isSet[v.name] {
			return false
		}
		v = c.m.here.parameters[v.name].value
	}
	return true
}

// action is what a clock does.
func (c *compiler) action(clock *clockText) action {
	a := action{verb: doMove, to: same, name: c.name(clock.name), chance: 1}
	if clock.to.given() {
		a.to = c.state(clock.to, clock.what+": to", true)
	}
	a.moves = c.moves(clock.moves, clock.what+": move")
	return a
}

// always adds a clock that runs in all states. At a rate it strikes again and again; after a duration it strikes once, and is
// carried along, unless it has no memory and takes its individual away, when the two are the same.
func (c *compiler) always(here scope, t *tables, clock *clockText) {
	do := c.action(clock)
	do.from = c.set(clock.from, clock.what+": from")
	if clock.hasChance {
		do.chance, _ = here.chance(clock.chance, clock.what+": chance")
	}
	if clock.isRate {
		from := do.from
		rate, _ := here.rate(clock.rate, clock.what+": rate")
		rate *= do.chance
		do.from, do.chance = nil, 1
		c.everywhere(t, from, rate, do)
		return
	}
	l, ok := here.law(clock.after, clock.what+": after")
	switch {
	case !ok: // said already
	case c.merges(clock.after, &l) && do.to == nobody && do.from == nil && !clock.hasChance:
		c.everywhere(t, nil, l.a, do)
	default:
		if !c.room(1 + len(t.states)/16) { // it makes a way from every state
			return
		}
		ends := do.to == nobody && do.from == nil && !clock.hasChance
		t.always = append(t.always, alwaysTable{l, l.longest(), ends, do})
		c.afters = append(c.afters, clock.after)
	}
}

// everywhere puts something that happens at a rate on the menu of the given states, or of all.
func (c *compiler) everywhere(t *tables, in stateSet, rate float64, do action) {
	for i := range t.states {
		if in == nil || in[i] {
			if !c.room(1) {
				return
			}
			t.states[i].add(rate, do)
		}
	}
}

// room tells whether the tables may have some more entries. A line of always is an entry for every state, and all of them are there
// again from each intervention on that sets a parameter, so that a small file can make tables that no machine holds.
func (c *compiler) room(entries int) bool {
	const most = 1_000_000 // a hundred megabytes
	if c.entries += entries; c.entries <= most {
		return true
	}
	c.add(place{file: c.f.path, line: 1, column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, from each intervention on that sets a parameter; expected fewer of them", thousands(most))
	c.stopped = true
	return false
}

func (c *compiler) contact(here scope, t *tables, text *contactText) {
	if !c.room(len(c.m.states) / 32) { // two bytes each
		return
	}
	ct := contactTable{chance: 1, attribute: -1, becomes: make([]uint16, len(c.m.states))}
	for i := range ct.becomes {
		ct.becomes[i] = same
	}
	for _, to := range text.to {
		met := c.state(to.met, text.what+": to", false)
		becomes := c.state(to.becomes, text.what+": to: "+to.met.name, true)
		if met != nobody {
			ct.becomes[met] = becomes
		}
	}
	if text.hasChance {
		ct.chance, _ = here.chance(text.chance, text.what+": chance")
	}
	if text.by.given() {
		c.mixing(here, &ct, text)
	} else {
		c.m.plainMixing = true
	}
	do := action{verb: doContact, contact: len(t.contacts), name: c.name(text.name), chance: 1}
	t.contacts = append(t.contacts, ct)
	rate, _ := here.rate(text.rate, text.what+": rate")
	if from := c.set(text.from, text.what+": from"); from != nil {
		c.everywhere(t, from, rate, do)
	}
}

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
		c.add(text.matrixAt, "%s: matrix: %s, expected %d, one for each of %s", what, plural(len(text.matrix), "row"), len(values), some(values))
		return
	}
	if !c.room(len(values) * len(values) / 16) { // numbers are smaller
		return
	}
	ct.attribute = a
	for i, row := range text.matrix {
		if len(row) != len(values) {
			c.add(text.rowsAt[i], "%s: matrix: row %d has %s, expected %d, one for each of %s", what, i+1, plural(len(row), "number"), len(values), some(values))
			continue
		}
		shares := make([]float64, len(row))
		sum, good := 0.0, true
		for j, v := range row {
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

// ages works out the ages of those who are there, or who come.
func (c *compiler) ages(here scope, t *tables, text value, what string) *perCell[law] {
	return eachCell(c, here, []value{text}, func(here scope) law {
		l, ok := here.law(text, what)
		if ok {
			c.checkAges(here, t, l, text, what)
		}
		return l
	})
}

// checkAges refuses ages that nobody can have reached: beyond the longest life.
func (c *compiler) checkAges(here scope, t *tables, ages law, text value, what string) {
	if ages.endless() {
		here.broken(text.at, []value{text}, "%s: %s, but an age must have one", what, ages.whyEndless())
		return
	}
	reach := fmt.Sprintf("reach %.6g %s", ages.longest(), c.m.unit.of(ages.longest()))
	if math.IsInf(ages.longest(), 1) {
		reach = "have no bound"
	}
	for i, clock := range t.always {
		oldest := ages.longest()
		if clock.ends && (oldest > clock.longest || oldest == clock.longest && ages.family == lawExactly) {
			here.broken(text.at, []value{text, c.afters[i]}, "%s: ages %s, but a clock of always ends every life by %.6g %s", what, reach, clock.longest, c.m.unit.of(clock.longest))
		}
	}
}
