package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// reserveEntries tells whether the tables may have some more entries. A line of always is an entry for every state, and all of them are there
// again from each intervention on that sets a parameter, so that a small file can make tables that no machine holds.
func (c *compiler) reserveEntries(entries int) bool {
	const most = 1_000_000 // a hundred megabytes
	if c.entries = min(c.entries+entries, most+1); c.entries <= most {
		return true
	}
	c.Add(diag.Place{File: c.file.Path, Line: 1, Column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, for each combination of the attributes that matter there, from each intervention on that sets a parameter; expected fewer of them", format.Thousands(float64(most)))
	c.Stopped = true
	return false
}

// A parameterComplexity is how much there is to work out for a parameter: how many parameters stand behind it, each counted as often as it is read, and
// how many of them stand for one another in a row. In tables and expressions a few lines can stand for billions.
type parameterComplexity struct {
	reads, depth int
	circular     bool // it stands for itself
	open         bool // it is being worked out
	// If it is too much, or something behind it is or stands for itself: the parameter with which that begins.
	bad string
}

// maxReads is how many parameters a value may be worked out from, each counted as often as it is read.
const maxReads = 1000

// complexity works out how much there is to a parameter, once.
func (s Scope) complexity(name string) *parameterComplexity {
	if w, ok := s.complexities[name]; ok {
		return w
	}
	return s.complexityFrom(name, nil)
}

// complexityFrom does so on the way from other parameters.
func (s Scope) complexityFrom(name string, path []string) *parameterComplexity {
	if w, ok := s.complexities[name]; ok {
		if w.open { // it is on the path, and all that come after it there are in a circle with it
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

// valueComplexity is the weight of a value that is written out. Distributions are measured by their extents; in a table one of the entries is read.
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

// checkComplexity tells whether a parameter can be worked out. If not, it says why, of the one with which it begins.
func (s Scope) checkComplexity(name string) bool {
	w := s.complexity(name)
	if w.bad == "" {
		return true
	}
	p, _ := s.Parameter(w.bad)
	switch first := s.complexities[w.bad]; {
	case first.circular:
		hint := ""
		if p.change > 1 { // an intervention's
			hint = "; what it becomes cannot be worked out from what it was: write it out, or give what it was a name of its own"
		}
		s.reportValue(p.Value, p.At, "%s: the parameter %s stands for itself%s", p.what, diag.Quote(w.bad), hint)
	case first.reads > maxReads:
		s.reportValue(p.Value, p.At, "%s: it is worked out from more than %d parameters, each counted as often as it is read", p.what, maxReads)
	default:
		s.reportValue(p.Value, p.At, "%s: it is worked out from more than %d parameters in a row", p.what, syntax.MostSteps)
	}
	return false
}

// An distributionComplexity is how large a distribution is, with all that parameters stand for.
type distributionComplexity struct {
	parts, depth int
	bad          bool // it is too large, contains itself or holds one that does, and that has been said
	open         bool // it is being worked out
	via          string
	largest      *distributionComplexity // of its parts, the parameter that it goes by if it has a name, and how large it is
}

// distributionComplexity works out how large a distribution is, once for each that is written. The path has the parameters by which it was come to, ""
// for what stands in place.
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
		var largest *distributionComplexity // of those that a table has for a part, of which one is drawn
		name := ""
		s.eachDistribution(p.Of, what+": of", "", map[*syntax.Table]bool{}, func(part syntax.Value, at, via string) {
			var inner *distributionComplexity
			if len(path) < syntax.MostParts { // far above what is allowed, so that what is reported is the first that is too deep
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

// eachDistribution finds the distributions that a value may stand for: one, or all that a table has.
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

// follow is what a value stands for, how to speak of it, and the last of the names by which it goes there.
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

// viaLargest lists the parameters by which a distribution becomes as large as it is.
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
