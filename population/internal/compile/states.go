package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A rateEvent is something that happens at a rate to each individual of a state: a clock, a birth
// or a contact, with its values still as they are written.
type rateEvent struct {
	what       string
	rate       syntax.Value
	after      bool // rate is an exponential distribution, not a rate
	where      []program.Condition
	chance     *syntax.Value // probability that it takes effect; nil if it always does
	do         program.Action
	attributes []int                // that it depends on, ascending
	varies     bool                 // with time, or with the number of individuals
	known      bool                 // it is the same for all individuals, and constant or varying holds it
	constant   float64              // the rate, if varying is nil
	varying    *program.VaryingRate // the rate, if it varies
}

// newRateEvent completes a rate event. A rate that is the same for all individuals is worked out
// here, once.
func (c *compiler) newRateEvent(here eval.Scope, e rateEvent) *rateEvent {
	e.attributes = attributesOf(here, e.where, e.rate)
	if e.chance != nil {
		e.attributes = eval.Union(e.attributes, here.Dependence(*e.chance).Own)
	}
	d := here.Dependence(e.rate)
	e.varies = d.Time || d.Counts
	if len(e.attributes) == 0 {
		e.constant, e.varying = c.eventRate(here, &e)
		e.known = true
	}
	return &e
}

// eventRate returns the rate of an event for the individual of a scope: a number, or a varying rate
// if that is not nil.
func (c *compiler) eventRate(here eval.Scope, e *rateEvent) (float64, *program.VaryingRate) {
	if e.known {
		return e.constant, e.varying
	}
	if !holds(e.where, here.Own) {
		return 0, nil
	}
	rate, chance := 0.0, 1.0
	if e.chance != nil {
		chance, _ = here.Chance(*e.chance, e.what+": chance")
	}
	switch {
	case e.after && here.Dependence(e.rate).Number:
		if varying, ok := here.ExponentialRate(e.rate, e.what+": after"); ok {
			return 0, &program.VaryingRate{Rate: varying, Factor: chance, What: e.what, Do: e.do}
		}
		return 0, nil
	case e.after:
		got, ok := here.Law(e.rate, e.what+": after")
		if !ok {
			return 0, nil
		}
		rate = got.Rate()
	case e.varies:
		var varying *program.TimeVarying
		if varying, rate = c.timeVarying(here, e.rate, e.what+rateKey(e.rate), quantity.Rate); varying != nil {
			return 0, &program.VaryingRate{Rate: varying, Factor: chance, What: e.what, Do: e.do}
		}
	default:
		rate, _ = here.Rate(e.rate, e.what+": rate")
	}
	return rate * chance, nil
}

// addRateEvent adds an event to the given states, or to all if in is nil.
func (c *compiler) addRateEvent(in program.StateSet, e *rateEvent) {
	for i := range c.rateEvents {
		if in == nil || in[i] {
			if !c.reserveEntries(1) {
				return
			}
			c.rateEvents[i] = append(c.rateEvents[i], e)
		}
	}
}

// addStateRates adds the clocks of a state's race that fire at a rate to its rate events.
func (c *compiler) addStateRates(here eval.Scope, i int) {
	s := &c.file.States[i]
	if !c.reserveEntries(len(s.Race) + len(s.Split)) {
		return
	}
	for k := range s.Race {
		clock := &s.Race[k]
		if c.hasTimer(clock) {
			continue
		}
		where := c.conditions(clock.Where, clock.What+": where")
		e := rateEvent{what: clock.What, rate: clock.Rate, where: where, do: c.action(here, clock)}
		c.noteAction(&e.do, where)
		if !clock.Rate.Given() {
			e.rate, e.after = clock.After, true
		}
		c.rateEvents[i] = append(c.rateEvents[i], c.newRateEvent(here, e))
	}
}

// hasTimer reports whether a clock of a race needs a timer of its own. Otherwise it is one of the
// state's rate events.
func (c *compiler) hasTimer(clock *syntax.Clock) bool {
	return !clock.Rate.Given() && (c.mayFail(clock) || !c.isExponential(clock.After, 0))
}

// mayFail reports whether there may be no room or no supply for what a clock does: then a rate
// fires again, and an after does not.
func (c *compiler) mayFail(clock *syntax.Clock) bool {
	return clock.Uses.Supply.Given() ||
		slices.ContainsFunc(c.file.Places, func(p syntax.Place) bool { return p.Capacity.Given() })
}

// isExponential reports whether a clock can be merged into the rate events: it must be exponential
// for all individuals, and stay so after every intervention.
func (c *compiler) isExponential(v syntax.Value, steps int) bool {
	switch {
	case steps > syntax.MaxParameterChain || v.Name != "" && !c.staysExponential(v.Name, steps):
		return false
	case v.Name != "":
		p, _ := c.here.Parameter(v.Name)
		return c.isExponential(p.Value, steps+1)
	case v.Table != nil:
		for i := range v.Table.Entries {
			if !c.isExponential(v.Table.Entries[i].Value, steps+1) {
				return false
			}
		}
		return true
	}
	return v.Distribution != nil && v.Distribution.Family == "exponential"
}

// staysExponential reports whether interventions leave a parameter exponential: none sets it, or
// only one of syntax.Later, before which the draws must be those without it.
func (c *compiler) staysExponential(name string, steps int) bool {
	if len(c.here.Sets[name]) == 0 {
		return true
	}
	for i := range c.file.Interventions {
		p := &c.file.Interventions[i]
		for _, s := range p.Set {
			if s.Label.Name == name && !(p.Later && c.isExponential(s.Value, steps+1)) {
				return false
			}
		}
	}
	return true
}

// action returns what a clock does when it fires.
func (c *compiler) action(here eval.Scope, clock *syntax.Clock) program.Action {
	if a, ok := c.actions[clock]; ok {
		return a
	}
	a := program.Action{Kind: program.DoMove, To: program.SameState, Name: c.nameIndex(clock.Name), Chance: 1}
	if clock.To.Given() {
		a.To = c.state(clock.To, clock.What+": to", true)
	}
	a.Moves = c.moves(here, clock.Moves, clock.What+": move")
	a.Places = c.placeMoves(clock.Moves, nil, clock.What+": move")
	a.Uses = c.uses(&clock.Uses, clock.What, -1, a.Name, onlyMoves(clock.To, clock.Moves))
	a.Source = c.sourceIndex(clock)
	if a.Child = c.children(here, clock); a.Child != nil {
		return a // it may depend on parameters
	}
	a.Plain = a.To != program.SameState && len(a.Moves)+len(a.Places) == 0 && a.Uses == nil && a.Source == 0
	gives := func(m program.Move) bool { return m.Gives != nil } // which may depend on parameters
	if !slices.ContainsFunc(a.Moves, gives) {
		c.actions[clock] = a
	}
	return a
}

// stateTable builds the table of a state, or one for each of its cells if something depends on
// attributes. Equal cells share a table.
func (c *compiler) stateTable(here eval.Scope, t *program.Phase, i int) {
	var by []int
	for _, e := range c.rateEvents[i] {
		by = eval.Union(by, e.attributes)
	}
	s := &c.file.States[i]
	by = eval.Union(by, c.timersDependOn(here, s))
	fixed := fixedValue{c.program.StateAttribute, uint16(i)}
	t.States[i] = c.tableByCell(here, t, by, 1+len(c.rateEvents[i])+len(s.Race)+len(s.Split), fixed,
		func(here eval.Scope) program.State { return c.cellTable(here, i) })
}

// timersDependOn returns the attributes that the clocks of a state with a timer depend on.
func (c *compiler) timersDependOn(here eval.Scope, s *syntax.State) (by []int) {
	for k := range s.Race {
		if clock := &s.Race[k]; c.hasTimer(clock) {
			by = eval.Union(by, attributesOf(here, c.conditions(clock.Where, clock.What+": where"), clock.After))
		}
	}
	for k := range s.Split {
		by = eval.Union(by, attributesOf(here, nil, s.Split[k].Rate, s.Split[k].After, s.Split[k].Chance))
	}
	return by
}

// A fixedValue is the value that an attribute has wherever a table is read: that of a state is by
// its state, and that of a state of a machine is by that machine.
type fixedValue struct {
	attribute int // −1 for none
	value     uint16
}

// tableByCell builds a table, or one for each cell if it depends on attributes. Equal cells share a
// table. Each is how many entries a cell takes.
func (c *compiler) tableByCell(
	here eval.Scope, t *program.Phase, by []int, each int, fixed fixedValue, build func(here eval.Scope) program.State,
) program.State {
	inCell := func(cells []program.CellAttribute, k int) eval.Scope { return here.ForCell(c.cell(cells, k)) }
	if at := slices.Index(by, fixed.attribute); at >= 0 {
		by = slices.Delete(slices.Clone(by), at, at+1)
		inCell = func(cells []program.CellAttribute, k int) eval.Scope {
			cell := c.cell(cells, k)
			cell[fixed.attribute] = fixed.value
			return here.ForCell(cell)
		}
		if len(by) == 0 {
			return build(inCell(nil, 0))
		}
	}
	if len(by) == 0 {
		return build(here)
	}
	cells, n, ok := c.cellsOf(by, each)
	if !ok {
		return program.State{}
	}
	head := program.State{By: cells, Cells: make([]*program.State, n)}
	seen := map[uint64][]*program.State{} // tables built so far, by key
	for k := range n {
		if c.Count > diag.MaxListed {
			return program.State{}
		}
		table := build(inCell(cells, k))
		head.Timers = table.Timers
		key := table.Key()
		at := slices.IndexFunc(seen[key], func(o *program.State) bool { return o.Equal(&table) })
		if at < 0 {
			at = len(seen[key])
			seen[key] = append(seen[key], &table)
		}
		head.Cells[k] = seen[key][at]
	}
	if len(seen) == 1 {
		for _, all := range seen {
			if len(all) == 1 { // all cells are equal after all
				head = *all[0]
			}
		}
	}
	t.UsesAttributes = true
	return head
}

// cellTable builds the table of a state for the individual of a scope.
func (c *compiler) cellTable(here eval.Scope, i int) program.State {
	s := &c.file.States[i]
	var st program.State
	for k, e := range c.rateEvents[i] {
		rate, varying := c.eventRate(here, e)
		st.AddRate(rate, k, e.do)
		if varying != nil {
			st.Varying = append(st.Varying, *varying)
			st.Varying[len(st.Varying)-1].Line = k
		}
	}
	c.timers(here, s, &st, func(here eval.Scope, clock *syntax.Clock) program.Action {
		do := c.action(here, clock)
		c.noteAction(&do, nil) // where was read when the clock started
		return do
	})
	return st
}

// timers builds the clocks of a state that have a timer. The action of each is that of do.
func (c *compiler) timers(
	here eval.Scope, s *syntax.State, st *program.State, do func(here eval.Scope, clock *syntax.Clock) program.Action,
) {
	for k := range s.Race {
		clock := &s.Race[k]
		if !c.hasTimer(clock) {
			continue
		}
		l, _ := here.Law(clock.After, clock.What+": after")
		off := !holds(c.conditions(clock.Where, clock.What+": where"), here.Own)
		st.Race = append(st.Race, program.Clock{Law: l, Off: off, Do: do(here, clock)})
	}
	st.Timers = len(st.Race) + min(1, len(s.Split))
	c.splitBranches(here, s, st, do)
}

// splitBranches builds the branches of a state's split.
func (c *compiler) splitBranches(
	here eval.Scope, s *syntax.State, st *program.State, do func(here eval.Scope, clock *syntax.Clock) program.Action,
) {
	// The chances of the branches: at the start, as they are written, and if one varies.
	var shares []float64
	var chances []syntax.Value
	var varyingChances []*program.TimeVarying
	sum, varies, good, otherwise := 0.0, false, !s.SplitBad, -1
	for k := range s.Split {
		clock := &s.Split[k]
		branch := program.Clock{Do: do(here, clock)}
		share := 0.0
		var varying *program.TimeVarying
		switch {
		case clock.Otherwise && otherwise >= 0:
			c.Add(clock.At, "%s: a second otherwise; only one branch can have what is left over", clock.What)
			good = false
		case clock.Otherwise:
			otherwise = k
		case clock.Chance.Given() && here.Dependence(clock.Chance).Time:
			before := c.Count
			varying, share = c.timeVarying(here, clock.Chance, clock.What+": chance", quantity.Share)
			chances, good = append(chances, clock.Chance), good && c.Count == before
			if varying != nil {
				share, varies = varying.Chance(0), true
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
		c.branchClock(here, clock, &branch)
		shares, sum, varyingChances = append(shares, share), sum+share, append(varyingChances, varying)
		st.Split = append(st.Split, branch)
	}
	switch {
	case len(s.Split) == 0 || !good:
		return
	case otherwise < 0 && varies:
		here.ReportTogether(s.Split[0].At, chances,
			"%s: split: a chance changes with time, so that one branch must have what is left over; write "+
				"otherwise: true for it", s.What)
		return
	case varies:
		for k := range varyingChances {
			if k != otherwise && varyingChances[k] == nil {
				varyingChances[k] = &program.TimeVarying{Root: program.Constant(shares[k])}
			}
		}
		if t, sum, ok := here.SumStaysWithinOne(varyingChances); !ok {
			here.ReportTogether(s.Split[0].At, chances,
				"%s: split: the chances add up to %.6g%s at %s %.6g, more than 1", s.What, sum,
				c.cellWords(here), here.Unit.Name, here.Start+t)
			return
		}
		st.Chances = &program.BranchChances{ByBranch: varyingChances, Otherwise: otherwise}
		shares[otherwise] = max(0, 1-sum)
	case otherwise >= 0 && sum > 1+eval.SumTolerance:
		here.ReportTogether(s.Split[0].At, chances, "%s: split: the chances add up to %.6g%s, more than 1",
			s.What, sum, c.cellWords(here))
		return
	case otherwise < 0 && !eval.IsOne(sum):
		here.ReportTogether(s.Split[0].At, chances,
			"%s: split: the chances add up to %.6g%s, expected 1; or write otherwise: true for one branch",
			s.What, sum, c.cellWords(here))
		return
	case otherwise >= 0:
		shares[otherwise] = max(0, 1-sum)
	}
	for k, upTo := range lookup.CumulativeShares(shares) {
		st.Split[k].CumulativeChance = upTo
	}
}

// branchClock works out when the clock of a branch fires.
func (c *compiler) branchClock(here eval.Scope, clock *syntax.Clock, branch *program.Clock) {
	switch d := here.Dependence(clock.Rate); {
	case clock.Rate.Given() && (d.Time || d.Counts):
		varying, rate := c.timeVarying(here, clock.Rate, clock.What+": rate", quantity.Rate)
		branch.Law = law.Exponential(rate)
		if varying != nil {
			branch.Varying = []program.VaryingRate{{Rate: varying, Factor: 1, What: clock.What, Do: branch.Do}}
		}
	case clock.Rate.Given():
		rate, _ := here.Rate(clock.Rate, clock.What+": rate")
		branch.Law = law.Exponential(rate) // never fires if the rate is 0
	case here.Dependence(clock.After).Number && c.isExponential(clock.After, 0):
		if varying, ok := here.ExponentialRate(clock.After, clock.What+": after"); ok {
			branch.Varying = []program.VaryingRate{{Rate: varying, Factor: 1, What: clock.What, Do: branch.Do}}
		}
	default:
		branch.Law, _ = here.Law(clock.After, clock.What+": after")
	}
}

// cellWords names the cell of a scope for a message; it is empty if there is none.
func (c *compiler) cellWords(here eval.Scope) string {
	text := ""
	for a, v := range here.Own {
		if v != eval.Unset {
			text += " for " + c.program.Attributes[a].Name + " " + c.program.Attributes[a].Values[v]
		}
	}
	return diag.Shorten(text)
}

// always compiles a clock that runs in all states. At a rate it fires again and again. After a
// duration it fires once and needs a timer; but if it is exponential and removes its individual,
// then it is the same as a rate, and is compiled as one.
func (c *compiler) always(here eval.Scope, t *program.Phase, line int) {
	clock := &c.file.Always[line]
	do := c.action(here, clock)
	from := c.stateSet(clock.From, clock.What+": from")
	do.Plain = do.Plain && from == nil && !clock.Chance.Given()
	where := c.conditions(clock.Where, clock.What+": where")
	if clock.After.Given() {
		c.noteAction(&do, nil) // where was read when the clock started
	} else {
		c.noteAction(&do, where)
	}
	leaves := do.To == program.NoState && from == nil && !clock.Chance.Given() // whatever the state
	e := rateEvent{what: clock.What, rate: clock.Rate, where: where, do: do}
	switch {
	case clock.Rate.Given():
		switch {
		case clock.Chance.Given() && here.Dependence(clock.Chance).Time: // read when the clock fires
			e.do.Chance, e.do.Chances = c.chances(here, clock.Chance, clock.What+": chance", false)
		case clock.Chance.Given():
			e.chance = &clock.Chance
		}
		c.addRateEvent(from, c.newRateEvent(here, e))
		return
	case leaves && !clock.Uses.Supply.Given() && c.isExponential(clock.After, 0):
		e.rate, e.after = clock.After, true
		c.addRateEvent(nil, c.newRateEvent(here, e))
		return
	}
	if !c.reserveEntries(1 + len(t.States)/16) { // a flow from every state
		return
	}
	do.From = from
	if clock.Chance.Given() {
		do.Chance, do.Chances = c.chances(here, clock.Chance, clock.What+": chance", false)
	}
	always := program.AlwaysClock{Do: do, EndsLife: leaves && len(where) == 0}
	inCell := func(here eval.Scope) program.AlwaysClock {
		one := program.AlwaysClock{Do: always.Do, EndsLife: always.EndsLife}
		one.Law, _ = here.Law(clock.After, clock.What+": after")
		one.Longest, one.Off = one.Law.Longest(), !holds(where, here.Own)
		return one
	}
	if by := attributesOf(here, where, clock.After); len(by) == 0 {
		always = inCell(here)
	} else {
		cells, n, ok := c.cellsOf(by, 1)
		if !ok {
			return
		}
		always.By, always.Cells = cells, make([]*program.AlwaysClock, n)
		for k := range n {
			one := inCell(here.ForCell(c.cell(cells, k)))
			if k > 0 && one.Equal(always.Cells[k-1]) {
				always.Cells[k] = always.Cells[k-1]
				continue
			}
			always.Cells[k] = &one
		}
		t.UsesAttributes = true
	}
	always.Line = line
	t.Always = append(t.Always, always)
	c.alwaysAfter = append(c.alwaysAfter, clock.After)
}

// rateKey is the key of a rate, for messages.
func rateKey(rate syntax.Value) string {
	if rate.CountDependent != nil && rate.CountDependent.Pairs {
		return ": rate each"
	}
	return ": rate"
}
