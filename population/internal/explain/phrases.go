package explain

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// outcome says where one goes.
func outcome(to syntax.Ref) string { return outcomeOf(to, false) }

// outcomeOf says where one goes, or many, if anywhere.
func outcomeOf(to syntax.Ref, many bool) string {
	switch {
	case !to.Given():
		return ""
	case to.Name == syntax.Out:
		return verb("leaves", many) + " the population"
	}
	return verb("becomes", many) + " " + to.Name
}

// verb is a verb of one, or of many.
func verb(verb string, many bool) string {
	if many {
		return strings.TrimSuffix(verb, "s")
	}
	return verb
}

// addMoves adds what attributes one gets, or many.
func addMoves(what string, moves []syntax.Move, many bool) string {
	for _, m := range moves {
		if what != "" {
			what += " and "
		}
		what += verb("moves", many) + " to " + m.Attribute.Name + " " + m.Value.Name
	}
	return what
}

// orList joins names as one says them.
func orList(names []syntax.Ref) string {
	var all []string
	for _, n := range names {
		all = append(all, n.Name)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	return strings.Join(all, "")
}

// ofConditions says of which values attributes are.
func ofConditions(all []syntax.Where) string {
	text := ""
	for i, w := range all {
		if i > 0 {
			text += " and"
		}
		text += " of " + w.Attribute.Name + " " + orList(w.Values)
	}
	return text
}

// andConditions says the same after a state.
func andConditions(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return " and" + ofConditions(all)
}

// whereConditions says for whom a clock runs.
func whereConditions(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return ", for those" + ofConditions(all)
}

// ofValues lists values of attributes.
func ofValues(with []syntax.Move) string {
	var all []string
	for _, w := range with {
		all = append(all, w.Attribute.Name+" "+w.Value.Name)
	}
	if len(all) == 0 {
		return ""
	}
	return " of " + strings.Join(all, " and ")
}

func (e *explainer) nameTag(name string) string {
	if name == "" {
		return ""
	}
	return " [" + name + "]"
}

// entryState says as what one begins.
func (e *explainer) entryState(enter *syntax.Enter) string {
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
