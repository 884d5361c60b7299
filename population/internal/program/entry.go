package program

import (
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// An Entry is how somebody comes to be there.
type Entry struct {
	To    uint16           // the state
	Into  *EntryStates     // from which it is drawn, if it is not nil
	Given []int32          // by attribute, the value or where it comes from; nil if all are drawn
	Age   *ByCell[law.Law] // newly born if nil
	Since *ByCell[law.Law] // how long it has been in the state; it enters it now if nil
}

// Where the value of an attribute comes from, for somebody who enters; from 0 on it is the value itself.
const (
	Drawn     = -1
	Inherited = -2
)

// Of is where the value of an attribute comes from, or the value.
func (e *Entry) Of(attribute int) int32 {
	if e.Given == nil {
		return Drawn
	}
	return e.Given[attribute]
}

// Each calls back with every state that one may begin in.
func (e *Entry) Each(f func(state uint16)) {
	if e.Into == nil {
		f(e.To)
		return
	}
	for _, s := range e.Into.States {
		f(s)
	}
}

// An EntryStates has states and their shares.
type EntryStates struct {
	States []uint16
	Shares *ByCell[EntryShares]
}

// EntryShares are the shares of states, added up; or, if they change with time, their courses, of which one is nil: that state has
// the rest.
type EntryShares struct {
	Sums    []float64
	Courses []*TimeVarying
}

// Draw takes a state by the shares at a time.
func (s *EntryShares) Draw(own *random.Stream, t float64) int {
	u := own.Float64()
	if s.Courses == nil {
		return lookup.Among(s.Sums, u)
	}
	rest := 0
	for k, c := range s.Courses {
		if c == nil {
			rest = k
		} else if u -= c.Chance(t); u < 0 {
			return k
		}
	}
	return rest
}

// A StartGroup is how many are there at the start in the same way.
type StartGroup struct {
	Entry
	Count int
}

type Immigration struct {
	Rate    float64
	Varying []VaryingRate // in place of the rate, if it changes: one
	In      Entry
	Name    int // to count it under, or −1
}

// Where those come from who enter it, beside the states.
const (
	ByBirth = iota
	ByImmigration
	ByIntervention
	Entrances
)
