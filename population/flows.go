package population

import (
	"maps"
	"slices"
)

// Flows are listed by where they come from and then by where they go, so that one is found among those that come from the same
// state: few, as a rule, however many states there are.

// mostFlows is how many ways between states there may be. Every row of every replica has a number for each.
const mostFlows = 1_000_000

// enumerate lists the flows that are possible.
func (c *compiler) enumerate() {
	if c.found > 0 {
		return // names may be missing
	}
	n := len(c.m.states)
	possible := map[uint32]bool{} // by where from, times 2¹⁶, and where to; out comes behind all states
	add := func(from int, to uint16) {
		if to == nobody {
			to = uint16(n)
		}
		possible[uint32(from)<<16|uint32(to)] = true
	}
	take := func(t *tables, from int, do *action) {
		switch {
		case do.verb == doBirth:
			do.in.each(func(state uint16) { add(n+fromBirths, state) })
		case do.verb == doContact:
			if self := t.contacts[do.contact].self; self != same {
				add(from, self)
			}
		case do.verb == doMove && do.to != same && (do.from == nil || do.from[from]):
			add(from, do.to)
		}
	}
	for _, t := range c.m.phases {
		for s := range t.states {
			t.states[s].each(func(do *action) { take(t, s, do) })
			for i := range t.always {
				take(t, s, &t.always[i].do)
			}
			if len(possible) > mostFlows {
				break
			}
		}
		for i := range t.contacts {
			for met, to := range t.contacts[i].becomes {
				if to != same && to != asIs {
					add(met, to)
				}
			}
		}
		for i := range t.immigration {
			t.immigration[i].in.each(func(state uint16) { add(n+fromImmigration, state) })
		}
	}
	deeds := slices.Clone(c.m.triggers)
	for i := range c.m.plans {
		if d := c.m.plans[i].deed; len(deeds) == 0 || d != deeds[len(deeds)-1] { // not again and again
			deeds = append(deeds, d)
		}
	}
	for _, d := range deeds {
		for s := range n {
			if d.do.to != same && (d.who == nil || d.who[s]) && len(possible) <= mostFlows {
				add(s, d.do.to)
			}
		}
		for _, t := range d.turns {
			if t.in != nil {
				t.in.each(func(state uint16) { add(n+fromPlans, state) })
			}
		}
	}
	if len(possible) > mostFlows {
		c.add(place{file: c.f.path, line: 1, column: 1}, "there are more than %s ways from a state to another; expected fewer: always and interventions that are for all states make one from each of them", thousands(mostFlows))
		return
	}
	c.m.flowsFrom = make([]int32, n+entrances+1)
	for _, key := range slices.Sorted(maps.Keys(possible)) {
		from, to := int(key>>16), uint16(key)
		f := Flow{From: Out, To: Out}
		if from < n {
			f.From = c.m.states[from]
		} else {
			f.From = entranceNames[from-n]
		}
		if int(to) < n {
			f.To = c.m.states[to]
		} else {
			to = nobody
		}
		c.m.flows, c.m.flowsTo = append(c.m.flows, f), append(c.m.flowsTo, to)
		c.m.flowsFrom[from+1] = int32(len(c.m.flows))
	}
	for i := range n + entrances {
		c.m.flowsFrom[i+1] = max(c.m.flowsFrom[i+1], c.m.flowsFrom[i])
	}
}

// flowOf is the number of a flow, which must be possible. Most states have one way out, or use one most.
func (m *Model) flowOf(from int, to uint16) int {
	i := int(m.flowsFrom[from])
	if m.flowsTo[i] == to {
		return i
	}
	return m.findFlow(i, int(m.flowsFrom[from+1]), to)
}

// findFlow searches for it among those from the same state.
func (m *Model) findFlow(i, end int, to uint16) int {
	k, _ := slices.BinarySearch(m.flowsTo[i:end], to)
	return i + k
}

// each calls f with all that can happen in a state.
func (t *stateTable) each(f func(do *action)) {
	var last *stateTable
	for _, cell := range t.cells {
		if cell != last {
			cell.each(f)
			last = cell
		}
	}
	for i := range t.menu {
		f(&t.menu[i].do)
	}
	for i := range t.race {
		f(&t.race[i].do)
	}
	for i := range t.split {
		f(&t.split[i].do)
	}
	for i := range t.vary {
		f(&t.vary[i].do)
	}
}
