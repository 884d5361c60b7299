package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// state looks up a state. It returns program.NoState if there is none, and for out, which is
// allowed if orOut.
func (c *compiler) state(n syntax.Ref, what string, orOut bool) uint16 {
	if n.Bad || c.file.StatesBad || c.file.InvalidStates[n.Name] && n.Name != syntax.Out ||
		n.Name == syntax.Out && orOut {
		return program.NoState
	}
	if i, ok := c.states[n.Name]; ok {
		return i
	}
	if n.Name == syntax.Out {
		c.Add(n.At, "%s: expected a state; out is for leaving the population", what)
		return program.NoState
	}
	c.Add(n.At, "%s: %s", what, diag.Unknown("state", n.Name, func() []string {
		if orOut {
			return append(slices.Clone(c.program.States), syntax.Out)
		}
		return c.program.States
	}))
	return program.NoState
}

// stateSet looks up several states. An empty list means all states, and the set is then nil.
func (c *compiler) stateSet(names []syntax.Ref, what string) program.StateSet {
	if len(names) == 0 {
		return nil
	}
	s := make(program.StateSet, len(c.program.States))
	for _, n := range names {
		if i := c.state(n, what, false); i != program.NoState {
			s[i] = true
		}
	}
	return s
}

// conditions looks up attributes and the values they may have.
func (c *compiler) conditions(texts []syntax.Where, what string) []program.Condition {
	if len(texts) == 0 {
		return nil
	}
	if all, ok := c.conditionsOf[&texts[0]]; ok {
		return all
	}
	var all []program.Condition
	for _, t := range texts {
		a := c.attribute(t.Attribute, what)
		if a < 0 {
			continue
		}
		values := c.program.Attributes[a].Values
		is := make([]bool, len(values))
		for _, n := range t.Values {
			if n.Bad {
				continue
			}
			if v := slices.Index(values, n.Name); v >= 0 {
				is[v] = true
			} else {
				c.Add(n.At, "%s: %s", what,
					diag.Unknown("value of "+t.Attribute.Name, n.Name, func() []string { return values }))
			}
		}
		all = append(all, program.Condition{Attribute: a, Is: is})
	}
	c.conditionsOf[&texts[0]] = all
	return all
}

// attribute looks up an attribute. It returns −1 if there is none.
func (c *compiler) attribute(n syntax.Ref, what string) int {
	i := c.program.Attributes.Index(n.Name)
	if i < 0 && c.file.IsNumber(n.Name) {
		c.Add(n.At, "%s: %s: a number has no values to tell apart; write a table of groups beside it", what, n.Name)
	} else if i < 0 {
		c.Add(n.At, "%s: %s", what, diag.Unknown("attribute", n.Name, c.program.Listed().Names))
	}
	return i
}

// numberNames numbers the names in the order in which results list them, that of the sections of a
// file, whatever is compiled first.
func (c *compiler) numberNames() {
	clocks := func(all []syntax.Clock) {
		for i := range all {
			c.nameIndex(all[i].Name)
		}
	}
	for i := range c.file.States {
		clocks(c.file.States[i].Race)
		clocks(c.file.States[i].Split)
	}
	for i := range c.file.Machines {
		for _, s := range c.file.Machines[i].States {
			clocks(s.Race)
			clocks(s.Split)
		}
	}
	clocks(c.file.Always)
	for i := range c.file.Births {
		c.nameIndex(c.file.Births[i].Name)
	}
	for i := range c.file.Transmission {
		c.nameIndex(c.file.Transmission[i].Name)
	}
	for i := range c.file.Immigration {
		c.nameIndex(c.file.Immigration[i].Name)
	}
	for i := range c.file.Tracing {
		c.nameIndex(c.file.Tracing[i].Contact.Name)
	}
	c.clockNames = len(c.program.CountedNames)
}

// nameIndex returns the number of a name that events are counted under, or −1 for no name.
func (c *compiler) nameIndex(name string) int {
	if name == "" {
		return -1
	}
	i, ok := c.nameIndexes[name]
	if !ok {
		i = len(c.program.CountedNames)
		c.nameIndexes[name] = i
		c.program.CountedNames = append(c.program.CountedNames, name)
	}
	return i
}

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

// functions checks the names of the functions that a program supplies for contacts, and of the
// values that it records.
func (c *compiler) functions() {
	var contacts []string
	for i := range c.file.Transmission {
		if name := c.file.Transmission[i].Name; name != "" {
			contacts = append(contacts, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.file.Functions.Chances)) {
		if !slices.Contains(contacts, name) {
			c.Add(diag.Place{File: "WithChance " + name}, "%s",
				diag.Unknown("contact", name, func() []string { return contacts }))
		}
	}
	c.program.Values = c.file.Functions.Values
	for i, v := range c.program.Values {
		if slices.ContainsFunc(c.program.Values[:i], func(o function.Value) bool { return o.Name == v.Name }) {
			c.Add(diag.Place{File: "WithValue " + v.Name}, "there are two values of that name")
		}
	}
}
