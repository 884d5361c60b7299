package engine

import "github.com/almanac-sim/almanac/population/internal/program"

// A Event is something that happened to an individual, or that it was there at the start, or that an intervention happened that waited. States,
// flows, names and values of attributes are numbers, as the program has them. It is valid during the call alone.
type Event struct {
	Time       float64 // on the model's clock
	Kind       Kind
	Individual uint64 // its number in the order of entering, from 1 on; 0 if it is about nobody
	By         uint64 // who brought it about; 0 if nobody
	State      uint16 // that it is in, if none was left
	Flow       int    // the way that it went, if it did
	Name       int    // of the clock, contact, entry or intervention; −1 if it has none
	Values     []uint16

	Place, ByPlace uint32 // ids, which are given out again
}

type Kind uint8

const (
	Started  Kind = iota // there from the start
	Entered              // born, arrived, or let in by an intervention
	Changed              // from a state to another, or anew to the same
	Left                 // the population
	Moved                // an attribute got another value
	Happened             // an intervention that waited for its condition
)

// nobodyElse stands for the id of who brought something about if it was nobody.
const nobodyElse = 1<<32 - 1

// tell tells of something that happened to an individual, to whoever listens.
func (r *Run) tell(h Event, id, by uint32) {
	h.Time, h.Individual, h.Place, h.ByPlace = r.M.Start+r.Now, r.numbers[id], id, by
	if r.planned != nil {
		h.Time = r.planned.Clock
	}
	if by != nobodyElse {
		h.By = r.numbers[by]
	}
	h.Values = r.told.Values[:0]
	for a := range r.values {
		h.Values = append(h.Values, r.values[a].of(id))
	}
	r.told = h
	r.OnEvent(&r.told)
}

// count counts something that has a name.
func (r *Run) count(name int) {
	if name >= 0 {
		r.Named[name]++
	}
}

// moved counts a move that changes no state, and tells of it.
func (r *Run) moved(id, by uint32, name int) {
	r.count(name)
	if r.By != nil {
		r.By.moved(r, id, name)
	}
	if r.OnEvent != nil {
		r.tell(Event{Kind: Moved, State: r.person(id).state, Name: name}, id, by)
	}
}

// flow counts a change of state, and by group the name given for that, and tells of it.
func (r *Run) flow(id, by uint32, from int, to uint16, name, counted int) {
	k := r.M.FlowOf(from, to)
	r.Flows[k]++
	if r.By != nil {
		r.By.flow(r, id, int(k), from, int(to), counted)
	}
	if r.OnEvent == nil {
		return
	}
	kind := Changed
	switch {
	case from >= len(r.Counts):
		kind = Entered
	case to == program.Nobody:
		kind = Left
	}
	r.tell(Event{Kind: kind, Flow: k, Name: name}, id, by)
}

// A Peak is the most that were in a state, and when that was first so, on the model's clock.
type Peak struct {
	Count int
	Time  float64
}
