package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// listMachines adds the machines to the attributes, and their states to what is counted. If a table
// or a condition is by state, the state is the last attribute. It reports false if there are too
// many machines.
func (c *compiler) listMachines() bool {
	f, p := c.file, c.program
	p.Counted = slices.Clone(p.States)
	if n := len(f.Machines); n > maxMachines {
		c.Add(f.Machines[maxMachines].At, "machines: %d are more than the %d there can be", n, maxMachines)
		return false
	}
	for i := range f.Machines {
		text := &f.Machines[i]
		a := program.Attribute{Name: text.Name}
		m := program.Machine{Attribute: len(p.Attributes), FirstCount: len(p.Counted)}
		for _, s := range text.States {
			a.Values = append(a.Values, s.Name)
			p.Counted = append(p.Counted, text.Name+"="+s.Name)
		}
		p.Attributes, p.Machines = append(p.Attributes, a), append(p.Machines, m)
	}
	p.StateAttribute = -1
	if *f.UsesState && p.Attributes.Index(syntax.StateName) < 0 {
		p.StateAttribute = len(p.Attributes)
		p.Attributes = append(p.Attributes, program.Attribute{Name: syntax.StateName, Values: p.States})
	}
	c.listPresences()
	c.machineFlows = make([]flowSet, len(p.Machines))
	for i := range c.machineFlows {
		c.machineFlows[i] = flowSet{}
	}
	return true
}

// countMachineTimers works out how many columns of timers each machine needs.
func (c *compiler) countMachineTimers() {
	for i := range c.file.Machines {
		m := &c.program.Machines[i]
		for _, s := range c.file.Machines[i].States {
			timers := min(1, len(s.Split))
			for k := range s.Race {
				if c.hasTimer(&s.Race[k]) {
					timers++
				}
			}
			m.Columns, m.Branches = max(m.Columns, timers), max(m.Branches, len(s.Split))
		}
	}
}

// numberColumns numbers the columns of timers, once all clocks of always are known.
func (c *compiler) numberColumns() {
	p := c.program
	p.StateColumn = len(p.FirstPhase.Always)
	for i := range p.Machines {
		p.Machines[i].Column = p.StateColumn
		p.StateColumn += p.Machines[i].Columns
	}
	for i := range p.FirstPhase.States {
		p.MaxStateTimers = max(p.MaxStateTimers, p.FirstPhase.States[i].Timers)
	}
}

// machineOf returns the number of the machine that an attribute is, or −1.
func (c *compiler) machineOf(attribute int) int {
	if k := attribute - c.program.Plain(); k >= 0 && k < len(c.program.Machines) {
		return k
	}
	return -1
}

// machineValue looks up a state of a machine. It returns program.NoState if there is none, and for
// out, which is allowed if orOut.
func (c *compiler) machineValue(m int, n syntax.Ref, what string, orOut bool) uint16 {
	text := &c.file.Machines[m]
	if n.Bad || text.StatesBad || n.Name == syntax.Out && orOut {
		return program.NoState
	}
	values := c.program.Attributes[c.program.Machines[m].Attribute].Values
	if v := slices.Index(values, n.Name); v >= 0 {
		return uint16(v)
	}
	if n.Name == syntax.Out {
		c.Add(n.At, "%s: expected a state of %s; out is for leaving the population", what, text.Name)
		return program.NoState
	}
	c.Add(n.At, "%s: %s", what, diag.Unknown("state of "+text.Name, n.Name, func() []string { return values }))
	return program.NoState
}

// machineAction returns what a clock of a machine does when it fires.
func (c *compiler) machineAction(here eval.Scope, m int, clock *syntax.Clock) program.Action {
	a := program.Action{Kind: program.DoMove, To: program.SameState, Name: c.nameIndex(clock.Name), Chance: 1}
	if clock.To.Given() {
		v := c.machineValue(m, clock.To, clock.What+": to", true)
		if a.To = program.SameState; v == program.NoState {
			a.To = program.NoState
		} else {
			attribute := uint16(c.program.Machines[m].Attribute)
			a.Moves = []program.Move{{Attribute: attribute, Value: v, Machine: int16(m), Enters: true}}
		}
	}
	a.Moves = append(a.Moves, c.moves(here, clock.Moves, clock.What+": move")...)
	a.Places = c.placeMoves(clock.Moves, nil, clock.What+": move")
	a.Uses = c.uses(&clock.Uses, clock.What, m, a.Name, onlyMoves(clock.To, clock.Moves))
	a.Source = c.sourceIndex(clock)
	a.Child = c.children(here, clock)
	return a
}

// machineWhere returns the conditions of a clock of a machine: those that are written, and that the
// machine is in the state v that the clock belongs to.
func (c *compiler) machineWhere(m, v int, clock *syntax.Clock) []program.Condition {
	return append([]program.Condition{c.isIn(m, v)}, c.conditions(clock.Where, clock.What+": where")...)
}

// isIn is the condition that a machine is in a state.
func (c *compiler) isIn(m, v int) program.Condition {
	is := make([]bool, len(c.file.Machines[m].States))
	is[v] = true
	return program.Condition{Attribute: c.program.Machines[m].Attribute, Is: is}
}

// machineRates adds the clocks of a machine that fire at a rate to the rate events of all states.
func (c *compiler) machineRates(here eval.Scope, m int) {
	states := c.file.Machines[m].States
	for v := range states {
		s := &states[v]
		for k := range s.Race {
			clock := &s.Race[k]
			do := c.machineAction(here, m, clock)
			if c.hasTimer(clock) {
				c.noteAction(&do, []program.Condition{c.isIn(m, v)}) // where was read when the clock started
				continue
			}
			where := c.machineWhere(m, v, clock)
			c.noteAction(&do, where)
			e := rateEvent{what: clock.What, rate: clock.Rate, where: where, do: do}
			if !clock.Rate.Given() {
				e.rate, e.after = clock.After, true
			}
			c.addRateEvent(nil, c.newRateEvent(here, e))
		}
		for k := range s.Split {
			do := c.machineAction(here, m, &s.Split[k])
			c.noteAction(&do, []program.Condition{c.isIn(m, v)})
		}
	}
}

// machineTables builds the tables of the clocks of a machine that have a timer. They are nil if
// none has.
func (c *compiler) machineTables(here eval.Scope, t *program.Phase, m int) []program.State {
	if c.program.Machines[m].Columns == 0 {
		return nil
	}
	states := c.file.Machines[m].States
	action := func(here eval.Scope, clock *syntax.Clock) program.Action { return c.machineAction(here, m, clock) }
	tables := make([]program.State, len(states))
	for v := range states {
		s := &states[v]
		build := func(here eval.Scope) (st program.State) {
			c.timers(here, s, &st, action)
			return st
		}
		by := c.timersDependOn(here, s)
		fixed := fixedValue{c.program.Machines[m].Attribute, uint16(v)}
		tables[v] = c.tableByCell(here, t, by, 1+len(s.Race)+len(s.Split), fixed, build)
	}
	return tables
}

// machineStarts works out who is in which state of each machine at the start: numbers that are
// dealt, and how everybody else draws.
func (c *compiler) machineStarts(here eval.Scope) {
	for m := range c.file.Machines {
		text := &c.file.Machines[m]
		what := "machines: " + text.Name + ": start"
		enter := syntax.Enter{Ref: syntax.Ref{At: text.StartAt}}
		good := !text.StartBad && !text.StatesBad
		for k := range text.Start {
			s := &text.Start[k]
			v := c.machineValue(m, s.State, what, false)
			count, isCount, ok := machineCount(here, s)
			switch good = good && ok && v != program.NoState; {
			case !good:
			case isCount:
				c.program.Machines[m].Deals = append(c.program.Machines[m].Deals, program.Deal{Value: v, Count: count})
			default:
				enter.Into = append(enter.Into, syntax.EnterShare{State: s.State, Share: s.Value, Rest: s.Rest})
			}
		}
		if good && len(enter.Into) > 0 {
			c.program.Machines[m].StartDraw = c.drawAtEntry(here, c.program.Machines[m].Attribute, &enter, what)
		}
	}
}

// machineCount returns the number of individuals that begin in a state, and whether it is one and
// not a probability.
func machineCount(here eval.Scope, s *syntax.MachineShare) (count int, isCount, ok bool) {
	if s.Rest || s.Kind == syntax.ComputedShare {
		return 0, false, true
	}
	if s.Kind == syntax.ComputedShareOrCount {
		got, _, ok := here.Resolve(s.Value, s.What)
		if !ok {
			return 0, false, false
		}
		if got.IsQuantity() && got.Quantity.Kind == quantity.Share {
			return 0, false, true
		}
	}
	count, ok = here.Individuals(s.Value, s.What, ", or a percentage")
	return count, true, ok
}

// checkDeals compares the numbers that are dealt with those who are there at the start.
func (c *compiler) checkDeals() {
	if c.Count > 0 {
		return
	}
	for m := range c.program.Machines {
		one, text := &c.program.Machines[m], &c.file.Machines[m]
		free, sum := 0, 0
		for i := range c.program.StartGroups {
			if b := &c.program.StartGroups[i]; one.Dealt(&b.Entry) {
				free += b.Count
			}
		}
		if c.table() != nil {
			free = c.freePeople(one.Attribute)
		}
		for _, d := range one.Deals {
			sum += d.Count
		}
		at := text.StartAt
		if diag.OnCommandLine(c.file.SizeAt) {
			at = c.file.SizeAt
		}
		for _, s := range text.Start {
			if diag.OnCommandLine(s.Value.At) {
				at = s.Value.At
			}
		}
		switch {
		case sum > free:
			c.Add(at, "machines: %s: start: %s %s more than the %d there are", text.Name, format.Plural(sum, "individual"),
				format.Be(sum), free)
		case sum < free && one.StartDraw == nil:
			c.Add(at, "machines: %s: start: %d of %s; give one state the rest, as in %s: rest", text.Name, sum,
				format.Plural(free, "individual"), text.States[0].Name)
		}
	}
}

// machineSince works out how long individuals of the start have been in the states of machines.
func (c *compiler) machineSince(here eval.Scope) {
	if c.Stopped {
		return
	}
	var all [][]*program.ByCell[law.Law]
	for m := range c.file.Machines {
		for k := range c.file.Machines[m].Start {
			s := &c.file.Machines[m].Start[k]
			if !s.Since.Given() {
				continue
			}
			v := c.machineValue(m, s.State, s.What, false)
			if v == program.NoState {
				continue
			}
			if all == nil {
				all = make([][]*program.ByCell[law.Law], len(c.file.Machines))
			}
			if all[m] == nil {
				all[m] = make([]*program.ByCell[law.Law], len(c.file.Machines[m].States))
			}
			name := c.program.Counted[c.program.Machines[m].FirstCount+int(v)]
			var table *program.State
			if tables := c.program.FirstPhase.Machines[m]; tables != nil {
				table = &tables[v]
			}
			all[m][v] = c.sinceLaw(here, &program.Entry{}, s.Since, s.What+": since", name, table)
		}
	}
	if all == nil {
		return
	}
	for i := range c.program.StartGroups {
		c.program.StartGroups[i].MachineSince = all
	}
}

// needEnter reports, once for each machine, that nothing says in which state somebody enters.
func (c *compiler) needEnter(m int, which string) {
	text := &c.file.Machines[m]
	if c.enterMissing[m] || text.StatesBad || len(text.States) == 0 {
		return
	}
	c.enterMissing[m] = true
	c.Add(text.At, "machines: %s: somebody may enter (%s), and nothing says in which state; write enter: %s, or with or "+
		"inherit there", text.Name, which, text.States[0].Name)
}

// enterMachines sets the states of machines in which an individual enters, where with and inherit
// do not. Of those at the start that is the start of the machine, and which is empty.
func (c *compiler) enterMachines(here eval.Scope, in *program.Entry, which string) {
	for m := range c.program.Machines {
		a := c.program.Machines[m].Attribute
		if in.ValueOf(a) != program.Drawn || in.Draws != nil && in.Draws[a] != nil {
			continue
		}
		text := &c.file.Machines[m]
		switch what := "machines: " + text.Name + ": enter"; {
		case which == "":
			c.setDraw(in, a, c.program.Machines[m].StartDraw)
		case !text.Enter.Given():
			c.needEnter(m, which)
		case len(text.Enter.Into) > 0 && !text.Enter.Bad:
			c.setDraw(in, a, c.drawAtEntry(here, a, &text.Enter, what))
		case !text.Enter.Bad:
			if v := c.machineValue(m, text.Enter.Ref, what, false); v != program.NoState {
				in.Given = c.allDrawn(in.Given)
				in.Given[a] = int32(v)
			}
		}
	}
}

// setDraw sets how an attribute of an individual that enters is drawn.
func (c *compiler) setDraw(in *program.Entry, attribute int, draw *program.EntryStates) {
	if draw == nil {
		return
	}
	if in.Draws == nil {
		in.Draws = make([]*program.EntryStates, len(c.program.Attributes))
	}
	in.Draws[attribute] = draw
}

// maxMachines is the number of machines that a file can have.
const maxMachines = 250
