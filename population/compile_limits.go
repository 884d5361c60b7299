package population

import "slices"

// limits works out what the interventions that wait compare with.
func (c *compiler) limits(here scope, t *tables) {
	for i := range c.f.plans {
		p := &c.f.plans[i]
		if !p.waits {
			continue
		}
		var all []limit
		for k := range p.conditions {
			if l, ok := c.limit(here, p, &p.conditions[k]); ok {
				all = append(all, l)
			}
		}
		t.limits = append(t.limits, all)
	}
}

func (c *compiler) limit(here scope, p *planText, text *conditionText) (limit, bool) {
	what := p.what + ": when: " + echo(text.of.name)
	l := limit{state: -1, above: text.above}
	isState := slices.Contains(c.m.states, text.of.name)
	switch {
	case text.of.name != "total":
		state := c.state(text.of, p.what+": when", false)
		if state == nobody {
			return l, false
		}
		l.state = int(state)
	case isState:
		c.add(text.of.at, "%s: there is a state of this name, and it also means all of the living; give the state another name", what)
		return l, false
	}
	got, at, ok := here.resolve(text.limit, what)
	if !ok {
		return l, false
	}
	if got.plain() && got.quantity.kind == aShare {
		l.share = true
		l.number, ok = here.chance(text.limit, what)
		if ok && l.state < 0 {
			here.complain(text.limit, at, "%s: %s: all of the living are always 100%% of them; write a number", what, called(text.limit, got))
			ok = false
		}
		return l, ok
	}
	l.number, ok = here.within(text.limit, what, aNumber, func(x float64) bool { return x >= 0 }, "a number of individuals cannot be negative")
	if ok && l.number > 0 && l.number < 1 {
		here.complain(text.limit, at, "%s: %s is not a number of individuals; write %.6g%% for a share of the living", what, called(text.limit, got), 100*l.number)
		ok = false
	}
	return l, ok
}
