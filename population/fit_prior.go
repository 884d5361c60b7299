package population

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/internal/priors"
)

// An Unknown is a parameter that is not known, and what is known of it beforehand: its prior.
type Unknown struct {
	Name   string
	Family string    // uniform, log-uniform, normal, lognormal, gamma, beta, exponential or weibull
	Args   []float64 // low and high; mean and sd, of the value itself; mean and shape; a and b; mean; scale and shape. All but shape, a and b in the unit
	Unit   string    // what is written behind a number: "per day", "days" or "%"; empty for a plain number
	// What the parameter can be, in the unit: a rate is not negative, a probability is from 0 to 1. The prior is what it is given that.
	Low, High float64
	Whole     bool // it is a number of individuals
	Text      string

	of    quantity // what a value is, and its unit
	plain bool     // a percentage of which the prior is written as a number from 0 to 1
}

// Value is a value of the parameter as a file writes it, and as [Set] takes it: "0.4 per day".
func (u *Unknown) Value(x float64) string {
	if u.plain {
		x = tidy(100 * x)
	}
	return u.written(strconv.FormatFloat(x, 'g', -1, 64), x)
}

// written puts the unit behind a number.
func (u *Unknown) written(number string, x float64) string {
	switch u.of.kind {
	case aShare:
		return number + "%"
	case aDuration:
		return number + " " + u.of.unit.of(x)
	case aRate:
		return number + " per " + u.of.unit.name
	}
	return number
}

// quantity is a value as the model works with it: what Value says, read.
func (u *Unknown) quantity(x float64) quantity {
	q := u.of
	switch q.number = x; {
	case u.plain:
		q.number = tidy(100*x) / 100
	case q.kind == aShare:
		q.number = x / 100
	}
	return q
}

// in is a quantity in the unit.
func (u *Unknown) in(q quantity) float64 {
	switch {
	case u.of.kind == aShare && !u.plain:
		return tidy(100 * q.number)
	case u.of.kind == aShare || u.of.kind == aNumber:
		return q.number
	}
	return q.in(u.of.unit)
}

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
func (m *Model) readPrior(r *reader, here scope, p pair, what string) priorText {
	prior := priorText{label: named{name: p.name, at: r.place(p.key)}, at: r.place(p.value), node: p.value}
	parameter, ok := here.parameter(p.name)
	switch {
	case !ok:
		here.add(prior.label.at, "fit: unknown: %s", unknown("parameter", p.name, m.file.parameterNames))
		return prior
	case p.value.Kind != yaml.MappingNode:
		r.fail(p.value, "%s: found %s, expected what is known of it beforehand, such as %s", what, found(p.value), priorLike)
		return prior
	}
	var one bool
	if prior.dim, one = m.dimension(parameter.value); !one {
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

// unknown is the prior with its numbers, in the unit in which it is written.
func (p *priorText) unknown(here scope) Unknown {
	u := Unknown{Name: p.label.name, Family: p.family.Name, Low: math.Inf(-1), High: math.Inf(1), Text: oneLine(p.node), of: quantity{kind: aNumber}}
	args := make([]quantity, len(p.args))
	for k, v := range p.args {
		got, _, _ := here.resolve(v, "")
		args[k] = got.quantity
	}
	for _, q := range args[:p.family.Own] { // a percentage beside a plain 0 is one
		if u.of.kind == aNumber {
			u.of = q
		}
	}
	u.of.number = 0
	u.Unit, _ = unitWords(u.of)
	if got, _, _ := here.resolve(value{name: p.label.name}, ""); u.of.kind == aNumber && got.quantity.kind == aShare {
		u.of, u.plain = quantity{kind: aShare}, true
	}
	for k, q := range args {
		x := q.number
		if k < p.family.Own {
			x = u.in(q)
		}
		u.Args = append(u.Args, x)
	}
	return u
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
