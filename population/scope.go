package population

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A scope knows what the names of parameters stand for at some time of a run, and works values out in the unit of the
// model. Values that cannot be worked out are reported, once, and the result is then not ok.
type scope struct {
	*problemList
	unit       unit
	parameters map[string]parameter // at the start
	changes    map[string]parameter // by interventions since then
	asked      bool                 // some are what --set says
	said       map[place]bool       // the places of values that have been complained about
	// What is known of distributions, as they are written and as the parameters are.
	laws    map[*lawValue]workedOut
	extents map[*lawValue]*extent
	sorted  *[]string // the names of the parameters, once somebody has asked for them
	// How much there is to the parameters, as they are.
	weights map[string]*weight
	courses map[courseKey]*course // that are the same for everybody
	// The individual that tables are read for, and the one it meets: the values of their attributes. Nil if there is none.
	own, other []uint16
	attributes attributes
	states     []string
	zero       calendarZero
	start, end float64            // of the run, on the clock
	sets       map[string][]value // what interventions give to parameters, at any time
	// What is known of tables and distributions as they are written, whatever the parameters are.
	indexes map[*tableValue]*tableIndex
	known   map[any]dependence
}

// A parameter is a value with a name.
type parameter struct {
	value
	what string // where its value is given, in words
	// change is 0 for what the file says, 1 for what --set says, and counts on from there with each intervention. What is wrong with
	// a value that was changed is to be reported where it was changed last.
	change int
}

type workedOut struct {
	law law
	ok  bool
}

func newScope(list *problemList, u unit) scope {
	return scope{
		problemList: list, unit: u, parameters: map[string]parameter{}, said: map[place]bool{},
		laws: map[*lawValue]workedOut{}, extents: map[*lawValue]*extent{}, sorted: new([]string), weights: map[string]*weight{},
		courses: map[courseKey]*course{}, indexes: map[*tableValue]*tableIndex{}, known: map[any]dependence{},
	}
}

// names are those of the parameters, in order. They are the same at all times.
func (s scope) names() []string {
	if len(*s.sorted) != len(s.parameters) {
		*s.sorted = slices.Sorted(maps.Keys(s.parameters))
	}
	return *s.sorted
}

// with returns a scope in which some parameters are others. It takes time in proportion to those that were ever changed.
func (s scope) with(changes map[string]parameter) scope {
	if s.changes = maps.Clone(s.changes); s.changes == nil {
		s.changes = map[string]parameter{}
	}
	maps.Copy(s.changes, changes)
	s.laws, s.extents, s.weights = map[*lawValue]workedOut{}, map[*lawValue]*extent{}, map[string]*weight{}
	s.courses = map[courseKey]*course{}
	return s
}

// parameter is what a name stands for.
func (s scope) parameter(name string) (parameter, bool) {
	if p, ok := s.changes[name]; ok {
		return p, true
	}
	p, ok := s.parameters[name]
	return p, ok
}

// resolve is what a value stands for: a quantity or a distribution that is written out, or the quantity that is worked out by an
// expression. The place is where to report what is wrong with it.
func (s scope) resolve(v value, what string) (value, place, bool) {
	got, at, ok := s.stands(v, what)
	if !ok || got.plain() || got.law != nil {
		return got, at, ok
	}
	if got.count != nil {
		s.complain(v, at, "%s: %s depends on how many there are, and cannot stand here; only the rate of a clock, of births, of immigration or of a transmission can do so", what, s.saying(v, got))
		return got, at, false
	}
	m, ok := s.build(got, what)
	switch {
	case !ok:
		return got, at, false
	case m.op != termConstant:
		s.complain(v, at, "%s: %s changes with time, and cannot stand here; rates and chances of clocks, births, immigration and transmissions can do so", what, s.saying(v, got))
		return got, at, false
	}
	if change := 0; s.asked || len(s.changes) > 0 {
		s.latest(got, &at, &change)
	}
	got.quantity, got.worked = quantity{m.kind(), m.x, s.unit}, true
	return got, at, true
}

// saying is how a message speaks of a value that is not written out as a quantity.
func (s scope) saying(v, got value) string {
	if v.name != "" {
		return "parameter " + echo(v.name)
	}
	return got.text
}

// stands follows names, and reads tables for the individual of the scope, until something is written out. The place is where to report
// what is wrong with it.
func (s scope) stands(v value, what string) (value, place, bool) {
	at := v.at
	for steps := 0; v.name != "" || v.table != nil; steps++ {
		if v.bad {
			break
		}
		if v.table != nil {
			if steps > mostSteps { // by the names of parameters, since what is written is not nested so deeply
				s.complain(v, v.at, "%s: a table by %s stands in itself", what, echo(v.table.by.name))
				return v, at, false
			}
			entry, ok := s.entry(v, what)
			if !ok {
				return v, at, false
			}
			v, at = entry, entry.at
			continue
		}
		p, ok := s.parameter(v.name)
		switch {
		case !ok && strings.ContainsAny(v.name, " \t"):
			s.complain(v, v.at, "%s: %s is neither a quantity such as %s nor the name of a parameter", what, quote(v.name), aDuration.like())
			return v, at, false
		case !ok:
			s.complain(v, v.at, "%s: %s", what, unknown("parameter", v.name, s.names))
			return v, at, false
		case steps > mostSteps && s.weigh(v.name).circular:
			s.complain(v, v.at, "%s: the parameter %s stands for itself", what, quote(v.name))
			return v, at, false
		case steps > mostSteps:
			s.complain(v, v.at, "%s: more than %d parameters stand for one another, down to %s; name the last one", what, mostSteps, quote(v.name))
			return v, at, false
		}
		if p.change > 0 {
			at = p.at
		}
		cell := v.cell
		v = p.value
		v.cell = cell
	}
	return v, at, !v.bad
}

// examine looks at a parameter where it is defined: whatever can be said of it without knowing what it is for.
func (s scope) examine(v value, what string) {
	switch {
	case v.name != "":
		// What it stands for in the end is a parameter too, and looked at as such.
		if got, _, _ := s.follow(v, what); got.name != "" || got.plain() {
			s.resolve(v, what)
		}
	case v.table != nil:
		if !s.index(v.table, what).bad {
			for i := range v.table.entries {
				e := &v.table.entries[i]
				s.examine(e.value, what+": "+echo(e.of.name))
			}
		}
	case v.count != nil:
		s.examine(v.count.most, what+": most")
		if !s.depends(v).cells() {
			s.course(v, what, aRate)
		}
	case s.depends(v).cells():
		// It is worked out for each cell where it is used. What is in it can be looked at now.
		v.each(func(part value) { s.examine(part, what) })
	case v.law != nil:
		s.law(v, what)
	case !v.plain():
		s.build(v, what)
	}
}

// called is a value as it is written, with the name it goes by, and with what it is if that had to be worked out.
func called(given, resolved value) string {
	text := resolved.text + echo(resolved.cell)
	if resolved.worked {
		text += ", which is " + resolved.quantity.String()
	}
	if given.name != "" {
		return fmt.Sprintf("parameter %s, %s", echo(given.name), text)
	}
	return text
}

// quantity works out a value that must be of one kind.
func (s scope) quantity(v value, what string, want kind) (float64, place, bool) {
	got, at, ok := s.resolve(v, what)
	if !ok {
		return 0, at, false
	}
	switch {
	case got.law != nil && v.name != "":
		s.complain(v, at, "%s: parameter %s is a distribution; expected %s such as %s", what, echo(v.name), want, want.like())
		return 0, at, false
	case got.law != nil:
		s.complain(v, at, "%s: found a distribution, expected %s such as %s", what, want, want.like())
		return 0, at, false
	}
	name, comma := called(v, got), ""
	if v.name != "" || got.worked {
		comma = ","
	}
	switch k := got.quantity.kind; {
	case k == want || want == aShare && k == aNumber:
		x := got.quantity.in(s.unit)
		if math.IsInf(x, 0) || x == 0 && got.quantity.number != 0 {
			s.complain(v, at, "%s: %s%s is too large or too small for a time in %ss", what, name, comma, s.unit.name)
			return 0, at, false
		}
		return x, at, true
	case k == aNumber && want == aDuration && !got.worked:
		s.complain(v, at, "%s: %s%s has no unit; write %s %s, or whatever the unit is", what, name, comma, got.text, s.unit.of(got.quantity.number))
	case k == aNumber && want == aRate && !got.worked:
		s.complain(v, at, "%s: %s%s has no unit; write %s per %s, or whatever the unit is", what, name, comma, got.text, s.unit.name)
	case k == aPower:
		m, _ := s.build(got, what)
		s.complain(v, at, "%s: %s%s is %s; expected %s such as %s", what, name, comma, m.words(s.unit), want, want.like())
	default:
		s.complain(v, at, "%s: %s%s is %s; expected %s such as %s", what, name, comma, k, want, want.like())
	}
	return 0, at, false
}

// within works out a value of a kind and refuses it, for a reason, if it is not good.
func (s scope) within(v value, what string, want kind, good func(float64) bool, reason string) (float64, bool) {
	x, at, ok := s.quantity(v, what, want)
	if ok && !good(x) {
		got, _, _ := s.resolve(v, what)
		s.complain(v, at, "%s: %s: %s", what, called(v, got), reason)
		return 0, false
	}
	return x, ok
}

// rate is a rate per unit of the model, not negative.
func (s scope) rate(v value, what string) (float64, bool) {
	return s.within(v, what, aRate, func(x float64) bool { return x >= 0 }, "a rate cannot be negative")
}

// chance is a probability.
func (s scope) chance(v value, what string) (float64, bool) {
	return s.within(v, what, aShare, func(x float64) bool { return x >= 0 && x <= 1 }, "a probability is between 0 and 1, or 0% and 100%")
}

// duration is a time in units of the model, not negative.
func (s scope) duration(v value, what string) (float64, bool) {
	return s.within(v, what, aDuration, func(x float64) bool { return x >= 0 }, "a duration cannot be negative")
}

// longer is a duration above zero.
func (s scope) longer(v value, what string) (float64, bool) {
	if x, ok := s.duration(v, what); !ok || x > 0 {
		return x, ok
	}
	return s.within(v, what, aDuration, func(x float64) bool { return x > 0 }, "expected more than nothing")
}

// positive is a number above zero.
func (s scope) positive(v value, what string) (float64, bool) {
	return s.within(v, what, aNumber, func(x float64) bool { return x > 0 }, "expected a number above 0")
}
