package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

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

// noteMoves adds the flows of machines that moves cause for individuals that meet conditions.
func (c *compiler) noteMoves(moves []program.Move, where []program.Condition) {
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
	if do.To == program.NoState {
		c.noteLeaving(where)
	}
	c.noteMoves(do.Moves, where)
	if do.Uses != nil && do.Uses.Full != nil {
		c.noteAction(do.Uses.Full, where)
		if moves := do.Uses.Full.Moves; do.Uses.Queue {
			later := *do
			later.Uses = nil
			if len(moves) > 0 {
				where = []program.Condition{c.isIn(int(moves[0].Machine), int(moves[0].Value))}
			}
			c.noteAction(&later, where)
		}
	}
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
