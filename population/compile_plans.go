package population

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A standing is what the parameters stand for at some time, and the tables for it.
type standing struct {
	here  scope
	phase *tables
}

// standings are what the parameters may stand for at some time: one, unless interventions that wait set parameters.
type standings struct{ all []standing }

// A planner finds out which tables there may be, and which intervention leads from which to which.
//
// Without interventions that wait there is one after the other, in the order of time. One that waits may happen at any time, so from each
// of the tables that may hold it leads to others, from which others of them lead on; a later intervention with a time starts
// from all of these.
type planner struct {
	*compiler
	next map[plannerStep]*standings
	sets map[string]*standings // by the numbers of their tables
}

type plannerStep struct {
	deed *deed
	from *standings
}

// mostPhases is how many there may be at a time.
const mostPhases = 1000

// intervals works out how far apart the times are of interventions that are repeated. One for which that cannot be done is left out.
func intervals(f *file, list *problemList) {
	var all []planText
	for _, p := range f.plans {
		if p.every.given() {
			var ok bool
			if p.interval, ok = newScope(list, f.unit).longer(p.every, p.what+": every"); !ok {
				continue
			}
		}
		all = append(all, p)
	}
	f.plans = all
}

// plan puts the interventions in the order in which they happen, and works out the parameters from each on.
func (c *compiler) plan(start scope) {
	const tooMany = 100_000
	type occurrence struct {
		deed *deed
		at   float64
	}
	var all []occurrence
	for i := range c.f.plans {
		p := &c.f.plans[i]
		d := c.deed(p)
		if p.waits {
			c.m.triggers = append(c.m.triggers, d)
			continue
		}
		for k := 0.0; ; k++ {
			at := p.when + float64(k*p.interval)
			if k > 0 && (!(at <= p.until) || !(at <= c.m.end)) {
				break
			}
			all = append(all, occurrence{d, at})
			if p.interval == 0 {
				break
			}
			if len(all) > tooMany {
				c.add(p.at, "%s: it would happen more than %d times", p.what, tooMany)
				return
			}
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	pl := planner{compiler: c, next: map[plannerStep]*standings{}, sets: map[string]*standings{}}
	now := pl.spread([]standing{{start, c.m.first}})
	for _, o := range all {
		now = pl.after(o.deed, now)
		c.m.plans = append(c.m.plans, plan{deed: o.deed, clock: o.at, at: o.at - c.m.start})
	}
}

// after is what the parameters may stand for after an intervention, and all that wait and may follow.
func (p *planner) after(d *deed, from *standings) *standings {
	step := plannerStep{d, from}
	if to, ok := p.next[step]; ok {
		return to
	}
	var all []standing
	for _, s := range from.all {
		all = append(all, p.turn(d, s))
	}
	to := from
	if len(p.texts[d].set) > 0 {
		to = p.spread(all)
	}
	p.next[step] = to
	return to
}

// spread adds what interventions that wait may lead to.
func (p *planner) spread(from []standing) *standings {
	var all []standing
	seen := map[*tables]bool{}
	add := func(s standing) {
		if !seen[s.phase] {
			seen[s.phase] = true
			all = append(all, s)
		}
	}
	for _, s := range from {
		add(s)
	}
	for i := 0; i < len(all) && !p.stopped; i++ {
		for _, d := range p.m.triggers {
			add(p.turn(d, all[i]))
		}
		if len(all) > mostPhases {
			p.add(p.texts[p.m.triggers[0]].at, "interventions: those with when can set the parameters in more than %d combinations; expected fewer that set something else each", mostPhases)
			p.stopped = true
		}
	}
	numbers := make([]string, len(all))
	for i, s := range all {
		numbers[i] = fmt.Sprint(slices.Index(p.m.phases, s.phase))
	}
	slices.Sort(numbers)
	key := strings.Join(numbers, ",")
	if known, ok := p.sets[key]; ok {
		return known
	}
	to := &standings{all}
	p.sets[key] = to
	return to
}

// deed looks up the names in what an intervention does.
func (c *compiler) deed(text *planText) *deed {
	d := &deed{what: text.what, again: text.again, picks: text.picks, enters: text.enter.given(), turns: map[*tables]*turn{}}
	c.texts[d] = text
	if !text.everyone && len(text.who) > 0 {
		d.who = c.set(text.who, text.what+": who")
	}
	d.where = c.conditions(text.where, text.what+": where")
	d.do = action{verb: doMove, to: same, name: -1, chance: 1}
	if text.to.given() || len(text.moves) > 0 || text.enter.given() || text.waits {
		d.do.name = c.name(text.name) // if it only sets parameters, at times that are known, there is nothing to count
	}
	if text.to.given() {
		d.do.to = c.state(text.to, text.what+": to", true)
	}
	d.do.moves = c.moves(text.moves, text.what+": move")
	return d
}

// turn works out what an intervention does as the parameters are.
func (c *compiler) turn(d *deed, from standing) standing {
	if t, ok := d.turns[from.phase]; ok {
		return c.after[t]
	}
	text, after := c.texts[d], from
	t := &turn{}
	if len(text.set) > 0 {
		changes := map[string]parameter{}
		c.turns++
		for _, s := range text.set {
			old, ok := from.here.parameter(s.label.name)
			if !ok {
				c.add(s.label.at, "%s: set: %s", text.what, unknown("parameter", s.label.name, c.f.parameterNames))
				continue
			}
			if s.value.bad || old.bad {
				continue
			}
			changes[s.label.name] = parameter{s.value, text.what + ": set: " + s.label.name, c.turns}
		}
		after.here = from.here.with(changes)
		after.phase = c.phase(after.here)
	}
	t.to, c.after[t] = after.phase, after
	here := after.here
	if text.coverage.given() {
		t.coverage = eachCell(c, here, []value{text.coverage}, func(here scope) *course {
			p, _ := here.course(text.coverage, text.what+": coverage", aShare)
			return p
		})
	}
	if t.count = text.count; text.countBy.given() {
		const most = float64(mostIndividuals)
		x, _ := here.within(text.countBy, text.what+": count", aNumber, func(x float64) bool { return x >= 0 && x <= most && x == float64(int(x)) },
			fmt.Sprintf("expected a whole number from 0 to %.0f", most))
		t.count = int(x)
	}
	if text.enter.given() {
		t.in = &entrance{given: c.given(text.with, text.what+": with", nil)}
		c.into(here, &text.enter, text.what+": enter", t.in)
	}
	d.turns[from.phase] = t
	return after
}
