package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// among looks up whom a contact is among. The rate is then for each of their pairs, if it is for
// pairs. It reports false if there is no such attribute.
func (c *compiler) among(ct *program.Contact, text *syntax.Contact, rate *syntax.Value) bool {
	if text.Among.Bad {
		return false
	}
	near := program.Neighbourhood{Attribute: c.program.Attributes.Index(text.Among.Name), Kind: -1}
	if near.Kind = c.kind(text.Among.Name); near.Kind >= 0 {
		near.Attribute = -1
	} else if near.Attribute < 0 {
		c.Add(text.Among.At, "%s: among: %s", text.What,
			diag.Unknown("kind of places, network or attribute", text.Among.Name, func() []string {
				return append(c.file.PlaceNames(), c.program.Listed().Names()...)
			}))
		return false
	}
	if near.Attribute >= 0 {
		c.program.MixesBy[near.Attribute] = true
	}
	ct.EachPair = text.EachPair
	ct.Near = slices.IndexFunc(c.program.Near, func(o program.Neighbourhood) bool {
		return o.Attribute == near.Attribute && o.Kind == near.Kind
	})
	if ct.Near < 0 {
		ct.Near = len(c.program.Near)
		c.program.Near = append(c.program.Near, near)
	}
	if text.EachPair {
		c.program.Near[ct.Near].Pairs = true
		each := *rate.CountDependent
		each.Near = 1 + ct.Near
		rate.CountDependent = &each
	}
	return true
}
