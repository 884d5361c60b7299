package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxFlows limits the number of flows. Each row of each replica has a number for every flow.
const maxFlows = 1_000_000

// listFlows lists all flows that the program can cause, ordered by where they come from and then by
// where they go.
func (c *compiler) listFlows() {
	if c.Found > 0 {
		return // a missing name would leave a gap
	}
	n := len(c.program.States)
	possible := map[uint32]bool{} // from<<16 | to; out is numbered after all states
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
	for _, t := range c.program.Phases {
		for s := range t.States {
			t.States[s].Each(func(do *program.Action) { take(t, s, do) })
			for i := range t.Always {
				take(t, s, &t.Always[i].Do)
			}
			if len(possible) > maxFlows {
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
	interventions := slices.Clone(c.program.Triggered)
	for i := range c.program.Scheduled {
		// A repeated intervention is in the schedule many times.
		if d := c.program.Scheduled[i].Intervention; len(interventions) == 0 || d != interventions[len(interventions)-1] {
			interventions = append(interventions, d)
		}
	}
	for _, d := range interventions {
		for s := range n {
			if d.Do.To != program.SameState && (d.Who == nil || d.Who[s]) && len(possible) <= maxFlows {
				add(s, d.Do.To)
			}
		}
		for _, t := range d.Effects {
			if t.In != nil {
				t.In.Each(func(state uint16) { add(n+program.ByIntervention, state) })
			}
		}
	}
	if len(possible) > maxFlows {
		c.Add(diag.Place{File: c.file.Path, Line: 1, Column: 1},
			"there are more than %s ways from a state to another; expected fewer: always and interventions that are "+
				"for all states make one from each of them", format.Thousands(float64(maxFlows)))
		return
	}
	c.program.FlowsFrom = make([]int32, n+program.Entrances+1)
	for _, key := range slices.Sorted(maps.Keys(possible)) {
		from, to := int(key>>16), uint16(key)
		f := program.Flow{From: syntax.Out, To: syntax.Out}
		if from < n {
			f.From = c.program.States[from]
		} else {
			f.From = [program.Entrances]string{syntax.ByBirth, syntax.ByImmigration, syntax.ByIntervention}[from-n]
		}
		if int(to) < n {
			f.To = c.program.States[to]
		} else {
			to = program.Nobody
		}
		c.program.Flows, c.program.FlowsTo = append(c.program.Flows, f), append(c.program.FlowsTo, to)
		c.program.FlowsFrom[from+1] = int32(len(c.program.Flows))
	}
	for i := range n + program.Entrances {
		c.program.FlowsFrom[i+1] = max(c.program.FlowsFrom[i+1], c.program.FlowsFrom[i])
	}
}
