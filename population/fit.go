package population

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A Fit is what a model is to be fitted to: which of its parameters are unknown, and what is known of them beforehand; and which columns of a
// table it is to match. [Model.Fit] reads it from the file.
//
// It does not change, and may be used from several goroutines at once.
type Fit struct {
	Data     string // the path of the table, as it is written; empty if nobody said
	Unknowns []Unknown
	Matches  []Match

	m    *Model
	text *fitText

	lately lately // see Follow
}

// FitOptions say what is to be fitted in place of what the file says, or beside it.
type FitOptions struct {
	Data    string   // the path of the table; the file need not name one then
	Unknown []string // parameters and what is known of them: "beta=uniform 0.1..1 per day"; they replace those of the file, or add to them
	Match   []string // columns: "cases = incidence susceptible->infectious observed 30% poisson"; likewise
}

// Fit reads what is to be fitted from the section fit of the file, and from the options. If something is wrong with it, the error is of type
// [Problems].
func (m *Model) Fit(o FitOptions) (*Fit, error) {
	list := &problemList{}
	if m.file.fit == nil && len(o.Unknown)+len(o.Match) == 0 {
		list.add(place{m.file.path, 1, 1}, "the model has no section fit; write fit: %s in the file, or say what is unknown with --unknown and what is to be matched with --match", fitLike)
		return nil, list.err()
	}
	text := m.fit(list, o)
	if err := list.err(); err != nil {
		return nil, err
	}
	f := &Fit{Data: text.data.name, m: m, text: text}
	for i := range text.match {
		t := &text.match[i]
		f.Matches = append(f.Matches, Match{Column: t.column.name, Kind: t.kind, Of: t.of.name, Error: t.error.family})
	}
	for i := range text.unknown {
		f.Unknowns = append(f.Unknowns, text.unknown[i].unknown(m.quietly()))
	}
	f.bound(list)
	if err := list.err(); err != nil {
		return nil, err
	}
	return f, nil
}

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

// fit reads and checks the section, with what the options say. It is nil if there is none, or none that can be read.
func (m *Model) fit(list *problemList, o FitOptions) *fitText {
	r := newReader(list, m.file.path)
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
	here := m.quietly()
	here.problemList = list
	switch {
	case o.Data != "":
		fit.data = named{name: o.Data, at: place{file: "--data"}}
	case f.get("data") != nil || m.file.fit != nil:
		if d := f.need("data", "cases.csv"); d != nil {
			fit.data = r.named(d, "fit: data")
		}
	}
	m.readUnknown(r, here, f, fit, unknown)
	m.readMatches(r, here, f, fit, match)
	return fit
}

// readUnknown reads the priors: those of the file, each replaced by what was asked for, and what was asked for beside them.
func (m *Model) readUnknown(r *reader, here scope, f *fields, fit *fitText, asked []pair) {
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
		prior := m.readPrior(r, here, p, where)
		fit.unknown = append(fit.unknown, prior)
	}
	if len(fit.unknown) == 0 && r.found == before {
		r.fail(u, "fit: unknown: expected at least one parameter and its prior, such as {beta: %s}", priorLike)
	}
}

// readMatches reads what columns are compared with, those of the file replaced or followed by what was asked for.
func (m *Model) readMatches(r *reader, here scope, f *fields, fit *fitText, asked []pair) {
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
			if match, ok := m.readMatch(r, here, item, fmt.Sprintf("fit: match %d", i+1)); ok {
				fit.match = append(fit.match, match)
			}
		}
	}
	for _, a := range asked {
		if match, ok := m.readMatch(r, here, a.value, "column "+echo(a.name)); ok {
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
