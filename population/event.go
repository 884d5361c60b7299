package population

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

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

// event is something that happened, in words.
func (m *Model) event(replica int, h *engine.Event) Event {
	p := m.program
	e := Event{Replica: replica, Time: h.Time, Kind: Kind(h.Kind), Individual: h.Individual, By: h.By, place: h.Place, byPlace: h.ByPlace}
	switch h.Kind {
	case engine.Started:
		e.To = p.States[h.State]
	case engine.Moved:
		e.From, e.To = p.States[h.State], p.States[h.State]
	case engine.Entered, engine.Changed, engine.Left:
		e.From, e.To = p.Flows[h.Flow].From, p.Flows[h.Flow].To
	}
	if h.Name >= 0 {
		e.Name = p.Names[h.Name]
	}
	if len(p.Attributes) > 0 {
		e.Values = make([]string, len(p.Attributes)) // empty if it is about nobody
		for a, v := range h.Values {
			e.Values[a] = p.Attributes[a].Values[v]
		}
	}
	return e
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
