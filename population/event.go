package population

import "fmt"

// An Event is something that happened to an individual, or that it was there at the start, or that an intervention happened that waited.
// All that became of everybody can be put together from the events of a replica: states, attributes, flows, and what goes by a name.
type Event struct {
	Replica int
	Time    float64 // on the model's clock
	Kind    Kind
	// Individual is who: its number in the order of entering, from 1 on, which nobody else ever has. Those who are there at
	// the start come first, in the order of the file's groups and states. It is 0 if the event is about nobody.
	Individual uint64
	// By is who brought it about: the one who made the contact, or who was met if it is the maker that a contact changes, the parent of a
	// child, or the individual itself if it was a clock of its own. It is 0 if it was nobody: at the start, for immigrants, and in
	// interventions.
	By       uint64
	From, To string   // states; From is also how it entered, or "" at the start, and To is "out" if it left
	Name     string   // of the clock, contact, entry or intervention, if it has one
	Values   []string // of its attributes, from then on, as Model.Attributes lists them; nil if there are none

	place, byPlace uint32 // ids, which are given out again
}

// A Kind of event.
type Kind uint8

// The kinds of events. The one that changes a state may change attributes as well; a move changes nothing else, and From and
// To are then the state that the individual is in.
const (
	Started  Kind = iota // there from the start
	Entered              // born, arrived, or let in by an intervention
	Changed              // from a state to another, or anew to the same
	Left                 // the population
	Moved                // an attribute got another value
	Happened             // an intervention that waited for its condition, of which the event has the name and the time alone
)

var kindNames = [...]string{"start", "enter", "change", "leave", "move", "happen"}

// String is the word for the kind: start, enter, change, leave, move or happen.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// nobodyElse stands for the id of who brought something about if it was nobody.
const nobodyElse = 1<<32 - 1

// tell tells of an event, to whoever listens.
func (r *replica) tell(kind Kind, id, by uint32, from, to string, name int) {
	e := Event{Replica: r.index, Time: r.m.start + r.now, Kind: kind, Individual: r.numbers[id], From: from, To: to, place: id, byPlace: by}
	if r.planned != nil {
		e.Time = r.planned.clock
	}
	if by != nobodyElse {
		e.By = r.numbers[by]
	}
	if name >= 0 {
		e.Name = r.m.names[name]
	}
	if len(r.values) > 0 {
		e.Values = make([]string, len(r.values))
		for a := range e.Values {
			e.Values[a] = r.m.attributes[a].values[r.values[a].of(id)]
		}
	}
	r.onEvent(e)
}

// count counts something that has a name.
func (r *replica) count(name int) {
	if name >= 0 {
		r.named[name]++
	}
}

// moved counts a move that changes no state, and tells of it.
func (r *replica) moved(id, by uint32, name int) {
	r.count(name)
	if r.by != nil {
		r.by.moved(r, id, name)
	}
	if r.onEvent != nil {
		state := r.m.states[r.person(id).state]
		r.tell(Moved, id, by, state, state, name)
	}
}

// flow counts a change of state, and by group the name given for that, and tells of it.
func (r *replica) flow(id, by uint32, from int, to uint16, name, counted int) {
	k := r.m.flowOf(from, to)
	r.flows[k]++
	if r.by != nil {
		r.by.flow(r, id, int(k), from, int(to), counted)
	}
	if r.onEvent == nil {
		return
	}
	kind := Changed
	switch {
	case from >= len(r.counts):
		kind = Entered
	case to == nobody:
		kind = Left
	}
	r.tell(kind, id, by, r.m.flows[k].From, r.m.flows[k].To, name)
}
