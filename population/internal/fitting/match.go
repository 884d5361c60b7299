package fitting

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Match says what a column of the table is compared with.
type Match struct {
	What     string
	Column   syntax.Ref
	Kind     string // incidence, flow, state, seen, survey or value
	Of       syntax.Ref
	Tested   syntax.Ref          // of a survey: the column of how many were tested
	Where    []program.Condition // the group that is counted, by ascending attributes; nil means everybody
	Observed syntax.Value        // the share that is observed; 100% if not given
	Error    Error
}

// An Error is the distribution of an observation given the value in the model.
type Error struct {
	Family string       // poisson, negative binomial or normal; binomial for a survey
	Arg    syntax.Value // dispersion or sd
}

// readMatch reads what a column is compared with.
func (r *reader) readMatch(n *yaml.Node, what string) (Match, bool) {
	f := r.Fields(n, what, matchLike, "column", "incidence", "flow", "state", "seen", "survey", "value", "of",
		"where", "observed", "error")
	if f == nil {
		return Match{}, false
	}
	before := r.Count
	match := Match{What: what}
	if c := f.Need("column", "cases"); c != nil {
		match.Column = r.Ref(c, what+": column")
	}
	for _, kind := range matchKinds {
		n := f.Get(kind)
		switch {
		case n == nil:
			continue
		case match.Kind != "":
			r.Fail(n, "%s: both %s and %s; a column is compared with one of them", what, match.Kind, kind)
			continue
		}
		match.Kind, match.Of = kind, r.Ref(n, what+": "+kind)
		r.checkOutput(&match)
	}
	if match.Kind == "" && r.Count == before {
		r.Fail(f.Node,
			"%s: what is it compared with? Write incidence: susceptible->infectious, flow: susceptible->infectious "+
				"or state: infectious, for example", what)
	}
	if match.Kind == "survey" {
		r.readSurvey(f, &match)
		return match, r.Count == before
	}
	if of := f.Get("of"); of != nil {
		r.Fail(of, "%s: of is the column of how many a survey tested; write survey: beside it", what)
	}
	if w := f.Get("where"); w != nil && match.Kind == "value" {
		r.Fail(w, "%s: both value and where: a value is of the whole population", what)
	}
	r.readWhere(f, &match)
	if match.Observed = f.Value("observed", quantity.Share); match.Observed.Given() && !match.Observed.Bad {
		r.here.Chance(match.Observed, what+": observed")
	}
	if e := f.Need("error", "poisson"); e != nil {
		match.Error = r.readError(e, what+": error")
	}
	return match, r.Count == before
}

// matchKinds are what a column can be compared with.
var matchKinds = []string{"incidence", "flow", "state", "seen", "survey", "value"}

// readSurvey reads what belongs to a column of positives of a survey.
func (r *reader) readSurvey(f *syntax.Fields, match *Match) {
	if of := f.Get("of"); of != nil {
		match.Tested = r.Ref(of, match.What+": of")
	} else if !f.Misspelt["of"] {
		r.Fail(f.Node, "%s: survey without of: how many were tested?", match.What)
	}
	for _, key := range []string{"where", "observed", "error"} {
		if n := f.Get(key); n != nil {
			r.Fail(n, "%s: both survey and %s: positives are binomial, of those whom the survey asks", match.What, key)
		}
	}
	match.Error = Error{Family: "binomial"}
}

// checkOutput checks that the model records what a column is compared with: a state, or a flow, or
// a name that events are counted under.
func (r *reader) checkOutput(match *Match) {
	p := r.m.Program
	if match.Of.Bad {
		return
	}
	switch match.Kind {
	case "seen", "survey":
		k := slices.Index(p.ObservationNames(), match.Of.Name)
		if k < 0 {
			r.Add(match.Of.At, "%s: %s: %s", match.What, match.Kind,
				diag.Unknown("observation", match.Of.Name, p.ObservationNames))
		} else if match.Kind == "survey" && !p.Observations[k].Survey {
			r.Add(match.Of.At, "%s: survey: %s is an observation of an event; write seen: %[2]s", match.What,
				diag.Shorten(match.Of.Name))
		}
		return
	case "value":
		var names []string
		for i := range p.Values {
			names = append(names, p.Values[i].Name)
		}
		if !slices.Contains(names, match.Of.Name) {
			r.Add(match.Of.At, "%s: value: %s", match.What,
				diag.Unknown("value", match.Of.Name, func() []string { return names }))
		}
		return
	}
	if match.Kind == "state" {
		if slices.Contains(p.Counted, match.Of.Name) {
			return
		}
		if a, v, ok := compile.ValueOf(p, match.Of.Name); ok {
			is := make([]bool, len(p.Attributes[a].Values))
			is[v] = true
			addWhere(match, program.Condition{Attribute: a, Is: is})
		} else {
			r.Add(match.Of.At, "%s: state: %s", match.What,
				diag.Unknown("state", match.Of.Name, func() []string { return p.Counted }))
		}
		return
	}
	var all []string
	for _, f := range p.Flows {
		all = append(all, f.String())
	}
	if all = append(all, p.CountedNames...); !slices.Contains(all, match.Of.Name) {
		r.Add(match.Of.At, "%s: %s: %s", match.What, match.Kind,
			diag.Unknown("flow or name", match.Of.Name, func() []string { return all }))
	}
}

// errorFamilies are the distributions of errors.
var errorFamilies = []string{"poisson", "negative binomial", "normal"}

// readError reads the distribution of an error: poisson, or one with an argument.
func (r *reader) readError(n *yaml.Node, what string) Error {
	const expected = "expected poisson, {negative binomial: {dispersion: 5}} or {normal: {sd: 10%}}"
	n = r.Resolve(n)
	if n.Kind == yaml.ScalarNode && n.Value == "poisson" {
		return Error{Family: "poisson"}
	}
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "%s: found %s, %s", what, syntax.Describe(n), expected)
		return Error{}
	}
	entries := r.Pairs(n, what, "{poisson: {}}")
	if len(entries) != 1 {
		r.Fail(n, "%s: %d laws, %s", what, len(entries), expected)
		return Error{}
	}
	e := entries[0]
	if !r.Known(e.Key, what, "law of errors", e.Name, errorFamilies) {
		return Error{}
	}
	law := Error{Family: e.Name}
	what += ": " + e.Name
	switch e.Name {
	case "poisson":
		if e.Value.Tag != "!!null" && len(r.Pairs(e.Value, what, "{}")) > 0 {
			r.Fail(e.Value, "%s: it has no arguments; write {poisson: {}}", what)
		}
	case "negative binomial":
		if f := r.Fields(e.Value, what, "{dispersion: 5}", "dispersion"); f != nil {
			if k := f.Need("dispersion", "5"); k != nil {
				law.Arg = r.Value(k, what+": dispersion", quantity.Number)
				if !law.Arg.Bad {
					r.here.PositiveNumber(law.Arg, what+": dispersion")
				}
			}
		}
	case "normal":
		if f := r.Fields(e.Value, what, "{sd: 10%}", "sd"); f != nil {
			if sd := f.Need("sd", "10%"); sd != nil {
				law.Arg = r.Value(sd, what+": sd", quantity.Share)
				if !law.Arg.Bad {
					r.here.Within(law.Arg, what+": sd", quantity.Share, func(x float64) bool { return x > 0 },
						"expected more than 0")
				}
			}
		}
	}
	return law
}

// IsRelative reports whether a standard deviation is a share of the expected value, that is, a
// percentage.
func (l *Error) IsRelative(here eval.Scope) bool {
	got, _, ok := here.Resolve(l.Arg, "")
	return ok && l.Family == "normal" && got.Quantity.Kind == quantity.Share
}
