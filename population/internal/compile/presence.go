package compile

import (
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// listPresences adds an attribute for each kind of places and each network that a table or a
// condition is by. They come after all others.
func (c *compiler) listPresences() {
	f, p := c.file, c.program
	list := func(name string, kind, network int) {
		if acts, asked := f.Asked[name]; asked {
			p.Presences = append(p.Presences,
				program.Presence{Attribute: len(p.Attributes), Kind: kind, Network: network, Seen: !acts})
			p.Attributes = append(p.Attributes, program.Attribute{Name: name, Values: program.PresenceNames})
		}
	}
	for k := range f.Places {
		list(f.Places[k].Name, k, -1)
	}
	for k := range f.Networks {
		list(f.Networks[k].Name, -1, k)
	}
}

// isPresence reports whether a name is that of a kind of places or of a network, where an attribute
// is needed that individuals have themselves. It adds a problem if so.
func (c *compiler) isPresence(n syntax.Ref, what string) bool {
	switch {
	case c.kind(n.Name) >= 0:
		c.Add(n.At, "%s: %s is a kind of places; expected an attribute or a machine", what, n.Name)
	case c.network(n.Name) >= 0:
		c.Add(n.At, "%s: %s is a network; expected an attribute or a machine", what, n.Name)
	default:
		return false
	}
	return true
}
