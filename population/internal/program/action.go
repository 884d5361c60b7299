package program

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/function"
)

// An Action is what happens when a clock fires, or what an intervention does to each individual. Of
// an intervention only To, Name and Moves count.
type Action struct {
	Kind    verb
	Plain   bool         // DoMove: it changes the state of everybody, and nothing else
	To      uint16       // DoMove: the state to move to; NoState for leaving, SameState for staying
	Contact int          // a number: DoContact in Phase.Contacts; DoAge in Program.Bands; DoUnlink in Program.Near
	Child   *Entry       // DoBirth: how the child enters; DoMove: how children enter before it, nil if none do
	Name    int          // the number in Program.CountedNames to count it under, or −1
	Chance  float64      // DoMove: that it takes effect
	Chances *ChanceTable // instead of Chance, if it depends on attributes or time
	From    StateSet     // DoMove: it has no effect in other states
	Moves   []Move       // DoMove: changes of attributes
	Uses    *Use         // DoMove: of a supply; nil for none
	Places  []PlaceMove  // DoMove: changes of places
	Source  int          // DoMove: the number in Phase.Sources, from 1 on, of who causes it; 0 for none
}

// A verb is the kind of an action.
type verb uint8

const (
	DoMove    verb = iota // change state, attributes, or both
	DoContact             // meet another individual
	DoBirth               // have a child
	DoAge                 // reach the age of the next band
	DoUnlink              // end one of its links
)

// A Move gives an attribute a value. If the attribute is a machine, another value starts the clocks
// of the state with that value.
type Move struct {
	Attribute uint16
	Value     uint16
	Gives     *ByCell[Gift] // in place of Value, if it is drawn, copied or by group; nil otherwise
	Machine   int16         // the number of the machine that the attribute is; −1 if it is none
	Enters    bool          // of a machine: its clocks start anew, also if the value is the same
	Inherits  bool          // of a contact: in place of Value, that of the other individual
}

// A StateSet is a set of states, as a bool for each; nil is the set of all states.
type StateSet []bool

// What can stand in place of a state.
const (
	// NoState is the state of an id that is not in use. As a target, it is leaving the population.
	NoState uint16 = math.MaxUint16

	// SameState as a target is the state that the individual is in. In Contact.Becomes it is the
	// state of an individual that the contact does not affect.
	SameState uint16 = math.MaxUint16 - 1

	// Unchanged in Contact.Becomes is the state of an individual that the contact affects, but does
	// not change: it takes effect, on its maker and in the counts.
	Unchanged uint16 = math.MaxUint16 - 2
)

// A Contact is what a contact does: an individual, its maker, meets another one.
type Contact struct {
	Chance     float64         // that it takes effect
	Chances    *ChanceTable    // instead of Chance, if it depends on attributes or time
	Rule       function.Chance // multiplies the chance, if a program supplies it
	Becomes    []uint16        // by state of the other: its new state, SameState or Unchanged
	Self       uint16          // the new state of the maker, if it takes effect; SameState for none
	Whom       []Condition     // on the other
	Special    bool            // not for the fast path: there are Chances, a Rule, a Whom, a Self, a Use or an Unchanged
	Rich       *RichContact    // what it does to machines and attributes; nil for nothing
	Uses       *Use            // of a supply; nil for none
	Near       int             // among whom it is: the number in Program.Near; −1 for a whole group or population
	Log        int             // 1 + the number in Calls.Logs of the contacts that it is one of; 0 if it is not remembered
	EachPair   bool            // with Near: it is with one of the other seats, which may be empty (Neighbours)
	Attribute  int             // by which individuals mix; −1 for the whole population
	MixingRows [][]float64     // by value of the maker: the cumulative shares of the other's values
}

// A RichContact is what a contact does to machines and attributes.
type RichContact struct {
	Machine   int      // whose states From, Becomes and Self are; −1 if they are those of Contact
	Attribute int      // that the machine is
	From      []bool   // by value of the maker: it makes the contact
	Becomes   []uint16 // by value of the other: as Contact.Becomes
	Self      uint16   // as Contact.Self; NoState is in Contact.Self
	Everybody bool     // the file does not say what becomes of the other: Moves are about it
	Moves     []Move   // of the other; or of the maker, if it alone changes its state
	Places    []PlaceMove
	Link      int // 1 + the network in which it links the two; 0 for none
}
