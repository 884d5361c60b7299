package population

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/priors"
	"go.yaml.in/yaml/v3"
)

// A priorText is what is known of a parameter beforehand, as it is written.
type priorText struct {
	label  named
	family *priors.Family // nil if it cannot be read
	args   []value        // in the order of the family
	dim    kind           // of the parameter: aShare for a number
	at     place
	node   *yaml.Node
}

// readPrior reads a prior, and looks whether it can be one of its parameter.
func (r *fitReader) readPrior(p pair, what string) priorText {
	here := r.here
	prior := priorText{label: named{name: p.name, at: r.place(p.key)}, at: r.place(p.value), node: p.value}
	parameter, ok := here.parameter(p.name)
	switch {
	case !ok:
		here.add(prior.label.at, "fit: unknown: %s", unknown("parameter", p.name, r.m.file.parameterNames))
		return prior
	case p.value.Kind != yaml.MappingNode:
		r.fail(p.value, "%s: found %s, expected what is known of it beforehand, such as %s", what, found(p.value), priorLike)
		return prior
	}
	var one bool
	if prior.dim, one = r.m.dimension(parameter.value); !one {
		here.add(prior.label.at, "%s: the parameter is not one value; only a number, a duration, a rate or a probability can be unknown", what)
		return prior
	}
	entries := r.pairs(p.value, what, priorLike)
	if len(entries) != 1 {
		r.fail(p.value, "%s: a prior has one name and its arguments, such as %s; there are %d names here", what, priorLike, len(entries))
		return prior
	}
	e := entries[0]
	law, before := priors.Named(e.name), r.found
	if law == nil {
		if slices.ContainsFunc(families, func(f family) bool { return f.name == e.name }) {
			r.fail(e.key, "%s: %s cannot be a prior; expected one of %s", what, e.name, strings.Join(priors.Names(), ", "))
		} else {
			r.fail(e.key, "%s: %s", what, unknown("prior", e.name, priors.Names))
		}
		return prior
	}
	what += ": " + e.name
	if e.name == "exponential" && hasKey(e.value, "rate") {
		r.fail(e.value, "%s: write its mean, which has the dimension of the parameter", what)
		return prior
	}
	args := r.fields(e.value, what, law.Like, law.Args...)
	if args == nil {
		return prior
	}
	for k, name := range law.Args {
		want := aNumber
		if k < law.Own {
			want = prior.dim
		}
		v := value{bad: true}
		if n := args.get(name); n != nil {
			v = r.value(n, what+": "+name, want)
		} else if !args.meant[name] {
			r.fail(e.value, "%s: %q is missing; write %s: %s, for example", what, name, law.Name, law.Like)
		}
		prior.args = append(prior.args, v)
	}
	if r.found == before && prior.check(here, law, what) {
		prior.family = law
	}
	return prior
}

// check looks at the arguments of a prior.
func (p *priorText) check(here scope, family *priors.Family, what string) bool {
	x, good := make([]float64, len(p.args)), true
	for k, name := range family.Args {
		var ok bool
		switch of := what + ": " + name; {
		case k >= family.Own:
			x[k], ok = here.positive(p.args[k], of)
		case family.Name == "uniform" || family.Name == "normal" && name == "mean":
			x[k], _, ok = here.quantity(p.args[k], of, p.dim)
		default:
			x[k], ok = here.within(p.args[k], of, p.dim, func(x float64) bool { return x > 0 }, "expected more than 0")
		}
		good = good && ok
	}
	switch {
	case !good:
		return false
	case family.Range() && !(x[0] < x[1]):
		here.add(p.at, "%s: high is not above low", what)
		return false
	case family.Name == "beta" && p.dim != aShare:
		here.add(p.at, "%s: the parameter is %s, and a beta distribution is of a number from 0 to 1; expected one of %s", what, p.dim, strings.Join(slices.DeleteFunc(priors.Names(), func(n string) bool { return n == "beta" }), ", "))
		return false
	}
	return true
}

// dimension is what a value is, a number being a share, and whether it is one value for all and at all times.
func (m *compiled) dimension(v value) (kind, bool) {
	for _, k := range []kind{aShare, aDuration, aRate} {
		if _, _, ok := m.quietly().quantity(v, "", k); ok {
			return k, true
		}
	}
	return aShare, false
}
