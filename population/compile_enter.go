package population

import "slices"

// given looks up which attributes of somebody who enters have certain values, and which have the parent's. It is nil if all are drawn.
func (c *compiler) given(with []moveText, what string, inherited []int) []int32 {
	moves := c.moves(with, what)
	if len(moves) == 0 && len(inherited) == 0 {
		return nil
	}
	given := slices.Repeat([]int32{drawnValue}, len(c.m.attributes))
	for _, m := range moves {
		given[m.attribute] = int32(m.value)
	}
	for _, a := range inherited {
		given[a] = inheritedValue
	}
	return given
}

// inherited looks up which attributes a child has from its parent.
func (c *compiler) inherited(b *entryText) []int {
	var all []int
	if b.inheritAll {
		for a := range c.m.attributes {
			all = append(all, a)
		}
	}
	for _, n := range b.inherit {
		if n.bad {
			continue
		}
		if a := c.attribute(n, b.what+": inherit"); a >= 0 {
			all = append(all, a)
		}
	}
	return all
}

// into works out where somebody begins who enters: a state, or one that is drawn.
func (c *compiler) into(here scope, e *enterText, what string, in *entrance) {
	in.to = nobody
	if len(e.into) == 0 {
		in.to = c.state(e.named, what, false)
		return
	}
	if e.bad {
		return
	}
	t := &intoTable{}
	var written []value
	good, rest := true, -1
	for k, s := range e.into {
		state := c.state(s.state, what, false)
		switch {
		case s.rest && rest >= 0:
			c.add(s.state.at, "%s: a second rest; only one state can have those who are left over", what)
			good = false
		case s.rest:
			rest = k
		default:
			written = append(written, s.share)
		}
		t.states = append(t.states, state)
		good = good && state != nobody
	}
	t.shares = eachCell(c, here, written, func(here scope) intoShares { return c.enterShares(here, e, what, written, rest, good) })
	in.into = t
}

// enterShares are the shares of the states that somebody begins in.
func (c *compiler) enterShares(here scope, e *enterText, what string, written []value, rest int, good bool) intoShares {
	courses, shares := make([]*course, len(e.into)), make([]float64, len(e.into))
	sum, changes := 0.0, false
	for k, s := range e.into {
		if s.rest {
			continue
		}
		p, ok := here.course(s.share, what+": "+s.state.name, aShare)
		if good = good && ok; !ok {
			continue
		}
		x, constant := p.constant()
		courses[k], shares[k] = p, x
		sum, changes = sum+x, changes || !constant
	}
	switch {
	case !good:
	case changes && rest < 0:
		here.broken(e.at, written, "%s: a share that changes with time; write rest for one state, so that they always add up to 1", what)
	case changes:
		if t, sum, ok := here.addUp(courses); !ok {
			here.broken(e.at, written, "%s: the shares add up to %.6g at %s %.6g, more than 1", what, sum, here.unit.name, here.start+t)
		}
		return intoShares{courses: courses}
	case rest >= 0 && sum > 1+1e-6:
		here.broken(e.at, written, "%s: the shares add up to %.6g, more than 1", what, sum)
	case rest < 0 && !isOne(sum):
		here.broken(e.at, written, "%s: the shares add up to %.6g, expected 1; or write rest for one state", what, sum)
	case rest >= 0:
		shares[rest] = max(0, 1-sum)
	}
	return intoShares{sums: spread(shares)}
}
