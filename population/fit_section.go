package population

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A fitText is the section fit: which parameters are unknown, and which columns of a table the model is to match.
type fitText struct {
	data    named // the table's path, as it is written
	unknown []priorText
	match   []matchText
}

const (
	fitLike   = "{data: cases.csv, unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, match: [{column: cases, state: infectious, error: poisson}]}"
	priorLike = "{uniform: {low: 0.1 per day, high: 1 per day}}"
	matchLike = "{column: cases, incidence: susceptible->infectious, error: poisson}"
)

// fitAsked is what was asked for in place of what the section says, or beside it; see FitOptions.
type fitAsked struct {
	Data    string
	Unknown []string
	Match   []string
}

// A fitReader reads the section fit of a model.
type fitReader struct {
	*reader
	m    *compiled
	here scope
}

// readFit reads and checks the section, with what was asked for. It is nil if there is none, or none that can be read.
func readFit(m *compiled, list *problemList, o fitAsked) *fitText {
	r := &fitReader{reader: newReader(list, m.file.path), m: m, here: m.quietly()}
	r.here.problemList = list
	r.zero, r.elsewhere = m.file.zero, map[*yaml.Node]string{}
	for _, name := range m.file.parameterNames() {
		r.defined[name] = true
	}
	n := m.file.fit
	if n == nil {
		if len(o.Unknown)+len(o.Match) == 0 {
			return nil
		}
		n = &yaml.Node{Kind: yaml.MappingNode}
		r.elsewhere[n] = "--unknown, --match"
	}
	unknown, match := r.askedUnknown(o.Unknown), r.askedMatch(o.Match)
	r.most = spareEntries + 4*entries(n)
	f := r.fields(n, "fit", fitLike, "data", "unknown", "match")
	if f == nil {
		return nil
	}
	fit := &fitText{}
	switch {
	case o.Data != "":
		fit.data = named{name: o.Data, at: place{file: "--data"}}
	case f.get("data") != nil || m.file.fit != nil:
		if d := f.need("data", "cases.csv"); d != nil {
			fit.data = r.named(d, "fit: data")
		}
	}
	r.readUnknown(f, fit, unknown)
	r.readMatches(f, fit, match)
	return fit
}

// readUnknown reads the priors: those of the file, each replaced by what was asked for, and what was asked for beside them.
func (r *fitReader) readUnknown(f *fields, fit *fitText, asked []pair) {
	const what = "fit: unknown"
	before, all := r.found, []pair(nil)
	u := f.get("unknown")
	if u == nil && len(asked) == 0 {
		f.need("unknown", "{beta: "+priorLike+"}")
		return
	}
	if u != nil {
		all = r.pairs(u, what, "{beta: "+priorLike+"}")
	}
	for _, a := range asked {
		if i := slices.IndexFunc(all, func(p pair) bool { return p.name == a.name }); i >= 0 {
			all[i] = a
		} else {
			all = append(all, a)
		}
	}
	for _, p := range all {
		where := what + ": " + echo(p.name)
		if _, flag := r.elsewhere[p.key]; flag {
			where = "the prior"
		}
		prior := r.readPrior(p, where)
		fit.unknown = append(fit.unknown, prior)
	}
	if len(fit.unknown) == 0 && r.found == before {
		r.fail(u, "fit: unknown: expected at least one parameter and its prior, such as {beta: %s}", priorLike)
	}
}

// readMatches reads what columns are compared with, those of the file replaced or followed by what was asked for.
func (r *fitReader) readMatches(f *fields, fit *fitText, asked []pair) {
	before := r.found
	n := f.get("match")
	if n == nil && len(asked) == 0 {
		f.need("match", "["+matchLike+"]")
		return
	}
	if n != nil {
		for i, item := range r.list(n, "fit: match", "["+matchLike+"]") {
			if c := r.entry(item, "column"); c != nil && slices.ContainsFunc(asked, func(a pair) bool { return a.name == c.Value }) {
				continue
			}
			if match, ok := r.readMatch(item, fmt.Sprintf("fit: match %d", i+1)); ok {
				fit.match = append(fit.match, match)
			}
		}
	}
	for _, a := range asked {
		if match, ok := r.readMatch(a.value, "column "+echo(a.name)); ok {
			fit.match = append(fit.match, match)
		}
	}
	if len(fit.match) == 0 && r.found == before {
		r.fail(n, "fit: match: expected at least one column, such as [%s]", matchLike)
	}
	seen := map[string]bool{}
	for i := range fit.match {
		c := fit.match[i].column
		if seen[c.name] {
			r.add(c.at, "%s: column %s is here twice; it is compared with one thing", fit.match[i].what, quote(c.name))
		}
		seen[c.name] = true
	}
}
