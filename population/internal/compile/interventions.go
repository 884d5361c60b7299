package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Intervals works out how far apart the times are of interventions that are repeated. One for which that cannot be done is left out.
func Intervals(f *syntax.File, list *diag.List) {
	var all []syntax.Intervention
	for _, p := range f.Interventions {
		if p.Every.Given() {
			var ok bool
			if p.Interval, ok = NewScope(list, f.Unit).Longer(p.Every, p.What+": every"); !ok {
				continue
			}
		}
		all = append(all, p)
	}
	f.Interventions = all
}

// A standing is what the parameters stand for at some time, and the tables for it.
type standing struct {
	here  Scope
	phase *program.Phase
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
	deed *program.Intervention
	from *standings
}

// mostPhases is how many there may be at a time.
const mostPhases = 1000

// plan puts the interventions in the order in which they happen, and works out the parameters from each on.
func (c *compiler) plan(start Scope) {
	const tooMany = 100_000
	type occurrence struct {
		Intervention *program.Intervention
		at           float64
	}
	var all []occurrence
	for i := range c.f.Interventions {
		p := &c.f.Interventions[i]
		d := c.deed(p)
		if p.Waits {
			c.m.Triggered = append(c.m.Triggered, d)
			continue
		}
		for k := 0.0; ; k++ {
			at := p.When + float64(k*p.Interval)
			if k > 0 && (!(at <= p.Until) || !(at <= c.m.End)) {
				break
			}
			all = append(all, occurrence{d, at})
			if p.Interval == 0 {
				break
			}
			if len(all) > tooMany {
				c.Add(p.At, "%s: it would happen more than %d times", p.What, tooMany)
				return
			}
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	pl := planner{compiler: c, next: map[plannerStep]*standings{}, sets: map[string]*standings{}}
	now := pl.spread([]standing{{start, c.m.First}})
	for _, o := range all {
		now = pl.after(o.Intervention, now)
		c.m.Scheduled = append(c.m.Scheduled, program.Scheduled{Intervention: o.Intervention, Clock: o.at, At: o.at - c.m.Start})
	}
}

// after is what the parameters may stand for after an intervention, and all that wait and may follow.
func (p *planner) after(d *program.Intervention, from *standings) *standings {
	step := plannerStep{d, from}
	if to, ok := p.next[step]; ok {
		return to
	}
	var all []standing
	for _, s := range from.all {
		all = append(all, p.turn(d, s))
	}
	to := from
	if len(p.texts[d].Set) > 0 {
		to = p.spread(all)
	}
	p.next[step] = to
	return to
}

// spread adds what interventions that wait may lead to.
func (p *planner) spread(from []standing) *standings {
	var all []standing
	seen := map[*program.Phase]bool{}
	add := func(s standing) {
		if !seen[s.phase] {
			seen[s.phase] = true
			all = append(all, s)
		}
	}
	for _, s := range from {
		add(s)
	}
	for i := 0; i < len(all) && !p.Stopped; i++ {
		for _, d := range p.m.Triggered {
			add(p.turn(d, all[i]))
		}
		if len(all) > mostPhases {
			p.Add(p.texts[p.m.Triggered[0]].At, "interventions: those with when can set the parameters in more than %d combinations; expected fewer that set something else each", mostPhases)
			p.Stopped = true
		}
	}
	numbers := make([]string, len(all))
	for i, s := range all {
		numbers[i] = fmt.Sprint(slices.Index(p.m.Phases, s.phase))
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
func (c *compiler) deed(text *syntax.Intervention) *program.Intervention {
	d := &program.Intervention{What: text.What, Again: text.Again, Picks: text.Picks, Enters: text.Enter.Given(), Effects: map[*program.Phase]*program.Effect{}}
	c.texts[d] = text
	if !text.Everyone && len(text.Who) > 0 {
		d.Who = c.set(text.Who, text.What+": who")
	}
	d.Where = c.conditions(text.Where, text.What+": where")
	d.Do = program.Action{Verb: program.DoMove, To: program.SameState, Name: -1, Chance: 1}
	if text.To.Given() || len(text.Moves) > 0 || text.Enter.Given() || text.Waits {
		d.Do.Name = c.name(text.Name) // if it only sets parameters, at times that are known, there is nothing to count
	}
	if text.To.Given() {
		d.Do.To = c.state(text.To, text.What+": to", true)
	}
	d.Do.Moves = c.moves(text.Moves, text.What+": move")
	return d
}

// turn works out what an intervention does as the parameters are.
func (c *compiler) turn(d *program.Intervention, from standing) standing {
	if t, ok := d.Effects[from.phase]; ok {
		return c.after[t]
	}
	text, after := c.texts[d], from
	t := &program.Effect{}
	if len(text.Set) > 0 {
		changes := map[string]Parameter{}
		c.turns++
		for _, s := range text.Set {
			old, ok := from.here.Parameter(s.Label.Name)
			if !ok {
				c.Add(s.Label.At, "%s: set: %s", text.What, diag.Unknown("parameter", s.Label.Name, c.f.ParameterNames))
				continue
			}
			if s.Value.Bad || old.Bad {
				continue
			}
			changes[s.Label.Name] = Parameter{s.Value, text.What + ": set: " + s.Label.Name, c.turns}
		}
		after.here = from.here.with(changes)
		after.phase = c.phase(after.here)
	}
	t.To, c.after[t] = after.phase, after
	here := after.here
	if text.Coverage.Given() {
		t.Coverage = eachCell(c, here, []syntax.Value{text.Coverage}, func(here Scope) *program.TimeVarying {
			p, _ := here.course(text.Coverage, text.What+": coverage", syntax.KindShare)
			return p
		})
	}
	if t.Count = text.Count; text.CountBy.Given() {
		const most = float64(syntax.MostIndividuals)
		x, _ := here.Within(text.CountBy, text.What+": count", syntax.KindNumber, func(x float64) bool { return x >= 0 && x <= most && x == float64(int(x)) },
			fmt.Sprintf("expected a whole number from 0 to %.0f", most))
		t.Count = int(x)
	}
	if text.Enter.Given() {
		t.In = &program.Entry{Given: c.given(text.With, text.What+": with", nil)}
		c.into(here, &text.Enter, text.What+": enter", t.In)
	}
	d.Effects[from.phase] = t
	return after
}

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
