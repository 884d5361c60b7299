package explain

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/fitting"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// warnings lists what may be mistakes.
func (e *explainer) warnings() {
	var all []string
	reached := reachable(e.model)
	for i, s := range e.program.States {
		if !reached[i] {
			all = append(all, fmt.Sprintf("nobody is ever %s", s))
		}
	}
	for i := range e.program.Scheduled {
		if p := &e.program.Scheduled[i]; p.At > e.program.End-e.program.Start {
			all = append(all, fmt.Sprintf("%s comes after the end, and never happens", p.What))
		}
	}
	for i := range e.file.Interventions {
		p := &e.file.Interventions[i]
		for _, c := range p.Conditions {
			if i := slices.Index(e.program.States, c.Of.Name); c.Above && i >= 0 && !reached[i] {
				all = append(all, fmt.Sprintf("%s never happens, because nobody is ever %s", p.What, c.Of.Name))
			}
		}
	}
	for i := range e.program.StartGroups {
		if b := &e.program.StartGroups[i]; b.Since != nil && !e.program.FirstPhase.States[b.To].HasMemory() &&
			!e.countsTime(b.To) {
			text := e.model.StartShares[i]
			all = append(all, fmt.Sprintf("%s: since changes nothing, because no clock of %s has a memory",
				text.What, text.State.Name))
		}
	}
	all = append(all, e.clockWarnings()...)
	all = append(all, e.bandsWithoutAges()...)
	all = append(all, e.mixingWarnings()...)
	all = append(all, e.supplyWarnings()...)
	all = append(all, e.placeWarnings()...)
	all = append(all, e.sourceWarnings()...)
	all = append(all, e.leaverWarnings()...)
	used := e.usedParameters()
	for _, p := range e.file.Parameters {
		if !used[p.Label.Name] {
			all = append(all, fmt.Sprintf("the parameter %s is used nowhere", p.Label.Name))
		}
	}
	e.section("Is this meant?", len(all))
	for _, d := range all {
		e.line("  %s", d)
	}
}

// leaverWarnings says which moves never happen.
func (e *explainer) leaverWarnings() (all []string) {
	look := func(what string, to syntax.Ref, moves []syntax.Move) {
		if to.Name == syntax.Out && len(moves) > 0 {
			all = append(all, what+": move beside to: out changes nothing, because those who leave make no move")
		}
	}
	e.file.EachClock(func(c *syntax.Clock) { look(c.What, c.To, c.Moves) })
	for i := range e.file.Interventions {
		look(e.file.Interventions[i].What, e.file.Interventions[i].To, e.file.Interventions[i].Moves)
	}
	return all
}

// usedParameters returns the parameters that some value refers to.
func (e *explainer) usedParameters() map[string]bool {
	used := map[string]bool{}
	var look func(v syntax.Value)
	look = func(v syntax.Value) {
		if v.Name != "" {
			used[v.Name] = true
		}
		v.Each(look)
	}
	syntax.EachValue(reflect.ValueOf(e.file).Elem(), look)
	if fit := fitting.Read(e.model, &diag.List{}, fitting.Options{}); fit != nil {
		for _, match := range fit.Match {
			look(match.Observed)
			look(match.Error.Arg)
		}
	}
	return used
}
