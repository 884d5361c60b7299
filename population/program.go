package population

import "slices"

// A program is a model with all names looked up and all values worked out: what a run reads. It does not change.
type program struct {
	name        string
	unit        string  // of time
	seconds     float64 // in it
	start, end  float64 // on the model's clock
	slack       float64 // times that differ by no more are the same
	size, most  int
	starts      []int // how many begin in each state
	begin       []beginning
	states      []string
	attributes  attributes
	flows       []flow
	names       []string // that clocks, contacts, entries and interventions go by
	flowsFrom   []int32  // the flows from a state, or from outside, begin here
	flowsTo     []uint16 // where each flow goes
	phases      []*tables
	first       *tables // at the start
	plans       []plan  // interventions in the order in which they happen
	triggers    []*deed // interventions that wait, in the order of the file
	rows        []float64
	groupings   []grouping // that are recorded by
	groups      []group    // all of them
	timers      int        // clocks of states that an individual carries, at most
	plainMixing bool       // whether any contact is with the whole population
	counting    bool       // whether any rate depends on how many there are
	mixes       []bool
}

// recordsAs reports whether two programs record the same things, at the same times.
func (p *program) recordsAs(o *program) bool {
	return p.size == o.size && slices.Equal(p.states, o.states) && slices.Equal(p.flows, o.flows) && slices.Equal(p.names, o.names) && slices.Equal(p.rows, o.rows)
}

// A flow is a way from one state to another that individuals can take: From is a state, or how they entered; To is a
// state, or "out".
type flow struct{ From, To string }

// String is from->to.
func (f flow) String() string { return f.From + "->" + f.To }

// A group is those who have the given value of each of some attributes.
type group struct{ Attributes, Values []string }

type attribute struct {
	name   string
	values []string
}

type attributes []attribute

// names are those of all of them.
func (all attributes) names() (names []string) {
	for _, a := range all {
		names = append(names, a.name)
	}
	return names
}

// index is the number of the one that goes by a name; −1 if there is none.
func (all attributes) index(name string) int {
	return slices.IndexFunc(all, func(a attribute) bool { return a.name == name })
}

// Where those come from who enter it, beside the states.
const (
	fromBirths = iota
	fromImmigration
	fromPlans
	entrances
)

// A beginning is how many are there at the start in the same way.
type beginning struct {
	entrance
	count int
}

// flowOf is the number of a flow, which must be possible. Most states have one way out, or use one most.
func (m *program) flowOf(from int, to uint16) int {
	i := int(m.flowsFrom[from])
	if m.flowsTo[i] == to {
		return i
	}
	return m.findFlow(i, int(m.flowsFrom[from+1]), to)
}

// findFlow searches for it among those from the same state.
func (m *program) findFlow(i, end int, to uint16) int {
	k, _ := slices.BinarySearch(m.flowsTo[i:end], to)
	return i + k
}

// A grouping divides everybody by the values of some attributes. The group of an individual is the number that its values make, the first
// attribute being the most significant.
type grouping struct {
	attributes []int
	sizes      []int // how many values each of them has
	groups     int
	first      int // of its groups among all
}
