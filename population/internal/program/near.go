package program

import "math"

// A Neighbourhood is a way in which individuals are near each other, so that contacts are among
// them: they have the same value of an attribute, or are in the same place of a kind.
type Neighbourhood struct {
	Attribute int  // −1 if it is a kind of places
	Kind      int  // the number in Program.Places; −1 if it is an attribute
	Pairs     bool // a rate is for each pair of neighbours
}

// Neighbours says who is near whom.
//
// A rate for each pair of n neighbours is drawn by seats. The neighbours have seats, a power of two
// that is at least n. An individual makes contacts at the rate of a pair times the number of other
// seats, and each is with one of them, chosen uniformly. An empty one means that nobody is met. So each
// pair meets at its rate, and the rate of an individual changes only when the number of seats does.
type Neighbours interface {
	// Seats returns the number of seats of those near an individual, its own included: 1 if it has no
	// place. Near is a number of Program.Near.
	Seats(near int, id uint32) int
	// Members returns how many they are, itself included: 1 if it has no place.
	Members(near int, id uint32) int
}

// pairs returns the number of other seats.
func (c *TimeVarying) pairs(who *Individual) float64 {
	return float64(who.Near.Seats(c.Near-1, who.Own) - 1)
}

// size returns the value of a TermSize.
func (c *Census) size() float64 {
	if c.Who == nil || c.Who.Near == nil || c.Near < 0 {
		return math.NaN()
	}
	return float64(c.Who.Near.Members(c.Near, c.Who.Own))
}

// PairsNear reports whether a rate is for each pair of neighbours.
func PairsNear(all []VaryingRate) bool {
	for i := range all {
		if all[i].Rate.Near > 0 {
			return true
		}
	}
	return false
}
