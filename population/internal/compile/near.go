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
	near := program.Neighbourhood{Attribute: c.program.Attributes.Index(text.Among.Name), Kind: -1, Network: -1}
	if near.Kind = c.kind(text.Among.Name); near.Kind >= 0 {
		near.Attribute = -1
	} else if near.Network = c.network(text.Among.Name); near.Network >= 0 {
		near.Attribute = -1
	} else if near.Attribute < 0 {
		c.Add(text.Among.At, "%s: among: %s", text.What,
			diag.Unknown("kind of places, network or attribute", text.Among.Name, func() []string {
				return slices.Concat(c.file.PlaceNames(), c.file.NetworkNames(), c.program.Listed().Names())
			}))
		return false
	}
	if near.Attribute >= 0 {
		c.program.MixesBy[near.Attribute] = true
	}
	ct.EachPair = text.EachPair
	ct.Near = c.near(near)
	if text.EachPair {
		c.program.Near[ct.Near].Pairs = true
		each := *rate.CountDependent
		each.Near = 1 + ct.Near
		rate.CountDependent = &each
	}
	return true
}

// near returns the number of a neighbourhood in Program.Near.
func (c *compiler) near(of program.Neighbourhood) int {
	k := slices.IndexFunc(c.program.Near, func(o program.Neighbourhood) bool {
		of.Pairs = o.Pairs
		return o == of
	})
	if k < 0 {
		k = len(c.program.Near)
		c.program.Near = append(c.program.Near, of)
	}
	return k
}
