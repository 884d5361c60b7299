package population

import (
	"cmp"
	"slices"
)

// plan puts the interventions in the order in which they happen, and works out the parameters from each on.
func (c *compiler) plan(start scope) {
	const tooMany = 100_000
	type occurrence struct {
		text *planText
		at   float64
	}
	var all []occurrence
	for i := range c.f.plans {
		p := &c.f.plans[i]
		for k := 0.0; ; k++ {
			at := p.when + k*p.every
			if k > 0 && (!(at <= p.until) || !(at <= c.m.end)) {
				break
			}
			all = append(all, occurrence{p, at})
			if p.every == 0 {
				break
			}
			if len(all) > tooMany {
				c.add(p.at, "%s: it would happen more than %d times", p.what, tooMany)
				return
			}
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	here := start
	for _, o := range all {
		c.m.plans = append(c.m.plans, c.intervention(&here, o.text, o.at))
	}
}

func (c *compiler) intervention(here *scope, text *planText, at float64) plan {
	p := plan{text: text, clock: at, at: at - c.m.start, coverage: 1, count: text.count}
	if len(text.set) > 0 {
		changes := map[string]parameter{}
		c.turns++
		for _, s := range text.set {
			old, ok := here.parameter(s.label.name)
			if !ok {
				c.add(s.label.at, "%s: set: %s", text.what, unknown("parameter", s.label.name, c.f.parameterNames))
				continue
			}
			if s.value.bad || old.bad {
				continue
			}
			changes[s.label.name] = parameter{s.value, text.what + ": set: " + s.label.name, c.turns}
		}
		*here = here.with(changes)
		p.phase = c.phase(*here)
	}
	if !text.everyone && len(text.who) > 0 {
		p.who = c.set(text.who, text.what+": who")
	}
	p.where = c.moves(text.where, text.what+": where")
	if text.covers {
		p.coverage, _ = here.chance(text.coverage, text.what+": coverage")
	}
	p.do = action{verb: doMove, to: same, name: -1, chance: 1}
	if text.to.given() || len(text.moves) > 0 || text.enter.given() {
		p.do.name = c.name(text.name) // if it only sets parameters there is nobody to count
	}
	if text.to.given() {
		p.do.to = c.state(text.to, text.what+": to", true)
	}
	p.do.moves = c.moves(text.moves, text.what+": move")
	if text.enter.given() {
		p.in = &entrance{given: c.given(text.with, text.what+": with", nil)}
		c.into(*here, &text.enter, text.what+": enter", p.in)
	}
	return p
}
