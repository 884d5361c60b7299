package compile

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Scope knows what the names of parameters stand for at some time of a run, and works values out in the unit of the
// model. Values that cannot be worked out are reported, once, and the result is then not ok.
type Scope struct {
	*diag.List
	unit           syntax.Unit
	parameters     map[string]Parameter // at the start
	changes        map[string]Parameter // by interventions since then
	changedAtStart bool                 // some are what --set says
	reported       map[diag.Place]bool  // the places of values that have been complained about
	// What is known of distributions, as they are written and as the parameters are.
	laws                     map[*syntax.Distribution]cachedLaw
	distributionComplexities map[*syntax.Distribution]*distributionComplexity
	sortedNames              *[]string // the names of the parameters, once somebody has asked for them
	// How much there is to the parameters, as they are.
	complexities map[string]*parameterComplexity
	timeVaryings map[timeVaryingKey]*program.TimeVarying // that are the same for everybody
	// The individual that tables are read for, and the one it meets: the values of their attributes. Nil if there is none.
	own, met   []uint16
	attributes program.Attributes
	states     []string
	Zero       syntax.Epoch
	start, end float64                   // of the run, on the clock
	sets       map[string][]syntax.Value // what interventions give to parameters, at any time
	// What is known of tables and distributions as they are written, whatever the parameters are.
	indexes     map[*syntax.Table]*tableIndex
	dependences map[any]dependence
}

// A Parameter is a value with a name.
type Parameter struct {
	syntax.Value
	what string // where its value is given, in words
	// change is 0 for what the file says, 1 for what --set says, and counts on from there with each intervention. What is wrong with
	// a value that was changed is to be reported where it was changed last.
	change int
}

func NewScope(list *diag.List, u syntax.Unit) Scope {
	return Scope{
		List: list, unit: u, parameters: map[string]Parameter{}, reported: map[diag.Place]bool{},
		laws: map[*syntax.Distribution]cachedLaw{}, distributionComplexities: map[*syntax.Distribution]*distributionComplexity{}, sortedNames: new([]string), complexities: map[string]*parameterComplexity{},
		timeVaryings: map[timeVaryingKey]*program.TimeVarying{}, indexes: map[*syntax.Table]*tableIndex{}, dependences: map[any]dependence{},
	}
}

// names are those of the parameters, in order. They are the same at all times.
func (s Scope) names() []string {
	if len(*s.sortedNames) != len(s.parameters) {
		*s.sortedNames = slices.Sorted(maps.Keys(s.parameters))
	}
	return *s.sortedNames
}

// with returns a scope in which some parameters are others. It takes time in proportion to those that were ever changed.
func (s Scope) with(changes map[string]Parameter) Scope {
	if s.changes = maps.Clone(s.changes); s.changes == nil {
		s.changes = map[string]Parameter{}
	}
	maps.Copy(s.changes, changes)
	s.laws, s.distributionComplexities, s.complexities = map[*syntax.Distribution]cachedLaw{}, map[*syntax.Distribution]*distributionComplexity{}, map[string]*parameterComplexity{}
	s.timeVaryings = map[timeVaryingKey]*program.TimeVarying{}
	return s
}

// In is the scope of an individual whose attributes have the given values, by their numbers; unset for one that is not known.
func (s Scope) In(cell []uint16) Scope {
	s.own = cell
	return s
}

// Met is the scope in which someone with the given values of the attributes is met.
func (s Scope) Met(cell []uint16) Scope {
	s.met = cell
	return s
}

// Parameter is what a name stands for.
func (s Scope) Parameter(name string) (Parameter, bool) {
	if p, ok := s.changes[name]; ok {
		return p, true
	}
	p, ok := s.parameters[name]
	return p, ok
}

// Behind visits the parameters that a value is made of, and those behind them, but none that has been seen.
func (s Scope) Behind(v syntax.Value, seen map[string]bool, do func(p Parameter)) {
	if v.Name == "" {
		v.Each(func(part syntax.Value) { s.Behind(part, seen, do) })
		return
	}
	if p, ok := s.Parameter(v.Name); ok && !seen[v.Name] {
		seen[v.Name] = true
		do(p)
		s.Behind(p.Value, seen, do)
	}
}

// Resolve is what a value stands for: a quantity or a distribution that is written out, or the quantity that is worked out by an
// expression. The place is where to report what is wrong with it.
func (s Scope) Resolve(v syntax.Value, what string) (syntax.Value, diag.Place, bool) {
	got, at, ok := s.Stands(v, what)
	if !ok || got.Plain() || got.Distribution != nil {
		return got, at, ok
	}
	if got.CountDependent != nil {
		s.reportValue(v, at, "%s: %s depends on how many there are, and cannot stand here; only the rate of a clock, of births, of immigration or of a transmission can do so", what, s.nameOrText(v, got))
		return got, at, false
	}
	m, ok := s.term(got, what)
	switch {
	case !ok:
		return got, at, false
	case m.Op != program.TermConstant:
		s.reportValue(v, at, "%s: %s changes with time, and cannot stand here; rates and chances of clocks, births, immigration and transmissions can do so", what, s.nameOrText(v, got))
		return got, at, false
	}
	if change := 0; s.changedAtStart || len(s.changes) > 0 {
		s.latestChange(got, &at, &change)
	}
	got.Quantity, got.Worked = syntax.Quantity{Kind: m.Kind(), Number: m.X, Unit: s.unit}, true
	return got, at, true
}

// Stands follows names, and reads tables for the individual of the scope, until something is written out. The place is where to report
// what is wrong with it.
func (s Scope) Stands(v syntax.Value, what string) (syntax.Value, diag.Place, bool) {
	at := v.At
	for steps := 0; v.Name != "" || v.Table != nil; steps++ {
		if v.Bad {
			break
		}
		if v.Table != nil {
			if steps > syntax.MostSteps { // by the names of parameters, since what is written is not nested so deeply
				s.reportValue(v, v.At, "%s: a table by %s stands in itself", what, diag.Echo(v.Table.By.Name))
				return v, at, false
			}
			entry, ok := s.Entry(v, what)
			if !ok {
				return v, at, false
			}
			v, at = entry, entry.At
			continue
		}
		p, ok := s.Parameter(v.Name)
		switch {
		case !ok && strings.ContainsAny(v.Name, " \t"):
			s.reportValue(v, v.At, "%s: %s is neither a quantity such as %s nor the name of a parameter", what, diag.Quote(v.Name), syntax.KindDuration.Like())
			return v, at, false
		case !ok:
			s.reportValue(v, v.At, "%s: %s", what, diag.Unknown("parameter", v.Name, s.names))
			return v, at, false
		case steps > syntax.MostSteps && s.complexity(v.Name).circular:
			s.reportValue(v, v.At, "%s: the parameter %s stands for itself", what, diag.Quote(v.Name))
			return v, at, false
		case steps > syntax.MostSteps:
			s.reportValue(v, v.At, "%s: more than %d parameters stand for one another, down to %s; name the last one", what, syntax.MostSteps, diag.Quote(v.Name))
			return v, at, false
		}
		if p.change > 0 {
			at = p.At
		}
		cell := v.Cell
		v = p.Value
		v.Cell = cell
	}
	return v, at, !v.Bad
}

// checkDefinition looks at a parameter where it is defined: whatever can be said of it without knowing what it is for.
func (s Scope) checkDefinition(v syntax.Value, what string) {
	switch {
	case v.Name != "":
		// What it stands for in the end is a parameter too, and looked at as such.
		if got, _, _ := s.follow(v, what); got.Name != "" || got.Plain() {
			s.Resolve(v, what)
		}
	case v.Table != nil:
		if !s.indexOf(v.Table, what).bad {
			for i := range v.Table.Entries {
				e := &v.Table.Entries[i]
				s.checkDefinition(e.Value, what+": "+diag.Echo(e.Of.Name))
			}
		}
	case v.CountDependent != nil:
		s.checkDefinition(v.CountDependent.Most, what+": most")
		if !s.Depends(v).Cells() {
			s.timeVarying(v, what, syntax.KindRate)
		}
	case s.Depends(v).Cells():
		// It is worked out for each cell where it is used. What is in it can be looked at now.
		v.Each(func(part syntax.Value) { s.checkDefinition(part, what) })
	case v.Distribution != nil:
		s.Law(v, what)
	case !v.Plain():
		s.term(v, what)
	}
}

// Quantity works out a value that must be of one kind.
func (s Scope) Quantity(v syntax.Value, what string, want syntax.Kind) (float64, diag.Place, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return 0, at, false
	}
	switch {
	case got.Distribution != nil && v.Name != "":
		s.reportValue(v, at, "%s: parameter %s is a distribution; expected %s such as %s", what, diag.Echo(v.Name), want, want.Like())
		return 0, at, false
	case got.Distribution != nil:
		s.reportValue(v, at, "%s: found a distribution, expected %s such as %s", what, want, want.Like())
		return 0, at, false
	}
	name, comma := describeResolved(v, got), ""
	if v.Name != "" || got.Worked {
		comma = ","
	}
	switch k := got.Quantity.Kind; {
	case k == want || want == syntax.KindShare && k == syntax.KindNumber:
		x := got.Quantity.In(s.unit)
		if math.IsInf(x, 0) || x == 0 && got.Quantity.Number != 0 {
			s.reportValue(v, at, "%s: %s%s is too large or too small for a time in %ss", what, name, comma, s.unit.Name)
			return 0, at, false
		}
		return x, at, true
	case k == syntax.KindNumber && want == syntax.KindDuration && !got.Worked:
		s.reportValue(v, at, "%s: %s%s has no unit; write %s %s, or whatever the unit is", what, name, comma, got.Text, s.unit.Of(got.Quantity.Number))
	case k == syntax.KindNumber && want == syntax.KindRate && !got.Worked:
		s.reportValue(v, at, "%s: %s%s has no unit; write %s per %s, or whatever the unit is", what, name, comma, got.Text, s.unit.Name)
	case k == syntax.KindPower:
		m, _ := s.term(got, what)
		s.reportValue(v, at, "%s: %s%s is %s; expected %s such as %s", what, name, comma, m.Words(s.unit), want, want.Like())
	default:
		s.reportValue(v, at, "%s: %s%s is %s; expected %s such as %s", what, name, comma, k, want, want.Like())
	}
	return 0, at, false
}

// Within works out a value of a kind and refuses it, for a reason, if it is not good.
func (s Scope) Within(v syntax.Value, what string, want syntax.Kind, good func(float64) bool, reason string) (float64, bool) {
	x, at, ok := s.Quantity(v, what, want)
	if ok && !good(x) {
		got, _, _ := s.Resolve(v, what)
		s.reportValue(v, at, "%s: %s: %s", what, describeResolved(v, got), reason)
		return 0, false
	}
	return x, ok
}

// Rate is a rate per unit of the model, not negative.
func (s Scope) Rate(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, syntax.KindRate, func(x float64) bool { return x >= 0 }, "a rate cannot be negative")
}

// Chance is a probability.
func (s Scope) Chance(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, syntax.KindShare, func(x float64) bool { return x >= 0 && x <= 1 }, "a probability is between 0 and 1, or 0% and 100%")
}

// duration is a time in units of the model, not negative.
func (s Scope) duration(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, syntax.KindDuration, func(x float64) bool { return x >= 0 }, "a duration cannot be negative")
}

// Longer is a duration above zero.
func (s Scope) Longer(v syntax.Value, what string) (float64, bool) {
	if x, ok := s.duration(v, what); !ok || x > 0 {
		return x, ok
	}
	return s.Within(v, what, syntax.KindDuration, func(x float64) bool { return x > 0 }, "expected more than nothing")
}

// Positive is a number above zero.
func (s Scope) Positive(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, syntax.KindNumber, func(x float64) bool { return x > 0 }, "expected a number above 0")
}

// Clock is a time on the model's clock: a number in its unit, a duration, or a date.
func (s Scope) Clock(v syntax.Value, what string) (float64, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return 0, false
	}
	if got.Distribution != nil {
		s.reportValue(v, at, "%s: found a distribution, expected a time such as 15 days", what)
		return 0, false
	}
	x, err := s.Zero.Clock(got.Quantity, s.unit)
	switch {
	case err != nil:
		s.reportValue(v, at, "%s: %s is %v", what, describeResolved(v, got), err)
		return 0, false
	case math.IsInf(x, 0):
		s.reportValue(v, at, "%s: %s is too large for a time in %ss", what, describeResolved(v, got), s.unit.Name)
		return 0, false
	}
	return x, true
}
