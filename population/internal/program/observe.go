package program

import "github.com/almanac-sim/almanac/population/internal/law"

// An Event is something that happens to individuals: what is counted under a name, or a flow. The
// other is −1.
type Event struct{ Name, Flow int }

// Is reports whether a name and a flow, of which each may be −1, are the event.
func (e Event) Is(name, flow int) bool {
	return e.Name >= 0 && e.Name == name || e.Flow >= 0 && e.Flow == flow
}

// An Observation records and changes nothing. It is of an event, each time that it happens; or of
// people, at the times of Program.Surveys. Its probabilities are in Phase.Observations.
type Observation struct {
	Name    string
	What    string // its name in messages
	Survey  bool
	Of      Event       // if it is no survey
	ByCount bool        // a survey asks ObservationTable.Count of the individuals that match, not a share
	Who     StateSet    // the states whose individuals a survey asks
	Where   []Condition // on the individuals that a survey asks
}

// An ObservationTable has the values of an observation while the parameters have certain values.
type ObservationTable struct {
	Chance   float64               // that an individual is seen, or positive
	Chances  *ChanceTable          // instead of Chance, if it depends on attributes or time
	After    *ByCell[law.Law]      // the delay until it is counted; nil for none
	Coverage *ByCell[*TimeVarying] // of a survey: the probability that it asks an individual; nil for 1
	Count    int                   // of a survey: how many it asks
}

// A Survey is an observation of people at a time since the start of the run.
type Survey struct {
	Observation int
	At          float64
}

// A Source says who infects an individual whose clock depends on counts: one of the others who are
// in some states, in proportion to the weights of the states.
type Source struct {
	States  []uint16
	Weights []float64
}

// A LineList says what is recorded of each individual.
type LineList struct {
	Times []PersonTime
	Only  int // only those to whom Times[Only] has happened; −1 for everybody
	// Listed is how many of Times have a column. The others are there for Only.
	Listed int
}

// A PersonTime is something whose first time is recorded of each individual: an event, or that an
// observation has seen it.
type PersonTime struct {
	Name        string
	Of          Event
	Observation int // −1 for an event
}

// Observes reports whether a run looks at each event, for a tree, people or observations, or keeps
// lists of those in a state.
func (p *Program) Observes() bool {
	return len(p.Observations) > 0 || p.Tree != nil || p.LineList != nil || p.Sources > 0
}

// NumbersPeople reports whether a run keeps the number of each individual, for a tree or for
// people.
func (p *Program) NumbersPeople() bool { return p.Tree != nil || p.LineList != nil }

// ObservationNames are the names of the observations.
func (p *Program) ObservationNames() (names []string) {
	for i := range p.Observations {
		names = append(names, p.Observations[i].Name)
	}
	return names
}
