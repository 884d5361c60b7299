package program

// A Presence is an attribute that says of an individual whether it is in a place of a kind. A kind has
// one if a table or a condition is by it, as in where: {ward: none}.
//
// The engine keeps it up to date (engine.Run.setPresence), so that it is an attribute like others to
// tables and conditions. Nothing else gives it a value.
type Presence struct {
	Attribute int
	Kind      int // the number in Program.Places; −1 if it is about something else
}

// PresenceNames are the values of a Presence: in none, or in any.
var PresenceNames = []string{"none", "any"}

// PresenceOf returns the attribute that says whether somebody is in a place of a kind, −1 if nothing
// asks for it.
func (p *Program) PresenceOf(kind int) int {
	for i := range p.Presences {
		if p.Presences[i].Kind == kind {
			return p.Presences[i].Attribute
		}
	}
	return -1
}

// IsPresence reports whether an attribute is a Presence.
func (p *Program) IsPresence(attribute int) bool {
	return len(p.Presences) > 0 && attribute >= p.Presences[0].Attribute
}
