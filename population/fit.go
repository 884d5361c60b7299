package population

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A fitText is the section fit: which parameters are unknown, and which columns of a table the model is to match.
type fitText struct {
	data    named // the table's path, as it is written
	unknown []priorText
	match   []matchText
}

// A priorText is what is known of a parameter beforehand.
type priorText struct {
	label named
	prior value // a distribution, whose arguments have the parameter's dimension
	node  *yaml.Node
}

// A matchText is what a column of the table is compared with.
type matchText struct {
	what        string
	column      named
	kind        string // incidence, flow or state
	of          named
	observed    value
	hasObserved bool
	error       errorText
}

// An errorText is the law of what is observed given what is so.
type errorText struct {
	family string // poisson, negative binomial or normal
	arg    value  // dispersion or sd
	share  bool   // an sd is a share of the expected value
}

// priors are the distributions that an unknown parameter can have, with the arguments that have its dimension and those that are numbers.
var priors = map[string]struct{ own, plain []string }{
	"uniform":     {[]string{"low", "high"}, nil},
	"lognormal":   {[]string{"mean", "sd"}, nil},
	"gamma":       {[]string{"mean"}, []string{"shape"}},
	"weibull":     {[]string{"scale"}, []string{"shape"}},
	"exponential": {[]string{"mean"}, nil},
}

const (
	fitLike   = "{data: cases.csv, unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, match: [{column: cases, state: infectious, error: poisson}]}"
	priorLike = "{uniform: {low: 0.1 per day, high: 1 per day}}"
	matchLike = "{column: cases, incidence: susceptible->infectious, error: poisson}"
)

// fit reads and checks the section. It is nil if there is none, or none that can be read.
func (m *Model) fit(list *problemList) *fitText {
	n := m.file.fit
	if n == nil {
		return nil
	}
	r := newReader(list, m.file.path)
	r.zero = m.file.zero
	for _, name := range m.file.parameterNames() {
		r.defined[name] = true
	}
	r.most = spareEntries + 4*entries(n)
	f := r.fields(n, "fit", fitLike, "data", "unknown", "match")
	if f == nil {
		return nil
	}
	fit := &fitText{}
	here := m.quietly()
	here.problemList = list
	if d := f.need("data", "cases.csv"); d != nil {
		fit.data = r.named(d, "fit: data")
	}
	if u := f.need("unknown", "{beta: "+priorLike+"}"); u != nil {
		before := list.found
		for _, p := range r.pairs(u, "fit: unknown", "{beta: "+priorLike+"}") {
			prior := priorText{named{name: p.name, at: r.place(p.key)}, r.value(p.value, "fit: unknown: "+echo(p.name), aDistribution), p.value}
			m.checkPrior(here, &prior)
			fit.unknown = append(fit.unknown, prior)
		}
		if len(fit.unknown) == 0 && list.found == before {
			r.fail(u, "fit: unknown: expected at least one parameter and its prior, such as {beta: %s}", priorLike)
		}
	}
	if n := f.need("match", "["+matchLike+"]"); n != nil {
		before := list.found
		for i, item := range r.list(n, "fit: match", "["+matchLike+"]") {
			if match, ok := m.readMatch(r, here, item, fmt.Sprintf("fit: match %d", i+1)); ok {
				fit.match = append(fit.match, match)
			}
		}
		if len(fit.match) == 0 && list.found == before {
			r.fail(n, "fit: match: expected at least one column, such as [%s]", matchLike)
		}
	}
	m.checkColumns(list, fit)
	return fit
}

// checkPrior looks whether a prior can be one of its parameter.
func (m *Model) checkPrior(here scope, p *priorText) {
	what := "fit: unknown: " + echo(p.label.name)
	parameter, ok := here.parameter(p.label.name)
	switch {
	case !ok:
		here.add(p.label.at, "fit: unknown: %s", unknown("parameter", p.label.name, m.file.parameterNames))
		return
	case p.prior.bad:
		return
	case p.prior.law == nil:
		here.add(p.prior.at, "%s: found %s, expected what is known of it beforehand, such as %s", what, quote(p.prior.text), priorLike)
		return
	}
	dimension, one := m.dimension(parameter.value)
	if !one {
		here.add(p.label.at, "%s: the parameter is not one value; only a number, a duration, a rate or a probability can be unknown", what)
		return
	}
	args, ok := priors[p.prior.law.family]
	if !ok {
		here.add(p.prior.at, "%s: %s cannot be a prior; expected one of exponential, gamma, lognormal, uniform, weibull", what, p.prior.law.family)
		return
	}
	if _, rate := p.prior.law.args["rate"]; rate {
		here.add(p.prior.at, "%s: exponential: write its mean, which has the dimension of the parameter", what)
		return
	}
	known, sound := map[string]float64{}, true
	for _, name := range args.own {
		x, _, ok := here.quantity(p.prior.law.args[name], what+": "+name, dimension)
		known[name], sound = x, sound && ok
	}
	for _, name := range args.plain {
		_, ok := here.positive(p.prior.law.args[name], what+": "+name)
		sound = sound && ok
	}
	if sound && p.prior.law.family == "uniform" && !(known["low"] < known["high"]) {
		here.add(p.prior.at, "%s: uniform: high is not above low", what)
	}
}

// dimension is what a value is, a number being a share, and whether it is one value for all and at all times.
func (m *Model) dimension(v value) (kind, bool) {
	for _, k := range []kind{aShare, aDuration, aRate} {
		if _, _, ok := m.quietly().quantity(v, "", k); ok {
			return k, true
		}
	}
	return aShare, false
}

// readMatch reads what a column is compared with.
func (m *Model) readMatch(r *reader, here scope, n *yaml.Node, what string) (matchText, bool) {
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
		m.checkCounted(r, &match)
	}
	if match.kind == "" && r.found == before {
		r.fail(f.node, "%s: what is it compared with? Write incidence: susceptible->infectious, flow: susceptible->infectious or state: infectious, for example", what)
	}
	if o := f.get("observed"); o != nil {
		match.hasObserved, match.observed = true, r.value(o, what+": observed", aShare)
		if !match.observed.bad {
			here.chance(match.observed, what+": observed")
		}
	}
	if e := f.need("error", "poisson"); e != nil {
		match.error = r.readError(here, e, what+": error")
	}
	return match, r.found == before
}

// checkCounted looks whether what a column is compared with is counted: a state, or a flow or the name of what happens.
func (m *Model) checkCounted(r *reader, match *matchText) {
	if match.of.bad {
		return
	}
	if match.kind == "state" {
		if !slices.Contains(m.states, match.of.name) {
			r.add(match.of.at, "%s: state: %s", match.what, unknown("state", match.of.name, m.States))
		}
		return
	}
	var all []string
	for _, f := range m.flows {
		all = append(all, f.String())
	}
	if all = append(all, m.names...); !slices.Contains(all, match.of.name) {
		r.add(match.of.at, "%s: %s: %s", match.what, match.kind, unknown("flow or name", match.of.name, func() []string { return all }))
	}
}

// readError reads the law of an error: poisson, or one with an argument.
func (r *reader) readError(here scope, n *yaml.Node, what string) errorText {
	const expected = "expected poisson, {negative binomial: {dispersion: 5}} or {normal: {sd: 10%}}"
	names := []string{"poisson", "negative binomial", "normal"}
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
	if !r.known(e.key, what, "law of errors", e.name, names) {
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
					here.positive(law.arg, what+": dispersion")
				}
			}
		}
	case "normal":
		if f := r.fields(e.value, what, "{sd: 10%}", "sd"); f != nil {
			if sd := f.need("sd", "10%"); sd != nil {
				law.arg = r.value(sd, what+": sd", aShare)
				law.share = strings.HasSuffix(strings.TrimSpace(sd.Value), "%")
				if x, at, ok := here.quantity(law.arg, what+": sd", aShare); ok && !(x > 0) {
					r.add(at, "%s: sd: %s: expected more than 0", what, law.arg.text)
				}
			}
		}
	}
	return law
}

// words says what an error is.
func (l *errorText) words(e *explainer) string {
	switch {
	case l.family == "negative binomial":
		return "negative binomial, of dispersion " + e.words(l.arg)
	case l.family == "normal" && l.share:
		return "normal, with a standard deviation of " + e.words(l.arg) + " of what is expected"
	case l.family == "normal":
		return "normal, with a standard deviation of " + e.words(l.arg)
	}
	return "Poisson"
}

// checkColumns looks whether the table has the columns, if it is there. Whoever fits brings it.
func (m *Model) checkColumns(list *problemList, fit *fitText) {
	if fit.data.bad || fit.data.name == "" || m.asked.files == nil {
		return
	}
	table, err := m.asked.files(fit.data.name)
	if err != nil {
		return
	}
	header, err := newTable(table).Read()
	if err != nil {
		list.add(fit.data.at, "fit: data: %s is not a table: %v", fit.data.name, err)
		return
	}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	if header[0] != "time" && header[0] != "date" {
		list.add(fit.data.at, "fit: data: the first column of %s is %s, expected time or date", fit.data.name, quote(header[0]))
	}
	for _, match := range fit.match {
		if !slices.Contains(header[1:], match.column.name) {
			list.add(match.column.at, "%s: %s", match.what, unknown("column", match.column.name, func() []string { return header[1:] }))
		}
	}
}
