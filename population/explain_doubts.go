package population

import (
	"fmt"
	"slices"
)

// doubts are what may be mistakes.
func (e *explainer) doubts() {
	var all []string
	reached := e.m.reached()
	for i, s := range e.m.states {
		if !reached[i] {
			all = append(all, fmt.Sprintf("nobody is ever %s", s))
		}
	}
	for i := range e.m.plans {
		if p := &e.m.plans[i]; p.at > e.m.end-e.m.start {
			all = append(all, fmt.Sprintf("%s comes after the end, and never happens", p.text.what))
		}
	}
	for _, d := range e.m.triggers {
		for _, c := range d.text.conditions {
			if i := slices.Index(e.m.states, c.of.name); c.above && i >= 0 && !reached[i] {
				all = append(all, fmt.Sprintf("%s never happens, because nobody is ever %s", d.text.what, c.of.name))
			}
		}
	}
	for i := range e.m.begin {
		if b := &e.m.begin[i]; b.since != nil && !e.m.first.states[b.to].remembers() {
			all = append(all, fmt.Sprintf("%s: since changes nothing, because no clock of %s has a memory", b.text.what, b.text.state.name))
		}
	}
	used := e.used()
	for _, p := range e.f.parameters {
		if !used[p.label.name] {
			all = append(all, fmt.Sprintf("the parameter %s is used nowhere", p.label.name))
		}
	}
	if len(all) == 0 {
		return
	}
	e.section("Is this meant?")
	for _, d := range all {
		e.line("  %s", d)
	}
}

// used tells which parameters are named by some value.
func (e *explainer) used() map[string]bool {
	used := map[string]bool{}
	var look func(v value)
	look = func(v value) {
		if v.name != "" {
			used[v.name] = true
		}
		v.each(look)
	}
	clocks := slices.Clone(e.f.always)
	for i := range e.f.states {
		clocks = append(append(clocks, e.f.states[i].race...), e.f.states[i].split...)
	}
	for i := range clocks {
		look(clocks[i].rate)
		look(clocks[i].after)
		look(clocks[i].chance)
	}
	for _, b := range append(slices.Clone(e.f.births), e.f.immigration...) {
		look(b.rate)
		look(b.age)
		look(b.per)
		for _, s := range b.enter.into {
			look(s.share)
		}
	}
	for i := range e.f.transmission {
		c := &e.f.transmission[i]
		look(c.rate)
		look(c.chance)
		for _, row := range c.matrix {
			for _, v := range row {
				look(v)
			}
		}
	}
	for i := range e.f.plans {
		look(e.f.plans[i].coverage)
		look(e.f.plans[i].countBy)
		for _, c := range e.f.plans[i].conditions {
			look(c.limit)
		}
		for _, s := range e.f.plans[i].enter.into {
			look(s.share)
		}
		for _, s := range e.f.plans[i].set {
			look(s.value)
		}
	}
	for i := range e.f.attributes {
		for _, v := range e.f.attributes[i].shares {
			look(v)
		}
	}
	for _, p := range e.f.parameters {
		look(p.value)
	}
	for i := range e.f.groups {
		for _, s := range e.f.groups[i].starts {
			look(s.since)
			look(s.by)
		}
	}
	for _, s := range e.f.scenarios {
		for _, v := range s.set {
			look(v.value)
		}
	}
	if fit := e.m.fit(&problemList{}, FitOptions{}); fit != nil {
		for _, match := range fit.match {
			look(match.observed)
			look(match.error.arg)
		}
	}
	look(e.f.age)
	look(e.f.record.every)
	return used
}
