package program

import "math"

// An Action is what a clock does when it strikes.
type Action struct {
	Verb    verb
	To      uint16 // the state to move to; nobody for leaving, same for staying
	Contact int    // the contact's table
	In      *Entry // of a child
	Name    int    // the name to count it under, or −1
	Chance  float64
	Chances *Chances // in place of the chance, if it is not the same for all
	From    StateSet // only from these states, if not nil
	Moves   []Move
}

type verb uint8

const (
	DoMove verb = iota
	DoContact
	DoBirth
)

type Move struct {
	Attribute uint8
	Value     uint16
}

// A StateSet tells of each state whether it is one of some; nil stands for all.
type StateSet []bool

const (
	Nobody    uint16 = math.MaxUint16     // the state of an id that is free; as a goal, leaving the population
	SameState uint16 = math.MaxUint16 - 1 // as a goal, the state that one is in
	Unchanged uint16 = math.MaxUint16 - 2 // what becomes of someone who is met and stays as it is, while the contact takes effect
)

// A Contact is what a contact does.
type Contact struct {
	Chance    float64
	Chances   *Chances    // in place of the chance, if it is not the same for all
	Becomes   []uint16    // of someone met in a state; same if unaffected
	Self      uint16      // what becomes of the one who makes it, if it takes effect; same for nothing
	Whom      []Condition // who is affected
	Special   bool        // there is more to it than a chance and what becomes of the one who is met
	Attribute int         // for mixing; −1 for the whole population
	Rows      [][]float64
}
