package engine

import (
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// tallies are the counts of a run.
//
// Invariants: the Counts of states add up to Alive; no count is above its peak.
type tallies struct {
	Alive      int
	Counts     []int    // individuals in each state, and then in each state of machines
	Flows      []uint64 // since the start
	Named      []uint64 // how often each name happened since the start
	Events     uint64
	Peaks      []Peak // of each state
	personTime store.PersonTime
	ByGroup    *groupTallies // nil if nothing is recorded by group
	outcomes   *outcomes     // nil if there are none, and no person-time is recorded
}

// groupTallies are the counts of each group that is recorded by itself, and of those that
// conditions count.
//
// A flow counts for the group after the event: an individual whose clock changes its state and an
// attribute has the new value then, as the event says.
type groupTallies struct {
	groupings []program.Grouping
	states    int
	Groups    []Tally
	watched   []watchedTally
	totals    []int // individuals in each of watched
}

// A watchedTally has the counts of a group of Program.Watched.
type watchedTally struct {
	Tally
	where []program.Condition
}

// A Tally has the counts of one group.
type Tally struct {
	Counts []int
	Flows  []uint64
	Named  []uint64
}

// newGroupTallies returns nil if nothing is recorded by group.
func newGroupTallies(m *program.Program) *groupTallies {
	if len(m.Groups)+len(m.Watched) == 0 {
		return nil
	}
	t := &groupTallies{groupings: m.Groupings, states: len(m.States), Groups: make([]Tally, len(m.Groups))}
	empty := func() Tally {
		return Tally{
			make([]int, len(m.Counted)),
			make([]uint64, len(m.Flows)),
			make([]uint64, len(m.CountedNames)),
		}
	}
	for i := range t.Groups {
		t.Groups[i] = empty()
	}
	for _, where := range m.Watched {
		t.watched = append(t.watched, watchedTally{Tally: empty(), where: where})
	}
	t.totals = make([]int, len(t.watched))
	return t
}

// of returns the tally of an individual's group.
func (t *groupTallies) of(g *program.Grouping, r *Run, id uint32) *Tally {
	k := 0
	for i, a := range g.Attributes {
		k = k*g.Sizes[i] + int(r.attributes[a].Of(id))
	}
	return &t.Groups[g.First+k]
}

// present adds more to the count of a state in the groups of an individual.
func (t *groupTallies) present(r *Run, id uint32, state, more int) {
	if r.phase.Machines != nil {
		t.machines(r, id, more)
	}
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).Counts[state] += more
	}
	for i := range t.watched {
		if w := &t.watched[i]; r.matches(id, w.where) {
			w.Counts[state] += more
			t.totals[i] += more
		}
	}
}

// machines adds more to the counts of the states of an individual's machines, in its groups.
func (t *groupTallies) machines(r *Run, id uint32, more int) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		k := one.FirstCount + int(r.attributes[one.Attribute].Of(id))
		for i := range t.groupings {
			t.of(&t.groupings[i], r, id).Counts[k] += more
		}
		for i := range t.watched {
			if w := &t.watched[i]; r.matches(id, w.where) {
				w.Counts[k] += more
			}
		}
	}
}

// flow counts a flow of an individual, and its name if it has one. from and to are states, or
// numbers beyond them for those who enter or leave.
func (t *groupTallies) flow(r *Run, id uint32, flow, from, to, name int) {
	all := len(t.groupings) + len(t.watched)
	for i := range all {
		var g *Tally
		if i < len(t.groupings) {
			g = t.of(&t.groupings[i], r, id)
		} else if w := &t.watched[i-len(t.groupings)]; !r.matches(id, w.where) {
			continue
		} else if g = &w.Tally; from < t.states && to >= t.states {
			t.totals[i-len(t.groupings)]--
		}
		g.Flows[flow]++
		if from < t.states { // those who enter are counted by register
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

// passed counts a flow that changes no state.
func (t *groupTallies) passed(r *Run, id uint32, flow int) {
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).Flows[flow]++
	}
	for i := range t.watched {
		if w := &t.watched[i]; r.matches(id, w.where) {
			w.Flows[flow]++
		}
	}
}

// moved counts the name of a move that changes no state.
func (t *groupTallies) moved(r *Run, id uint32, name int) {
	if name < 0 {
		return
	}
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).Named[name]++
	}
	for i := range t.watched {
		if w := &t.watched[i]; r.matches(id, w.where) {
			w.Named[name]++
		}
	}
}

// RecordedBytes is how many bytes a row takes: of all individuals, and of each group.
func RecordedBytes(m *program.Program) float64 {
	each := 4*len(m.Counted) + 8*len(m.Flows) + 8*len(m.CountedNames) + 8*len(m.Outcomes) + 8*recordedTimes(m) +
		24*len(m.Observations)
	return float64(each) * float64(1+len(m.Groups))
}

// groupTallyBytes is how many bytes the tallies of all groups take.
func groupTallyBytes(m *program.Program) float64 {
	each := float64(8*(len(m.Counted)+len(m.Flows)+len(m.CountedNames)) + 72)
	return float64(float64(len(m.Groups)+len(m.Watched))*each) + outcomeBytes(m)
}

// copy copies the tallies of the same program into the memory of t. Each may be nil.
func (t *groupTallies) copy(from *groupTallies) *groupTallies {
	if from == nil {
		return nil
	}
	if t == nil {
		t = &groupTallies{from.groupings, from.states, make([]Tally, len(from.Groups)), nil, nil}
		t.watched = make([]watchedTally, len(from.watched))
	}
	for i := range from.Groups {
		t.Groups[i].copy(&from.Groups[i])
	}
	t.totals = append(t.totals[:0], from.totals...)
	for i := range from.watched {
		to, w := &t.watched[i], &from.watched[i]
		to.Tally.copy(&w.Tally)
		to.where = w.where
	}
	return t
}

// copy copies the counts of another tally.
func (t *Tally) copy(from *Tally) {
	*t = Tally{
		append(t.Counts[:0], from.Counts...),
		append(t.Flows[:0], from.Flows...),
		append(t.Named[:0], from.Named...),
	}
}

// countName counts a name, unless it is −1.
func (r *Run) countName(name int) {
	if name >= 0 {
		r.Named[name]++
	}
}

// countMove counts a move that changes no state, and reports it to OnEvent.
func (r *Run) countMove(id, by uint32, name int) { r.countMoveAs(id, by, name, name) }

// countMoveAs is countMove with the name to count given apart.
func (r *Run) countMoveAs(id, by uint32, name, counted int) {
	r.countName(counted)
	if r.tracing != nil && counted >= 0 {
		r.call(id, r.Program.Calls.OfName[counted])
	}
	if r.ByGroup != nil {
		r.ByGroup.moved(r, id, counted)
	}
	if r.outcomes != nil {
		r.nameHappened(id, counted)
	}
	if r.observers != nil {
		r.observers.happened(r, id, by, counted, -1)
	}
	if r.OnEvent != nil {
		r.notify(Event{Kind: Moved, State: r.status(id).state, Name: name}, id, by)
	}
}

// countFlow counts a change of state and reports it to OnEvent. counted is the name that groups
// count.
func (r *Run) countFlow(id, by uint32, from int, to uint16, name, counted int) {
	k := r.Program.FlowOf(from, to)
	r.Flows[k]++
	if r.ByGroup != nil {
		r.ByGroup.flow(r, id, int(k), from, int(to), counted)
	}
	if r.OnEvent == nil {
		return
	}
	kind := Changed
	switch {
	case from >= len(r.Program.States):
		kind = Entered
	case to == program.NoState:
		kind = Left
	}
	if r.places != nil && kind == Changed { // see become
		r.places.told, r.places.toldBy = Event{Kind: kind, Flow: k, Name: name}, by
		return
	}
	r.notify(Event{Kind: kind, Flow: k, Name: name}, id, by)
}

// countAlive adds change to the number of the living, and brings person-time up to date.
func (r *Run) countAlive(change int) {
	r.personTime.AdvanceTo(r.Now, r.Alive)
	r.Alive += change
}

// A Peak is the largest count of a state, and when it was first reached, on the model's clock.
type Peak struct {
	Count int
	Time  float64
}

// census returns the numbers that rates may depend on.
func (r *Run) census(who *program.Individual) program.Census {
	c := program.Census{Total: r.Alive, Counts: r.Counts, Who: who}
	if r.ByGroup != nil {
		c.Groups = r.ByGroup.totals
	}
	return c
}
