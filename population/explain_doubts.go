package population

import (
	"fmt"
	"reflect"
	"slices"
)

// doubts are what may be mistakes.
func (e *explainer) doubts() {
	var all []string
	reached := reached(e.m)
	for i, s := range e.p.states {
		if !reached[i] {
			all = append(all, fmt.Sprintf("nobody is ever %s", s))
		}
	}
	for i := range e.p.plans {
		if p := &e.p.plans[i]; p.at > e.p.end-e.p.start {
			all = append(all, fmt.Sprintf("%s comes after the end, and never happens", p.what))
		}
	}
	for i := range e.f.plans {
		p := &e.f.plans[i]
		for _, c := range p.conditions {
			if i := slices.Index(e.p.states, c.of.name); c.above && i >= 0 && !reached[i] {
				all = append(all, fmt.Sprintf("%s never happens, because nobody is ever %s", p.what, c.of.name))
			}
		}
	}
	for i := range e.p.begin {
		if b := &e.p.begin[i]; b.since != nil && !e.p.first.states[b.to].remembers() {
			text := e.m.starts[i]
			all = append(all, fmt.Sprintf("%s: since changes nothing, because no clock of %s has a memory", text.what, text.state.name))
		}
	}
	used := e.used()
	for _, p := range e.f.parameters {
		if !used[p.label.name] {
			all = append(all, fmt.Sprintf("the parameter %s is used nowhere", p.label.name))
		}
	}
	e.section("Is this meant?", len(all))
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
	eachValue(reflect.ValueOf(e.f).Elem(), look)
	if fit := readFit(e.m, &problemList{}, fitAsked{}); fit != nil {
		for _, match := range fit.match {
			look(match.observed)
			look(match.error.arg)
		}
	}
	return used
}

// eachValue visits all values in a part of a file, wherever they stand, but not those that they are made of.
func eachValue(part reflect.Value, do func(value)) {
	switch {
	case part.Type() == reflect.TypeFor[value]():
		do(*(*value)(part.Addr().UnsafePointer())) // its fields are not exported
	case part.Kind() == reflect.Slice:
		for i := range part.Len() {
			eachValue(part.Index(i), do)
		}
	case part.Kind() == reflect.Struct:
		for i := range part.NumField() {
			eachValue(part.Field(i), do)
		}
	}
}
