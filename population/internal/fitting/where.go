package fitting

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxGroups is the number of groups that the attributes of a where may make.
const maxGroups = 100_000

// readWhere reads the group that a column counts: {region: north, age: [child, adult]}.
func (r *reader) readWhere(f *syntax.Fields, match *Match) {
	what, groups := match.What+": where", 1
	all := r.m.Program.Attributes
	for _, w := range f.Where("where") {
		a := all.Index(w.Attribute.Name)
		if a < 0 {
			r.Add(w.Attribute.At, "%s: %s", what, diag.Unknown("attribute", w.Attribute.Name, all.Names))
			continue
		}
		values := all[a].Values
		is := make([]bool, len(values))
		for _, v := range w.Values {
			switch k := slices.Index(values, v.Name); {
			case v.Bad:
			case k < 0:
				r.Add(v.At, "%s: %s", what,
					diag.Unknown("value of "+w.Attribute.Name, v.Name, func() []string { return values }))
			default:
				is[k] = true
			}
		}
		if groups *= max(1, len(values)); groups > maxGroups {
			r.Add(w.Attribute.At, "%s: these attributes make more than %s groups; name fewer", what,
				format.Thousands(maxGroups))
			return
		}
		addWhere(match, program.Condition{Attribute: a, Is: is})
	}
	if name := slices.Index(r.m.Program.CountedNames, match.Of.Name); len(match.Where) > 0 && match.Kind != "state" &&
		r.m.Program.OfNobody(name) {
		r.Add(match.Of.At, "%s: %s only sets parameters, which happens to no individual, so no group has any; leave it out",
			what, diag.Quote(match.Of.Name))
	}
}

// addWhere adds a condition to the group that a column counts. The order of the file does not
// matter, and columns with the same attributes share a grouping.
func addWhere(match *Match, c program.Condition) {
	for i := range match.Where {
		if w := &match.Where[i]; w.Attribute == c.Attribute { // both must be true
			for v := range w.Is {
				w.Is[v] = w.Is[v] && c.Is[v]
			}
			return
		}
	}
	match.Where = append(match.Where, c)
	slices.SortFunc(match.Where, func(a, b program.Condition) int { return a.Attribute - b.Attribute })
}
