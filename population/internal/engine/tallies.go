package engine

import "github.com/almanac-sim/almanac/population/internal/program"

// tallies count by group, beside the counts of all. A replica has them only if somebody asked.
//
// Flows count for the group that an individual is in when it goes: one who changes its state and an attribute by the same clock has the new
// value then, as its event says.
type tallies struct {
	groupings []program.Grouping
	states    int
	Groups    []Tally
}

// A Tally is what is counted of a group.
type Tally struct {
	Counts []int
	Flows  []uint64
	Named  []uint64
}

// newTallies are nil if nothing is recorded by group.
func newTallies(m *program.Program) *tallies {
	if len(m.Groups) == 0 {
		return nil
	}
	t := &tallies{groupings: m.Groupings, states: len(m.States), Groups: make([]Tally, len(m.Groups))}
	for i := range t.Groups {
		t.Groups[i] = Tally{make([]int, len(m.States)), make([]uint64, len(m.Flows)), make([]uint64, len(m.Names))}
	}
	return t
}

// of is the tally of an individual's group.
func (t *tallies) of(g *program.Grouping, r *Run, id uint32) *Tally {
	k := 0
	for i, a := range g.Attributes {
		k = k*g.Sizes[i] + int(r.values[a].of(id))
	}
	return &t.Groups[g.First+k]
}

// present counts so many more of an individual's groups in the state.
func (t *tallies) present(r *Run, id uint32, state, more int) {
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).Counts[state] += more
	}
}

// flow counts a flow of an individual, and what it goes by if that has a name. Where it comes from and goes to is a state, or not one.
func (t *tallies) flow(r *Run, id uint32, flow, from, to, name int) {
	for i := range t.groupings {
		g := t.of(&t.groupings[i], r, id)
		g.Flows[flow]++
		if from < t.states { // those who enter have been counted
			g.Counts[from]--
			if to < t.states {
				g.Counts[to]++
			}
		}
		if name >= 0 {
			g.Named[name]++
		}
	}
}

// moved counts a move that changes no state and has a name.
func (t *tallies) moved(r *Run, id uint32, name int) {
	if name < 0 {
		return
	}
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).Named[name]++
	}
}

// RecordedBytes is what a row takes of all, and of each group by itself.
func RecordedBytes(m *program.Program) float64 {
	return float64(4*len(m.States)+8*len(m.Flows)+8*len(m.Names)) * float64(1+len(m.Groups))
}

// tallyBytes is what the tallies of a replica take.
func tallyBytes(m *program.Program) float64 {
	return float64(len(m.Groups)) * float64(8*(len(m.States)+len(m.Flows)+len(m.Names))+72)
}

// copy returns a copy of tallies, of the same model, in the memory of others. Each may be nil.
func (t *tallies) copy(from *tallies) *tallies {
	if from == nil {
		return nil
	}
	if t == nil {
		t = &tallies{from.groupings, from.states, make([]Tally, len(from.Groups))}
	}
	for i := range from.Groups {
		to, g := &t.Groups[i], &from.Groups[i]
		*to = Tally{append(to.Counts[:0], g.Counts...), append(to.Flows[:0], g.Flows...), append(to.Named[:0], g.Named...)}
	}
	return t
}
