package population

import "github.com/almanac-sim/almanac/internal/format"

// tables works out all that a run looks up, as the parameters are in a scope.
func (c *compiler) tables(here scope) *tables {
	t := &tables{states: make([]stateTable, len(c.m.states))}
	c.afters, c.lines = nil, make([][]*rateLine, len(c.f.states))
	for i := range c.f.attributes {
		t.attributes = append(t.attributes, c.shares(here, &c.f.attributes[i]))
	}
	for i := range c.f.states {
		c.stateClocks(here, i)
	}
	for i := range c.f.always {
		c.always(here, t, &c.f.always[i])
	}
	for i := range c.f.births {
		b := &c.f.births[i]
		do := action{verb: doBirth, in: &entrance{given: c.given(nil, "", c.inherited(b))}, name: c.name(b.name), chance: 1}
		c.into(here, &b.enter, b.what+": enter", do.in)
		c.everywhere(c.set(b.from, b.what+": from"), c.line(here, rateLine{what: b.what, rate: b.rate, where: c.conditions(b.where, b.what+": where"), do: do}))
	}
	for i := range c.f.transmission {
		c.contact(here, t, &c.f.transmission[i])
	}
	for i := range c.f.states {
		if c.stopped {
			break
		}
		c.build(here, t, i)
	}
	if c.f.age.given() && !c.f.age.bad && c.m.first == nil { // those who are there at the start do not become others by an intervention
		t.ages = c.ages(here, t, &entrance{}, c.f.age, "population: age")
	}
	for i := range c.f.immigration {
		e := &c.f.immigration[i]
		var a arrivalTable
		factor := 1.0
		if e.per.given() {
			if per, ok := here.positive(e.per, e.what+": per"); ok {
				factor = float64(c.f.size) / per
			}
		}
		if d := here.depends(e.rate); d.time || d.counts {
			var changing *course
			if changing, a.rate = c.course(here, e.rate, e.what+": rate", aRate); changing != nil {
				a.vary = []varying{{course: changing, factor: factor, what: e.what}}
			}
		} else {
			a.rate, _ = here.rate(e.rate, e.what+": rate")
		}
		a.rate *= factor
		a.name, a.in.given = c.name(e.name), c.given(e.with, e.what+": with", nil)
		c.into(here, &e.enter, e.what+": enter", &a.in)
		if e.age.given() {
			a.in.age = c.ages(here, t, &a.in, e.age, e.what+": age")
		}
		t.immigration = append(t.immigration, a)
	}
	c.limits(here, t)
	t.mark()
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

// stateClocks puts what happens at a rate in a state on its menu.
func (c *compiler) stateClocks(here scope, i int) {
	s := &c.f.states[i]
	if !c.room(len(s.race) + len(s.split)) {
		return
	}
	for k := range s.race {
		clock := &s.race[k]
		if c.timed(clock) {
			continue
		}
		l := rateLine{what: clock.what, rate: clock.rate, where: c.conditions(clock.where, clock.what+": where"), do: c.action(clock)}
		if !clock.rate.given() {
			l.rate, l.after = clock.after, true
		}
		c.lines[i] = append(c.lines[i], c.line(here, l))
	}
}

// split works out the branches of a state's split.
func (c *compiler) split(here scope, s *stateText, st *stateTable) {
	var shares []float64
	var chances []value
	var courses []*course
	varies := false
	sum, good, otherwise := 0.0, !s.splitBad, -1
	for k := range s.split {
		clock := &s.split[k]
		branch := clockTable{do: c.action(clock)}
		share := 0.0
		var changing *course
		switch {
		case clock.otherwise && otherwise >= 0:
			c.add(clock.at, "%s: a second otherwise; only one branch can have what is left over", clock.what)
			good = false
		case clock.otherwise:
			otherwise = k
		case clock.chance.given() && here.depends(clock.chance).time:
			before := c.found
			changing, share = c.course(here, clock.chance, clock.what+": chance", aShare)
			chances, good = append(chances, clock.chance), good && c.found == before
			if changing != nil {
				share, varies = changing.chance(0), true
			}
		case clock.chance.given():
			var ok bool
			share, ok = here.chance(clock.chance, clock.what+": chance")
			chances, good = append(chances, clock.chance), good && ok
		case clock.chanceBad:
		default:
			c.add(clock.at, "%s: how probable? Write chance: 10%%, for example, or otherwise: true", clock.what)
			good = false
		}
		switch d := here.depends(clock.rate); {
		case clock.rate.given() && (d.time || d.counts):
			changing, rate := c.course(here, clock.rate, clock.what+": rate", aRate)
			branch.law = exponential(rate)
			if changing != nil {
				branch.vary = []varying{{course: changing, factor: 1, what: clock.what, do: branch.do}}
			}
		case clock.rate.given():
			rate, _ := here.rate(clock.rate, clock.what+": rate")
			branch.law = exponential(rate) // which never strikes if the rate is 0
		default:
			branch.law, _ = here.law(clock.after, clock.what+": after")
		}
		shares, sum, courses = append(shares, share), sum+share, append(courses, changing)
		st.split = append(st.split, branch)
	}
	switch {
	case len(s.split) == 0 || !good:
		return
	case otherwise < 0 && varies:
		here.broken(s.split[0].at, chances, "states: %s: split: a chance changes with time, so that one branch must have what is left over; write otherwise: true for it", s.name)
		return
	case varies:
		for k := range courses {
			if k != otherwise && courses[k] == nil {
				courses[k] = &course{root: constant(shares[k])}
			}
		}
		if t, sum, ok := here.addUp(courses); !ok {
			here.broken(s.split[0].at, chances, "states: %s: split: the chances add up to %.6g%s at %s %.6g, more than 1", s.name, sum, c.forCell(here), here.unit.name, here.start+t)
			return
		}
		st.chances = &branchChances{courses, otherwise}
		shares[otherwise] = max(0, 1-sum)
	case otherwise >= 0 && sum > 1+1e-6:
		here.broken(s.split[0].at, chances, "states: %s: split: the chances add up to %.6g%s, more than 1", s.name, sum, c.forCell(here))
		return
	case otherwise < 0 && !isOne(sum):
		here.broken(s.split[0].at, chances, "states: %s: split: the chances add up to %.6g%s, expected 1; or write otherwise: true for one branch", s.name, sum, c.forCell(here))
		return
	case otherwise >= 0:
		shares[otherwise] = max(0, 1-sum)
	}
	for k, upTo := range spread(shares) {
		st.split[k].upTo = upTo
	}
}

// forCell says of whom something is said, if it is not of everybody.
func (c *compiler) forCell(here scope) string {
	text := ""
	for a, v := range here.own {
		if v != unset {
			text += " for " + c.m.attributes[a].name + " " + c.m.attributes[a].values[v]
		}
	}
	return echo(text)
}

// merges tells whether a clock can be one with all that happens at a rate. It must be exponential for everybody, also after every
// intervention.
func (c *compiler) merges(v value, steps int) bool {
	switch {
	case steps > mostSteps || v.name != "" && len(c.here.sets[v.name]) > 0:
		return false
	case v.name != "":
		return c.merges(c.here.parameters[v.name].value, steps+1)
	case v.table != nil:
		for i := range v.table.entries {
			if !c.merges(v.table.entries[i].value, steps+1) {
				return false
			}
		}
		return true
	}
	return v.law != nil && v.law.family == "exponential"
}

// action is what a clock does.
func (c *compiler) action(clock *clockText) action {
	if a, ok := c.actions[clock]; ok {
		return a
	}
	a := action{verb: doMove, to: same, name: c.name(clock.name), chance: 1}
	if clock.to.given() {
		a.to = c.state(clock.to, clock.what+": to", true)
	}
	a.moves = c.moves(clock.moves, clock.what+": move")
	c.actions[clock] = a
	return a
}

// always adds a clock that runs in all states. At a rate it strikes again and again; after a duration it strikes once, and is
// carried along, unless it has no memory and takes its individual away, when the two are the same.
func (c *compiler) always(here scope, t *tables, clock *clockText) {
	do := c.action(clock)
	from := c.set(clock.from, clock.what+": from")
	where := c.conditions(clock.where, clock.what+": where")
	l := rateLine{what: clock.what, rate: clock.rate, where: where, do: do}
	if clock.rate.given() {
		switch {
		case clock.chance.given() && here.depends(clock.chance).time: // which is read when it is used
			l.do.chance, l.do.odds = c.odds(here, clock.chance, clock.what+": chance", false)
		case clock.chance.given():
			l.chance = &clock.chance
		}
		c.everywhere(from, c.line(here, l))
		return
	}
	if c.merges(clock.after, 0) && do.to == nobody && from == nil && !clock.chance.given() {
		l.rate, l.after = clock.after, true
		c.everywhere(nil, c.line(here, l))
		return
	}
	if !c.room(1 + len(t.states)/16) { // it makes a way from every state
		return
	}
	do.from = from
	if clock.chance.given() {
		do.chance, do.odds = c.odds(here, clock.chance, clock.what+": chance", false)
	}
	a := alwaysTable{do: do, ends: do.to == nobody && from == nil && !clock.chance.given() && len(where) == 0}
	common := a
	work := func(here scope) alwaysTable {
		one := common
		one.law, _ = here.law(clock.after, clock.what+": after")
		one.longest, one.off = one.law.longest(), !holds(where, here.own)
		return one
	}
	if by := needs(here, where, clock.after); len(by) == 0 {
		a = work(here)
	} else {
		cells, n, ok := c.cellsOf(by, 1)
		if !ok {
			return
		}
		a.by, a.cells = cells, make([]*alwaysTable, n)
		for k := range n {
			one := work(here.in(c.cell(cells, k)))
			if k > 0 && one.off == a.cells[k-1].off && one.law.same(&a.cells[k-1].law) {
				a.cells[k] = a.cells[k-1]
				continue
			}
			a.cells[k] = &one
		}
		t.byGroup = true
	}
	t.always = append(t.always, a)
	c.afters = append(c.afters, clock.after)
}

// odds works out a probability: one for all, or by cells, of the one who is met too if there is one.
func (c *compiler) odds(here scope, v value, what string, meets bool) (float64, *odds) {
	d := here.depends(v)
	if !meets {
		d.met = nil // which is complained about
	}
	if !d.cells() && !d.time {
		chance, _ := here.chance(v, what)
		return chance, nil
	}
	own, n, ok := c.cellsOf(d.own, 1)
	met, each, fits := c.cellsOf(d.met, n)
	if !ok || !fits {
		return 0, nil
	}
	o := &odds{own: own, met: met, each: each, chances: make([]float64, n*each)}
	if d.time {
		o.courses = make([]*course, n*each)
	}
	for k := range o.chances {
		in := here.in(c.cell(own, k/each))
		if meets {
			in = in.met(c.cell(met, k%each))
		}
		if d.time {
			o.courses[k], o.chances[k] = c.course(in, v, what, aShare)
		} else {
			o.chances[k], _ = in.chance(v, what)
		}
	}
	return 1, o
}

// room tells whether the tables may have some more entries. A line of always is an entry for every state, and all of them are there
// again from each intervention on that sets a parameter, so that a small file can make tables that no machine holds.
func (c *compiler) room(entries int) bool {
	const most = 1_000_000 // a hundred megabytes
	if c.entries = min(c.entries+entries, most+1); c.entries <= most {
		return true
	}
	c.add(place{file: c.f.path, line: 1, column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, for each combination of the attributes that matter there, from each intervention on that sets a parameter; expected fewer of them", format.Thousands(float64(most)))
	c.stopped = true
	return false
}
