package compile

import (
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// checkMade checks that who is put into places that are made of something does not depend on the
// values that these give.
func (c *compiler) checkMade(here Scope, text *syntax.Place, p *program.Place) {
	for i, w := range p.Where {
		if c.followsFrom(here, w.Attribute, p.By) {
			at := text.Where[min(i, len(text.Where)-1)].Attribute
			c.Add(at.At, "%s: where asks for %s, which made of gives", text.What, c.madeName(w.Attribute, p.By))
		}
	}
	for _, n := range text.Alike {
		if k := c.kind(n.Name); k >= 0 && k < len(c.program.Places) {
			if a := c.sortedBy(here, k, p.By); a >= 0 {
				c.Add(n.At, "%s: alike: who is in which %s depends on %s, which made of gives", text.What, n.Name,
					c.madeName(a, p.By))
			}
		} else if a := c.program.Attributes.Index(n.Name); a >= 0 && c.followsFrom(here, a, p.By) {
			c.Add(n.At, "%s: alike: made of gives %s", text.What, c.madeName(a, p.By))
		}
	}
}

// madeName names an attribute that follows from the one that made of gives.
func (c *compiler) madeName(a, by int) string {
	name := c.program.Attributes[by].Name
	if a == by {
		return name
	}
	return c.program.Attributes[a].Name + ", by " + name
}

// sortedBy returns an attribute by which people are put into the places of a kind at the start, and
// that follows from another; −1 if there is none.
func (c *compiler) sortedBy(here Scope, kind, from int) int {
	p := &c.program.Places[kind]
	for _, w := range p.Where {
		if c.followsFrom(here, w.Attribute, from) {
			return w.Attribute
		}
	}
	for _, a := range p.Alike {
		if c.followsFrom(here, a, from) {
			return a
		}
	}
	for _, other := range p.AlikeIn {
		if a := c.sortedBy(here, other, from); a >= 0 {
			return a
		}
	}
	return -1
}

// followsFrom reports whether the value that somebody of the start has of an attribute depends on
// that of another: it is the same, begins with it, or is a machine whose start is a table by it.
func (c *compiler) followsFrom(here Scope, a, from int) bool {
	if a == from {
		return true
	}
	if s := c.program.SameAs; s != nil && a < len(s) && s[a] >= 0 && s[a] < a {
		return c.followsFrom(here, s[a], from)
	}
	m := c.machineOf(a)
	if m < 0 {
		return false
	}
	for k := range c.file.Machines[m].Start {
		if s := &c.file.Machines[m].Start[k]; !s.Rest {
			for _, own := range here.Dependence(s.Value).Own {
				if own < a && c.followsFrom(here, own, from) {
					return true
				}
			}
		}
	}
	return false
}
