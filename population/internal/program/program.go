package program

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/function"
)

// A Program is a model that is ready to run.
type Program struct {
	Name           string
	Unit           string           // the name of the unit of time
	UnitSeconds    float64          // in one unit of time
	Start, End     float64          // of the run, on the model's clock
	Stop           float64          // where a run is left whose state is saved there, on the model's clock; End otherwise
	Keeps          float64          // of such a run: events are kept up to then, since the start, after End too; else 0
	ExtraRow       bool             // the last row of such a run is one that the whole run does not have
	TimeTolerance  float64          // times that differ by no more are equal: the rounding error of arithmetic on times
	Size           int              // how many individuals there are at the start
	MaxSize        int              // how many there may be; a run with more fails
	StartCounts    []int            // individuals at the start, by state
	StartGroups    []StartGroup     // the same individuals, by how they enter
	States         []string         // names
	Counted        []string         // what is counted: States, and then those of machines, as in hiv=positive
	Attributes     Attributes       // names and values: those of the file, then Machines, then perhaps state
	Machines       []Machine        // in the order of the file
	Queues         bool             // somebody may wait in turn
	Presences      []Presence       // the attributes after it: whether somebody is in a place
	StateAttribute int              // the attribute that is the state itself; −1 if no table or condition needs it
	StateColumn    int              // the first column of timers of the state; those of always and machines come before
	Bands          []*Band          // the attributes that follow the age
	Numbers        []Number         // attributes that are a number of its own for everyone
	Since          []Since          // the times since something that curves count from
	Flows          []Flow           // all that are possible
	CountedNames   []string         // under which clocks, contacts, entries and interventions are counted
	FlowsFrom      []int32          // by source: where its flows begin in Flows; see FlowOf
	FlowsTo        []uint16         // by flow: its target, a state or NoState
	Phases         []*Phase         // all that can occur
	FirstPhase     *Phase           // at the start
	Scheduled      []Scheduled      // interventions with a time, in the order of time
	Triggered      []*Intervention  // interventions with a condition, in the order of the file
	Windows        []Window         // what conditions on incidence count
	Watched        [][]Condition    // groups whose individuals conditions count, beside those of Groups
	WaitsForTime   bool             // a condition may change because time has passed: Windows, or Intervention.For
	RecordTimes    []float64        // when to record; the first is 0, the last the end of the run
	Groupings      []Grouping       // by which to record
	Groups         []Group          // of all groupings
	MaxStateTimers int              // of the state with the most: how many an individual needs besides those of Always
	MixesFreely    bool             // a contact is with the whole population
	UsesCounts     bool             // a rate depends on counts
	Sizes          []int            // by size class: how many may be alive; nil if no rate is bounded by it
	MixesBy        []bool           // by attribute: a contact mixes by it
	Values         []function.Value // to be recorded: those that a program supplies, and then those of Phase.Values
	SuppliedValues int              // how many of them a program supplies
	Outcomes       []Outcome        // in the order of the file
	DiscountClocks []DiscountClock  // by which outcomes add up time
	OutcomesOfName [][]OutcomeEvent // by counted name: the outcomes that it adds to; nil without outcomes
	OutcomesOfFlow [][]OutcomeEvent // the same by flow
	RecordsTime    bool             // person-time in each state is recorded
	Supplies       []string         // names of what clocks, contacts and interventions use up
	Near           []Neighbourhood  // among which contacts are
	Places         []Place          // kinds of places, in the order of the file
	Observations   []Observation    // in the order of the file
	Surveys        []Survey         // in the order of time
	MeanChances    []int            // surveys whose mean chance is recorded at rows, for a fit
	Tree           *Event           // the event whose tree is recorded: who infected whom; nil for none
	LineList       *LineList        // what is recorded of each individual; nil for nothing
	Sources        int              // how many there are in Phase.Sources
	Calls          *Calls           // when those near somebody are looked for; nil if there is no Phase.Tracing
	SameAs         []int            // by attribute: the one whose value it begins with, or −1; nil if there is none
	People         *People          // those of a file, who are the start; nil if there is none
	Networks       []Network        // in the order of the file
}

// SameRecord reports whether two programs record the same quantities at the same times.
func (p *Program) SameRecord(o *Program) bool {
	return p.Size == o.Size && slices.Equal(p.Counted, o.Counted) && slices.Equal(p.Flows, o.Flows) &&
		slices.Equal(p.CountedNames, o.CountedNames) && slices.Equal(p.RecordTimes, o.RecordTimes) &&
		len(p.Values) == len(o.Values) && p.RecordsTime == o.RecordsTime &&
		slices.Equal(p.OutcomeNames(), o.OutcomeNames()) &&
		slices.Equal(p.Supplies, o.Supplies) && slices.Equal(p.ObservationNames(), o.ObservationNames()) &&
		slices.EqualFunc(p.Places, o.Places, func(a, b Place) bool { return a.Name == b.Name }) &&
		slices.EqualFunc(p.Networks, o.Networks, func(a, b Network) bool { return a.Name == b.Name })
}

// OutcomeNames are the names of the outcomes.
func (p *Program) OutcomeNames() (names []string) {
	for i := range p.Outcomes {
		names = append(names, p.Outcomes[i].Name)
	}
	return names
}

// WindowsFrom is the number of individuals from which on a run may be on several cores.
const WindowsFrom = 1 << 22

// A Flow is a transition that individuals can make. From is a state or the kind of an entry; To is
// a state or "out". The flows between the bands of an age come after all others: From is the
// attribute and the band, as in "band: child", and To is the next band. Those of machines are the
// last: From has the machine before it, as in "hiv=negative" or "hiv=births".
type Flow struct{ From, To string }

// String returns from->to.
func (f Flow) String() string { return f.From + "->" + f.To }

// FlowOf returns the number of a flow, which must be possible. From is a source: a state, or the
// number of states plus the kind of an entry, such as ByBirth. Most states have one flow, or use
// one most of the time; the first is therefore tried before a search.
func (p *Program) FlowOf(from int, to uint16) int {
	i, end := p.FlowsFrom[from], p.FlowsFrom[from+1]
	if i < end && p.FlowsTo[i] == to {
		return int(i)
	}
	return int(i) + flowAmong(p.FlowsTo[i:end], to)
}

// flowAmong finds a flow among those from the same source, by where it goes. One that the compiler
// has not listed would otherwise be counted as another.
func flowAmong(all []uint16, to uint16) int {
	k, listed := slices.BinarySearch(all, to)
	if !listed {
		panic("population: the compiler has not listed a flow")
	}
	return k
}

// An Attribute of individuals, and the values that it can have.
type Attribute struct {
	Name   string
	Values []string
}

// Attributes are all attributes of a model.
type Attributes []Attribute

// Names returns the names of all attributes.
func (all Attributes) Names() (names []string) {
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

// Index returns the number of the attribute with a name, −1 if there is none.
func (all Attributes) Index(name string) int {
	return slices.IndexFunc(all, func(a Attribute) bool { return a.Name == name })
}

// Listed are the attributes that the file has: without StateAttribute and Presences, which come
// last.
func (p *Program) Listed() Attributes {
	switch {
	case p.StateAttribute >= 0:
		return p.Attributes[:p.StateAttribute]
	case len(p.Presences) > 0:
		return p.Attributes[:p.Presences[0].Attribute]
	}
	return p.Attributes
}

// Plain is how many attributes are not machines or the state. They come first.
func (p *Program) Plain() int { return len(p.Listed()) - len(p.Machines) }

// A Group is the individuals with the given values of some attributes.
type Group struct{ Attributes, Values []string }

// A Grouping divides the population by the values of some attributes. The number of an individual's
// group has the values as its digits; the first attribute is the most significant.
type Grouping struct {
	Attributes []int
	Sizes      []int // the number of values of each attribute
	Groups     int   // the product of the sizes
	First      int   // where its groups begin in Program.Groups
}
