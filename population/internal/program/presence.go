package program

// A Presence is an attribute that says of an individual whether it is in a place of a kind, or has
// a link in a network. A kind or a network has one if a table or a condition is by it, as in where:
// {ward: none}.
//
// The engine keeps it up to date (engine.Run.setPresence), so that it is an attribute like others
// to tables and conditions. Nothing else gives it a value.
type Presence struct {
	Attribute int
	Kind      int  // the number in Program.Places; −1 if it is about a network
	Network   int  // the number in Program.Networks; −1 if it is about a kind of places
	Seen      bool // only observations, outcomes and values are by it, so that nobody's clocks are
}

// PresenceNames are the values of a Presence: in none, or in any.
var PresenceNames = []string{"none", "any"}

// PresenceOf returns the attribute that says whether an individual is in a place of a kind, −1 if
// nothing depends on it.
func (p *Program) PresenceOf(kind int) int {
	for i := range p.Presences {
		if p.Presences[i].Kind == kind {
			return p.Presences[i].Attribute
		}
	}
	return -1
}

// PresenceIn returns the attribute that says whether an individual has a link in a network, −1 if
// nothing depends on it.
func (p *Program) PresenceIn(network int) int {
	for i := range p.Presences {
		if p.Presences[i].Network == network {
			return p.Presences[i].Attribute
		}
	}
	return -1
}

// IsPresence reports whether an attribute is a Presence.
func (p *Program) IsPresence(attribute int) bool {
	return len(p.Presences) > 0 && attribute >= p.Presences[0].Attribute
}

// OnlySeen reports whether an attribute is a Presence that only observations, outcomes and values
// are by.
func (p *Program) OnlySeen(attribute int) bool {
	return p.IsPresence(attribute) && p.Presences[attribute-p.Presences[0].Attribute].Seen
}
