package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
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
