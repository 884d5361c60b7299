package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// birth compiles a line of births: a rate event of the states that parents may be in.
func (c *compiler) birth(here eval.Scope, b *syntax.Entry) {
	in := &program.Entry{}
	c.givenAttributes(here, in, b.With, b.What+": with", c.inheritedAttributes(b), b.Which)
	c.inheritNumbers(in, b)
	c.inheritPlaces(in, b)
	do := program.Action{Kind: program.DoBirth, Child: in, Name: c.nameIndex(b.Name), Chance: 1}
	c.entryStates(here, &b.Enter, b.What+": enter", in)
	c.batch(here, b, in)
	from := c.stateSet(b.From, b.What+": from")
	where := c.conditions(b.Where, b.What+": where")
	c.addRateEvent(from, c.newRateEvent(here, rateEvent{what: b.What, rate: b.Rate, where: where, do: do}))
}

// immigration compiles a line of immigration. Its rate is for the whole population, or, if per is
// given, for each per individuals of its size at the start.
func (c *compiler) immigration(here eval.Scope, t *program.Phase, e *syntax.Entry) program.Immigration {
	var a program.Immigration
	factor := 1.0
	if e.Per.Given() {
		if per, ok := here.PositiveNumber(e.Per, e.What+": per"); ok {
			factor = float64(c.file.Size) / per
		}
	}
	if here.RefuseIndividual(e.Rate, e.What+": rate") {
		a.Rate = 0
	} else if d := here.Dependence(e.Rate); d.Time || d.Counts {
		var varying *program.TimeVarying
		if varying, a.Rate = c.timeVarying(here, e.Rate, e.What+": rate", quantity.Rate); varying != nil {
			a.Varying = []program.VaryingRate{{Rate: varying, Factor: factor, What: e.What}}
		}
	} else {
		a.Rate, _ = here.Rate(e.Rate, e.What+": rate")
	}
	a.Rate *= factor
	a.Name = c.nameIndex(e.Name)
	c.givenAttributes(here, &a.In, e.With, e.What+": with", nil, e.Which)
	c.entryStates(here, &e.Enter, e.What+": enter", &a.In)
	c.batch(here, e, &a.In)
	if e.Age.Given() {
		a.In.Age = c.ages(here, t, &a.In, e.Age, e.What+": age")
	}
	return a
}

// givenAttributes sets, for each attribute and machine of an individual that enters, its value, or
// how it is drawn, or that it is inherited. Which names the entry in messages; it is empty at the
// start.
func (c *compiler) givenAttributes(
	here eval.Scope, in *program.Entry, with []syntax.Move, what string, inherited []int, which string,
) {
	if len(c.bands) > 0 || len(inherited) > 0 {
		in.Given = c.allDrawn(nil)
	}
	for i := range with {
		t := &with[i]
		if c.giveNumber(in, t, what) {
			continue
		}
		a := c.givenAttribute(t.Attribute, what)
		if a < 0 || t.Gives.Value.Bad {
			continue
		}
		if len(t.Gives.Shares) > 0 {
			enter := syntax.Enter{Ref: syntax.Ref{At: t.Gives.At}, Into: t.Gives.Shares}
			c.setDraw(in, a, c.drawAtEntry(here, a, &enter, what))
			continue
		}
		values := c.program.Attributes[a].Values
		v := slices.Index(values, t.Gives.Value.Name)
		switch {
		case len(t.Gives.Cases) > 0:
			c.Add(t.Gives.At, "%s: %s: a table; expected a value, or shares such as {%s: 40%%, %s: rest}", what,
				t.Attribute.Name, values[0], values[len(values)-1])
		case v < 0:
			c.Add(t.Gives.Value.At, "%s: %s", what,
				diag.Unknown("value of "+t.Attribute.Name, t.Gives.Value.Name, func() []string { return values }))
		default:
			in.Given = c.allDrawn(in.Given)
			in.Given[a] = int32(v)
		}
	}
	for _, a := range inherited {
		in.Given[a] = program.Inherited
	}
	c.enterMachines(here, in, which)
}

// allDrawn returns given, or, if that is nil, that all attributes are drawn or follow the age.
func (c *compiler) allDrawn(given []int32) []int32 {
	if given != nil {
		return given
	}
	given = slices.Repeat([]int32{program.Drawn}, len(c.program.Attributes))
	for a := range c.bands {
		given[a] = program.ByAge
	}
	return given
}

// drawAtEntry is drawFrom for an individual that enters. What is drawn may depend on what it has
// already.
func (c *compiler) drawAtEntry(here eval.Scope, a int, e *syntax.Enter, what string) *program.EntryStates {
	for _, s := range e.Into {
		share := what + ": " + s.State.Name
		if !s.Rest && (c.dependsOnLater(here, c.order(a), share, s.Share) || here.RefuseIndividual(s.Share, share)) {
			return nil
		}
	}
	return c.drawFrom(here, a, e, what)
}

// inheritedAttributes returns the attributes that a child has from its parent.
func (c *compiler) inheritedAttributes(b *syntax.Entry) []int {
	var all []int
	if b.InheritAll {
		for a := range c.program.Listed() {
			if c.bands[a] == nil { // a child has an age of its own
				all = append(all, a)
			}
		}
	}
	for _, n := range b.Inherit {
		if c.kind(n.Name) >= 0 { // see inheritPlaces
			continue
		}
		if n.Bad || c.file.IsNumber(n.Name) { // see inheritNumbers
			continue
		}
		if a := c.givenAttribute(n, b.What+": inherit"); a >= 0 {
			all = append(all, a)
		}
	}
	return all
}

// entryStates works out the state in which an individual enters: one, or one that is drawn.
func (c *compiler) entryStates(here eval.Scope, e *syntax.Enter, what string, in *program.Entry) {
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
	if c.dependsOnLater(here, c.program.Plain()+1, what, written...) ||
		slices.ContainsFunc(written, func(v syntax.Value) bool { return here.RefuseIndividual(v, what) }) {
		return
	}
	t.Shares = eachCell(c, here, written, func(here eval.Scope) program.EntryShares {
		return entryShares(here, e, what, written, rest, good)
	})
	in.Into = t
}

// entryShares returns the shares of the states that the entry state is drawn from. State number
// rest has what is left over, if that is not negative; good is false if a problem was reported.
func entryShares(
	here eval.Scope, e *syntax.Enter, what string, written []syntax.Value, rest int, good bool,
) program.EntryShares {
	varying, shares := make([]*program.TimeVarying, len(e.Into)), make([]float64, len(e.Into))
	sum, changes := 0.0, false
	for k, s := range e.Into {
		if s.Rest {
			continue
		}
		p, ok := here.TimeVarying(s.Share, what+": "+s.State.Name, quantity.Share)
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
		here.ReportTogether(e.At, written,
			"%s: a share that changes with time; write rest for one state, so that they always add up to 1", what)
	case changes:
		if t, sum, ok := here.SumStaysWithinOne(varying); !ok {
			here.ReportTogether(e.At, written, "%s: the shares add up to %.6g at %s %.6g, more than 1", what, sum,
				here.Unit.Name, here.Start+t)
		}
		return program.EntryShares{Varying: varying}
	case rest >= 0 && sum > 1+eval.SumTolerance:
		here.ReportTogether(e.At, written, "%s: the shares add up to %.6g, more than 1", what, sum)
	case rest < 0 && !eval.IsOne(sum):
		here.ReportTogether(e.At, written, "%s: the shares add up to %.6g, expected 1; or write rest for one state",
			what, sum)
	case rest >= 0:
		shares[rest] = max(0, 1-sum)
	}
	return program.EntryShares{Sums: lookup.CumulativeShares(shares)}
}

// children returns how those enter who enter when a clock fires: nil if nobody does. It is worked
// out once for each phase.
func (c *compiler) children(here eval.Scope, clock *syntax.Clock) *program.Entry {
	if len(clock.Children) == 0 {
		return nil
	}
	if in, ok := c.childEntries[clock]; ok {
		return in
	}
	e, in := &clock.Children[0], &program.Entry{}
	c.givenAttributes(here, in, e.With, e.What+": with", c.inheritedAttributes(e), e.Which)
	c.inheritNumbers(in, e)
	c.inheritPlaces(in, e)
	c.entryStates(here, &e.Enter, e.What+": enter", in)
	c.batch(here, e, in)
	c.childEntries[clock] = in
	return in
}

// batch sets how many enter together.
func (c *compiler) batch(here eval.Scope, e *syntax.Entry, in *program.Entry) {
	if !e.Count.Given() || e.Count.Bad {
		return
	}
	what := e.What + ": count"
	if d := here.Dependence(e.Count); d.Cells() && e.What == syntax.ByImmigration {
		here.ReportTogether(e.Count.At, []syntax.Value{e.Count}, "%s: a table by group, and nobody is there yet", what)
		return
	}
	in.Count = eachCell(c, here, []syntax.Value{e.Count}, func(here eval.Scope) program.Whole {
		w, ok := here.Whole(e.Count, what)
		if !ok || !c.reserveEntries(1+len(w.Sums)/16) {
			return program.Whole{}
		}
		return w
	})
}
