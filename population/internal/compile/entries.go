package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// birth compiles a line of births: a rate event of the states that parents may be in.
func (c *compiler) birth(here Scope, b *syntax.Entry) {
	in := &program.Entry{Given: c.givenAttributes(nil, "", c.inheritedAttributes(b))}
	do := program.Action{Kind: program.DoBirth, Child: in, Name: c.nameIndex(b.Name), Chance: 1}
	c.entryStates(here, &b.Enter, b.What+": enter", in)
	from := c.stateSet(b.From, b.What+": from")
	where := c.conditions(b.Where, b.What+": where")
	c.addRateEvent(from, c.newRateEvent(here, rateEvent{what: b.What, rate: b.Rate, where: where, do: do}))
}

// immigration compiles a line of immigration. Its rate is for the whole population, or, if per is
// given, for each per individuals of its size at the start.
func (c *compiler) immigration(here Scope, t *program.Phase, e *syntax.Entry) program.Immigration {
	var a program.Immigration
	factor := 1.0
	if e.Per.Given() {
		if per, ok := here.PositiveNumber(e.Per, e.What+": per"); ok {
			factor = float64(c.file.Size) / per
		}
	}
	if d := here.Dependence(e.Rate); d.Time || d.Counts {
		var varying *program.TimeVarying
		if varying, a.Rate = c.timeVarying(here, e.Rate, e.What+": rate", syntax.KindRate); varying != nil {
			a.Varying = []program.VaryingRate{{Rate: varying, Factor: factor, What: e.What}}
		}
	} else {
		a.Rate, _ = here.Rate(e.Rate, e.What+": rate")
	}
	a.Rate *= factor
	a.Name, a.In.Given = c.nameIndex(e.Name), c.givenAttributes(e.With, e.What+": with", nil)
	c.entryStates(here, &e.Enter, e.What+": enter", &a.In)
	if e.Age.Given() {
		a.In.Age = c.ages(here, t, &a.In, e.Age, e.What+": age")
	}
	return a
}

// givenAttributes returns, for each attribute of an individual that enters, its value or that it is
// drawn or inherited. It is nil if all are drawn.
func (c *compiler) givenAttributes(with []syntax.Move, what string, inherited []int) []int32 {
	moves := c.moves(with, what)
	if len(moves) == 0 && len(inherited) == 0 && len(c.bands) == 0 {
		return nil
	}
	given := slices.Repeat([]int32{program.Drawn}, len(c.program.Attributes))
	for a := range c.bands {
		given[a] = program.ByAge
	}
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
			if c.bands[a] == nil { // a child has an age of its own
				all = append(all, a)
			}
		}
	}
	for _, n := range b.Inherit {
		if n.Bad {
			continue
		}
		if a := c.attribute(n, b.What+": inherit"); a >= 0 && !c.followsAge(a, n, b.What+": inherit") {
			all = append(all, a)
		}
	}
	return all
}

// entryStates works out the state in which an individual enters: one, or one that is drawn.
func (c *compiler) entryStates(here Scope, e *syntax.Enter, what string, in *program.Entry) {
	in.To = program.NoState
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
		good = good && state != program.NoState
	}
	t.Shares = eachCell(c, here, written, func(here Scope) program.EntryShares {
		return entryShares(here, e, what, written, rest, good)
	})
	in.Into = t
}

// entryShares returns the shares of the states that the entry state is drawn from. State number
// rest has what is left over, if that is not negative; good is false if a problem was reported.
func entryShares(
	here Scope, e *syntax.Enter, what string, written []syntax.Value, rest int, good bool,
) program.EntryShares {
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
		return program.EntryShares{Varying: varying}
	case rest >= 0 && sum > 1+sumTolerance:
		here.reportTogether(e.At, written, "%s: the shares add up to %.6g, more than 1", what, sum)
	case rest < 0 && !isOne(sum):
		here.reportTogether(e.At, written, "%s: the shares add up to %.6g, expected 1; or write rest for one state",
			what, sum)
	case rest >= 0:
		shares[rest] = max(0, 1-sum)
	}
	return program.EntryShares{Sums: lookup.CumulativeShares(shares)}
}
