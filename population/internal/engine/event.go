package engine

// An Event is something that happened to an individual, including that it was there at the start;
// or an intervention that waited and has happened. States, flows, names and attribute values are
// numbers of the program. An Event is valid only during the call.
type Event struct {
	Time       float64 // on the model's clock
	Kind       Kind
	Individual uint64 // its number in the order of entering, from 1; 0 if it is about no individual
	By         uint64 // the number of the individual that caused it; 0 if there is none
	State      uint16 // of Started and Moved
	Flow       int    // of Entered, Changed and Left
	Name       int    // of the clock, contact, entry or intervention; −1 for none
	Values     []uint16
	Numbers    []float64
	Places     []uint32 // the number of its place of each kind; 0 for none

	Slot, BySlot uint32 // the slots of Individual and By
}

type Kind uint8

const (
	Started  Kind = iota // there at the start
	Entered              // born, immigrated, or added by an intervention
	Changed              // to another state, or to the same again
	Left                 // the population
	Moved                // an attribute changed, and no state
	Happened             // an intervention whose condition became true
	Linked               // with another individual; Name is the network
	Unlinked             // from it
)

// noID stands for no individual.
const noID = 1<<32 - 1

// notify calls OnEvent with an event of an individual.
func (r *Run) notify(h Event, id, by uint32) {
	h.Time, h.Individual, h.Slot, h.BySlot = r.Program.Start+r.Now, r.numbers[id], id, by
	if r.underway != nil {
		h.Time = r.underway.ModelTime
	}
	if by != noID {
		h.By = r.numbers[by]
	}
	if r.tracing != nil && r.tracing.caller != 0 {
		h.By = r.tracing.caller // who may have left
	}
	h.Values = r.event.Values[:0]
	for a := range r.Program.Listed() {
		h.Values = append(h.Values, r.attributes[a].Of(id))
	}
	h.Numbers = r.event.Numbers[:0]
	for k := range r.own {
		h.Numbers = append(h.Numbers, r.own[k][id])
	}
	h.Places = r.event.Places[:0]
	for k := range r.Program.Places {
		h.Places = append(h.Places, r.PlaceNumber(k, id))
	}
	r.event = h
	r.OnEvent(&r.event)
}
