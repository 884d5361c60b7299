package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// An extent is how large a distribution is, with all that parameters stand for.
type extent struct {
	size, depth int
	bad         bool // it is too large, contains itself or holds one that does, and that has been said
	open        bool // it is being worked out
	via         string
	heaviest    *extent // of its parts, the parameter that it goes by if it has a name, and how large it is
}

// extent works out how large a distribution is, once for each that is written. The path has the parameters by which it was come to, ""
// for what stands in place.
func (s Scope) extent(v syntax.Value, what string, path []string) *extent {
	if e, ok := s.extents[v.Distribution]; ok {
		if e.open {
			s.complain(v, v.At, "%s: a distribution cannot contain itself%s", what, byWay(path))
			e.bad = true
		}
		return e
	}
	e := &extent{size: 1, depth: 1, open: true}
	s.extents[v.Distribution] = e
	for _, p := range v.Distribution.Parts {
		var largest *extent // of those that a table has for a part, of which one is drawn
		name := ""
		s.eachLaw(p.Of, what+": of", "", map[*syntax.Table]bool{}, func(part syntax.Value, at, via string) {
			var inner *extent
			if len(path) < syntax.MostParts { // far above what is allowed, so that what is reported is the first that is too deep
				inner = s.extent(part, at, append(path, via))
			} else {
				inner = &extent{size: 1, depth: syntax.MostNested}
			}
			e.bad = e.bad || inner.bad
			e.depth = max(e.depth, inner.depth+1)
			if largest == nil || inner.size+inner.depth > largest.size+largest.depth {
				largest, name = inner, via
			}
		})
		if largest == nil {
			continue
		}
		e.size = min(e.size+largest.size, syntax.MostParts+1)
		if e.heaviest == nil || largest.size+largest.depth > e.heaviest.size+e.heaviest.depth {
			e.heaviest, e.via = largest, name
		}
	}
	e.open = false
	switch {
	case e.bad:
	case e.depth > syntax.MostNested:
		s.complain(v, v.At, "%s: distributions are nested too deeply%s", what, e.chain())
		e.bad = true
	case e.size > syntax.MostParts:
		s.complain(v, v.At, "%s: more than %d distributions in one%s", what, syntax.MostParts, e.chain())
		e.bad = true
	}
	return e
}

// eachLaw finds the distributions that a value may stand for: one, or all that a table has.
func (s Scope) eachLaw(v syntax.Value, what, via string, seen map[*syntax.Table]bool, do func(part syntax.Value, what, via string)) {
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
			s.eachLaw(e.Value, what+": "+diag.Echo(e.Of.Name), via, seen, do)
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

// chain lists the parameters by which a distribution becomes as large as it is.
func (e *extent) chain() string {
	var path []string
	for ; e.heaviest != nil; e = e.heaviest {
		path = append(path, e.via)
	}
	return byWay(path)
}

// byWay names the parameters of a path.
func byWay(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return ", by way of the " + format.Things(len(names), "parameter") + " " + diag.Some(names)
}
