package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// moves looks up attributes and what they are given.
func (c *compiler) moves(here eval.Scope, texts []syntax.Move, what string) []program.Move {
	var all []program.Move
	for i := range texts {
		if c.kind(texts[i].Attribute.Name) >= 0 {
			continue // see placeMoves
		}
		if m, ok := c.move(here, &texts[i], what); ok {
			all = append(all, m)
		}
	}
	return all
}

// move looks up one of them.
func (c *compiler) move(here eval.Scope, t *syntax.Move, what string) (program.Move, bool) {
	a := c.givenAttribute(t.Attribute, what)
	if a < 0 || t.Gives.Value.Bad {
		return program.Move{}, false
	}
	m := program.Move{Attribute: uint16(a), Machine: int16(c.machineOf(a))}
	values := c.program.Attributes[a].Values
	if v := slices.Index(values, t.Gives.Value.Name); v >= 0 && len(t.Gives.Shares)+len(t.Gives.Cases) == 0 {
		m.Value = uint16(v)
		return m, !c.isBoth(a, &t.Gives, what)
	}
	if gives, ok := c.fileGifts[t]; ok {
		m.Gives = gives
		return m, true
	}
	by, ok := c.givesBy(a, &t.Gives, what)
	if !ok {
		return m, false
	}
	cells, n, ok := c.cellsOf(by, 1)
	if !ok {
		return m, false
	}
	m.Gives = &program.ByCell[program.Gift]{By: cells}
	for k := range n {
		m.Gives.Values = append(m.Gives.Values, c.gift(here, a, &t.Gives, c.cell(cells, k), what))
	}
	if t.Gives.File != "" { // it has no parameters, and may be large
		c.fileGifts[t] = m.Gives
	}
	return m, true
}

// givenAttribute looks up an attribute or a machine that something gives a value. It returns −1 if
// that is not possible.
func (c *compiler) givenAttribute(n syntax.Ref, what string) int {
	if n.Name == syntax.StateName && c.program.Listed().Index(n.Name) < 0 {
		c.Add(n.At, "%s: state is not an attribute; write to: and the state, or enter: for those who enter", what)
		return -1
	}
	if c.isPresence(n, what) {
		return -1
	}
	if c.file.IsNumber(n.Name) {
		c.Add(n.At, "%s: %s is a number, which an individual has from when it enters; only with and inherit of those who "+
			"enter can give it", what, n.Name)
		return -1
	}
	a := c.attribute(n, what)
	if a < 0 || c.followsAge(a, n, what) {
		return -1
	}
	return a
}

// isBoth reports whether a value that an attribute is given has the name of another attribute,
// which could be copied, and adds a problem if so.
func (c *compiler) isBoth(a int, g *syntax.Gives, what string) bool {
	b := c.program.Attributes.Index(g.Value.Name)
	if b < 0 || b == a || b == c.program.StateAttribute {
		return false
	}
	c.Add(g.Value.At, "%s: %s: %s is a value and an attribute; rename one", what, c.program.Attributes[a].Name,
		diag.Quote(g.Value.Name))
	return true
}

// givesBy returns the attributes that it depends on what a move gives, ascending, and checks the
// names in it. A copy of another attribute depends on that.
func (c *compiler) givesBy(a int, g *syntax.Gives, what string) (by []int, good bool) {
	name, values := c.program.Attributes[a].Name, c.program.Attributes[a].Values
	switch {
	case len(g.Cases) > 0:
		b := c.attribute(g.By, what+": by")
		if b < 0 {
			return nil, false
		}
		by, good = []int{b}, true
		left := slices.Clone(c.program.Attributes[b].Values)
		other := false
		for i := range g.Cases {
			e := &g.Cases[i]
			k := slices.Index(left, e.Of.Name)
			switch {
			case k >= 0:
				left = slices.Delete(left, k, k+1)
			case e.Other:
				other = true
			default:
				c.notValue(e.Of, what, g.By.Name, c.program.Attributes[b].Values)
				good = false
			}
			more, ok := c.givesBy(a, &e.Gives, what)
			by, good = eval.Union(by, more), good && ok
		}
		if good && g.File != "" && len(left) > 0 {
			c.Add(g.Cases[0].Of.At, "there is no row for %s %s; expected at least one for each value", g.By.Name,
				diag.ListNames(left))
			good = false
		}
		if good && !other && len(left) > 0 {
			c.Add(g.By.At, "%s: there is nothing for %s %s; write %s: and what holds for it, or other: for all that are "+
				"not named", what, g.By.Name, diag.ListNames(left), diag.Shorten(left[0]))
			good = false
		}
		return by, good
	case len(g.Shares) > 0:
		return nil, true
	}
	b := c.program.Attributes.Index(g.Value.Name)
	if slices.Contains(values, g.Value.Name) {
		return nil, !c.isBoth(a, g, what)
	}
	if b < 0 {
		c.Add(g.Value.At, "%s: %s", what, diag.Unknown("value of "+name, g.Value.Name, func() []string { return values }))
		return nil, false
	}
	for _, v := range c.program.Attributes[b].Values {
		if !slices.Contains(values, v) {
			c.Add(g.Value.At, "%s: %s: %s has the value %s, which %s has not", what, name, g.Value.Name, v, name)
			return nil, false
		}
	}
	return []int{b}, true
}

// gift returns what a move gives to the individuals of a cell. Its names have been checked.
func (c *compiler) gift(here eval.Scope, a int, g *syntax.Gives, cell []uint16, what string) program.Gift {
	values := c.program.Attributes[a].Values
	switch {
	case len(g.Cases) > 0:
		b := c.program.Attributes.Index(g.By.Name)
		name, found := c.program.Attributes[b].Values[cell[b]], -1
		for i := range g.Cases {
			if g.Cases[i].Of.Name == name || g.Cases[i].Other && found < 0 {
				found = i
			}
		}
		return c.gift(here, a, &g.Cases[found].Gives, cell, what)
	case len(g.Shares) > 0:
		enter := syntax.Enter{Ref: syntax.Ref{At: g.At}, Into: g.Shares}
		return program.Gift{Draw: c.drawFrom(here, a, &enter, what)}
	}
	if v := slices.Index(values, g.Value.Name); v >= 0 {
		return program.Gift{Value: uint16(v)}
	}
	b := c.program.Attributes.Index(g.Value.Name)
	return program.Gift{Value: uint16(slices.Index(values, c.program.Attributes[b].Values[cell[b]]))}
}

// notValue reports a name that is no value of an attribute. Of one in a table it says nothing of
// what the table is for.
func (c *compiler) notValue(n syntax.Ref, what, attribute string, values []string) {
	if len(c.file.States) > 0 && n.At.File != c.file.States[0].At.File && !diag.OnCommandLine(n.At) {
		c.Add(n.At, "%s is no %s; %s", diag.Quote(n.Name), attribute,
			diag.DidYouMean(n.Name, values, "expected one of "+diag.ListNames(values)))
		return
	}
	c.Add(n.At, "%s: %s", what, diag.Unknown("value of "+attribute, n.Name, func() []string { return values }))
}

// drawFrom works out the shares of the values of an attribute from which one is drawn.
func (c *compiler) drawFrom(here eval.Scope, a int, e *syntax.Enter, what string) *program.EntryStates {
	name, values := c.program.Attributes[a].Name, c.program.Attributes[a].Values
	t := &program.EntryStates{}
	var written []syntax.Value
	good, rest := true, -1
	for k, s := range e.Into {
		v := slices.Index(values, s.State.Name)
		switch {
		case v < 0:
			c.notValue(s.State, what, name, values)
			v, good = 0, false
		case s.Rest && rest >= 0:
			c.Add(s.State.At, "%s: a second rest; only one value can have what is left over", what)
			good = false
		}
		if s.Rest {
			rest = k
		} else {
			written = append(written, s.Share)
		}
		t.States = append(t.States, uint16(v))
	}
	t.Shares = eachCell(c, here, written, func(here eval.Scope) program.EntryShares {
		return entryShares(here, e, what, written, rest, good)
	})
	return t
}

// An individual that enters has its values one after the other: the attributes in the order of the
// file, those that follow the age, its state, its machines.

// order returns at which place an attribute has its value, when an individual enters.
func (c *compiler) order(a int) int {
	n := c.program.Plain()
	switch {
	case c.bands[a] != nil:
		return n
	case a == c.program.StateAttribute:
		return n + 1
	case a >= n:
		return a + 2
	}
	return a
}

// dependsOnLater reports whether values depend on an attribute that an individual has only from a
// place in that order on, and adds a problem if so.
func (c *compiler) dependsOnLater(here eval.Scope, place int, what string, values ...syntax.Value) bool {
	for _, v := range values {
		for _, a := range here.Dependence(v).Own {
			if c.order(a) >= place {
				here.ReportTogether(v.At, []syntax.Value{v}, "%s: a table by %s, which is not known yet when this is drawn; "+
					"expected a table by something that comes before it", what, c.program.Attributes[a].Name)
				return true
			}
		}
	}
	return false
}
