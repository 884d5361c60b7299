package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// mostFlows is how many ways between states there may be. Every row of every replica has a number for each.
const mostFlows = 1_000_000

// enumerate lists the flows that are possible.
func (c *compiler) enumerate() {
	if c.Found > 0 {
		return // names may be missing
	}
	n := len(c.m.States)
	possible := map[uint32]bool{} // by where from, times 2¹⁶, and where to; out comes behind all states
	add := func(from int, to uint16) {
		if to == program.Nobody {
			to = uint16(n)
		}
		possible[uint32(from)<<16|uint32(to)] = true
	}
	take := func(t *program.Phase, from int, do *program.Action) {
		switch {
		case do.Verb == program.DoBirth:
			do.In.Each(func(state uint16) { add(n+program.ByBirth, state) })
		case do.Verb == program.DoContact:
			if self := t.Contacts[do.Contact].Self; self != program.SameState {
				add(from, self)
			}
		case do.Verb == program.DoMove && do.To != program.SameState && (do.From == nil || do.From[from]):
			add(from, do.To)
		}
	}
	for _, t := range c.m.Phases {
		for s := range t.States {
			t.States[s].Each(func(do *program.Action) { take(t, s, do) })
			for i := range t.Always {
				take(t, s, &t.Always[i].Do)
			}
			if len(possible) > mostFlows {
				break
			}
		}
		for i := range t.Contacts {
			for met, to := range t.Contacts[i].Becomes {
				if to != program.SameState && to != program.Unchanged {
					add(met, to)
				}
			}
		}
		for i := range t.Immigration {
			t.Immigration[i].In.Each(func(state uint16) { add(n+program.ByImmigration, state) })
		}
	}
	deeds := slices.Clone(c.m.Triggered)
	for i := range c.m.Scheduled {
		if d := c.m.Scheduled[i].Intervention; len(deeds) == 0 || d != deeds[len(deeds)-1] { // not again and again
			deeds = append(deeds, d)
		}
	}
	for _, d := range deeds {
		for s := range n {
			if d.Do.To != program.SameState && (d.Who == nil || d.Who[s]) && len(possible) <= mostFlows {
				add(s, d.Do.To)
			}
		}
		for _, t := range d.Effects {
			if t.In != nil {
				t.In.Each(func(state uint16) { add(n+program.ByIntervention, state) })
			}
		}
	}
	if len(possible) > mostFlows {
		c.Add(diag.Place{File: c.f.Path, Line: 1, Column: 1}, "there are more than %s ways from a state to another; expected fewer: always and interventions that are for all states make one from each of them", format.Thousands(float64(mostFlows)))
		return
	}
	c.m.FlowsFrom = make([]int32, n+program.Entrances+1)
	for _, key := range slices.Sorted(maps.Keys(possible)) {
		from, to := int(key>>16), uint16(key)
		f := program.Flow{From: syntax.Out, To: syntax.Out}
		if from < n {
			f.From = c.m.States[from]
		} else {
			f.From = [program.Entrances]string{syntax.ByBirth, syntax.ByImmigration, syntax.ByIntervention}[from-n]
		}
		if int(to) < n {
			f.To = c.m.States[to]
		} else {
			to = program.Nobody
		}
		c.m.Flows, c.m.FlowsTo = append(c.m.Flows, f), append(c.m.FlowsTo, to)
		c.m.FlowsFrom[from+1] = int32(len(c.m.Flows))
	}
	for i := range n + program.Entrances {
		c.m.FlowsFrom[i+1] = max(c.m.FlowsFrom[i+1], c.m.FlowsFrom[i])
	}
}
