package population

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A compiler turns a file into a model: it looks names up, and works values out for each of the times between
// interventions.
type compiler struct {
	*problemList
	f      *file
	m      *Model
	states map[string]uint8
	phases map[string]*tables // by the values that are in force
}

// compile returns a model, of use if no problems have been found.
func compile(f *file, list *problemList) *Model {
	m := &Model{
		name: f.name, about: f.about, unit: f.unit, start: f.start, end: f.end, size: f.size, most: f.most,
		splits: slices.ContainsFunc(f.states, func(s stateText) bool { return len(s.split) > 0 }),
	}
	c := &compiler{problemList: list, f: f, m: m, states: map[string]uint8{}, phases: map[string]*tables{}}
	for i, s := range f.states {
		m.states = append(m.states, s.name)
		if i < 250 {
			c.states[s.name] = uint8(i)
		}
	}
	for _, a := range f.attributes {
		kept := attribute{name: a.name}
		for _, v := range a.values {
			kept.values = append(kept.values, v.name)
		}
		m.attributes = append(m.attributes, kept)
	}
	if len(m.attributes) > 250 {
		c.add(f.attributes[250].at, "attributes: %d are more than the 250 there can be", len(m.attributes))
		return m
	}
	m.mixes = make([]bool, len(m.attributes))
	c.starts()
	here := scope{problemList: list, unit: f.unit, parameters: map[string]parameter{}}
	for _, p := range f.parameters {
		here.parameters[p.label.name] = parameter{p.value, slices.Contains(f.changed, p.label.name)}
	}
	c.unused(here)
	m.first = c.phase(here)
	c.plan(here)
	c.records(here)
	c.enumerate()
	for i := range m.first.states {
		m.timers = max(m.timers, m.first.states[i].timers)
	}
	return m
}

// state looks a state up; out is one if it may be.
func (c *compiler) state(n named, what string, orOut bool) uint8 {
	if n.name == "" {
		return nobody // said already
	}
	if n.name == Out && orOut {
		return nobody
	}
	if i, ok := c.states[n.name]; ok {
		return i
	}
	if n.name == Out {
		c.add(n.at, "%s: expected a state; out is for leaving the population", what)
		return nobody
	}
	names := c.m.states
	if orOut {
		names = append(slices.Clone(names), Out)
	}
	c.add(n.at, "%s: %s", what, unknown("state", n.name, names))
	return nobody
}

// set looks several states up; none at all means all, for which nil stands.
func (c *compiler) set(names []named, what string) *stateSet {
	if len(names) == 0 {
		return nil
	}
	var s stateSet
	for _, n := range names {
		s[c.state(n, what, false)] = true
	}
	s[nobody] = false
	return &s
}

// moves looks attributes and their values up.
func (c *compiler) moves(texts []moveText, what string) []move {
	var all []move
	for _, t := range texts {
		a := c.attribute(t.attribute, what)
		if a < 0 {
			continue
		}
		v := slices.Index(c.m.attributes[a].values, t.value.name)
		if v < 0 {
			c.add(t.value.at, "%s: %s", what, unknown("value of "+t.attribute.name, t.value.name, c.m.attributes[a].values))
			continue
		}
		all = append(all, move{uint8(a), uint8(v)})
	}
	return all
}

func (c *compiler) attribute(n named, what string) int {
	i := slices.IndexFunc(c.m.attributes, func(a attribute) bool { return a.name == n.name })
	if i < 0 {
		var names []string
		for _, a := range c.m.attributes {
			names = append(names, a.name)
		}
		c.add(n.at, "%s: %s", what, unknown("attribute", n.name, names))
	}
	return i
}

// name is the number of a name under which something is counted.
func (c *compiler) name(name string) int {
	if name == "" {
		return -1
	}
	i := slices.Index(c.m.names, name)
	if i < 0 {
		i = len(c.m.names)
		c.m.names = append(c.m.names, name)
	}
	return i
}

// starts works out how many begin in each state. Percentages are rounded so that they add up: of 5 individuals, two
// times 50% are 3 and 2.
func (c *compiler) starts() {
	const what = "population: start"
	counts := make([]int, len(c.m.states))
	rest, total, before := -1, 0, 0.0
	for _, s := range c.f.starts {
		i := c.state(s.state, what, false)
		if i == nobody {
			return
		}
		counts[i] = s.count
		switch {
		case s.rest && rest >= 0:
			c.add(s.state.at, "%s: a second rest; only one state can have those who are left over", what)
			return
		case s.rest:
			rest = int(i)
		case s.share > 0:
			upTo := before + s.share
			counts[i] = int(math.Round(upTo*float64(c.f.size))) - int(math.Round(before*float64(c.f.size)))
			before = upTo
		}
		total += counts[i]
	}
	switch {
	case total > c.f.size:
		c.add(c.f.startsAt, "%s: %d individuals are more than the size, %d", what, total, c.f.size)
	case rest >= 0:
		counts[rest] = c.f.size - total
	case total < c.f.size:
		c.add(c.f.startsAt, "%s: %d of %d individuals; give one state the rest, as in susceptible: rest", what, total, c.f.size)
	}
	if c.f.size > c.f.most {
		c.add(c.f.startsAt, "population: size %d is more than the most there may be, %d; write most: %d in population", c.f.size, c.f.most, c.f.size)
	}
	c.m.starts = counts
}

// unused looks at the parameters that nothing else would, so that a mistake in one is seen.
func (c *compiler) unused(here scope) {
	for _, p := range c.f.parameters {
		if p.law != nil {
			here.law(p.value, "parameters: "+p.label.name)
		} else if p.name != "" {
			here.resolve(p.value, "parameters: "+p.label.name)
		}
	}
}

// phase is the tables for what the parameters stand for, made once.
func (c *compiler) phase(here scope) *tables {
	var key strings.Builder
	for _, p := range c.f.parameters {
		v := here.parameters[p.label.name]
		fmt.Fprintf(&key, "%s:%d:%d:%s;", v.at.file, v.at.line, v.at.column, v.text)
	}
	t, ok := c.phases[key.String()]
	if !ok {
		t = c.tables(here)
		c.phases[key.String()] = t
		c.m.phases = append(c.m.phases, t)
	}
	return t
}

func (c *compiler) tables(here scope) *tables {
	t := &tables{states: make([]stateTable, len(c.m.states))}
	for i := range c.f.attributes {
		t.attributes = append(t.attributes, c.shares(here, &c.f.attributes[i]))
	}
	for i := range c.f.states {
		if i < 250 {
			c.stateClocks(here, t, i)
		}
	}
	for i := range c.f.always {
		c.always(here, t, &c.f.always[i])
	}
	for i := range c.f.births {
		b := &c.f.births[i]
		do := action{verb: doBirth, to: c.state(b.enter, b.what+": enter", false), name: c.name(b.name), chance: 1}
		c.everywhere(t, c.set(b.from, b.what+": from"), here.rate(b.rate, b.what+": rate"), do)
	}
	for i := range c.f.transmission {
		c.contact(here, t, &c.f.transmission[i])
	}
	if !c.f.age.bad {
		if l, ok := here.law(c.f.age, "population: age"); ok {
			t.ages = &l
			c.checkAges(t, l, c.f.age.at, "population: age")
		}
	}
	for i := range c.f.immigration {
		e := &c.f.immigration[i]
		a := arrivalTable{rate: here.rate(e.rate, e.what+": rate")}
		a.do = action{to: c.state(e.enter, e.what+": enter", false), name: c.name(e.name), chance: 1}
		if e.hasAge {
			if l, ok := here.law(e.age, e.what+": age"); ok {
				a.age = &l
				c.checkAges(t, l, e.age.at, e.what+": age")
			}
		}
		t.immigration = append(t.immigration, a)
	}
	return t
}

// shares are those of an attribute's values, added up.
func (c *compiler) shares(here scope, a *attributeText) []float64 {
	shares := make([]float64, len(a.values))
	sum, before := 0.0, len(c.all)
	for i, v := range a.shares {
		shares[i] = here.chance(v, "attributes: "+a.name+": "+a.values[i].name)
		sum += shares[i]
	}
	if !isOne(sum) {
		if len(c.all) == before && len(a.values) > 0 {
			c.add(a.at, "attributes: %s: the shares add up to %.6g, expected 1", a.name, sum)
		}
		return nil
	}
	return spread(shares)
}

func (c *compiler) stateClocks(here scope, t *tables, i int) {
	s, st := &c.f.states[i], &t.states[i]
	for k := range s.race {
		clock := &s.race[k]
		do := c.action(clock)
		if clock.isRate {
			st.add(here.rate(clock.rate, clock.what+": rate"), do)
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
	sum, before, otherwise := 0.0, len(c.all), -1
	for k := range s.split {
		clock := &s.split[k]
		branch := clockTable{do: c.action(clock)}
		share := 0.0
		switch {
		case clock.otherwise && otherwise >= 0:
			c.add(clock.at, "%s: a second otherwise; only one branch can have what is left over", clock.what)
		case clock.otherwise:
			otherwise = k
		case clock.hasChance:
			share = here.chance(clock.chance, clock.what+": chance")
		default:
			c.add(clock.at, "%s: how probable? Write chance: 10%%, for example, or otherwise: true", clock.what)
		}
		if clock.isRate {
			rate := here.rate(clock.rate, clock.what+": rate")
			branch.law = exponential(rate) // which never strikes if the rate is 0
		} else {
			branch.law, _ = here.law(clock.after, clock.what+": after")
		}
		shares, sum = append(shares, share), sum+share
		st.split = append(st.split, branch)
	}
	if len(s.split) == 0 {
		return
	}
	switch {
	case len(c.all) > before:
		return
	case otherwise >= 0 && sum > 1+1e-6:
		c.add(s.split[0].at, "states: %s: split: the chances add up to %.6g, more than 1", s.name, sum)
		return
	case otherwise < 0 && !isOne(sum):
		c.add(s.split[0].at, "states: %s: split: the chances add up to %.6g, expected 1; or write otherwise: true for one branch", s.name, sum)
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
		for i := range c.f.plans {
			if slices.ContainsFunc(c.f.plans[i].set, func(s namedValue) bool { return s.label.name == v.name }) {
				return false
			}
		}
		i := slices.IndexFunc(c.f.parameters, func(p namedValue) bool { return p.label.name == v.name })
		v = c.f.parameters[i].value
	}
	return true
}

// action is what a clock does.
func (c *compiler) action(clock *clockText) action {
	a := action{verb: doMove, to: same, name: c.name(clock.name), chance: 1}
	if clock.to.name != "" {
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
		do.chance = here.chance(clock.chance, clock.what+": chance")
	}
	if clock.isRate {
		from := do.from
		rate := here.rate(clock.rate, clock.what+": rate") * do.chance
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
		t.always = append(t.always, alwaysTable{l, do})
	}
}

// everywhere puts something that happens at a rate on the menu of the given states, or of all.
func (c *compiler) everywhere(t *tables, in *stateSet, rate float64, do action) {
	for i := range t.states {
		if in == nil || in[i] {
			t.states[i].add(rate, do)
		}
	}
}

func (c *compiler) contact(here scope, t *tables, text *contactText) {
	ct := contactTable{chance: 1, attribute: -1}
	for i := range ct.becomes {
		ct.becomes[i] = same
	}
	for _, to := range text.to {
		met := c.state(to.met, text.what+": to", false)
		becomes := c.state(to.becomes, text.what+": to: "+to.met.name, true)
		ct.becomes[met] = becomes
	}
	ct.becomes[nobody] = same
	if text.hasChance {
		ct.chance = here.chance(text.chance, text.what+": chance")
	}
	if text.by.name != "" {
		c.mixing(here, &ct, text)
	} else {
		c.m.plainMixing = true
	}
	do := action{verb: doContact, contact: len(t.contacts), name: c.name(text.name), chance: 1}
	t.contacts = append(t.contacts, ct)
	rate := here.rate(text.rate, text.what+": rate")
	if from := c.set(text.from, text.what+": from"); from != nil {
		c.everywhere(t, from, rate, do)
	}
}

func (c *compiler) mixing(here scope, ct *contactTable, text *contactText) {
	what := text.what + ": mixing"
	a := c.attribute(text.by, what+": by")
	if a < 0 {
		return
	}
	c.m.mixes[a] = true
	values := c.m.attributes[a].values
	if len(text.matrix) != len(values) {
		c.add(text.matrixAt, "%s: matrix: %d rows, expected %d, one for each of %s", what, len(text.matrix), len(values), strings.Join(values, ", "))
		return
	}
	ct.attribute = a
	for i, row := range text.matrix {
		if len(row) != len(values) {
			c.add(text.matrixAt, "%s: matrix: row %d has %d numbers, expected %d, one for each of %s", what, i+1, len(row), len(values), strings.Join(values, ", "))
			return
		}
		shares := make([]float64, len(row))
		sum, before := 0.0, len(c.all)
		for j, v := range row {
			shares[j] = here.chance(v, what+": matrix")
			sum += shares[j]
		}
		if len(c.all) > before {
			return
		}
		if !isOne(sum) {
			c.add(row[0].at, "%s: matrix: row %d adds up to %.6g, expected 1", what, i+1, sum)
			return
		}
		ct.rows = append(ct.rows, spread(shares))
	}
}

// checkAges refuses ages that nobody can have reached: beyond the longest life.
func (c *compiler) checkAges(t *tables, ages law, at place, what string) {
	for _, clock := range t.always {
		oldest, longest := ages.longest(), clock.law.longest()
		if clock.do.to == nobody && clock.do.from == nil && clock.do.chance == 1 &&
			(oldest > longest || oldest == longest && ages.family == lawExactly) {
			c.add(at, "%s: ages reach %s, but a clock of always ends every life by %s", what, inWords(oldest, c.m.unit), inWords(longest, c.m.unit))
		}
	}
}

// plan puts the interventions in the order in which they happen, and works out the parameters from each on.
func (c *compiler) plan(start scope) {
	const tooMany = 1_000_000
	type occurrence struct {
		text *planText
		at   float64
	}
	var all []occurrence
	for i := range c.f.plans {
		p := &c.f.plans[i]
		for k := 0.0; ; k++ {
			at := p.when + k*p.every
			if k > 0 && (!(at <= p.until) || !(at <= c.m.end)) {
				break
			}
			all = append(all, occurrence{p, at - c.m.start})
			if p.every == 0 {
				break
			}
			if len(all) > tooMany {
				c.add(p.at, "%s: it would happen more than %d times", p.what, tooMany)
				return
			}
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	here := start
	for _, o := range all {
		c.m.plans = append(c.m.plans, c.intervention(&here, o.text, o.at))
	}
}

func (c *compiler) intervention(here *scope, text *planText, at float64) plan {
	p := plan{text: text, at: at, coverage: 1, enter: nobody, count: text.count}
	if len(text.set) > 0 {
		changes := map[string]parameter{}
		for _, s := range text.set {
			old, ok := here.parameters[s.label.name]
			if !ok {
				c.add(s.label.at, "%s: set: %s", text.what, unknown("parameter", s.label.name, parameterNames(c.f)))
				continue
			}
			if s.value.bad || old.bad {
				continue
			}
			changes[s.label.name] = parameter{s.value, true}
		}
		*here = here.with(changes)
		p.phase = c.phase(*here)
	}
	if !text.everyone && len(text.who) > 0 {
		p.who = c.set(text.who, text.what+": who")
	}
	p.where = c.moves(text.where, text.what+": where")
	if text.covers {
		p.coverage = here.chance(text.coverage, text.what+": coverage")
	}
	p.do = action{verb: doMove, to: same, name: c.name(text.name), chance: 1}
	if text.to.name != "" {
		p.do.to = c.state(text.to, text.what+": to", true)
	}
	p.do.moves = c.moves(text.moves, text.what+": move")
	if text.enter.name != "" {
		p.enter = c.state(text.enter, text.what+": enter", false)
	}
	return p
}

// records works out when rows are recorded: at the start, every so often, and at the end.
func (c *compiler) records(here scope) {
	const tooMany = 10_000_000
	span := c.m.end - c.m.start
	if math.IsNaN(span) {
		return
	}
	every := c.f.every
	if every.bad { // not said, or said to be wrong
		every = value{quantity: quantity{aDuration, span / 100, c.m.unit}, text: "a hundredth of the run"}
	}
	step, ok := here.duration(every, "record: every", true)
	if !ok {
		return
	}
	if span/step > tooMany {
		c.add(every.at, "record: every: %s would make more than %d rows", every.text, tooMany)
		return
	}
	resolved, _, _ := here.resolve(every, "record: every")
	q := resolved.quantity
	for k := 0.0; ; k++ {
		// Not k times the converted step: 30 days are then exactly what an intervention at 30 days is.
		t := quantity{aDuration, k * q.number, q.unit}.in(c.m.unit)
		if t > span*(1-1e-12) {
			break
		}
		c.m.rows = append(c.m.rows, t)
	}
	c.m.rows = append(c.m.rows, span)
}

// enumerate lists the flows that are possible.
func (c *compiler) enumerate() {
	n := len(c.m.states)
	possible := make([][]bool, n+entrances)
	c.m.flowOf = make([][]int, n+entrances)
	for i := range possible {
		possible[i] = make([]bool, n+1)
		c.m.flowOf[i] = make([]int, n+1)
	}
	goal := func(to uint8) int {
		if to == nobody {
			return n
		}
		return int(to)
	}
	take := func(from int, do *action) {
		switch {
		case do.verb == doBirth:
			possible[n+fromBirths][goal(do.to)] = true
		case do.verb == doMove && do.to != same && (do.from == nil || do.from[from]):
			possible[from][goal(do.to)] = true
		}
	}
	if len(c.all) > 0 {
		return // names may be missing
	}
	for _, t := range c.m.phases {
		for s := range t.states {
			for i := range t.states[s].menu {
				take(s, &t.states[s].menu[i].do)
			}
			for i := range t.states[s].race {
				take(s, &t.states[s].race[i].do)
			}
			for i := range t.states[s].split {
				take(s, &t.states[s].split[i].do)
			}
			for i := range t.always {
				take(s, &t.always[i].do)
			}
		}
		for i := range t.contacts {
			for met, to := range t.contacts[i].becomes {
				if to != same {
					possible[met][goal(to)] = true
				}
			}
		}
		for i := range t.immigration {
			possible[n+fromImmigration][goal(t.immigration[i].do.to)] = true
		}
	}
	for i := range c.m.plans {
		p := &c.m.plans[i]
		for s := range n {
			if p.do.to != same && (p.who == nil || p.who[s]) {
				possible[s][goal(p.do.to)] = true
			}
		}
		if p.enter != nobody {
			possible[n+fromPlans][p.enter] = true
		}
	}
	for from := range possible {
		for to := range possible[from] {
			c.m.flowOf[from][to] = -1
			if !possible[from][to] {
				continue
			}
			c.m.flowOf[from][to] = len(c.m.flows)
			f := Flow{From: Out, To: Out}
			if from < n {
				f.From = c.m.states[from]
			} else {
				f.From = entranceNames[from-n]
			}
			if to < n {
				f.To = c.m.states[to]
			}
			c.m.flows = append(c.m.flows, f)
		}
	}
}
