package program

import "slices"

// A Program is a model with all names looked up and all values worked out: what a run reads. It does not change.
type Program struct {
	Name        string
	Unit        string  // of time
	Seconds     float64 // in it
	Start, End  float64 // on the model's clock
	Slack       float64 // times that differ by no more are the same
	Size, Most  int
	StartCounts []int // how many begin in each state
	StartGroups []StartGroup
	States      []string
	Attributes  Attributes
	Flows       []Flow
	Names       []string // that clocks, contacts, entries and interventions go by
	FlowsFrom   []int32  // the flows from a state, or from outside, begin here
	FlowsTo     []uint16 // where each flow goes
	Phases      []*Phase
	First       *Phase          // at the start
	Scheduled   []Scheduled     // interventions in the order in which they happen
	Triggered   []*Intervention // interventions that wait, in the order of the file
	Rows        []float64
	Groupings   []Grouping // that are recorded by
	Groups      []Group    // all of them
	Timers      int        // clocks of states that an individual carries, at most
	PlainMixing bool       // whether any contact is with the whole population
	Counting    bool       // whether any rate depends on how many there are
	Mixes       []bool
}

// RecordsAs reports whether two programs record the same things, at the same times.
func (p *Program) RecordsAs(o *Program) bool {
	return p.Size == o.Size && slices.Equal(p.States, o.States) && slices.Equal(p.Flows, o.Flows) && slices.Equal(p.Names, o.Names) && slices.Equal(p.Rows, o.Rows)
}

// A Flow is a way from one state to another that individuals can take: From is a state, or how they entered; To is a
// state, or "out".
type Flow struct{ From, To string }

// String is from->to.
func (f Flow) String() string { return f.From + "->" + f.To }

// FlowOf is the number of a flow, which must be possible. Most states have one way out, or use one most.
func (m *Program) FlowOf(from int, to uint16) int {
	i := int(m.FlowsFrom[from])
	if m.FlowsTo[i] == to {
		return i
	}
	return m.findFlow(i, int(m.FlowsFrom[from+1]), to)
}

// findFlow searches for it among those from the same state.
func (m *Program) findFlow(i, end int, to uint16) int {
	k, _ := slices.BinarySearch(m.FlowsTo[i:end], to)
	return i + k
}

type Attribute struct {
	Name   string
	Values []string
}

type Attributes []Attribute

// Names are those of all of them.
func (all Attributes) Names() (names []string) {
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

// Index is the number of the one that goes by a name; −1 if there is none.
func (all Attributes) Index(name string) int {
	return slices.IndexFunc(all, func(a Attribute) bool { return a.Name == name })
}

// A Group is those who have the given value of each of some attributes.
type Group struct{ Attributes, Values []string }

// A Grouping divides everybody by the values of some attributes. The group of an individual is the number that its values make, the first
// attribute being the most significant.
type Grouping struct {
	Attributes []int
	Sizes      []int // how many values each of them has
	Groups     int
	First      int // of its groups among all
}
