package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// sinceTerm returns the term of a curve by a time since.
func (s Scope) sinceTerm(v syntax.Value, what string) (DimTerm, bool) {
	c := v.TimeVarying
	number, ok := s.sinceNumber(c.Since, what+": since")
	if !ok {
		return DimTerm{}, false
	}
	if c.Since.Met && s.met == nil {
		s.Report(v, v.At, "%s: the time since %s of: met is that of the one who is met; only the chance of a "+
			"transmission can have it", what, c.Since)
		return DimTerm{}, false
	}
	var inner DimTerm
	if c.Form == "density" {
		inner, ok = s.densityTerm(c, what+": density")
	} else {
		inner, ok = s.sinceKnots(c, what+": "+c.Form)
	}
	if !ok {
		return DimTerm{}, false
	}
	return DimTerm{program.NewSinceTerm(number, c.Since.Met, inner.Term), inner.Dimension}, true
}

// densityTerm returns the term of the density of a distribution.
func (s Scope) densityTerm(c *syntax.TimeVarying, what string) (DimTerm, bool) {
	l, ok := s.Law(c.Density, what)
	if !ok {
		return DimTerm{}, false
	}
	if why := l.NoDensity(); why != "" {
		s.ReportTogether(c.Density.At, []syntax.Value{c.Density}, "%s: %s", what, why)
		return DimTerm{}, false
	}
	return DimTerm{&program.Term{Op: program.TermDensity, Law: &l}, quantity.RateDimension}, true
}

// sinceKnots returns the term of steps or of a line whose times are since something.
func (s Scope) sinceKnots(c *syntax.TimeVarying, what string) (DimTerm, bool) {
	n := len(c.Knots)
	t := &program.Term{Op: program.TermSteps, Times: make([]float64, n), Values: make([]float64, n)}
	if c.Form == "line" {
		t.Op = program.TermLine
	}
	var d quantity.Dimension
	for i := range c.Knots {
		k := &c.Knots[i]
		fail := func(format string, args ...any) (DimTerm, bool) {
			s.Report(syntax.Value{At: k.At}, k.At, what+": "+format, args...)
			return DimTerm{}, false
		}
		at := k.Time.Number
		if k.Time.Kind == quantity.Duration {
			at = k.Time.In(s.Unit)
		}
		switch {
		case k.Time.Kind == quantity.Date:
			return fail("%s is a date; expected a time since %s, such as 5 days", k.Text, c.Since)
		case math.IsInf(at, 0):
			return fail("%s is too large for a time in %ss", k.Text, s.Unit.Name)
		case at < 0:
			return fail("%s is before the individual came in; expected a time since %s", k.Text, c.Since)
		case i > 0 && !(at > t.Times[i-1]):
			return fail("%s does not come after %s, the time before it", k.Text, c.Knots[i-1].Text)
		}
		value, ok := s.knotValue(c, i, what, &d)
		if !ok {
			return DimTerm{}, false
		}
		t.Times[i], t.Values[i] = at, value
	}
	return DimTerm{t, d}, true
}

// sinceNumber returns the number of a time since in Program.Since. It is added if it is new.
func (s Scope) sinceNumber(text *syntax.Since, what string) (int, bool) {
	one := program.Since{Birth: text.Birth, Machine: -1, Words: text.String()}
	fail := func(at diag.Place, format string, args ...any) (int, bool) {
		s.Report(syntax.Value{At: at}, at, what+": "+format, args...)
		return 0, false
	}
	states := len(s.States)
	if len(s.Machines) > 0 {
		states = s.Machines[0].FirstCount
	}
	switch {
	case text.Birth && slices.Contains(s.States[:states], "birth"):
		return fail(text.At, "birth is the age, and there is also a state birth; write since: {state: birth} for that")
	case !text.Birth:
		first := "" // of the states
		for i := range text.Groups {
			for _, n := range text.Groups[i].States {
				machine, state, problem := s.sinceState(&text.Groups[i], n, states)
				name := n.Name
				if machine >= 0 && !strings.Contains(name, "=") {
					name = text.Groups[i].Machine.Name + "=" + name
				}
				switch {
				case n.Bad:
					return 0, false
				case problem != "":
					return fail(n.At, "%s", problem)
				case first == "":
					one.Machine, first = machine, name
					one.In = make([]bool, states)
					if machine >= 0 {
						one.In = make([]bool, len(s.Attributes[s.Machines[machine].Attribute].Values))
					}
				case machine != one.Machine:
					return fail(text.At, "%s and %s are of two machines; multiply two curves", first, name)
				}
				one.In[state] = true
			}
		}
	}
	for k, known := range *s.Sinces {
		if known.Birth == one.Birth && known.Machine == one.Machine && slices.Equal(known.In, one.In) {
			return k, true
		}
	}
	*s.Sinces = append(*s.Sinces, one)
	return len(*s.Sinces) - 1, true
}

// sinceState looks up a state that a time is since: the machine, −1 for states, and its number
// there. If there is none, it returns what is wrong. States is how many there are under states.
func (s Scope) sinceState(g *syntax.SinceGroup, n syntax.Ref, states int) (machine, state int, problem string) {
	nameOf := func(m int) string { return s.Attributes[s.Machines[m].Attribute].Name }
	if g.Machine.Given() {
		var names []string
		for m := range s.Machines {
			names = append(names, nameOf(m))
		}
		m := slices.Index(names, g.Machine.Name)
		if m < 0 {
			return 0, 0, diag.Unknown("machine", g.Machine.Name, func() []string { return names }).String()
		}
		values := s.Attributes[s.Machines[m].Attribute].Values
		if v := slices.Index(values, n.Name); v >= 0 {
			return m, v, ""
		}
		return 0, 0, diag.Unknown("state of "+g.Machine.Name, n.Name, func() []string { return values }).String()
	}
	k := slices.Index(s.States, n.Name)
	if k >= 0 && k < states {
		return -1, k, ""
	}
	for m := range s.Machines {
		values := s.Attributes[s.Machines[m].Attribute].Values
		if v := k - s.Machines[m].FirstCount; v >= 0 && v < len(values) {
			return m, v, ""
		}
		if k < 0 && slices.Contains(values, n.Name) {
			return 0, 0, "there is no state " + diag.Quote(n.Name) + " under states; machine " + nameOf(m) +
				" has one: write since: {" + nameOf(m) + ": " + n.Name + "}"
		}
	}
	return 0, 0, diag.Unknown("state", n.Name, func() []string { return s.States[:states] }).String()
}

// RefuseIndividual reports a value that depends on an individual, by a time since or by a number,
// where there is no individual yet. It reports whether it did.
func (s Scope) RefuseIndividual(v syntax.Value, what string) bool {
	d := s.Dependence(v)
	if d.Since {
		if name, since := s.findSince(v, "", map[string]bool{}); since != nil {
			s.ReportTogether(v.At, []syntax.Value{v}, "%s: %s is by time since %s, and nobody is there yet", what,
				cmp.Or(name, "this"), since)
			return true
		}
	}
	if d.Number {
		s.ReportTogether(v.At, []syntax.Value{v}, "%s: a number is that of an individual, and nobody is there yet", what)
	}
	return d.Number
}

// findSince finds the first curve in a value, and the name of its parameter.
func (s Scope) findSince(v syntax.Value, name string, seen map[string]bool) (string, *syntax.Since) {
	if v.Name != "" {
		p, ok := s.Parameter(v.Name)
		if !ok || seen[v.Name] {
			return "", nil
		}
		seen[v.Name] = true
		return s.findSince(p.Value, v.Name, seen)
	}
	if v.TimeVarying != nil && v.TimeVarying.Since != nil {
		return name, v.TimeVarying.Since
	}
	var found *syntax.Since
	v.Each(func(part syntax.Value) {
		if found == nil {
			name, found = s.findSince(part, name, seen)
		}
	})
	return name, found
}

// sinceStaysWithin is staysWithin for a value that depends on a time since. It is bounded, or
// looked at for many times since. A value that leaves its range only between them is cut off there
// when it is read.
func (s Scope) sinceStaysWithin(tv *program.TimeVarying, high float64) (t, x float64, ok bool) {
	const slack = 1e-12
	inRange := func(x float64) bool { return x >= -slack && x <= high+slack }
	span := s.End - s.Start
	if low, most := tv.Root.Bounds(0, span); inRange(low) && inRange(most) || math.IsNaN(span) {
		return 0, 0, true
	}
	times := []float64{0}
	for at := 0.0; len(times) < 200; {
		if at = tv.Root.NextChange(at); !(at < span) {
			break
		}
		times = append(times, at)
	}
	times = append(times, span)
	type time struct {
		number int
		met    bool
	}
	var of []time
	var ages [][]float64
	tv.Root.EachSince(func(t *program.Term) {
		k := slices.Index(of, time{t.Since, t.Met})
		if k < 0 {
			k = len(of)
			of, ages = append(of, time{t.Since, t.Met}), append(ages, []float64{math.Inf(-1)}) // outside
		}
		ages[k] = append(ages[k], t.SinceSamples()...)
	})
	who := &program.Individual{CameIn: make([][]float64, len(*s.Sinces)), Own: 0, Met: 1}
	for k := range who.CameIn {
		who.CameIn[k] = []float64{math.Inf(1), math.Inf(1)}
	}
	for _, at := range times {
		for tries, digits := 0, make([]int, len(of)); tries < 5000; tries++ {
			for k, one := range of {
				id := 0
				if one.met {
					id = 1
				}
				who.CameIn[one.number][id] = at - ages[k][digits[k]]
			}
			if x = tv.Root.At(at, program.Census{Who: who}); !inRange(x) {
				return at, x, false
			}
			k := 0
			for ; k < len(digits); k++ {
				if digits[k]++; digits[k] < len(ages[k]) {
					break
				}
				digits[k] = 0
			}
			if k == len(digits) {
				break
			}
		}
	}
	return 0, 0, true
}

// SinceWords names the times since that a term depends on: "" if there are none.
func (s Scope) SinceWords(t *program.Term) string {
	var all []string
	t.EachSince(func(t *program.Term) {
		if words := (*s.Sinces)[t.Since].Words; !slices.Contains(all, words) {
			all = append(all, words)
		}
	})
	return strings.Join(all, " and since ")
}

// Candidates returns how many candidates a rate costs for each event, by the curves that it is
// proportional to. It reports false if it is proportional to none.
func (s Scope) Candidates(v syntax.Value) (float64, bool) {
	tv, ok := s.TimeVarying(v, "", quantity.Rate)
	if !ok || len(tv.Factors) == 0 {
		return 0, false
	}
	return tv.CandidatesBySince(), true
}
