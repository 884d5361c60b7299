package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// ResolveIntervals works out the intervals of repeated interventions. An intervention without a
// valid one is removed.
func ResolveIntervals(f *syntax.File, list *diag.List) {
	var all []syntax.Intervention
	for _, p := range f.Interventions {
		if p.Every.Given() {
			var ok bool
			if p.Interval, ok = eval.NewScope(list, f.Unit).PositiveDuration(p.Every, p.What+": every"); !ok {
				continue
			}
		}
		all = append(all, p)
	}
	f.Interventions = all
	f.Observations = slices.DeleteFunc(slices.Clone(f.Observations), func(o syntax.Observation) bool {
		if !o.Survey.Every.Given() {
			return false
		}
		_, ok := eval.NewScope(list, f.Unit).PositiveDuration(o.Survey.Every, o.What+": every")
		return !ok
	})
	for i := range f.Observations {
		if p := &f.Observations[i].Survey; p.Every.Given() {
			p.Interval, _ = eval.NewScope(list, f.Unit).PositiveDuration(p.Every, p.What+": every")
		}
	}
	for i := range f.Supplies {
		if p := &f.Supplies[i].Delivery; p.Every.Given() && !f.Supplies[i].Bad {
			var ok bool
			p.Interval, ok = eval.NewScope(list, f.Unit).PositiveDuration(p.Every, p.What+": every")
			f.Supplies[i].Bad = !ok
		}
	}
}

// A parameterState is what the parameters stand for at some time, and the phase with its tables.
type parameterState struct {
	here  eval.Scope
	phase *program.Phase
}

// parameterStates are the states that the parameters may be in at some time: one, unless triggered
// interventions set parameters.
type parameterStates struct{ all []parameterState }

// A scheduler finds the phases that a run can reach, and which intervention leads from which phase
// to which.
//
// With scheduled interventions only, phases follow one another in the order of time. A triggered
// intervention may happen at any time, so it leads from each phase that may hold to another, and
// from there further triggered interventions may lead on. The next scheduled intervention starts
// from all of these.
type scheduler struct {
	*compiler
	transitions map[transition]*parameterStates
	known       map[string]*parameterStates // by the sorted numbers of their phases
}

type transition struct {
	by   *program.Intervention
	from *parameterStates
}

// An occurrence is an intervention at a time on the model's clock.
type occurrence struct {
	of *program.Intervention
	at float64
}

// occurrences appends the times of an intervention. It reports false if there are too many.
func (c *compiler) occurrences(
	start eval.Scope, all []occurrence, p *syntax.Intervention, d *program.Intervention,
) ([]occurrence, bool) {
	for k := 0.0; ; k++ {
		at := p.FirstTime + float64(k*p.Interval)
		if p.Months > 0 {
			at = start.Zero.AddMonths(p.FirstTime, int(k)*p.Months, c.file.Unit)
		}
		if p.Later {
			at += float64(8 * c.program.TimeTolerance) // see syntax.Later
		}
		if k > 0 && (!(at <= p.Until) || !(at <= c.program.End)) {
			return all, true
		}
		all = append(all, occurrence{d, at})
		if p.Interval == 0 && p.Months == 0 {
			return all, true
		}
		if len(all) > maxOccurrences {
			c.Add(p.At, "%s: it would happen more than %d times", p.What, maxOccurrences)
			return all, false
		}
	}
}

// schedule puts the interventions in the order in which they happen, and works out the effects of
// each.
func (c *compiler) schedule(start eval.Scope) {
	all, ok := c.deliveries(start)
	if !ok {
		return
	}
	for i := range c.file.Interventions {
		p := &c.file.Interventions[i]
		d := c.intervention(p)
		if p.HasCondition {
			c.program.Triggered = append(c.program.Triggered, d)
			continue
		}
		if all, ok = c.occurrences(start, all, p, d); !ok {
			return
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	c.deliverFirst(all)
	s := scheduler{compiler: c, transitions: map[transition]*parameterStates{}, known: map[string]*parameterStates{}}
	now, number := s.closure([]parameterState{{start, c.program.FirstPhase}}), 0
	for _, o := range all {
		now = s.statesAfter(o.of, now)
		scheduled := program.Scheduled{Intervention: o.of, ModelTime: o.at, At: o.at - c.program.Start, Number: number}
		// Neither a delivery nor what holds from a time on draws anything: all others keep their draws.
		if o.of.Adds < 0 && !c.interventionSyntax[o.of].Later {
			number++
		}
		c.program.Scheduled = append(c.program.Scheduled, scheduled)
	}
}

// statesAfter returns the states that the parameters may be in after an intervention, and after all
// triggered interventions that may follow it.
func (s *scheduler) statesAfter(d *program.Intervention, from *parameterStates) *parameterStates {
	step := transition{d, from}
	if to, ok := s.transitions[step]; ok {
		return to
	}
	var all []parameterState
	for _, state := range from.all {
		all = append(all, s.effect(d, state))
	}
	to := from
	if len(s.interventionSyntax[d].Set) > 0 {
		to = s.closure(all)
	}
	s.transitions[step] = to
	return to
}

// closure adds all states that triggered interventions lead to.
func (s *scheduler) closure(from []parameterState) *parameterStates {
	var all []parameterState
	seen := map[*program.Phase]bool{}
	add := func(state parameterState) {
		if !seen[state.phase] {
			seen[state.phase] = true
			all = append(all, state)
		}
	}
	for _, state := range from {
		add(state)
	}
	for i := 0; i < len(all) && !s.Stopped; i++ {
		for _, d := range s.program.Triggered {
			add(s.effect(d, all[i]))
		}
		if len(all) > maxParameterStates {
			s.Add(s.interventionSyntax[s.program.Triggered[0]].At,
				"interventions: those with when can set the parameters in more than %d combinations; expected fewer "+
					"that set something else each", maxParameterStates)
			s.Stopped = true
		}
	}
	numbers := make([]string, len(all))
	for i, state := range all {
		numbers[i] = fmt.Sprint(slices.Index(s.program.Phases, state.phase))
	}
	slices.Sort(numbers)
	key := strings.Join(numbers, ",")
	if known, ok := s.known[key]; ok {
		return known
	}
	to := &parameterStates{all}
	s.known[key] = to
	return to
}

// intervention looks up the names in an intervention. What depends on parameters is in its effects.
func (c *compiler) intervention(text *syntax.Intervention) *program.Intervention {
	d := &program.Intervention{
		What: text.What, Again: text.Again, ByCount: text.PicksCount, Enters: text.Enter.Given(),
		Effects: map[*program.Phase]*program.Effect{}, Begins: -1, Supply: c.supply(text.Supply), Adds: -1,
	}
	c.interventionSyntax[d] = text
	if !text.Everyone && len(text.Who) > 0 {
		d.Who = c.stateSet(text.Who, text.What+": who")
	}
	d.Where = c.conditions(text.Where, text.What+": where")
	d.Do = program.Action{Kind: program.DoMove, To: program.SameState, Name: -1, Chance: 1}
	if text.To.Given() || len(text.Moves) > 0 || text.Enter.Given() || text.HasCondition {
		// One that only sets parameters, at known times, changes nothing that is counted.
		d.Do.Name = c.nameIndex(text.Name)
	}
	if text.To.Given() {
		d.Do.To = c.state(text.To, text.What+": to", true)
	}
	d.Do.Moves = c.moves(c.here, text.Moves, text.What+": move")
	d.Do.Places = c.placeMoves(text.Moves, nil, text.What+": move")
	d.Do.Uses = c.uses(&text.Uses, text.What, -1, d.Do.Name, onlyMoves(text.To, text.Moves))
	c.noteAction(&d.Do, d.Where)
	if text.For.Given() && !text.For.Bad {
		d.For, _ = c.fixedDuration(text.For, text.What+": when: for")
	}
	if text.HasCondition && text.Again && len(text.Set) > 0 && text.Name != "" {
		d.Begins = c.beginsIndex(text.Name)
	}
	return d
}

// effect works out what an intervention does in a parameter state, and returns the state after it.
func (c *compiler) effect(d *program.Intervention, from parameterState) parameterState {
	if effect, ok := d.Effects[from.phase]; ok {
		return c.stateAfter[effect]
	}
	text, after := c.interventionSyntax[d], from
	effect := &program.Effect{}
	if len(text.Set) > 0 {
		changes := map[string]eval.Parameter{}
		c.lastChange++
		for _, s := range text.Set {
			old, ok := from.here.Parameter(s.Label.Name)
			if !ok {
				c.Add(s.Label.At, "%s: set: %s", text.What,
					diag.Unknown("parameter", s.Label.Name, c.file.ParameterNames))
				continue
			}
			if s.Value.Bad || old.Bad {
				continue
			}
			effect.Changes = effect.Changes || !sameValue(from.here, old, s.Value)
			changes[s.Label.Name] = eval.Parameter{
				Value: s.Value, What: text.What + ": set: " + s.Label.Name, Change: c.lastChange,
			}
		}
		after.here = from.here.With(changes)
		after.phase = c.phase(after.here)
	}
	effect.Next, c.stateAfter[effect] = after.phase, after
	here := after.here
	if text.Coverage.Given() {
		effect.Coverage = eachCell(c, here, []syntax.Value{text.Coverage}, func(here eval.Scope) *program.TimeVarying {
			p, _ := here.TimeVarying(text.Coverage, text.What+": coverage", quantity.Share)
			return p
		})
	}
	if slices.ContainsFunc(d.Do.Moves, func(m program.Move) bool { return m.Gives != nil }) {
		do := d.Do
		do.Moves = c.moves(here, text.Moves, text.What+": move")
		effect.Do = &do
	}
	if effect.Count = text.Count; text.ComputedCount.Given() && !c.unknownCount(text) {
		effect.Count, _ = here.Individuals(text.ComputedCount, text.What+": count", "")
	}
	if d.Adds >= 0 {
		effect.Keep = c.keep(here, &c.file.Supplies[d.Adds])
	}
	if text.Enter.Given() {
		effect.In = &program.Entry{}
		c.givenAttributes(here, effect.In, text.With, text.What+": with", nil, text.What)
		c.entryStates(here, &text.Enter, text.What+": enter", effect.In)
		if text.Age.Given() && !text.Age.Bad {
			effect.In.Age = c.ages(here, after.phase, effect.In, text.Age, text.What+": age")
		}
	}
	d.Effects[from.phase] = effect
	return after
}
