package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// reserveEntries reserves a number of table entries, or reports that there are too many. A clock of
// always takes an entry in every state, and each intervention that sets a parameter repeats all
// tables, so a small file could ask for tables that no machine can hold.
func (c *compiler) reserveEntries(entries int) bool {
	const most = 1_000_000 // about 100 MB
	if c.entries = min(c.entries+entries, most+1); c.entries <= most {
		return true
	}
	c.Add(diag.Place{File: c.file.Path, Line: 1, Column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, for each combination of the attributes that matter there, from each intervention on that sets a parameter; expected fewer of them", format.Thousands(float64(most)))
	c.Stopped = true
	return false
}

// A parameterComplexity says how much work it is to evaluate a parameter: how many parameters it is
// made of, each counted as often as it is read, and the longest chain of parameters that refer to
// one another. With tables and expressions, a few lines can stand for billions of reads.
type parameterComplexity struct {
	reads, depth int
	circular     bool // it refers to itself
	open         bool // it is being worked out
	// The first parameter that is circular or too complex, of this one and those it is made of;
	// empty if there is none.
	bad string
}

// maxReads limits how many parameters a value may be made of, each counted as often as it is read.
const maxReads = 1000

// complexity returns the complexity of a parameter, worked out once.
func (s Scope) complexity(name string) *parameterComplexity {
	if w, ok := s.complexities[name]; ok {
		return w
	}
	return s.complexityFrom(name, nil)
}

// complexityFrom does so for a parameter that was reached along a path of others.
func (s Scope) complexityFrom(name string, path []string) *parameterComplexity {
	if w, ok := s.complexities[name]; ok {
		// It is on the path: it and all parameters after it form a circle.
		if w.open {
			for i := len(path) - 1; ; i-- {
				on := s.complexities[path[i]]
				on.circular, on.bad = true, path[i]
				if path[i] == name {
					break
				}
			}
		}
		return w
	}
	w := &parameterComplexity{open: true}
	s.complexities[name] = w
	if p, ok := s.Parameter(name); ok {
		size, depth := s.valueComplexity(p.Value, append(path, name))
		w.reads, w.depth = min(size, maxReads+1), depth
	}
	w.open = false
	if w.bad == "" && (w.reads > maxReads || w.depth > syntax.MostSteps) {
		w.bad = name
	}
	return w
}

// valueComplexity returns the complexity of a value that is not a name. A distribution has a limit
// of its own, see distributionComplexity. Of a table, one entry is read.
func (s Scope) valueComplexity(v syntax.Value, path []string) (size, depth int) {
	switch {
	case v.Distribution != nil:
		return 0, 0
	case v.Name != "":
		w := s.complexityFrom(v.Name, path)
		if on := s.complexities[path[len(path)-1]]; on.bad == "" {
			on.bad = w.bad
		}
		return w.reads + 1, w.depth + 1
	}
	v.Each(func(part syntax.Value) {
		n, d := s.valueComplexity(part, path)
		if v.Table != nil {
			size = max(size, n)
		} else {
			size = min(size+n, maxReads+1)
		}
		depth = max(depth, d)
	})
	return size, depth
}

// checkComplexity reports whether a parameter can be evaluated. If not, it adds a problem at the
// parameter that causes it.
func (s Scope) checkComplexity(name string) bool {
	w := s.complexity(name)
	if w.bad == "" {
		return true
	}
	p, _ := s.Parameter(w.bad)
	switch first := s.complexities[w.bad]; {
	case first.circular:
		hint := ""
		if p.change > 1 { // set by an intervention
			hint = "; what it becomes cannot be worked out from what it was: write it out, or give what it was a name of its own"
		}
		s.reportValue(p.Value, p.At, "%s: the parameter %s stands for itself%s", p.what, diag.Quote(w.bad), hint)
	case first.reads > maxReads:
		s.reportValue(p.Value, p.At,
			"%s: it is worked out from more than %d parameters, each counted as often as it is read", p.what, maxReads)
	default:
		s.reportValue(p.Value, p.At, "%s: it is worked out from more than %d parameters in a row", p.what,
			syntax.MostSteps)
	}
	return false
}

// A distributionComplexity is the size of a distribution with all parameters replaced by what they
// stand for.
type distributionComplexity struct {
	parts, depth int
	bad          bool // circular or too large, or a part of it is; that has been reported
	open         bool // it is being worked out
	via          string
	largest      *distributionComplexity // the largest of its parts, and the name by which it refers to it
}

// distributionComplexity returns the complexity of a distribution, worked out once for each that is
// written. The path holds the parameters that led to it, or "" for a part without a name.
func (s Scope) distributionComplexity(v syntax.Value, what string, path []string) *distributionComplexity {
	if e, ok := s.distributionComplexities[v.Distribution]; ok {
		if e.open {
			s.reportValue(v, v.At, "%s: a distribution cannot contain itself%s", what, byWayOf(path))
			e.bad = true
		}
		return e
	}
	e := &distributionComplexity{parts: 1, depth: 1, open: true}
	s.distributionComplexities[v.Distribution] = e
	for _, p := range v.Distribution.Parts {
		var largest *distributionComplexity // of the alternatives in a table
		name := ""
		s.eachDistribution(p.Of, what+": of", "", map[*syntax.Table]bool{}, func(part syntax.Value, at, via string) {
			var inner *distributionComplexity
			// The limit is far above what is allowed, so that the first distribution that is nested
			// too deeply is the one reported.
			if len(path) < syntax.MostParts {
				inner = s.distributionComplexity(part, at, append(path, via))
			} else {
				inner = &distributionComplexity{parts: 1, depth: syntax.MostNested}
			}
			e.bad = e.bad || inner.bad
			e.depth = max(e.depth, inner.depth+1)
			if largest == nil || inner.parts+inner.depth > largest.parts+largest.depth {
				largest, name = inner, via
			}
		})
		if largest == nil {
			continue
		}
		e.parts = min(e.parts+largest.parts, syntax.MostParts+1)
		if e.largest == nil || largest.parts+largest.depth > e.largest.parts+e.largest.depth {
			e.largest, e.via = largest, name
		}
	}
	e.open = false
	switch {
	case e.bad:
	case e.depth > syntax.MostNested:
		s.reportValue(v, v.At, "%s: distributions are nested too deeply%s", what, e.viaLargest())
		e.bad = true
	case e.parts > syntax.MostParts:
		s.reportValue(v, v.At, "%s: more than %d distributions in one%s", what, syntax.MostParts, e.viaLargest())
		e.bad = true
	}
	return e
}

// eachDistribution visits the distributions that a value may stand for: one, or all entries of a
// table.
func (s Scope) eachDistribution(v syntax.Value, what, via string, seen map[*syntax.Table]bool, do func(part syntax.Value, what, via string)) {
	v, what, last := s.follow(v, what)
	if last != "" {
		via = last
	}
	switch {
	case v.Distribution != nil:
		do(v, what, via)
	case v.Table != nil && !seen[v.Table]:
		seen[v.Table] = true
		for i := range v.Table.Entries {
			e := &v.Table.Entries[i]
			s.eachDistribution(e.Value, what+": "+diag.Echo(e.Of.Name), via, seen, do)
		}
	}
}

// follow follows names to what a value stands for. It returns that, how messages speak of it, and
// the last name on the way.
func (s Scope) follow(v syntax.Value, what string) (syntax.Value, string, string) {
	via := ""
	for steps := 0; v.Name != "" && steps <= syntax.MostSteps; steps++ {
		p, ok := s.Parameter(v.Name)
		if !ok {
			break
		}
		via = v.Name
		v, what = p.Value, p.what
	}
	if v.Distribution != nil && v.Distribution.Family != "" {
		what += ": " + v.Distribution.Family
	}
	return v, what, via
}

// viaLargest names the parameters that make a distribution as large as it is.
func (e *distributionComplexity) viaLargest() string {
	var path []string
	for ; e.largest != nil; e = e.largest {
		path = append(path, e.via)
	}
	return byWayOf(path)
}

// byWayOf names the parameters of a path.
func byWayOf(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return ", by way of the " + format.Things(len(names), "parameter") + " " + diag.Some(names)
}
