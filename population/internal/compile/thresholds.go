package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// limits works out what the interventions that wait compare with.
func (c *compiler) limits(here Scope, t *program.Phase) {
	for i := range c.f.Interventions {
		p := &c.f.Interventions[i]
		if !p.Waits {
			continue
		}
		var all []program.Threshold
		for k := range p.Conditions {
			if l, ok := c.limit(here, p, &p.Conditions[k]); ok {
				all = append(all, l)
			}
		}
		t.Thresholds = append(t.Thresholds, all)
	}
}

func (c *compiler) limit(here Scope, p *syntax.Intervention, text *syntax.Condition) (program.Threshold, bool) {
	what := p.What + ": when: " + diag.Echo(text.Of.Name)
	l := program.Threshold{State: -1, Above: text.Above}
	isState := slices.Contains(c.m.States, text.Of.Name)
	switch {
	case text.Of.Name != "total":
		state := c.state(text.Of, p.What+": when", false)
		if state == program.Nobody {
			return l, false
		}
		l.State = int(state)
	case isState:
		c.Add(text.Of.At, "%s: there is a state of this name, and it also means all of the living; give the state another name", what)
		return l, false
	}
	got, at, ok := here.Resolve(text.Limit, what)
	if !ok {
		return l, false
	}
	if got.Plain() && got.Quantity.Kind == syntax.KindShare {
		l.Share = true
		l.Number, ok = here.Chance(text.Limit, what)
		if ok && l.State < 0 {
			here.complain(text.Limit, at, "%s: %s: all of the living are always 100%% of them; write a number", what, called(text.Limit, got))
			ok = false
		}
		return l, ok
	}
	l.Number, ok = here.Within(text.Limit, what, syntax.KindNumber, func(x float64) bool { return x >= 0 }, "a number of individuals cannot be negative")
	if ok && l.Number > 0 && l.Number < 1 {
		here.complain(text.Limit, at, "%s: %s is not a number of individuals; write %.6g%% for a share of the living", what, called(text.Limit, got), 100*l.Number)
		ok = false
	}
	return l, ok
}
