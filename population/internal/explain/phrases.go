package explain

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// outcome says what becomes of one individual.
func outcome(to syntax.Ref) string { return outcomeOf(to, false) }

// outcomeOf says what becomes of one individual or of many. It is empty if the state stays the
// same.
func outcomeOf(to syntax.Ref, many bool) string {
	switch {
	case !to.Given():
		return ""
	case to.Name == syntax.Out:
		return verb("leaves", many) + " the population"
	}
	return verb("becomes", many) + " " + to.Name
}

// verb returns a verb for one or for many.
func verb(singular string, many bool) string {
	if many {
		return strings.TrimSuffix(singular, "s")
	}
	return singular
}

// becomes says what becomes of one individual or of many: the state, and the values that they move
// to, unless they leave.
func (e *explainer) becomes(to syntax.Ref, moves []syntax.Move, many bool) string {
	if to.Name == syntax.Out {
		moves = nil
	}
	return e.addMoves(outcomeOf(to, many), moves, many)
}

// addMoves adds the values of attributes that one individual or many move to.
func (e *explainer) addMoves(what string, moves []syntax.Move, many bool) string {
	for _, m := range moves {
		if what != "" {
			what += " and "
		}
		what += verb("moves", many) + " to " + m.Attribute.Name + " " + e.gives(&m.Gives)
	}
	return what
}

// orList lists names: a, b or c.
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

// ofConditions says which values attributes must have.
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

// andConditions says the same after the name of a state.
func andConditions(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return " and" + ofConditions(all)
}

// whereConditions says for which individuals a clock runs.
func whereConditions(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return ", for those" + ofConditions(all)
}

// ofValues lists values of attributes.
func (e *explainer) ofValues(with []syntax.Move) string {
	var all []string
	for _, w := range with {
		all = append(all, w.Attribute.Name+" "+e.gives(&w.Gives))
	}
	if len(all) == 0 {
		return ""
	}
	return " of " + strings.Join(all, " and ")
}

// nameTag returns the name that something is counted under, if it has one.
func nameTag(name string) string {
	if name == "" {
		return ""
	}
	return " [" + name + "]"
}

// entryState says in which state an individual begins.
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
