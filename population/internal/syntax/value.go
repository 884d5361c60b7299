package syntax

import (
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A Value is what stands where a number, a duration, a rate, a probability or a distribution is expected: written out, or
// the name of a parameter. What a name stands for can change during a run, so values are kept as they are written and
// worked out in a scope.
type Value struct {
	At             diag.Place
	Text           string
	Quantity       Quantity
	Name           string        // of a parameter, if it is one
	Distribution   *Distribution // a distribution, if it is one
	Table          *Table
	Expr           *Expression
	TimeVarying    *TimeVarying
	CountDependent *CountDependent
	Cell           string // of a table from which it was read, in words
	Worked         bool   // the quantity was worked out by an expression
	Bad            bool   // it could not be read, and that has been said
}

// Plain tells whether a value is written out as a quantity.
func (v *Value) Plain() bool {
	return v.Name == "" && v.Distribution == nil && v.Table == nil && v.Expr == nil && v.TimeVarying == nil && v.CountDependent == nil
}

// Given tells whether there is one at all.
func (v *Value) Given() bool { return v.At != diag.Place{} }

// Each does something with all values that a value is made of.
func (v *Value) Each(do func(part Value)) {
	switch {
	case v.Distribution != nil:
		for _, part := range v.Distribution.values() {
			do(part)
		}
	case v.Table != nil:
		for i := range v.Table.Entries {
			do(v.Table.Entries[i].Value)
		}
	case v.Expr != nil:
		v.Expr.Parameters(v.Expr.Root, do)
	case v.TimeVarying != nil:
		v.TimeVarying.each(do)
	case v.CountDependent != nil:
		do(v.CountDependent.Value)
		do(v.CountDependent.Most)
	}
}

// A Distribution is a distribution as it is written.
type Distribution struct {
	size   int // how many distributions it is made of
	Family string
	Args   map[string]Value
	Steps  []HazardStep // hazard
	Parts  []MixturePart
}

type HazardStep struct{ From, Rate Value }

type MixturePart struct{ Share, Of Value }

// mentions is a parameter that stands in a value, or "" if there is none.
func (v *Value) mentions() string {
	name := v.Name
	v.Each(func(part Value) {
		if name == "" {
			name = part.mentions()
		}
	})
	return name
}

// Value reads a value. The kind says what is wanted, for the message if it is nothing of the sort.
func (r *Reader) Value(n *yaml.Node, what string, want Kind) Value {
	n = r.Resolve(n)
	text := strings.TrimSpace(n.Value)
	v := Value{At: r.Place(n), Text: diag.Echo(text)}
	switch {
	case n.Kind == yaml.MappingNode:
		r.form(&v, n, what, want)
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "":
		r.Fail(n, "%s: found %s, expected %s such as %s", what, Found(n), want, want.Like())
		v.Bad = true
	default:
		r.scalar(&v, n, what, want, false)
	}
	return v
}

// scalar reads a value that is one text: a quantity, the name of a parameter, or an expression of them. Counts may be in that if they are said to.
func (r *Reader) scalar(v *Value, n *yaml.Node, what string, want Kind, counts bool) {
	text := strings.TrimSpace(n.Value)
	q, err := ParseQuantity(text)
	switch {
	case err == nil && LooksNumeric(text):
		v.Quantity = q
	case r.Defined[text] && !counts:
		v.Name = text
	case isExpression(text) || counts:
		r.expression(v, n, text, what, counts)
	case LooksNumeric(text):
		r.Fail(n, "%s: %v; expected %s such as %s", what, err, want, want.Like())
		v.Bad = true
	default:
		v.Name = text
	}
}

// expression reads an expression. What is wrong with it is reported where it stands in the text, if that is known.
func (r *Reader) expression(v *Value, n *yaml.Node, text, what string, counts bool) {
	x := &Expression{At: v.At, Text: text, counts: counts}
	x.Exact = !strings.Contains(n.Value, "\n") && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if x.Exact {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			x.At.Column++
		}
		x.At.Column += strings.Index(n.Value, text) // of which all before are spaces
	}
	wrong := ParseExpression(x, r.Defined, func() []string { return slices.Sorted(maps.Keys(r.Defined)) })
	switch {
	case wrong == nil:
		v.Expr = x
	case wrong.unknown && goodName().MatchString(text) && nearest.Name(text, slices.Collect(maps.Keys(r.Defined))) != "":
		v.Name = text // a name with a sign in it that was not written as it is defined
	default:
		r.Add(x.Place(wrong.At), "%s: %s: %v", what, diag.Quote(text), wrong.Message)
		v.Bad = true
	}
}

// form reads a value that is a mapping: a table, something that changes with time or with counts, or a distribution.
func (r *Reader) form(v *Value, n *yaml.Node, what string, want Kind) {
	table := HasKey(n, "by")
	course := !table && (HasKey(n, "seasonal") || HasKey(n, "steps") || HasKey(n, "line"))
	counted := !table && !course && (HasKey(n, "value") || HasKey(n, "most"))
	switch {
	case !table && !course && !counted:
		v.Distribution, v.Text = r.law(n, what), "a distribution"
		v.Bad = v.Distribution == nil
		return
	case r.depth >= MostNested:
		r.Fail(n, "%s: values are nested too deeply", what)
		v.Bad = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	switch {
	case table:
		v.Table, v.Text = r.table(n, what, want), "a table"
		v.Bad = v.Table == nil
	case course:
		v.TimeVarying = r.course(n, what, want)
		if v.Bad = v.TimeVarying == nil; !v.Bad {
			v.Text = v.TimeVarying.words()
		}
	default:
		v.CountDependent, v.Text = r.counted(n, what), "a value with a most"
		v.Bad = v.CountDependent == nil
	}
}

// HasKey tells whether a mapping has a key.
func HasKey(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// A Family of distributions: what it is called and what it needs.
type Family struct {
	Name, like string
	args       []string
}

var Families = []Family{
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
var argKinds = map[string]Kind{
	"mean": KindDuration, "rate": KindRate, "growth": KindRate, "makeham": KindRate, "shape": KindNumber, "k": KindNumber, "scale": KindDuration, "sd": KindDuration, "low": KindDuration, "high": KindDuration,
}

// law reads a distribution: a mapping with one entry, the family. It is nil if that is not what stands there.
func (r *Reader) law(n *yaml.Node, what string) *Distribution {
	// A node that aliases stand for is read once. Until that is done it is here as nil.
	if l, here := r.laws[n]; here {
		if l == nil {
			r.Fail(n, "%s: a distribution cannot contain itself", what)
		} else if l.size == 0 {
			return nil // wrong, and that has been said
		}
		return l
	}
	if r.depth >= MostNested {
		r.Fail(n, "%s: distributions are nested too deeply", what)
		return nil
	}
	r.laws[n] = nil
	r.depth++
	l := r.newLaw(n, what)
	r.depth--
	if l == nil {
		r.laws[n] = &Distribution{}
		return nil
	}
	l.size = 1
	for _, p := range l.Parts {
		if p.Of.Distribution != nil {
			l.size += p.Of.Distribution.size
		}
	}
	if l.size > MostParts {
		r.Fail(n, "%s: more than %d distributions in one", what, MostParts)
		r.laws[n] = &Distribution{}
		return nil
	}
	r.laws[n] = l
	return l
}

// newLaw reads a distribution that has not been read before.
func (r *Reader) newLaw(n *yaml.Node, what string) *Distribution {
	var names []string
	for _, f := range Families {
		names = append(names, f.Name)
	}
	before := r.Found
	entries := r.Pairs(n, what, KindDistribution.Like())
	if r.Found > before {
		return nil
	}
	if len(entries) != 1 {
		r.Fail(n, "%s: a distribution has one name and its arguments, such as %s, and a table by group begins with by, such as %s; there are %d names here",
			what, KindDistribution.Like(), likeTable, len(entries))
		return nil
	}
	e := entries[0]
	if !r.Known(e.Key, what, "distribution", e.Name, names) {
		return nil
	}
	l := &Distribution{Family: e.Name, Args: map[string]Value{}}
	what += ": " + e.Name
	for _, f := range Families {
		if f.Name != e.Name {
			continue
		}
		switch f.Name {
		case "exactly":
			l.Args["value"] = r.Value(e.Value, what, KindDuration)
		case "hazard":
			for _, p := range r.Pairs(e.Value, what, f.like) {
				l.Steps = append(l.Steps, HazardStep{r.Value(p.Key, what, KindDuration), r.Value(p.Value, what, KindRate)})
			}
			if len(l.Steps) == 0 && r.Found == before {
				r.Fail(e.Value, "%s: expected ages and the rates from each on, such as %s", what, f.like)
			}
		case "mixture":
			for _, item := range r.Items(e.Value, what, f.like) {
				m := r.Fields(item, what, "{share: 30%, of: 2 days}", "share", "of")
				if m == nil {
					continue
				}
				share, of := m.Need("share", "30%"), m.Need("of", "2 days")
				if share != nil && of != nil {
					l.Parts = append(l.Parts, MixturePart{r.Value(share, what+": share", KindShare), r.Value(of, what+": of", KindDistribution)})
				}
			}
			if len(l.Parts) == 0 && r.Found == before {
				r.Fail(e.Value, "%s: expected a list such as %s", what, f.like)
			}
		default:
			args := r.Fields(e.Value, what, f.like, f.args...)
			if args == nil {
				return nil
			}
			for _, name := range f.args {
				if n := args.Get(name); n != nil {
					l.Args[name] = r.Value(n, what+": "+name, argKinds[name])
				}
			}
			if f.Name == "exponential" {
				if len(l.Args) != 1 && r.Found == before {
					r.Fail(e.Value, "%s: expected either mean or rate, such as %s", what, f.like)
				}
				break
			}
			for _, name := range f.args {
				if args.Get(name) == nil && !args.Meant[name] && name != "makeham" { // which is 0 unless told
					r.Fail(e.Value, "%s: %q is missing; write %s: %s, for example", what, name, f.Name, f.like)
				}
			}
		}
	}
	if r.Found > before || l.bad() {
		return nil
	}
	return l
}

// values are all that the distribution is made of.
func (l *Distribution) values() []Value {
	all := slices.Collect(maps.Values(l.Args))
	for _, s := range l.Steps {
		all = append(all, s.From, s.Rate)
	}
	for _, p := range l.Parts {
		all = append(all, p.Share, p.Of)
	}
	return all
}

// bad tells whether a part of the distribution could not be read.
func (l *Distribution) bad() bool {
	return slices.ContainsFunc(l.values(), func(v Value) bool { return v.Bad })
}

// Key tells values apart, by their names or by where they stand. It is nil for a quantity, which is always the same.
func (v *Value) Key() any {
	switch {
	case v.Name != "":
		return v.Name
	case v.Distribution != nil:
		return v.Distribution
	case v.Table != nil:
		return v.Table
	case v.Expr != nil:
		return v.Expr
	case v.TimeVarying != nil:
		return v.TimeVarying
	case v.CountDependent != nil:
		return v.CountDependent
	}
	return nil
}
