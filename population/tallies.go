package population

// tallies count by group, beside the counts of all. A replica has them only if somebody asked.
//
// Flows count for the group that an individual is in when it goes: one who changes its state and an attribute by the same clock has the new
// value then, as its event says.
type tallies struct {
	groupings []grouping
	states    int
	groups    []tally
}

// A tally is what is counted of a group.
type tally struct {
	counts []int
	flows  []uint64
	named  []uint64
}

// newTallies are nil if nothing is recorded by group.
func newTallies(m *program) *tallies {
	if len(m.groups) == 0 {
		return nil
	}
	t := &tallies{groupings: m.groupings, states: len(m.states), groups: make([]tally, len(m.groups))}
	for i := range t.groups {
		t.groups[i] = tally{make([]int, len(m.states)), make([]uint64, len(m.flows)), make([]uint64, len(m.names))}
	}
	return t
}

// of is the tally of an individual's group.
func (t *tallies) of(g *grouping, r *replica, id uint32) *tally {
	k := 0
	for i, a := range g.attributes {
		k = k*g.sizes[i] + int(r.values[a].of(id))
	}
	return &t.groups[g.first+k]
}

// present counts so many more of an individual's groups in the state.
func (t *tallies) present(r *replica, id uint32, state, more int) {
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).counts[state] += more
	}
}

// flow counts a flow of an individual, and what it goes by if that has a name. Where it comes from and goes to is a state, or not one.
func (t *tallies) flow(r *replica, id uint32, flow, from, to, name int) {
	for i := range t.groupings {
		g := t.of(&t.groupings[i], r, id)
		g.flows[flow]++
		if from < t.states { // those who enter have been counted
			g.counts[from]--
			if to < t.states {
				g.counts[to]++
			}
		}
		if name >= 0 {
			g.named[name]++
		}
	}
}

// moved counts a move that changes no state and has a name.
func (t *tallies) moved(r *replica, id uint32, name int) {
	if name < 0 {
		return
	}
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).named[name]++
	}
}

// recordedBytes is what a row takes of all, and of each group by itself.
func recordedBytes(m *program) float64 {
	return float64(4*len(m.states)+8*len(m.flows)+8*len(m.names)) * float64(1+len(m.groups))
}

// tallyBytes is what the tallies of a replica take.
func tallyBytes(m *program) float64 {
	return float64(len(m.groups)) * float64(8*(len(m.states)+len(m.flows)+len(m.names))+72)
}

// copy returns a copy of tallies, of the same model, in the memory of others. Each may be nil.
func (t *tallies) copy(from *tallies) *tallies {
	if from == nil {
		return nil
	}
	if t == nil {
		t = &tallies{from.groupings, from.states, make([]tally, len(from.groups))}
	}
	for i := range from.groups {
		to, g := &t.groups[i], &from.groups[i]
		*to = tally{append(to.counts[:0], g.counts...), append(to.flows[:0], g.flows...), append(to.named[:0], g.named...)}
	}
	return t
}
