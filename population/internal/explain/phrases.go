package explain

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// goal says where one goes.
func goal(to syntax.Ref) string { return goalOf(to, false) }

// goalOf says where one goes, or many, if anywhere.
func goalOf(to syntax.Ref, many bool) string {
	switch {
	case !to.Given():
		return ""
	case to.Name == syntax.Out:
		return does("leaves", many) + " the population"
	}
	return does("becomes", many) + " " + to.Name
}

// does is a verb of one, or of many.
func does(verb string, many bool) string {
	if many {
		return strings.TrimSuffix(verb, "s")
	}
	return verb
}

// joinMoves adds what attributes one gets, or many.
func joinMoves(what string, moves []syntax.Move, many bool) string {
	for _, m := range moves {
		if what != "" {
			what += " and "
		}
		what += does("moves", many) + " to " + m.Attribute.Name + " " + m.Value.Name
	}
	return what
}

// list joins names as one says them.
func list(names []syntax.Ref) string {
	var all []string
	for _, n := range names {
		all = append(all, n.Name)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	return strings.Join(all, "")
}

// ofAny says of which values attributes are.
func ofAny(all []syntax.Where) string {
	text := ""
	for i, w := range all {
		if i > 0 {
			text += " and"
		}
		text += " of " + w.Attribute.Name + " " + list(w.Values)
	}
	return text
}

// and says the same after a state.
func and(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return " and" + ofAny(all)
}

// where says for whom a clock runs.
func where(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return ", for those" + ofAny(all)
}

// of lists values of attributes.
func of(with []syntax.Move) string {
	var all []string
	for _, w := range with {
		all = append(all, w.Attribute.Name+" "+w.Value.Name)
	}
	if len(all) == 0 {
		return ""
	}
	return " of " + strings.Join(all, " and ")
}

func (e *explainer) named(name string) string {
	if name == "" {
		return ""
	}
	return " [" + name + "]"
}

// begin says as what one begins.
func (e *explainer) begin(enter *syntax.Enter) string {
	if len(enter.Into) == 0 {
		return enter.Name
	}
	var all []string
	rest := ""
	for _, s := range enter.Into {
		if s.Rest {
			rest = s.State.Name
			continue
		}
		all = append(all, s.State.Name+" with probability "+e.probability(s.Share))
	}
	if rest != "" {
		all = append(all, "otherwise "+rest)
	}
	return strings.Join(all, ", ")
}
