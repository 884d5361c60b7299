package eval

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxReads limits the parameters that a value is made of, each counted as often as it is read.
const maxReads = 1000

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

// complexity returns the complexity of a parameter, worked out once.
func (s Scope) complexity(name string) *parameterComplexity {
	if c, ok := s.complexities[name]; ok {
		return c
	}
	return s.complexityFrom(name, nil)
}

// Circular reports whether a parameter refers to itself.
func (s Scope) Circular(name string) bool { return s.complexity(name).circular }

// complexityFrom does so for a parameter that was reached along a path of others.
func (s Scope) complexityFrom(name string, path []string) *parameterComplexity {
	if c, ok := s.complexities[name]; ok {
		if c.open { // it is on the path: it and all parameters after it form a circle
			for i := len(path) - 1; ; i-- {
				on := s.complexities[path[i]]
				on.circular, on.bad = true, path[i]
				if path[i] == name {
					break
				}
			}
		}
		return c
	}
	c := &parameterComplexity{open: true}
	s.complexities[name] = c
	if p, ok := s.Parameter(name); ok {
		reads, depth := s.valueComplexity(p.Value, append(path, name))
		c.reads, c.depth = min(reads, maxReads+1), depth
	}
	c.open = false
	if c.bad == "" && (c.reads > maxReads || c.depth > syntax.MaxParameterChain) {
		c.bad = name
	}
	return c
}

// valueComplexity returns the complexity of a value in the definition of the last parameter on the
// path. A distribution has a limit of its own, see distributionComplexity. Of a table, one entry is
// read.
func (s Scope) valueComplexity(v syntax.Value, path []string) (reads, depth int) {
	switch {
	case v.Distribution != nil:
		return 0, 0
	case v.Name != "":
		c := s.complexityFrom(v.Name, path)
		if on := s.complexities[path[len(path)-1]]; on.bad == "" {
			on.bad = c.bad
		}
		return c.reads + 1, c.depth + 1
	}
	v.Each(func(part syntax.Value) {
		n, d := s.valueComplexity(part, path)
		if v.Table != nil {
			reads = max(reads, n)
		} else {
			reads = min(reads+n, maxReads+1)
		}
		depth = max(depth, d)
	})
	return reads, depth
}

// CheckComplexity reports whether a parameter can be evaluated. If not, it adds a problem at the
// parameter that causes it.
func (s Scope) CheckComplexity(name string) bool {
	c := s.complexity(name)
	if c.bad == "" {
		return true
	}
	p, _ := s.Parameter(c.bad)
	switch first := s.complexities[c.bad]; {
	case first.circular:
		hint := ""
		if p.Change > 1 { // set by an intervention
			hint = "; what it becomes cannot be worked out from what it was: write it out, or give what it was a " +
				"name of its own"
		}
		s.Report(p.Value, p.At, "%s: the parameter %s stands for itself%s", p.What, diag.Quote(c.bad), hint)
	case first.reads > maxReads:
		s.Report(p.Value, p.At,
			"%s: it is worked out from more than %d parameters, each counted as often as it is read", p.What, maxReads)
	default:
		s.Report(p.Value, p.At, "%s: it is worked out from more than %d parameters in a row", p.What,
			syntax.MaxParameterChain)
	}
	return false
}

// A distributionComplexity is the size of a distribution with all parameters replaced by what they
// stand for.
type distributionComplexity struct {
	parts, depth int
	bad          bool                    // Circular or too large, or a part of it is; that has been reported
	open         bool                    // it is being worked out
	largest      *distributionComplexity // of its parts
	via          string                  // the parameter by which it refers to the largest, if any
}

// distributionComplexity returns the complexity of a distribution, worked out once for each that is
// written. The path holds the parameters that led to it, or "" for a part without a name.
func (s Scope) distributionComplexity(v syntax.Value, what string, path []string) *distributionComplexity {
	if c, ok := s.distributionComplexities[v.Distribution]; ok {
		if c.open {
			s.Report(v, v.At, "%s: a distribution cannot contain itself%s", what, byWayOf(path))
			c.bad = true
		}
		return c
	}
	c := &distributionComplexity{parts: 1, depth: 1, open: true}
	s.distributionComplexities[v.Distribution] = c
	for _, p := range v.Distribution.Parts {
		var largest *distributionComplexity // of the alternatives in a table
		name := ""
		s.eachDistribution(p.Of, what+": of", "", map[*syntax.Table]bool{}, func(part syntax.Value, at, via string) {
			var inner *distributionComplexity
			// The limit is far above what is allowed, so that the first distribution that is nested
			// too deeply is the one reported.
			if len(path) < syntax.MaxDistributionParts {
				inner = s.distributionComplexity(part, at, append(path, via))
			} else {
				inner = &distributionComplexity{parts: 1, depth: syntax.MaxNesting}
			}
			c.bad = c.bad || inner.bad
			c.depth = max(c.depth, inner.depth+1)
			if largest == nil || inner.parts+inner.depth > largest.parts+largest.depth {
				largest, name = inner, via
			}
		})
		if largest == nil {
			continue
		}
		c.parts = min(c.parts+largest.parts, syntax.MaxDistributionParts+1)
		if c.largest == nil || largest.parts+largest.depth > c.largest.parts+c.largest.depth {
			c.largest, c.via = largest, name
		}
	}
	c.open = false
	switch {
	case c.bad:
	case c.depth > syntax.MaxNesting:
		s.Report(v, v.At, "%s: distributions are nested too deeply%s", what, c.viaLargest())
		c.bad = true
	case c.parts > syntax.MaxDistributionParts:
		s.Report(v, v.At, "%s: more than %d distributions in one%s", what, syntax.MaxDistributionParts, c.viaLargest())
		c.bad = true
	}
	return c
}

// eachDistribution visits the distributions that a value may stand for: one, or all entries of a
// table.
func (s Scope) eachDistribution(
	v syntax.Value, what, via string, seen map[*syntax.Table]bool, do func(part syntax.Value, what, via string),
) {
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
			s.eachDistribution(e.Value, what+": "+diag.Shorten(e.Of.Name), via, seen, do)
		}
	}
}

// viaLargest names the parameters that make a distribution as large as it is.
func (c *distributionComplexity) viaLargest() string {
	var path []string
	for ; c.largest != nil; c = c.largest {
		path = append(path, c.via)
	}
	return byWayOf(path)
}

// byWayOf names the parameters of a path.
func byWayOf(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return ", by way of the " + format.Things(len(names), "parameter") + " " + diag.ListNames(names)
}
