package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// observers record what happens to individuals: a tree of who infected whom, a line list, and what
// is observed. They change nothing in the run and take no number from a stream of an individual: a
// run is the same with and without them. Their random numbers are hashed from the stream of an
// individual as it is, and the time.
//
// A run without observers pays for a nil check at each change of an individual.
type observers struct {
	sources *store.Groups // everybody by state, for Action.Source; nil if no clock has one
	tree    *tree
	people  *lineList
	seen    *sightings
	cause   uint32 // who causes the changes of machines that are made now: itself, another, or noID

	last struct { // contact among neighbours
		near  int // 1 + its number in Program.Near; 0 for none
		maker uint32
		at    float64
	}
}

// among returns the number in Program.Near of the contact by which somebody is infected now, −1 if
// it is not among neighbours.
func (o *observers) among(now float64, id, by uint32) int {
	if l := &o.last; l.at == now && (l.maker == by || l.maker == id) && by != id && by != noID {
		return l.near - 1
	}
	return -1
}

// Purposes of numbers that are hashed from the stream of an individual.
const (
	purposeSource = 0x736f75726365 + iota<<48
	purposeSeen
	purposeSurvey
)

// hashed returns a stream for a purpose, of an individual at this instant. It takes no number from
// the individual's own stream.
func (r *Run) hashed(id uint32, purpose, more uint64) random.Stream {
	return random.New(uint64(*r.stream(id)), math.Float64bits(r.Now), purpose, more)
}

// newObservers returns nil if a program needs none.
func newObservers(m *program.Program, byRows bool) *observers {
	if !m.Observes() {
		return nil
	}
	o := &observers{}
	if m.Sources > 0 {
		o.sources = store.NewGroups(len(m.States))
	}
	if m.Tree != nil {
		o.tree = newTree(m)
	}
	if m.LineList != nil {
		o.people = newLineList(m)
	}
	if len(m.Observations) > 0 {
		o.seen = newSightings(m, byRows)
	}
	return o
}

// grow makes room for so many ids.
func (o *observers) grow(ids int) {
	if o.tree != nil {
		o.tree.infected = store.Extend(o.tree.infected, ids)
	}
	if o.people != nil {
		o.people.grow(ids)
	}
}

// observerBytes is how many bytes an individual takes.
func observerBytes(m *program.Program) (bytes int) {
	if m.Sources > 0 {
		bytes += groupBytes
	}
	if m.Tree != nil {
		bytes += infectionBytes
	}
	if m.LineList != nil {
		bytes += personBytes + 8*len(m.LineList.Times)
	}
	return bytes
}

// bytes is how much memory observers take besides what they have of each individual.
func (o *observers) bytes() (n int) {
	if o == nil {
		return 0
	}
	if o.tree != nil {
		n += o.tree.bytes()
	}
	if o.seen != nil {
		n += o.seen.bytes()
	}
	return n
}

// copy copies the observers of a run of the same program, with n ids.
func (o *observers) copy(own *observers, n int) *observers {
	if o == nil {
		return nil
	}
	if own == nil {
		own = &observers{}
	}
	c := &observers{sources: own.sources.CopyFrom(o.sources)}
	c.tree, c.people, c.seen = o.tree.copy(n), o.people.copy(n), o.seen.copy(own.seen)
	return c
}

// present notes that an individual has entered, or is there at the start.
func (o *observers) present(r *Run, id uint32) {
	if o.sources != nil {
		o.sources.Add(id, int(r.status(id).state))
	}
	if o.tree != nil {
		o.tree.infected[id] = infection{time: math.NaN(), tree: noTree}
	}
	if o.people != nil {
		o.people.enter(r, id)
	}
}

// changed notes that an individual goes from a state to another, or leaves. It is called before the
// individual has left.
func (o *observers) changed(now float64, id uint32, from, to uint16) {
	if o.sources != nil {
		o.sources.Remove(id, int(from))
		if to != program.NoState {
			o.sources.Add(id, int(to))
		}
	}
	if o.tree != nil && to == program.NoState {
		o.tree.quit(now, o.tree.infected[id].tree)
	}
}

// happened notes an event of an individual, as it is after it: the name that counts it and the
// flow, each −1 for none. by is the individual that caused it, itself or noID.
func (o *observers) happened(r *Run, id, by uint32, name, flow int) {
	if o.tree != nil && r.Program.Tree.Is(name, flow) {
		o.tree.infect(r, id, by)
	}
	if o.people != nil {
		o.people.happened(r, id, name, flow)
	}
	if o.seen != nil {
		o.seen.happened(r, id, name, flow)
	}
}

// observeChange is changed and happened for a change of state, or for leaving.
func (r *Run) observeChange(id, by uint32, from, to uint16, name int) {
	o := r.observers
	o.happened(r, id, by, name, r.Program.FlowOf(int(from), to))
	o.changed(r.Now, id, from, to)
	if to == program.NoState && o.people != nil {
		o.people.write(r, id, r.modelTime())
	}
}

// pickSource returns who causes what a clock does to an individual: another one in the states of a
// source, in proportion to their weights, or noID if there is none.
func (r *Run) pickSource(id uint32, state uint16, number int) uint32 {
	s, all := &r.phase.Sources[number-1], r.observers.sources
	total := 0.0
	count := func(k int) float64 {
		n := len(all.Members[s.States[k]])
		if s.States[k] == state {
			n-- // itself
		}
		return float64(float64(n) * s.Weights[k])
	}
	for k := range s.States {
		total += count(k)
	}
	if !(total > 0) {
		return noID
	}
	draws := r.hashed(id, purposeSource, uint64(number))
	u := float64(draws.Float64() * total)
	last := -1
	for k := range s.States {
		w := count(k)
		if w <= 0 {
			continue
		}
		if last = k; u < w {
			break
		}
		u -= w
	}
	other, ok := all.Other(id, int(state), int(s.States[last]), &draws)
	if !ok {
		return noID
	}
	return other
}

// checkObservers verifies that the lists of sources hold those in each state, and that each tree
// has as many members as there are.
func (r *Run) checkObservers() error {
	o := r.observers
	if o == nil {
		return nil
	}
	for s := range r.Program.States {
		if o.sources != nil && len(o.sources.Members[s]) != r.Counts[s] {
			return fmt.Errorf("%d sources in state %s, and %d are in it", len(o.sources.Members[s]), r.Program.States[s],
				r.Counts[s])
		}
	}
	if o.tree == nil {
		return nil
	}
	members := make([]uint32, len(o.tree.trees))
	for id := r.firstID; int(id) < r.Used; id++ {
		if in := o.tree.infected[id].tree; r.status(id).state != program.NoState && in != noTree {
			members[in]++
		}
	}
	for in := range o.tree.trees {
		if n := o.tree.trees[in].members; n != members[in] {
			return fmt.Errorf("tree %d has %d members, counted as %d", in, members[in], n)
		}
	}
	return nil
}
