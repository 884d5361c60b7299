package compile

import (
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// tables works out all that a run looks up, as the parameters are in a scope.
func (c *compiler) tables(here Scope) *program.Phase {
	t := &program.Phase{States: make([]program.State, len(c.m.States))}
	c.afters, c.lines = nil, make([][]*rateLine, len(c.f.States))
	for i := range c.f.Attributes {
		t.Attributes = append(t.Attributes, c.shares(here, &c.f.Attributes[i]))
	}
	for i := range c.f.States {
		c.stateClocks(here, i)
	}
	for i := range c.f.Always {
		c.always(here, t, &c.f.Always[i])
	}
	for i := range c.f.Births {
		b := &c.f.Births[i]
		do := program.Action{Verb: program.DoBirth, In: &program.Entry{Given: c.given(nil, "", c.inherited(b))}, Name: c.name(b.Name), Chance: 1}
		c.into(here, &b.Enter, b.What+": enter", do.In)
		c.everywhere(c.set(b.From, b.What+": from"), c.line(here, rateLine{what: b.What, rate: b.Rate, where: c.conditions(b.Where, b.What+": where"), do: do}))
	}
	for i := range c.f.Transmission {
		c.contact(here, t, &c.f.Transmission[i])
	}
	for i := range c.f.States {
		if c.Stopped {
			break
		}
		c.build(here, t, i)
	}
	if c.f.Age.Given() && !c.f.Age.Bad && c.m.First == nil { // those who are there at the start do not become others by an intervention
		t.Ages = c.ages(here, t, &program.Entry{}, c.f.Age, "population: age")
	}
	for i := range c.f.Immigration {
		e := &c.f.Immigration[i]
		var a program.Immigration
		factor := 1.0
		if e.Per.Given() {
			if per, ok := here.Positive(e.Per, e.What+": per"); ok {
				factor = float64(c.f.Size) / per
			}
		}
		if d := here.Depends(e.Rate); d.Time || d.Counts {
			var changing *program.TimeVarying
			if changing, a.Rate = c.course(here, e.Rate, e.What+": rate", syntax.KindRate); changing != nil {
				a.Varying = []program.VaryingRate{{Rate: changing, Factor: factor, What: e.What}}
			}
		} else {
			a.Rate, _ = here.Rate(e.Rate, e.What+": rate")
		}
		a.Rate *= factor
		a.Name, a.In.Given = c.name(e.Name), c.given(e.With, e.What+": with", nil)
		c.into(here, &e.Enter, e.What+": enter", &a.In)
		if e.Age.Given() {
			a.In.Age = c.ages(here, t, &a.In, e.Age, e.What+": age")
		}
		t.Immigration = append(t.Immigration, a)
	}
	c.limits(here, t)
	t.Mark()
	return t
}

// shares are those of an attribute's values, added up.
func (c *compiler) shares(here Scope, a *syntax.Attribute) []float64 {
	shares := make([]float64, len(a.Values))
	sum, good := 0.0, len(shares) > 0
	for i, v := range a.Shares {
		if i == a.Rest {
			continue
		}
		var ok bool
		shares[i], ok = here.Chance(v, "attributes: "+a.Name+": "+a.Values[i].Name)
		sum, good = sum+shares[i], good && ok
	}
	switch {
	case good && a.Rest >= 0 && sum > 1+1e-6:
		here.broken(a.At, a.Shares, "attributes: %s: the shares add up to %.6g, and nothing is left for %s", a.Name, sum, a.Values[a.Rest].Name)
	case a.Rest >= 0:
		shares[a.Rest] = max(0, 1-sum)
	case good && !isOne(sum):
		here.broken(a.At, a.Shares, "attributes: %s: the shares add up to %.6g, expected 1; or write rest for one of them", a.Name, sum)
	}
	return lookup.Sums(shares)
}

// stateClocks puts what happens at a rate in a state on its menu.
func (c *compiler) stateClocks(here Scope, i int) {
	s := &c.f.States[i]
	if !c.room(len(s.Race) + len(s.Split)) {
		return
	}
	for k := range s.Race {
		clock := &s.Race[k]
		if c.timed(clock) {
			continue
		}
		l := rateLine{what: clock.What, rate: clock.Rate, where: c.conditions(clock.Where, clock.What+": where"), do: c.action(clock)}
		if !clock.Rate.Given() {
			l.rate, l.after = clock.After, true
		}
		c.lines[i] = append(c.lines[i], c.line(here, l))
	}
}

// split works out the branches of a state's split.
func (c *compiler) split(here Scope, s *syntax.State, st *program.State) {
	var shares []float64
	var chances []syntax.Value
	var courses []*program.TimeVarying
	varies := false
	sum, good, otherwise := 0.0, !s.SplitBad, -1
	for k := range s.Split {
		clock := &s.Split[k]
		branch := program.Clock{Do: c.action(clock)}
		share := 0.0
		var changing *program.TimeVarying
		switch {
		case clock.Otherwise && otherwise >= 0:
			c.Add(clock.At, "%s: a second otherwise; only one branch can have what is left over", clock.What)
			good = false
		case clock.Otherwise:
			otherwise = k
		case clock.Chance.Given() && here.Depends(clock.Chance).Time:
			before := c.Found
			changing, share = c.course(here, clock.Chance, clock.What+": chance", syntax.KindShare)
			chances, good = append(chances, clock.Chance), good && c.Found == before
			if changing != nil {
				share, varies = changing.Chance(0), true
			}
		case clock.Chance.Given():
			var ok bool
			share, ok = here.Chance(clock.Chance, clock.What+": chance")
			chances, good = append(chances, clock.Chance), good && ok
		case clock.ChanceBad:
		default:
			c.Add(clock.At, "%s: how probable? Write chance: 10%%, for example, or otherwise: true", clock.What)
			good = false
		}
		switch d := here.Depends(clock.Rate); {
		case clock.Rate.Given() && (d.Time || d.Counts):
			changing, rate := c.course(here, clock.Rate, clock.What+": rate", syntax.KindRate)
			branch.Law = law.Exponential(rate)
			if changing != nil {
				branch.Varying = []program.VaryingRate{{Rate: changing, Factor: 1, What: clock.What, Do: branch.Do}}
			}
		case clock.Rate.Given():
			rate, _ := here.Rate(clock.Rate, clock.What+": rate")
			branch.Law = law.Exponential(rate) // which never strikes if the rate is 0
		default:
			branch.Law, _ = here.Law(clock.After, clock.What+": after")
		}
		shares, sum, courses = append(shares, share), sum+share, append(courses, changing)
		st.Split = append(st.Split, branch)
	}
	switch {
	case len(s.Split) == 0 || !good:
		return
	case otherwise < 0 && varies:
		here.broken(s.Split[0].At, chances, "states: %s: split: a chance changes with time, so that one branch must have what is left over; write otherwise: true for it", s.Name)
		return
	case varies:
		for k := range courses {
			if k != otherwise && courses[k] == nil {
				courses[k] = &program.TimeVarying{Root: program.Constant(shares[k])}
			}
		}
		if t, sum, ok := here.addUp(courses); !ok {
			here.broken(s.Split[0].At, chances, "states: %s: split: the chances add up to %.6g%s at %s %.6g, more than 1", s.Name, sum, c.forCell(here), here.unit.Name, here.start+t)
			return
		}
		st.Chances = &program.BranchChances{Of: courses, Otherwise: otherwise}
		shares[otherwise] = max(0, 1-sum)
	case otherwise >= 0 && sum > 1+1e-6:
		here.broken(s.Split[0].At, chances, "states: %s: split: the chances add up to %.6g%s, more than 1", s.Name, sum, c.forCell(here))
		return
	case otherwise < 0 && !isOne(sum):
		here.broken(s.Split[0].At, chances, "states: %s: split: the chances add up to %.6g%s, expected 1; or write otherwise: true for one branch", s.Name, sum, c.forCell(here))
		return
	case otherwise >= 0:
		shares[otherwise] = max(0, 1-sum)
	}
	for k, upTo := range lookup.Sums(shares) {
		st.Split[k].UpTo = upTo
	}
}

// forCell says of whom something is said, if it is not of everybody.
func (c *compiler) forCell(here Scope) string {
	text := ""
	for a, v := range here.own {
		if v != unset {
			text += " for " + c.m.Attributes[a].Name + " " + c.m.Attributes[a].Values[v]
		}
	}
	return diag.Echo(text)
}

// merges tells whether a clock can be one with all that happens at a rate. It must be exponential for everybody, also after every
// intervention.
func (c *compiler) merges(v syntax.Value, steps int) bool {
	switch {
	case steps > syntax.MostSteps || v.Name != "" && len(c.here.sets[v.Name]) > 0:
		return false
	case v.Name != "":
		return c.merges(c.here.parameters[v.Name].Value, steps+1)
	case v.Table != nil:
		for i := range v.Table.Entries {
			if !c.merges(v.Table.Entries[i].Value, steps+1) {
				return false
			}
		}
		return true
	}
	return v.Distribution != nil && v.Distribution.Family == "exponential"
}

// action is what a clock does.
func (c *compiler) action(clock *syntax.Clock) program.Action {
	if a, ok := c.actions[clock]; ok {
		return a
	}
	a := program.Action{Verb: program.DoMove, To: program.SameState, Name: c.name(clock.Name), Chance: 1}
	if clock.To.Given() {
		a.To = c.state(clock.To, clock.What+": to", true)
	}
	a.Moves = c.moves(clock.Moves, clock.What+": move")
	c.actions[clock] = a
	return a
}

// always adds a clock that runs in all states. At a rate it strikes again and again; after a duration it strikes once, and is
// carried along, unless it has no memory and takes its individual away, when the two are the same.
func (c *compiler) always(here Scope, t *program.Phase, clock *syntax.Clock) {
	do := c.action(clock)
	from := c.set(clock.From, clock.What+": from")
	where := c.conditions(clock.Where, clock.What+": where")
	l := rateLine{what: clock.What, rate: clock.Rate, where: where, do: do}
	if clock.Rate.Given() {
		switch {
		case clock.Chance.Given() && here.Depends(clock.Chance).Time: // which is read when it is used
			l.do.Chance, l.do.Chances = c.odds(here, clock.Chance, clock.What+": chance", false)
		case clock.Chance.Given():
			l.chance = &clock.Chance
		}
		c.everywhere(from, c.line(here, l))
		return
	}
	if c.merges(clock.After, 0) && do.To == program.Nobody && from == nil && !clock.Chance.Given() {
		l.rate, l.after = clock.After, true
		c.everywhere(nil, c.line(here, l))
		return
	}
	if !c.room(1 + len(t.States)/16) { // it makes a way from every state
		return
	}
	do.From = from
	if clock.Chance.Given() {
		do.Chance, do.Chances = c.odds(here, clock.Chance, clock.What+": chance", false)
	}
	a := program.Lifelong{Do: do, Ends: do.To == program.Nobody && from == nil && !clock.Chance.Given() && len(where) == 0}
	common := a
	work := func(here Scope) program.Lifelong {
		one := common
		one.Law, _ = here.Law(clock.After, clock.What+": after")
		one.Longest, one.Off = one.Law.Longest(), !holds(where, here.own)
		return one
	}
	if by := needs(here, where, clock.After); len(by) == 0 {
		a = work(here)
	} else {
		cells, n, ok := c.cellsOf(by, 1)
		if !ok {
			return
		}
		a.By, a.Cells = cells, make([]*program.Lifelong, n)
		for k := range n {
			one := work(here.In(c.cell(cells, k)))
			if k > 0 && one.Off == a.Cells[k-1].Off && one.Law.Same(&a.Cells[k-1].Law) {
				a.Cells[k] = a.Cells[k-1]
				continue
			}
			a.Cells[k] = &one
		}
		t.ByGroup = true
	}
	t.Always = append(t.Always, a)
	c.afters = append(c.afters, clock.After)
}

// odds works out a probability: one for all, or by cells, of the one who is met too if there is one.
func (c *compiler) odds(here Scope, v syntax.Value, what string, meets bool) (float64, *program.Chances) {
	d := here.Depends(v)
	if !meets {
		d.Met = nil // which is complained about
	}
	if !d.Cells() && !d.Time {
		chance, _ := here.Chance(v, what)
		return chance, nil
	}
	own, n, ok := c.cellsOf(d.Own, 1)
	met, each, fits := c.cellsOf(d.Met, n)
	if !ok || !fits {
		return 0, nil
	}
	o := &program.Chances{Own: own, Met: met, Each: each, Values: make([]float64, n*each)}
	if d.Time {
		o.Varying = make([]*program.TimeVarying, n*each)
	}
	for k := range o.Values {
		in := here.In(c.cell(own, k/each))
		if meets {
			in = in.Met(c.cell(met, k%each))
		}
		if d.Time {
			o.Varying[k], o.Values[k] = c.course(in, v, what, syntax.KindShare)
		} else {
			o.Values[k], _ = in.Chance(v, what)
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
	c.Add(diag.Place{File: c.f.Path, Line: 1, Column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, for each combination of the attributes that matter there, from each intervention on that sets a parameter; expected fewer of them", format.Thousands(float64(most)))
	c.Stopped = true
	return false
}
