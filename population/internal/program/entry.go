package program

import (
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// An Entry is how an individual enters the population.
type Entry struct {
	To    uint16           // the state
	Into  *EntryStates     // instead of To, if the state is drawn; nil otherwise
	Given []int32          // by attribute: the value, Drawn, Inherited or ByAge; nil if all are drawn
	Draws []*EntryStates   // by attribute: how it is drawn, in place of Phase.Attributes; nil if none is by these
	Age   *ByCell[law.Law] // nil for newborn
	Since *ByCell[law.Law] // how long it has been in the state; nil if it enters it now
	Count *ByCell[Whole]   // how many enter together, by cell of the parent; nil for one

	Places []bool // by kind of places: it has the parent's; nil if it has none of them

	// Numbers has, by number, its value; NaN if it is drawn, and +Inf if it is inherited. It is nil if
	// all are drawn.
	Numbers []float64

	// MachineSince is the same for machines: by machine and state. It is nil if it enters all now.
	MachineSince [][]*ByCell[law.Law]
}

// Where the value of an attribute comes from, in Entry.Given. From 0 on it is the value itself.
const (
	Drawn     = -1 // by the shares of the phase
	Inherited = -2 // from the parent
	ByAge     = -3 // from the age: see Band
)

// ValueOf returns the value of an attribute, or Drawn, Inherited or ByAge.
func (e *Entry) ValueOf(attribute int) int32 {
	if e.Given == nil {
		return Drawn
	}
	return e.Given[attribute]
}

// EachState calls f with every state that the individual may begin in.
func (e *Entry) EachState(f func(state uint16)) {
	if e.Into == nil {
		f(e.To)
		return
	}
	for _, s := range e.Into.States {
		f(s)
	}
}

// An EntryStates has the states that an individual may begin in, and their shares.
type EntryStates struct {
	States []uint16
	Shares *ByCell[EntryShares]
}

// EntryShares are the shares of states. If they are constant, Sums has the cumulative shares. If
// they change with time, Varying has them; one is nil, and its state has what the others leave.
type EntryShares struct {
	Sums    []float64
	Varying []*TimeVarying
}

// Draw returns the index of a state, by the shares at a time.
func (s *EntryShares) Draw(own *random.Stream, t float64, who *Individual) int {
	return s.Pick(own.Float64(), t, who)
}

// Pick is Draw with a number from [0, 1).
func (s *EntryShares) Pick(u, t float64, who *Individual) int {
	if s.Varying == nil {
		return lookup.SearchCumulative(s.Sums, u)
	}
	rest := 0
	for k, c := range s.Varying {
		if c == nil {
			rest = k
		} else if u -= c.ChanceFor(t, who); u < 0 {
			return k
		}
	}
	return rest
}

// A StartGroup is a number of individuals that are there at the start and enter alike.
type StartGroup struct {
	Entry
	Count int
}

// An Immigration is individuals who enter at a rate.
type Immigration struct {
	Rate    float64
	Varying []VaryingRate // instead of Rate, if it changes: one entry
	In      Entry
	Name    int // the number in Program.CountedNames to count it under, or −1
}

// The kinds of an entry after the start. Added to the number of states, they are sources of flows.
const (
	ByBirth = iota
	ByImmigration
	ByIntervention
	EntryKinds // how many there are
)
