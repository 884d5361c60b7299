package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// givenAttributes returns, for each attribute of an individual that enters, its value or that it is
// drawn or inherited. It is nil if all are drawn.
func (c *compiler) givenAttributes(with []syntax.Move, what string, inherited []int) []int32 {
	moves := c.moves(with, what)
	if len(moves) == 0 && len(inherited) == 0 {
		return nil
	}
	given := slices.Repeat([]int32{program.Drawn}, len(c.program.Attributes))
	for _, m := range moves {
		given[m.Attribute] = int32(m.Value)
	}
	for _, a := range inherited {
		given[a] = program.Inherited
	}
	return given
}

// inheritedAttributes returns the attributes that a child has from its parent.
func (c *compiler) inheritedAttributes(b *syntax.Entry) []int {
	var all []int
	if b.InheritAll {
		for a := range c.program.Attributes {
			all = append(all, a)
		}
	}
	for _, n := range b.Inherit {
		if n.Bad {
			continue
		}
		if a := c.attribute(n, b.What+": inherit"); a >= 0 {
			all = append(all, a)
		}
	}
	return all
}

// entryStates works out the state in which an individual enters: one, or one that is drawn.
func (c *compiler) entryStates(here Scope, e *syntax.Enter, what string, in *program.Entry) {
	in.To = program.Nobody
	if len(e.Into) == 0 {
		in.To = c.state(e.Ref, what, false)
		return
	}
	if e.Bad {
		return
	}
	t := &program.EntryStates{}
	var written []syntax.Value
	good, rest := true, -1
	for k, s := range e.Into {
		state := c.state(s.State, what, false)
		switch {
		case s.Rest && rest >= 0:
			c.Add(s.State.At, "%s: a second rest; only one state can have those who are left over", what)
			good = false
		case s.Rest:
			rest = k
		default:
			written = append(written, s.Share)
		}
		t.States = append(t.States, state)
		good = good && state != program.Nobody
	}
	t.Shares = eachCell(c, here, written, func(here Scope) program.EntryShares { return c.entryShares(here, e, what, written, rest, good) })
	in.Into = t
}

// entryShares returns the shares of the states that the entry state is drawn from.
func (c *compiler) entryShares(here Scope, e *syntax.Enter, what string, written []syntax.Value, rest int, good bool) program.EntryShares {
	varying, shares := make([]*program.TimeVarying, len(e.Into)), make([]float64, len(e.Into))
	sum, changes := 0.0, false
	for k, s := range e.Into {
		if s.Rest {
			continue
		}
		p, ok := here.timeVarying(s.Share, what+": "+s.State.Name, syntax.KindShare)
		if good = good && ok; !ok {
			continue
		}
		x, constant := p.Constant()
		varying[k], shares[k] = p, x
		sum, changes = sum+x, changes || !constant
	}
	switch {
	case !good:
	case changes && rest < 0:
		here.reportTogether(e.At, written,
			"%s: a share that changes with time; write rest for one state, so that they always add up to 1", what)
	case changes:
		if t, sum, ok := here.sumStaysWithinOne(varying); !ok {
			here.reportTogether(e.At, written, "%s: the shares add up to %.6g at %s %.6g, more than 1", what, sum,
				here.unit.Name, here.start+t)
		}
		return program.EntryShares{Courses: varying}
	case rest >= 0 && sum > 1+1e-6:
		here.reportTogether(e.At, written, "%s: the shares add up to %.6g, more than 1", what, sum)
	case rest < 0 && !isOne(sum):
		here.reportTogether(e.At, written, "%s: the shares add up to %.6g, expected 1; or write rest for one state",
			what, sum)
	case rest >= 0:
		shares[rest] = max(0, 1-sum)
	}
	return program.EntryShares{Sums: lookup.Sums(shares)}
}
