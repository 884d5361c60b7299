package fitting

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Fit is the fit section of a model: the unknown parameters, and the columns of a table that the
// model is compared with.
type Fit struct {
	Data    syntax.Ref // the path of the table, as it is written
	Unknown []Prior
	Match   []Match
}

// Examples for messages.
const (
	Example = "{data: cases.csv, unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, " +
		"match: [{column: cases, state: infectious, error: poisson}]}"
	priorLike = "{uniform: {low: 0.1 per day, high: 1 per day}}"
	matchLike = "{column: cases, incidence: susceptible->infectious, error: poisson}"
)

// Options is what the options of a fit say: it replaces or adds to what the section says. See
// population.FitOptions.
type Options struct {
	Data    string
	Unknown []string
	Match   []string
}

// A reader reads the fit section of a model.
type reader struct {
	*syntax.Reader
	m    *compile.Model
	here eval.Scope
}

// Read reads and checks the fit section, together with what the options say. It returns nil if
// there is no section, or none that can be read. Problems are added to the list.
func Read(m *compile.Model, list *diag.List, o Options) *Fit {
	r := &reader{Reader: syntax.NewReader(list, m.File.Path), m: m, here: m.StartScope()}
	r.here.List = list
	r.Epoch, r.FlagOf = m.File.Epoch, map[*yaml.Node]string{}
	for _, name := range m.File.ParameterNames() {
		r.Parameters[name] = true
	}
	n := m.File.Fit
	if n == nil {
		if len(o.Unknown)+len(o.Match) == 0 {
			return nil
		}
		n = &yaml.Node{Kind: yaml.MappingNode}
		r.FlagOf[n] = "--unknown, --match"
	}
	unknown, match := r.unknownFlags(o.Unknown), r.matchFlags(o.Match)
	r.MaxNodes = syntax.AliasAllowance + 4*syntax.CountNodes(n)
	f := r.Fields(n, "fit", Example, "data", "unknown", "match")
	if f == nil {
		return nil
	}
	fit := &Fit{}
	switch {
	case o.Data != "":
		fit.Data = syntax.Ref{Name: o.Data, At: diag.Place{File: "--data"}}
	case f.Get("data") != nil || m.File.Fit != nil:
		if d := f.Need("data", "cases.csv"); d != nil {
			fit.Data = r.Ref(d, "fit: data")
		}
	}
	r.readUnknown(f, fit, unknown)
	r.readMatches(f, fit, match)
	return fit
}

// readUnknown reads the priors of the file and of flags. A flag replaces the file's prior of the
// same parameter.
func (r *reader) readUnknown(f *syntax.Fields, fit *Fit, asked []syntax.Pair) {
	const what = "fit: unknown"
	before, all := r.Count, []syntax.Pair(nil)
	u := f.Get("unknown")
	if u == nil && len(asked) == 0 {
		f.Need("unknown", "{beta: "+priorLike+"}")
		return
	}
	if u != nil {
		all = r.Pairs(u, what, "{beta: "+priorLike+"}")
	}
	for _, a := range asked {
		if i := slices.IndexFunc(all, func(p syntax.Pair) bool { return p.Name == a.Name }); i >= 0 {
			all[i] = a
		} else {
			all = append(all, a)
		}
	}
	for _, p := range all {
		where := what + ": " + diag.Shorten(p.Name)
		if _, flag := r.FlagOf[p.Key]; flag {
			where = "the prior"
		}
		fit.Unknown = append(fit.Unknown, r.readPrior(p, where))
	}
	if len(fit.Unknown) == 0 && r.Count == before {
		r.Fail(u, "fit: unknown: expected at least one parameter and its prior, such as {beta: %s}", priorLike)
	}
}

// readMatches reads what columns are compared with, in the file and in flags. A flag replaces the
// file's entry of the same column.
func (r *reader) readMatches(f *syntax.Fields, fit *Fit, asked []syntax.Pair) {
	before := r.Count
	n := f.Get("match")
	if n == nil && len(asked) == 0 {
		f.Need("match", "["+matchLike+"]")
		return
	}
	if n != nil {
		for i, item := range r.Items(n, "fit: match", "["+matchLike+"]") {
			column := r.Lookup(item, "column")
			ofColumn := func(a syntax.Pair) bool { return column != nil && a.Name == column.Value }
			if slices.ContainsFunc(asked, ofColumn) {
				continue
			}
			if match, ok := r.readMatch(item, fmt.Sprintf("fit: match %d", i+1)); ok {
				fit.Match = append(fit.Match, match)
			}
		}
	}
	for _, a := range asked {
		if match, ok := r.readMatch(a.Value, "column "+diag.Shorten(a.Name)); ok {
			fit.Match = append(fit.Match, match)
		}
	}
	if len(fit.Match) == 0 && r.Count == before {
		r.Fail(n, "fit: match: expected at least one column, such as [%s]", matchLike)
	}
	seen := map[string]bool{}
	for i := range fit.Match {
		c := fit.Match[i].Column
		if seen[c.Name] {
			r.Add(c.At, "%s: column %s is here twice; it is compared with one thing", fit.Match[i].What,
				diag.Quote(c.Name))
		}
		seen[c.Name] = true
	}
}
