package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Scope evaluates values at some time of a run, for an individual of some cell, in the time unit
// of the model. It knows what the parameters stand for. A value that cannot be evaluated is
// reported once, and the result is then not ok.
type Scope struct {
	*diag.List
	Frame
	parameters     map[string]Parameter // at the start
	changes        map[string]Parameter // by interventions since the start
	changedAtStart bool                 // some parameters are changed by --set
	reported       map[diag.Place]bool  // places of values that have been reported
	caches
	// The cells of the individual that tables are read for and of the individual it meets: a value
	// for each attribute. Nil if there is none.
	Own, met []uint16
	unitless bool // durations and rates are numbers, as in the law of a number
	// Caches that hold whatever the parameters stand for.
	indexes     map[*syntax.Table]*tableIndex
	dependences map[any]Dependence
	sortedNames *[]string // of the parameters, filled in by names
}

// A Frame is what all scopes of a model have in common, whatever the parameters stand for.
type Frame struct {
	Unit         quantity.Unit
	Zero         quantity.Epoch
	Start, End   float64 // of the run, on the model's clock
	CutEnd       float64 // see syntax.File
	Attributes   program.Attributes
	States       []string
	Machines     []program.Machine
	Numbers      []program.Number
	GivenNumbers map[string][]float64      // the numbers that with gives, by name
	Group        func(name string) int     // the number in Program.Watched of region=north, for example, or −1
	Sinces       *[]program.Since          // Program.Since so far
	Sets         map[string][]syntax.Value // all values that interventions give to parameters
	Sizes        []int                     // how many may be alive, by size class
}

// caches hold what has been worked out for the values of the parameters in a scope.
type caches struct {
	laws                     map[*syntax.Distribution]cachedLaw
	distributionComplexities map[*syntax.Distribution]*distributionComplexity
	complexities             map[string]*parameterComplexity
	timeVaryings             map[timeVaryingKey]*program.TimeVarying // that are the same for all individuals
}

func newCaches() caches {
	return caches{
		laws:                     map[*syntax.Distribution]cachedLaw{},
		distributionComplexities: map[*syntax.Distribution]*distributionComplexity{},
		complexities:             map[string]*parameterComplexity{},
		timeVaryings:             map[timeVaryingKey]*program.TimeVarying{},
	}
}

// A Parameter is the value of a parameter and where it comes from.
type Parameter struct {
	syntax.Value
	What string // how messages speak of the place where the value is given
	// Change is 0 for the file's value, 1 for the value of --set, and counts on with each
	// intervention. A problem with a changed value is reported where it was changed last.
	Change int
}

// NewScope returns a scope without parameters and attributes. Problems are added to the list.
func NewScope(list *diag.List, u quantity.Unit) Scope {
	return Scope{
		List: list, Frame: Frame{Unit: u, Sinces: new([]program.Since)},
		parameters:  map[string]Parameter{},
		reported:    map[diag.Place]bool{},
		caches:      newCaches(),
		indexes:     map[*syntax.Table]*tableIndex{},
		dependences: map[any]Dependence{},
		sortedNames: new([]string),
	}
}

// Define adds a parameter to a scope that is being set up.
func (s *Scope) Define(name string, p Parameter) {
	s.parameters[name] = p
	s.changedAtStart = s.changedAtStart || p.Change > 0
}

// AtStart returns a scope of the start of the same model, with a list of problems and caches of its
// own.
func (s Scope) AtStart(list *diag.List) Scope {
	start := NewScope(list, s.Unit)
	start.Frame, start.parameters = s.Frame, s.parameters
	return start
}

// Quiet returns the same scope without its problems: they are reported elsewhere. What it finds to
// be wrong is not cached for the scope, where it would count as reported.
func (s Scope) Quiet() Scope {
	complexities := s.complexities // these are reported at each use
	s.List, s.reported, s.indexes = &diag.List{}, map[diag.Place]bool{}, map[*syntax.Table]*tableIndex{}
	s.caches = newCaches()
	s.complexities = complexities
	return s
}

// names returns the sorted names of the parameters, which never change.
func (s Scope) names() []string {
	if len(*s.sortedNames) != len(s.parameters) {
		*s.sortedNames = slices.Sorted(maps.Keys(s.parameters))
	}
	return *s.sortedNames
}

// With returns a scope with some parameters changed. Its cost is proportional to the number of
// parameters that were ever changed.
func (s Scope) With(changes map[string]Parameter) Scope {
	if s.changes = maps.Clone(s.changes); s.changes == nil {
		s.changes = map[string]Parameter{}
	}
	maps.Copy(s.changes, changes)
	s.caches = newCaches()
	return s
}

// ForCell returns the scope of an individual in a cell: the number of its value for each attribute,
// or unset.
func (s Scope) ForCell(cell []uint16) Scope {
	s.Own = cell
	return s
}

// Meeting returns the scope in which the individual meets one of the given cell.
func (s Scope) Meeting(cell []uint16) Scope {
	s.met = cell
	return s
}

// MeetingAnybody returns the scope in which the individual meets one of whom nothing is known.
func (s Scope) MeetingAnybody() Scope {
	cell := make([]uint16, len(s.Attributes))
	for a := range cell {
		cell[a] = Unset
	}
	return s.Meeting(cell)
}

// Parameter returns what a name stands for.
func (s Scope) Parameter(name string) (Parameter, bool) {
	if p, ok := s.changes[name]; ok {
		return p, true
	}
	p, ok := s.parameters[name]
	return p, ok
}

// EachParameter visits all parameters that a value is made of, directly or through others, except
// those in seen.
func (s Scope) EachParameter(v syntax.Value, seen map[string]bool, do func(p Parameter)) {
	if v.Name == "" {
		v.Each(func(part syntax.Value) { s.EachParameter(part, seen, do) })
		return
	}
	if p, ok := s.Parameter(v.Name); ok && !seen[v.Name] {
		seen[v.Name] = true
		do(p)
		s.EachParameter(p.Value, seen, do)
	}
}

// Resolve returns what a value stands for: a quantity or a distribution as it is written, or the
// quantity that an expression evaluates to. The place is where to report a problem with it.
func (s Scope) Resolve(v syntax.Value, what string) (syntax.Value, diag.Place, bool) {
	got, at, ok := s.Dereference(v, what)
	if !ok || got.IsQuantity() || got.Distribution != nil {
		return got, at, ok
	}
	if got.CountDependent != nil {
		s.reportCountDependent(v, got, at, what)
		return got, at, false
	}
	m, ok := s.term(got, what)
	switch {
	case !ok:
		return got, at, false
	case m.HasNumber():
		s.Report(v, at, "%s: %s differs between individuals, by the number %s, and cannot stand here; rates, means of "+
			"exponential clocks of race and split, and chances of contacts can do so", what, nameOrText(v, got),
			s.NumberWords(m.Term))
		return got, at, false
	case m.HasSince():
		s.Report(v, at,
			"%s: %s changes with the time since %s, and cannot stand here; rates and chances of clocks, births and "+
				"transmissions can do so", what, nameOrText(v, got), s.SinceWords(m.Term))
		return got, at, false
	case m.Op != program.TermConstant:
		s.Report(v, at,
			"%s: %s changes with time, and cannot stand here; rates and chances of clocks, births, immigration and "+
				"transmissions can do so", what, nameOrText(v, got))
		return got, at, false
	}
	if change := 0; s.changedAtStart || len(s.changes) > 0 {
		s.latestChange(got, &at, &change)
	}
	got.Quantity, got.Computed = quantity.Quantity{Kind: m.Kind(), Number: m.X, Unit: s.Unit}, true
	return got, at, true
}

// Dereference follows names, and reads tables for the individual of the scope, until it comes to a
// value that is written out. The place is where to report a problem with it.
func (s Scope) Dereference(v syntax.Value, what string) (syntax.Value, diag.Place, bool) {
	at := v.At
	for steps := 0; v.Name != "" || v.Table != nil; steps++ {
		if v.Bad {
			break
		}
		if v.Table != nil {
			if steps > syntax.MaxParameterChain { // through names, since the nesting of what is written is limited
				s.Report(v, v.At, "%s: a table by %s stands in itself", what, diag.Shorten(v.Table.By.Name))
				return v, at, false
			}
			entry, ok := s.TableEntry(v, what)
			if !ok {
				return v, at, false
			}
			v, at = entry, entry.At
			continue
		}
		p, ok := s.Parameter(v.Name)
		switch {
		case !ok && strings.ContainsAny(v.Name, " \t"):
			s.Report(v, v.At, "%s: %s is neither a quantity such as %s nor the name of a parameter", what,
				diag.Quote(v.Name), quantity.Duration.Example())
			return v, at, false
		case !ok:
			s.Report(v, v.At, "%s: %s", what, diag.Unknown("parameter", v.Name, s.names))
			return v, at, false
		case steps > syntax.MaxParameterChain && s.Circular(v.Name):
			s.Report(v, v.At, "%s: the parameter %s stands for itself", what, diag.Quote(v.Name))
			return v, at, false
		case steps > syntax.MaxParameterChain:
			s.Report(v, v.At, "%s: more than %d parameters stand for one another, down to %s; name the last one",
				what, syntax.MaxParameterChain, diag.Quote(v.Name))
			return v, at, false
		}
		if p.Change > 0 {
			at = p.At
		}
		cell := v.Cell
		v = p.Value
		v.Cell = cell
	}
	return v, at, !v.Bad
}

// follow follows names to what a value stands for. It returns that, how messages speak of it, and
// the last name on the way.
func (s Scope) follow(v syntax.Value, what string) (syntax.Value, string, string) {
	via := ""
	for steps := 0; v.Name != "" && steps <= syntax.MaxParameterChain; steps++ {
		p, ok := s.Parameter(v.Name)
		if !ok {
			break
		}
		via = v.Name
		v, what = p.Value, p.What
	}
	if v.Distribution != nil && v.Distribution.Family != "" {
		what += ": " + v.Distribution.Family
	}
	return v, what, via
}

// CheckDefinition checks a parameter where it is defined, as far as that is possible without
// knowing what it is used for.
func (s Scope) CheckDefinition(v syntax.Value, what string) {
	if d := s.Dependence(v); d.SinceMet && s.met == nil {
		s = s.MeetingAnybody()
	}
	switch {
	case v.Name != "":
		// What the chain ends in is a parameter too, and is checked as such.
		if got, _, _ := s.follow(v, what); got.Name != "" || got.IsQuantity() {
			s.Resolve(v, what)
		}
	case v.Table != nil:
		if !s.indexOf(v.Table, what).bad {
			for i := range v.Table.Entries {
				e := &v.Table.Entries[i]
				s.CheckDefinition(e.Value, what+": "+diag.Shorten(e.Of.Name))
			}
		}
	case v.CountDependent != nil:
		if v.CountDependent.Most.Given() {
			s.CheckDefinition(v.CountDependent.Most, what+": most")
		}
		if !s.Dependence(v).Cells() {
			s.TimeVarying(v, what, quantity.Rate)
		}
	case s.Dependence(v).Cells() || v.Distribution != nil && s.Dependence(v).Number:
		// It is evaluated for each cell where it is used. Its parts can be checked now.
		v.Each(func(part syntax.Value) { s.CheckDefinition(part, what) })
	case v.Distribution != nil && v.Distribution.IsWhole():
		s.Whole(v, what)
	case v.Distribution != nil:
		s.Law(v, what)
	case !v.IsQuantity():
		s.term(v, what)
	}
}

// Quantity evaluates a value of a given kind.
func (s Scope) Quantity(v syntax.Value, what string, want quantity.Kind) (float64, diag.Place, bool) {
	if s.unitless {
		want = quantity.Number
	}
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return 0, at, false
	}
	switch {
	case got.Distribution != nil && v.Name != "":
		s.Report(v, at, "%s: parameter %s is a distribution; expected %s such as %s", what, diag.Shorten(v.Name),
			want, want.Example())
		return 0, at, false
	case got.Distribution != nil:
		s.Report(v, at, "%s: found a distribution, expected %s such as %s", what, want, want.Example())
		return 0, at, false
	}
	name, comma := DescribeResolved(v, got), ""
	if v.Name != "" || got.Computed {
		comma = ","
	}
	switch k := got.Quantity.Kind; {
	case k == want || want == quantity.Share && k == quantity.Number:
		x := got.Quantity.In(s.Unit)
		if math.IsInf(x, 0) || x == 0 && got.Quantity.Number != 0 {
			s.Report(v, at, "%s: %s%s is too large or too small for a time in %ss", what, name, comma, s.Unit.Name)
			return 0, at, false
		}
		return x, at, true
	case k == quantity.Number && want == quantity.Duration && !got.Computed:
		s.Report(v, at, "%s: %s%s has no unit; write %s %s, or whatever the unit is", what, name, comma, got.Text,
			s.Unit.NameFor(got.Quantity.Number))
	case k == quantity.Number && want == quantity.Rate && !got.Computed:
		s.Report(v, at, "%s: %s%s has no unit; write %s per %s, or whatever the unit is", what, name, comma,
			got.Text, s.Unit.Name)
	case k == quantity.Power:
		m, _ := s.term(got, what)
		s.Report(v, at, "%s: %s%s is %s; expected %s such as %s", what, name, comma, m.Describe(s.Unit), want,
			want.Example())
	default:
		s.Report(v, at, "%s: %s%s is %s; expected %s such as %s%s", what, name, comma, k, want, want.Example(),
			fractionHint(got, want))
	}
	return 0, at, false
}

// Within evaluates a value of a given kind, and refuses it with a reason if it is not good.
func (s Scope) Within(
	v syntax.Value, what string, want quantity.Kind, good func(float64) bool, reason string,
) (float64, bool) {
	x, at, ok := s.Quantity(v, what, want)
	if ok && !good(x) {
		got, _, _ := s.Resolve(v, what)
		s.Report(v, at, "%s: %s: %s", what, DescribeResolved(v, got), reason)
		return 0, false
	}
	return x, ok
}

// Rate evaluates a rate, per time unit of the model. It cannot be negative.
func (s Scope) Rate(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, quantity.Rate, func(x float64) bool { return x >= 0 }, "a rate cannot be negative")
}

// Chance evaluates a probability.
func (s Scope) Chance(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, quantity.Share, func(x float64) bool { return x >= 0 && x <= 1 },
		"a probability is between 0 and 1, or 0% and 100%")
}

// Duration evaluates a duration, in time units of the model. It cannot be negative.
func (s Scope) Duration(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, quantity.Duration, func(x float64) bool { return x >= 0 },
		"a duration cannot be negative")
}

// PositiveDuration evaluates a duration above zero.
func (s Scope) PositiveDuration(v syntax.Value, what string) (float64, bool) {
	if x, ok := s.Duration(v, what); !ok || x > 0 {
		return x, ok
	}
	return s.Within(v, what, quantity.Duration, func(x float64) bool { return x > 0 }, "expected more than nothing")
}

// PositiveNumber evaluates a number above zero.
func (s Scope) PositiveNumber(v syntax.Value, what string) (float64, bool) {
	return s.Within(v, what, quantity.Number, func(x float64) bool { return x > 0 }, "expected a number above 0")
}

// Individuals evaluates a number of individuals. The text or adds to what a message says is
// expected.
func (s Scope) Individuals(v syntax.Value, what, or string) (int, bool) {
	const most = float64(syntax.MaxIndividuals)
	whole := func(x float64) bool { return x >= 0 && x <= most && x == float64(int(x)) }
	reason := fmt.Sprintf("expected a whole number from 0 to %.0f%s", most, or)
	x, ok := s.Within(v, what, quantity.Number, whole, reason)
	return int(x), ok
}

// ClockTime evaluates a time on the model's clock: a number in its unit, a duration, or a date.
func (s Scope) ClockTime(v syntax.Value, what string) (float64, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return 0, false
	}
	if got.Distribution != nil {
		s.Report(v, at, "%s: found a distribution, expected a time such as 15 days", what)
		return 0, false
	}
	x, err := s.Zero.ClockTime(got.Quantity, s.Unit)
	switch {
	case err != nil:
		s.Report(v, at, "%s: %s is %v", what, DescribeResolved(v, got), err)
		return 0, false
	case math.IsInf(x, 0):
		s.Report(v, at, "%s: %s is too large for a time in %ss", what, DescribeResolved(v, got), s.Unit.Name)
		return 0, false
	}
	return x, true
}

// SumTolerance allows for shares that are written with six digits.
const SumTolerance = 1e-6

// IsOne reports whether shares add up to 1.
func IsOne(sum float64) bool { return sum > 1-SumTolerance && sum < 1+SumTolerance }
