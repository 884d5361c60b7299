package population

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// An Event is something that happened to an individual, including that it was there at the start;
// or an intervention that waited for its condition and has happened. States, attributes, flows and
// names of a replica can all be derived from its events.
type Event struct {
	Replica int
	Time    float64 // on the model's clock
	Kind    Kind
	// Individual is the number of the individual in the order of entering, from 1; no two have the
	// same. Those of the start come first, in the order of the file's groups and states. It is 0 if
	// the event is about no individual.
	Individual uint64
	// By is the individual that caused it: the maker of the contact (or the one met, if the contact
	// changes its maker), the parent, or the individual itself if its own clock fired. It is 0 at
	// the start, for immigrants and for interventions.
	By       uint64
	From, To string   // states; From is also how it entered, or "" at the start, and To is "out" if it left
	Name     string   // of the clock, contact, entry or intervention, if it has one
	Values   []string // of its attributes after the event, in the order of Model.Attributes; nil if there are none

	Places  []int     // its place of each kind, in the order of Model.Places; 0 for none, nil if there are none
	Numbers []float64 // of its attributes that are numbers, in the order of Model.Numbers; nil if there are none

	slot, bySlot uint32 // slots, which are used again
}

// event puts an event of the engine into words.
func (m *Model) event(replica int, rows rowTimes, h *engine.Event) Event {
	p := m.program
	e := Event{
		Replica:    replica,
		Time:       rows.of(h.Time),
		Kind:       Kind(h.Kind),
		Individual: h.Individual,
		By:         h.By,
		slot:       h.Slot,
		bySlot:     h.BySlot,
	}
	switch h.Kind {
	case engine.Started:
		e.To = p.States[h.State]
	case engine.Moved:
		e.From, e.To = p.States[h.State], p.States[h.State]
	case engine.Linked, engine.Unlinked:
		e.From, e.To, e.Name = p.States[h.State], p.States[h.State], p.Networks[h.Name].Name
	case engine.Entered, engine.Changed, engine.Left:
		e.From, e.To = p.Flows[h.Flow].From, p.Flows[h.Flow].To
	}
	if h.Name >= 0 && e.Name == "" {
		e.Name = p.CountedNames[h.Name]
	}
	if n := len(p.Listed()); n > 0 {
		e.Values = make([]string, n) // empty if it is about no individual
		for a, v := range h.Values {
			e.Values[a] = p.Attributes[a].Values[v]
		}
	}
	if len(h.Numbers) > 0 {
		e.Numbers = slices.Clone(h.Numbers)
	}
	for _, number := range h.Places {
		e.Places = append(e.Places, int(number))
	}
	return e
}

// A Kind is a kind of event.
type Kind uint8

// The kinds of events. Changed may come with new attribute values; Moved changes attributes only,
// and From and To are both the present state.
const (
	Started  Kind = iota // there at the start
	Entered              // born, immigrated, or added by an intervention
	Changed              // to another state, or to the same again
	Left                 // the population
	Moved                // an attribute changed
	Happened             // an intervention whose condition became true; only Time and Name are set
	Linked               // with By, at the start too; Name is the network
	Unlinked             // from By; Name is the network
)

var kindNames = [...]string{"start", "enter", "change", "leave", "move", "happen", "link", "unlink"}

// String returns start, enter, change, leave, move, happen, link or unlink.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}
