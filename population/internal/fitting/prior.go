package fitting

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/priors"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Prior is the prior of a parameter, as it is written.
type Prior struct {
	Label  syntax.Ref
	Family *priors.Family // nil if it cannot be read
	Args   []syntax.Value // in the order of the family's arguments
	kind   quantity.Kind  // of the parameter; KindShare for a number
	At     diag.Place
	Node   *yaml.Node
}

// readPrior reads a prior and checks that it fits its parameter.
func (r *reader) readPrior(p syntax.Pair, what string) Prior {
	here := r.here
	prior := Prior{Label: syntax.Ref{Name: p.Name, At: r.Place(p.Key)}, At: r.Place(p.Value), Node: p.Value}
	parameter, ok := here.Parameter(p.Name)
	switch {
	case !ok:
		here.Add(prior.Label.At, "fit: unknown: %s", diag.Unknown("parameter", p.Name, r.m.File.ParameterNames))
		return prior
	case p.Value.Kind != yaml.MappingNode:
		r.Fail(p.Value, "%s: found %s, expected what is known of it beforehand, such as %s", what,
			syntax.Describe(p.Value), priorLike)
		return prior
	}
	var one bool
	if prior.kind, one = kindOf(r.m, parameter.Value); !one {
		here.Add(prior.Label.At,
			"%s: the parameter is not one value; only a number, a duration, a rate or a probability can be unknown",
			what)
		return prior
	}
	entries := r.Pairs(p.Value, what, priorLike)
	if len(entries) != 1 {
		r.Fail(p.Value, "%s: a prior has one name and its arguments, such as %s; there are %d names here", what,
			priorLike, len(entries))
		return prior
	}
	e := entries[0]
	law, before := priors.Named(e.Name), r.Count
	if law == nil {
		if slices.ContainsFunc(syntax.Families, func(f syntax.Family) bool { return f.Name == e.Name }) {
			r.Fail(e.Key, "%s: %s cannot be a prior; expected one of %s", what, e.Name,
				strings.Join(priors.Names(), ", "))
		} else {
			r.Fail(e.Key, "%s: %s", what, diag.Unknown("prior", e.Name, priors.Names))
		}
		return prior
	}
	what += ": " + e.Name
	if e.Name == "exponential" && syntax.HasKey(e.Value, "rate") {
		r.Fail(e.Value, "%s: write its mean, which has the dimension of the parameter", what)
		return prior
	}
	args := r.Fields(e.Value, what, law.Like, law.Args...)
	if args == nil {
		return prior
	}
	for k, name := range law.Args {
		want := quantity.Number
		if k < law.Own {
			want = prior.kind
		}
		v := syntax.Value{Bad: true}
		if n := args.Get(name); n != nil {
			v = r.Value(n, what+": "+name, want)
		} else if !args.Misspelt[name] {
			r.Fail(e.Value, "%s: %q is missing; write %s: %s, for example", what, name, law.Name, law.Like)
		}
		prior.Args = append(prior.Args, v)
	}
	if r.Count == before && prior.checkArguments(here, law, what) {
		prior.Family = law
	}
	return prior
}

// checkArguments checks the arguments of a prior.
func (p *Prior) checkArguments(here eval.Scope, family *priors.Family, what string) bool {
	x, good := make([]float64, len(p.Args)), true
	for k, name := range family.Args {
		var ok bool
		switch of := what + ": " + name; {
		case k >= family.Own:
			x[k], ok = here.PositiveNumber(p.Args[k], of)
		case family.Name == "uniform" || family.Name == "normal" && name == "mean":
			x[k], _, ok = here.Quantity(p.Args[k], of, p.kind)
		default:
			x[k], ok = here.Within(p.Args[k], of, p.kind, func(x float64) bool { return x > 0 }, "expected more than 0")
		}
		good = good && ok
	}
	switch {
	case !good:
		return false
	case family.Range() && !(x[0] < x[1]):
		here.Add(p.At, "%s: high is not above low", what)
		return false
	case family.Name == "beta" && p.kind != quantity.Share:
		here.Add(p.At,
			"%s: the parameter is %s, and a beta distribution is of a number from 0 to 1; expected one of %s", what,
			p.kind, strings.Join(slices.DeleteFunc(priors.Names(), func(n string) bool { return n == "beta" }), ", "))
		return false
	}
	return true
}

// kindOf returns the kind of a value, KindShare for a number. It reports false if the value is not
// the same for all individuals at all times.
func kindOf(m *compile.Model, v syntax.Value) (quantity.Kind, bool) {
	for _, k := range []quantity.Kind{quantity.Share, quantity.Duration, quantity.Rate} {
		if _, _, ok := m.StartScope().Quantity(v, "", k); ok {
			return k, true
		}
	}
	return quantity.Share, false
}
