package population

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/internal/nearest"
)

// A value is what stands where a number, a duration, a rate, a probability or a distribution is expected: written out, or
// the name of a parameter. What a name stands for can change during a run, so values are kept as they are written and
// worked out in a scope.
type value struct {
	at       place
	text     string
	quantity quantity
	name     string    // of a parameter, if it is one
	law      *lawValue // a distribution, if it is one
	table    *tableValue
	expr     *expression
	course   *courseValue
	count    *countValue
	cell     string // of a table from which it was read, in words
	worked   bool   // the quantity was worked out by an expression
	bad      bool   // it could not be read, and that has been said
}

// plain tells whether a value is written out as a quantity.
func (v *value) plain() bool {
	return v.name == "" && v.law == nil && v.table == nil && v.expr == nil && v.course == nil && v.count == nil
}

// given tells whether there is one at all.
func (v *value) given() bool { return v.at != place{} }

// each does something with all values that a value is made of.
func (v *value) each(do func(part value)) {
	switch {
	case v.law != nil:
		for _, part := range v.law.values() {
			do(part)
		}
	case v.table != nil:
		for i := range v.table.entries {
			do(v.table.entries[i].value)
		}
	case v.expr != nil:
		v.expr.parameters(v.expr.root, do)
	case v.course != nil:
		v.course.each(do)
	case v.count != nil:
		do(v.count.value)
		do(v.count.most)
	}
}

// A lawValue is a distribution as it is written.
type lawValue struct {
	size   int // how many distributions it is made of
	family string
	args   map[string]value
	steps  []hazardStep // hazard
	parts  []mixturePart
}

type hazardStep struct{ from, rate value }

type mixturePart struct{ share, of value }

// mentions is a parameter that stands in a value, or "" if there is none.
func (v *value) mentions() string {
	name := v.name
	v.each(func(part value) {
		if name == "" {
			name = part.mentions()
		}
	})
	return name
}

// value reads a value. The kind says what is wanted, for the message if it is nothing of the sort.
func (r *reader) value(n *yaml.Node, what string, want kind) value {
	n = r.resolve(n)
	text := strings.TrimSpace(n.Value)
	v := value{at: r.place(n), text: echo(text)}
	switch {
	case n.Kind == yaml.MappingNode:
		r.form(&v, n, what, want)
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "":
		r.fail(n, "%s: found %s, expected %s such as %s", what, found(n), want, want.like())
		v.bad = true
	default:
		r.scalar(&v, n, what, want, false)
	}
	return v
}

// scalar reads a value that is one text: a quantity, the name of a parameter, or an expression of them. Counts may be in that if they are said to.
func (r *reader) scalar(v *value, n *yaml.Node, what string, want kind, counts bool) {
	text := strings.TrimSpace(n.Value)
	q, err := parseQuantity(text)
	switch {
	case err == nil && looksNumeric(text):
		v.quantity = q
	case r.defined[text] && !counts:
		v.name = text
	case isExpression(text) || counts:
		r.expression(v, n, text, what, counts)
	case looksNumeric(text):
		r.fail(n, "%s: %v; expected %s such as %s", what, err, want, want.like())
		v.bad = true
	default:
		v.name = text
	}
}

// expression reads an expression. What is wrong with it is reported where it stands in the text, if that is known.
func (r *reader) expression(v *value, n *yaml.Node, text, what string, counts bool) {
	x := &expression{at: v.at, text: text, counts: counts}
	x.exact = !strings.Contains(n.Value, "\n") && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if x.exact {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			x.at.column++
		}
		x.at.column += strings.Index(n.Value, text) // of which all before are spaces
	}
	wrong := parseExpression(x, r.defined, func() []string { return slices.Sorted(maps.Keys(r.defined)) })
	switch {
	case wrong == nil:
		v.expr = x
	case wrong.unknown && goodName().MatchString(text) && nearest.Name(text, slices.Collect(maps.Keys(r.defined))) != "":
		v.name = text // a name with a sign in it that was not written as it is defined
	default:
		r.add(x.place(wrong.at), "%s: %s: %v", what, quote(text), wrong.message)
		v.bad = true
	}
}

// form reads a value that is a mapping: a table, something that changes with time or with counts, or a distribution.
func (r *reader) form(v *value, n *yaml.Node, what string, want kind) {
	table := hasKey(n, "by")
	course := !table && (hasKey(n, "seasonal") || hasKey(n, "steps") || hasKey(n, "line"))
	counted := !table && !course && (hasKey(n, "value") || hasKey(n, "most"))
	switch {
	case !table && !course && !counted:
		v.law, v.text = r.law(n, what), "a distribution"
		v.bad = v.law == nil
		return
	case r.depth >= mostNested:
		r.fail(n, "%s: values are nested too deeply", what)
		v.bad = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	switch {
	case table:
		v.table, v.text = r.table(n, what, want), "a table"
		v.bad = v.table == nil
	case course:
		v.course = r.course(n, what, want)
		if v.bad = v.course == nil; !v.bad {
			v.text = v.course.words()
		}
	default:
		v.count, v.text = r.counted(n, what), "a value with a most"
		v.bad = v.count == nil
	}
}

// hasKey tells whether a mapping has a key.
func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// A family of distributions: what it is called and what it needs.
type family struct {
	name, like string
	args       []string
}

var families = []family{
	{"exponential", "{mean: 2 days}", []string{"mean", "rate"}},
	{"gamma", "{mean: 5 days, shape: 2}", []string{"mean", "shape"}},
	{"erlang", "{mean: 5 days, k: 3}", []string{"mean", "k"}},
	{"weibull", "{scale: 80 years, shape: 6}", []string{"scale", "shape"}},
	{"lognormal", "{mean: 5 days, sd: 2 days}", []string{"mean", "sd"}},
	{"gompertz", "{rate: 0.00005 per year, growth: 0.09 per year}", []string{"rate", "growth", "makeham"}},
	{"uniform", "{low: 1 day, high: 3 days}", []string{"low", "high"}},
	{"exactly", "5 years", nil},
	{"hazard", "{0 years: 0.005 per year, 1 year: 0.0004 per year}", nil},
	{"mixture", "[{share: 30%, of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]", nil},
}

// argKinds says what the arguments of distributions are.
var argKinds = map[string]kind{
	"mean": aDuration, "rate": aRate, "growth": aRate, "makeham": aRate, "shape": aNumber, "k": aNumber, "scale": aDuration, "sd": aDuration, "low": aDuration, "high": aDuration,
}

// law reads a distribution: a mapping with one entry, the family. It is nil if that is not what stands there.
func (r *reader) law(n *yaml.Node, what string) *lawValue {
	// A node that aliases stand for is read once. Until that is done it is here as nil.
	if l, here := r.laws[n]; here {
		if l == nil {
			r.fail(n, "%s: a distribution cannot contain itself", what)
		} else if l.size == 0 {
			return nil // wrong, and that has been said
		}
		return l
	}
	if r.depth >= mostNested {
		r.fail(n, "%s: distributions are nested too deeply", what)
		return nil
	}
	r.laws[n] = nil
	r.depth++
	l := r.newLaw(n, what)
	r.depth--
	if l == nil {
		r.laws[n] = &lawValue{}
		return nil
	}
	l.size = 1
	for _, p := range l.parts {
		if p.of.law != nil {
			l.size += p.of.law.size
		}
	}
	if l.size > mostParts {
		r.fail(n, "%s: more than %d distributions in one", what, mostParts)
		r.laws[n] = &lawValue{}
		return nil
	}
	r.laws[n] = l
	return l
}

// newLaw reads a distribution that has not been read before.
func (r *reader) newLaw(n *yaml.Node, what string) *lawValue {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	before := r.found
	entries := r.pairs(n, what, aDistribution.like())
	if r.found > before {
		return nil
	}
	if len(entries) != 1 {
		r.fail(n, "%s: a distribution has one name and its arguments, such as %s, and a table by group begins with by, such as %s; there are %d names here",
			what, aDistribution.like(), likeTable, len(entries))
		return nil
	}
	e := entries[0]
	if !r.known(e.key, what, "distribution", e.name, names) {
		return nil
	}
	l := &lawValue{family: e.name, args: map[string]value{}}
	what += ": " + e.name
	for _, f := range families {
		if f.name != e.name {
			continue
		}
		switch f.name {
		case "exactly":
			l.args["value"] = r.value(e.value, what, aDuration)
		case "hazard":
			for _, p := range r.pairs(e.value, what, f.like) {
				l.steps = append(l.steps, hazardStep{r.value(p.key, what, aDuration), r.value(p.value, what, aRate)})
			}
			if len(l.steps) == 0 && r.found == before {
				r.fail(e.value, "%s: expected ages and the rates from each on, such as %s", what, f.like)
			}
		case "mixture":
			for _, item := range r.list(e.value, what, f.like) {
				m := r.fields(item, what, "{share: 30%, of: 2 days}", "share", "of")
				if m == nil {
					continue
				}
				share, of := m.need("share", "30%"), m.need("of", "2 days")
				if share != nil && of != nil {
					l.parts = append(l.parts, mixturePart{r.value(share, what+": share", aShare), r.value(of, what+": of", aDistribution)})
				}
			}
			if len(l.parts) == 0 && r.found == before {
				r.fail(e.value, "%s: expected a list such as %s", what, f.like)
			}
		default:
			args := r.fields(e.value, what, f.like, f.args...)
			if args == nil {
				return nil
			}
			for _, name := range f.args {
				if n := args.get(name); n != nil {
					l.args[name] = r.value(n, what+": "+name, argKinds[name])
				}
			}
			if f.name == "exponential" {
				if len(l.args) != 1 && r.found == before {
					r.fail(e.value, "%s: expected either mean or rate, such as %s", what, f.like)
				}
				break
			}
			for _, name := range f.args {
				if args.get(name) == nil && !args.meant[name] && name != "makeham" { // which is 0 unless told
					r.fail(e.value, "%s: %q is missing; write %s: %s, for example", what, name, f.name, f.like)
				}
			}
		}
	}
	if r.found > before || l.bad() {
		return nil
	}
	return l
}

// values are all that the distribution is made of.
func (l *lawValue) values() []value {
	all := slices.Collect(maps.Values(l.args))
	for _, s := range l.steps {
		all = append(all, s.from, s.rate)
	}
	for _, p := range l.parts {
		all = append(all, p.share, p.of)
	}
	return all
}

// bad tells whether a part of the distribution could not be read.
func (l *lawValue) bad() bool {
	return slices.ContainsFunc(l.values(), func(v value) bool { return v.bad })
}

// key tells values apart, by their names or by where they stand. It is nil for a quantity, which is always the same.
func (v *value) key() any {
	switch {
	case v.name != "":
		return v.name
	case v.law != nil:
		return v.law
	case v.table != nil:
		return v.table
	case v.expr != nil:
		return v.expr
	case v.course != nil:
		return v.course
	case v.count != nil:
		return v.count
	}
	return nil
}
