package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// listFlows lists all flows that the program can cause, ordered by where they come from and then by
// where they go.
func (c *compiler) listFlows() {
	if c.Count > 0 {
		return // a missing name would leave a gap
	}
	possible := c.possibleFlows()
	n := len(possible)
	for _, more := range c.machineFlows {
		n += len(more)
	}
	if n > maxFlows {
		c.Add(diag.Place{File: c.file.Path, Line: 1, Column: 1},
			"there are more than %s ways from a state to another; expected fewer: always and interventions that are "+
				"for all states make one from each of them", format.Thousands(float64(maxFlows)))
		return
	}
	p := c.program
	n = len(p.States)
	entrances := [program.EntryKinds]string{syntax.ByBirth, syntax.ByImmigration, syntax.ByIntervention}
	p.FlowsFrom = make([]int32, n+program.EntryKinds+1)
	for _, key := range slices.Sorted(maps.Keys(possible)) {
		from, to := int(key>>16), uint16(key)
		f := program.Flow{To: syntax.Out}
		if from < n {
			f.From = p.States[from]
		} else {
			f.From = entrances[from-n]
		}
		if int(to) < n {
			f.To = p.States[to]
		} else {
			to = program.NoState
		}
		p.Flows, p.FlowsTo = append(p.Flows, f), append(p.FlowsTo, to)
		p.FlowsFrom[from+1] = int32(len(p.Flows))
	}
	for i := range n + program.EntryKinds {
		p.FlowsFrom[i+1] = max(p.FlowsFrom[i+1], p.FlowsFrom[i])
	}
	c.bandFlows()
	c.listMachineFlows()
}

// A flowSet is a set of flows: from<<16 | to. The ways of entering are numbered after all states,
// and so is leaving.
type flowSet map[uint32]bool

// possibleFlows collects all flows that the program can cause, and stops when there are too many.
func (c *compiler) possibleFlows() flowSet {
	n, possible := len(c.program.States), flowSet{}
	add := func(from int, to uint16) {
		if to == program.NoState {
			to = uint16(n)
		}
		possible[uint32(from)<<16|uint32(to)] = true
	}
	enter := func(by int, in *program.Entry) {
		in.EachState(func(state uint16) { add(n+by, state) })
		c.noteEntry(by, in)
	}
	addAction := func(t *program.Phase, from int, do *program.Action) {
		if do.Child != nil {
			enter(program.ByBirth, do.Child)
		}
		switch {
		case do.Kind == program.DoContact:
			if self := t.Contacts[do.Contact].Self; self != program.SameState {
				add(from, self)
			}
			if full := t.Contacts[do.Contact].FullOfMaker(); full != program.SameState {
				add(from, full)
			}
		case do.Kind == program.DoMove && (do.From == nil || do.From[from]):
			if do.To != program.SameState {
				add(from, do.To)
			}
			if do.Uses != nil && do.Uses.Full != nil && do.Uses.Full.To != program.SameState {
				add(from, do.Uses.Full.To)
				if do.Uses.Queue && do.To != program.SameState && do.Uses.Full.To != program.NoState {
					add(int(do.Uses.Full.To), do.To)
				}
			}
		}
	}
	for _, t := range c.program.Phases {
		for s := range t.States {
			t.States[s].EachAction(func(do *program.Action) { addAction(t, s, do) })
			for i := range t.Always {
				addAction(t, s, &t.Always[i].Do)
			}
			if len(possible) > maxFlows {
				break
			}
		}
		for _, all := range t.Machines {
			for v := range all {
				all[v].EachAction(func(do *program.Action) {
					for s := range t.States {
						addAction(t, s, do)
					}
				})
			}
		}
		contacts := slices.Clone(t.Contacts)
		for i := range t.Tracing {
			contacts = append(contacts, t.Tracing[i].Effect)
		}
		for i := range contacts {
			if rich := contacts[i].Rich; rich != nil && slices.Contains(rich.Becomes, program.NoState) {
				for s := range t.States {
					add(s, program.NoState)
				}
			}
			full := contacts[i].FullOfOther()
			for met, to := range contacts[i].Becomes {
				if to != program.SameState && to != program.Unchanged {
					add(met, to)
				}
				if to != program.SameState && full != program.SameState && contacts[i].ChangesOther(to) {
					add(met, full)
					if contacts[i].Uses.Queue && to != program.Unchanged && full != program.NoState {
						add(int(full), to)
					}
				}
			}
		}
		for i := range t.Immigration {
			enter(program.ByImmigration, &t.Immigration[i].In)
		}
	}
	interventions := slices.Clone(c.program.Triggered)
	for i := range c.program.Scheduled {
		interventions = append(interventions, c.program.Scheduled[i].Intervention)
	}
	for _, d := range slices.Compact(interventions) { // a repeated one is scheduled many times
		for s := range n {
			if d.Do.To != program.SameState && (d.Who == nil || d.Who[s]) && len(possible) <= maxFlows {
				add(s, d.Do.To)
			}
			if use := d.Do.Uses; use != nil && use.Full != nil && (d.Who == nil || d.Who[s]) {
				add(s, use.Full.To)
				if use.Queue && d.Do.To != program.SameState && use.Full.To != program.NoState {
					add(int(use.Full.To), d.Do.To)
				}
			}
		}
		for _, effect := range d.Effects {
			if effect.In != nil {
				enter(program.ByIntervention, effect.In)
			}
		}
	}
	return possible
}

// valuesOf returns the states of a machine that conditions allow: nil if they allow all.
func (c *compiler) valuesOf(m int, where []program.Condition) []bool {
	for i := range where {
		if where[i].Attribute == c.program.Machines[m].Attribute {
			return where[i].Is
		}
	}
	return nil
}

// addMachineFlow adds a flow of a machine from each of some states, nil for all, and stops when
// there are too many.
func (c *compiler) addMachineFlow(m int, from []bool, to uint16, enters bool) {
	for v := range c.file.Machines[m].States {
		if (from == nil || from[v]) && (enters || v != int(to)) && len(c.machineFlows[m]) <= maxFlows {
			c.machineFlows[m][uint32(v)<<16|uint32(to)] = true
		}
	}
}

// noteMoves adds the flows of machines that moves cause for individuals that meet conditions. A table
// by state is read in the state to, if that is one.
func (c *compiler) noteMoves(to uint16, moves []program.Move, where []program.Condition) {
	inState := func(cell []uint16) bool {
		a := c.program.StateAttribute
		return a < 0 || to >= program.Unchanged || cell[a] == to || cell[a] == eval.Unset
	}
	moved := map[int16][]bool{} // the states after the moves before
	for i := range moves {
		mv := &moves[i]
		if mv.Machine < 0 {
			continue
		}
		m := int(mv.Machine)
		from, ok := moved[mv.Machine]
		if !ok {
			from = c.valuesOf(m, where)
		}
		targets := make([]bool, len(c.file.Machines[m].States))
		switch {
		case mv.Inherits:
			for v := range targets {
				targets[v] = true
			}
		case mv.Gives != nil:
			for k := range mv.Gives.Values {
				g := &mv.Gives.Values[k]
				if !inState(c.cell(mv.Gives.By, k)) {
					continue
				}
				if g.Draw == nil {
					targets[g.Value] = true
					continue
				}
				for _, v := range g.Draw.States {
					if int(v) < len(targets) {
						targets[v] = true
					}
				}
			}
		default:
			targets[mv.Value] = true
		}
		for v, is := range targets {
			if is {
				c.addMachineFlow(m, from, uint16(v), mv.Enters)
			}
		}
		moved[mv.Machine] = targets
	}
}

// noteLeaving adds the flows of machines of individuals that leave.
func (c *compiler) noteLeaving(where []program.Condition) {
	for m := range c.program.Machines {
		c.addMachineFlow(m, c.valuesOf(m, where), program.NoState, true)
	}
}

// noteAction adds the flows of machines that an action causes.
func (c *compiler) noteAction(do *program.Action, where []program.Condition) {
	if len(c.program.Machines) == 0 {
		return
	}
	if do.To == program.NoState { // and makes no move
		c.noteLeaving(where)
	} else {
		c.noteMoves(do.To, do.Moves, where)
	}
	if do.Uses != nil && do.Uses.Full != nil {
		c.noteAction(do.Uses.Full, where)
		if do.Uses.Queue {
			later := *do
			later.Uses = nil
			c.noteAction(&later, c.whileWaiting(do.Uses))
		}
	}
}

// whileWaiting is what is known of an individual that waits in a queue: the state of a machine that
// it waits in. Everything else may change meanwhile.
func (c *compiler) whileWaiting(use *program.Use) []program.Condition {
	if moves := use.Full.Moves; len(moves) > 0 {
		return []program.Condition{c.isIn(int(moves[0].Machine), int(moves[0].Value))}
	}
	return nil
}

// noteEntry adds the flows of machines of individuals that enter.
func (c *compiler) noteEntry(kind int, in *program.Entry) {
	for m := range c.program.Machines {
		a, n := c.program.Machines[m].Attribute, len(c.file.Machines[m].States)
		add := func(v uint16) { c.machineFlows[m][uint32(n+kind)<<16|uint32(v)] = true }
		switch given := in.ValueOf(a); {
		case given >= 0:
			add(uint16(given))
		case given == program.Drawn && in.Draws != nil && in.Draws[a] != nil:
			for _, v := range in.Draws[a].States {
				add(v)
			}
		case given == program.Inherited:
			for v := range n {
				add(uint16(v))
			}
		}
	}
}

// listMachineFlows lists the flows of all machines, after all others.
func (c *compiler) listMachineFlows() {
	p := c.program
	entrances := [program.EntryKinds]string{syntax.ByBirth, syntax.ByImmigration, syntax.ByIntervention}
	for i := range p.Machines {
		m, values := &p.Machines[i], p.Attributes[p.Machines[i].Attribute].Values
		prefix := c.file.Machines[i].Name + "="
		m.FirstFlow, m.FlowsFrom = len(p.Flows), make([]int32, len(values)+program.EntryKinds+1)
		for _, key := range slices.Sorted(maps.Keys(c.machineFlows[i])) {
			from, to := int(key>>16), uint16(key)
			f := program.Flow{To: syntax.Out}
			if from < len(values) {
				f.From = prefix + values[from]
			} else {
				f.From = prefix + entrances[from-len(values)]
			}
			if to != program.NoState {
				f.To = values[to]
			}
			p.Flows, m.FlowsTo = append(p.Flows, f), append(m.FlowsTo, to)
			m.FlowsFrom[from+1] = int32(len(m.FlowsTo))
		}
		for k := range len(values) + program.EntryKinds {
			m.FlowsFrom[k+1] = max(m.FlowsFrom[k+1], m.FlowsFrom[k])
		}
	}
}
