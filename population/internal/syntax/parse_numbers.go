package syntax

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Number is an attribute that is a number of its own for everyone: {number: {gamma: {mean: 1,
// shape: 0.3}}}. It is drawn from a law without a unit: a Distribution, or one of the families
// below.
type Number struct {
	Ref
	LawAt       diag.Place
	Family      string // poisson, negative binomial, normal; else the family of Law, or "" for a constant
	Law         Value  // a distribution without units, or a number
	Mean        Value  // of the families here
	Spread      Value  // the dispersion or the sd
	Least, Most Value  // it is drawn given that it lies between
}

// numberFamilies are the laws of numbers that are not distributions of durations, with what they
// have beside mean.
var numberFamilies = map[string]string{"poisson": "", "negative binomial": "dispersion", "normal": "sd"}

// defineNumbers notes the names of all numbers before anything is read, as defineParameters does.
func (r *Reader) defineNumbers(n *yaml.Node) {
	if n == nil {
		return
	}
	if n = r.Resolve(n); n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isNumber(r.Resolve(n.Content[i+1])) {
			r.Numbers[r.Resolve(n.Content[i]).Value] = true
		}
	}
}

// isNumber reports whether the value of an attribute is a number of its own for everyone: it has a
// law, not a share of a value called number.
func isNumber(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "number" &&
		n.Content[1].Kind != yaml.ScalarNode
}

// number reads an attribute that is a number.
func (r *Reader) number(m *File, p Pair, what string) {
	n := r.Resolve(p.Value.Content[1])
	what += ": number"
	a := Number{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, LawAt: r.Place(n)}
	if r.Parameters[p.Name] {
		r.Fail(p.Key, "attributes: %s: there is a parameter of that name; names are given once", p.Name)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 {
		a.Family = r.Resolve(n.Content[0]).Value
		n = r.numberRange(&a, n, what)
	}
	if second, ok := numberFamilies[a.Family]; ok {
		keys, example := []string{"mean", "least", "most"}, "{mean: 2.4}"
		if second != "" {
			keys, example = append(keys, second), "{mean: 6, "+second+": 0.5}"
		}
		f := r.Fields(n.Content[1], what+": "+a.Family, example, keys...)
		if f != nil {
			if f.Need("mean", "2.4") != nil {
				a.Mean = f.Value("mean", quantity.Number)
			}
			if second != "" && f.Need(second, "0.5") != nil {
				a.Spread = f.Value(second, quantity.Number)
			}
		}
	} else {
		a.Law = r.Value(n, what, quantity.Distribution)
	}
	m.Numbers = append(m.Numbers, a)
}

// numberRange reads least and most of a law, and returns the law without them.
func (r *Reader) numberRange(a *Number, n *yaml.Node, what string) *yaml.Node {
	args := r.Resolve(n.Content[1])
	if args.Kind != yaml.MappingNode {
		return n
	}
	left, law := *args, *n
	left.Content, law.Content = nil, []*yaml.Node{n.Content[0], &left}
	for i := 0; i+1 < len(args.Content); i += 2 {
		key, value := r.Resolve(args.Content[i]), args.Content[i+1]
		switch {
		case key.Value == "least" && !a.Least.Given():
			a.Least = r.Value(value, what+": least", quantity.Number)
		case key.Value == "most" && !a.Most.Given():
			a.Most = r.Value(value, what+": most", quantity.Number)
		default:
			left.Content = append(left.Content, args.Content[i], value)
		}
	}
	return &law
}

// numberOfMet reads {value: activity / 10, of: met}: an expression with the numbers of the
// individual that is met.
func (r *Reader) numberOfMet(v *Value, n *yaml.Node, what string, want quantity.Kind) {
	before := r.Count
	f := r.Fields(n, what, "{value: activity / 10, of: met}", "value", "of")
	v.Bad = true
	if f == nil || r.Count > before {
		return
	}
	if of := f.Get("of"); of.Value != "met" {
		r.Fail(of, "%s: of: found %s, expected met: the one who is met", what, Describe(of))
		return
	}
	value := r.Resolve(f.Get("value"))
	if _, ok := r.text(value, what+": value", "an expression such as activity / 10"); !ok {
		return
	}
	*v = Value{At: r.Place(value), Text: diag.Shorten(value.Value)}
	r.expression(v, value, value.Value, what, false)
	if v.Expr != nil {
		v.Expr.OfMet = true
	}
}

// NumberNames returns the names of the numbers, in the order of the file.
func (m *File) NumberNames() []string {
	var names []string
	for _, n := range m.Numbers {
		names = append(names, n.Name)
	}
	return names
}

// IsNumber reports whether an attribute is a number.
func (m *File) IsNumber(name string) bool { return slices.Contains(m.NumberNames(), name) }
