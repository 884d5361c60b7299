package population

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A matchText is what a column of the table is compared with.
type matchText struct {
	what     string
	column   named
	kind     string // incidence, flow or state
	of       named
	observed value // all are seen if it is not given
	error    errorText
}

// An errorText is the law of what is observed given what is so.
type errorText struct {
	family string // poisson, negative binomial or normal
	arg    value  // dispersion or sd
}

// readMatch reads what a column is compared with.
func (r *fitReader) readMatch(n *yaml.Node, what string) (matchText, bool) {
	f := r.fields(n, what, matchLike, "column", "incidence", "flow", "state", "observed", "error")
	if f == nil {
		return matchText{}, false
	}
	before := r.found
	match := matchText{what: what}
	if c := f.need("column", "cases"); c != nil {
		match.column = r.named(c, what+": column")
	}
	for _, kind := range []string{"incidence", "flow", "state"} {
		n := f.get(kind)
		switch {
		case n == nil:
			continue
		case match.kind != "":
			r.fail(n, "%s: both %s and %s; a column is compared with one of them", what, match.kind, kind)
			continue
		}
		match.kind, match.of = kind, r.named(n, what+": "+kind)
		r.checkCounted(&match)
	}
	if match.kind == "" && r.found == before {
		r.fail(f.node, "%s: what is it compared with? Write incidence: susceptible->infectious, flow: susceptible->infectious or state: infectious, for example", what)
	}
	if match.observed = f.value("observed", aShare); match.observed.given() && !match.observed.bad {
		r.here.chance(match.observed, what+": observed")
	}
	if e := f.need("error", "poisson"); e != nil {
		match.error = r.readError(e, what+": error")
	}
	return match, r.found == before
}

// checkCounted looks whether what a column is compared with is counted: a state, or a flow or the name of what happens.
func (r *fitReader) checkCounted(match *matchText) {
	p := r.m.program
	if match.of.bad {
		return
	}
	if match.kind == "state" {
		if !slices.Contains(p.states, match.of.name) {
			r.add(match.of.at, "%s: state: %s", match.what, unknown("state", match.of.name, func() []string { return p.states }))
		}
		return
	}
	var all []string
	for _, f := range p.flows {
		all = append(all, f.String())
	}
	if all = append(all, p.names...); !slices.Contains(all, match.of.name) {
		r.add(match.of.at, "%s: %s: %s", match.what, match.kind, unknown("flow or name", match.of.name, func() []string { return all }))
	}
}

// errorNames are the laws of errors.
var errorNames = []string{"poisson", "negative binomial", "normal"}

// readError reads the law of an error: poisson, or one with an argument.
func (r *fitReader) readError(n *yaml.Node, what string) errorText {
	const expected = "expected poisson, {negative binomial: {dispersion: 5}} or {normal: {sd: 10%}}"
	n = r.resolve(n)
	if n.Kind == yaml.ScalarNode && n.Value == "poisson" {
		return errorText{family: "poisson"}
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: found %s, %s", what, found(n), expected)
		return errorText{}
	}
	entries := r.pairs(n, what, "{poisson: {}}")
	if len(entries) != 1 {
		r.fail(n, "%s: %d laws, %s", what, len(entries), expected)
		return errorText{}
	}
	e := entries[0]
	if !r.known(e.key, what, "law of errors", e.name, errorNames) {
		return errorText{}
	}
	law := errorText{family: e.name}
	what += ": " + e.name
	switch e.name {
	case "poisson":
		if e.value.Tag != "!!null" && len(r.pairs(e.value, what, "{}")) > 0 {
			r.fail(e.value, "%s: it has no arguments; write {poisson: {}}", what)
		}
	case "negative binomial":
		if f := r.fields(e.value, what, "{dispersion: 5}", "dispersion"); f != nil {
			if k := f.need("dispersion", "5"); k != nil {
				law.arg = r.value(k, what+": dispersion", aNumber)
				if !law.arg.bad {
					r.here.positive(law.arg, what+": dispersion")
				}
			}
		}
	case "normal":
		if f := r.fields(e.value, what, "{sd: 10%}", "sd"); f != nil {
			if sd := f.need("sd", "10%"); sd != nil {
				law.arg = r.value(sd, what+": sd", aShare)
				if !law.arg.bad {
					r.here.within(law.arg, what+": sd", aShare, func(x float64) bool { return x > 0 }, "expected more than 0")
				}
			}
		}
	}
	return law
}

// share tells whether an sd is a share of the expected value: a percentage is.
func (l *errorText) share(here scope) bool {
	got, _, ok := here.resolve(l.arg, "")
	return ok && l.family == "normal" && got.quantity.kind == aShare
}
