package population

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
)

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
		c.add(place{file: c.f.path, line: 1, column: 1}, "there are more than %s ways from a state to another; expected fewer: always and interventions that are for all states make one from each of them", format.Thousands(float64(mostFlows)))
		return
	}
	c.m.flowsFrom = make([]int32, n+entrances+1)
	for _, key := range slices.Sorted(maps.Keys(possible)) {
		from, to := int(key>>16), uint16(key)
		f := flow{From: Out, To: Out}
		if from < n {
			f.From = c.m.states[from]
		} else {
			f.From = [entrances]string{byBirth, byImmigration, byIntervention}[from-n]
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
