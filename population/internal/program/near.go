package program

import "math"

// A Neighbourhood is a way in which individuals are near each other, so that contacts are among
// them: they have the same value of an attribute, are in the same place of a kind, or are linked.
type Neighbourhood struct {
	Attribute int  // −1 if it is a kind of places or a network
	Kind      int  // the number in Program.Places; −1 if it is an attribute or a network
	Network   int  // the number in Program.Networks; −1 if it is an attribute or a kind of places
	Ends      bool // of a network: a rate is for each link that an individual has, whatever its weight
	Pairs     bool // a rate is for each pair of neighbours
}

// NearName is the name of what the members of a neighbourhood share, "" if its number is −1.
func (p *Program) NearName(near int) string {
	if near < 0 {
		return ""
	}
	switch n := p.Near[near]; {
	case n.Kind >= 0:
		return p.Places[n.Kind].Name
	case n.Network >= 0:
		return p.Networks[n.Network].Name
	default:
		return p.Attributes[n.Attribute].Name
	}
}

// Neighbours says who is near whom.
//
// A rate for each pair of n neighbours is drawn by seats. The neighbours have seats, a power of two
// that is at least n. An individual makes contacts at the rate of a pair times the number of other
// seats, and each is with one of them, chosen uniformly; with an empty seat there is no contact. So
// each pair meets at its rate, and the rate of an individual changes only when the number of seats
// does.
//
// In a network the seats are the links of the individual, times their weights.
type Neighbours interface {
	// Others returns the number of the other seats of those near an individual, or the weight of its
	// links: 0 if it has no place. Near is a number of Program.Near.
	Others(near int, id uint32) float64
	// Members returns how many they are, itself included: 1 if it has no place.
	Members(near int, id uint32) int
}

// pairs returns the number of other seats.
func (c *TimeVarying) pairs(who *Individual) float64 {
	return who.Near.Others(c.Near-1, who.Own)
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
