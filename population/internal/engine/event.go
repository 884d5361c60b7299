package engine

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

// noID stands for the id of who brought something about if it was nobody.
const noID = 1<<32 - 1

// notify tells of something that happened to an individual, to whoever listens.
func (r *Run) notify(h Event, id, by uint32) {
	h.Time, h.Individual, h.Place, h.ByPlace = r.Program.Start+r.Now, r.numbers[id], id, by
	if r.underway != nil {
		h.Time = r.underway.Clock
	}
	if by != noID {
		h.By = r.numbers[by]
	}
	h.Values = r.event.Values[:0]
	for a := range r.attributes {
		h.Values = append(h.Values, r.attributes[a].Of(id))
	}
	r.event = h
	r.OnEvent(&r.event)
}
