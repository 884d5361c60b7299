package syntax

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// An Attribute is one of the section attributes, with its values. It has the share of each value,
// or, if it follows the age, the age from which on individuals have it.
type Attribute struct {
	Ref
	Values []Ref
	Shares []Value
	Rest   int     // the index of the value whose share is rest; −1 if there is none
	Ages   []Value // in place of Shares, if it follows the age
	ByAge  bool    // it does
	File   string  // the table that the values and shares are from; "" if they are written here
	SameAs Ref     // in place of Shares: the attribute whose value it begins with
}

// A Where restricts an attribute to some of its values.
type Where struct {
	Attribute Ref
	Values    []Ref
}

// A Move gives an attribute a value: an entry of move, or of with.
type Move struct {
	Attribute Ref
	Gives
}

// Gives is what a Move gives: a value, or the name of another attribute whose value is copied;
// shares from which one is drawn; or a table of these by group.
type Gives struct {
	Value  Ref
	Shares []EnterShare // in place of Value
	At     diag.Place   // of Shares or of Cases
	By     Ref          // in place of both: the attribute that Cases are by
	Cases  []GivesCase
	File   string // the table that Cases are from; "" if they are written here
}

// A GivesCase is what a Move gives those with a value of an attribute, or, as other, all others.
type GivesCase struct {
	Of    Ref
	Other bool
	Gives Gives
}

// attributes reads the section attributes.
func (r *Reader) attributes(m *File, n *yaml.Node) {
	for _, p := range r.Pairs(n, "attributes", "{region: {north: 40%, south: 60%}}") {
		what := "attributes: " + p.Name
		if !r.checkName(p.Key, "attributes", p.Name) {
			continue
		}
		if isNumber(p.Value) {
			r.number(m, p, what)
			continue
		}
		a := Attribute{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, Rest: -1}
		before := r.Count
		var pairs []Pair
		if from := r.sameAs(p.Value); from != nil {
			r.attributeSameAs(m, &a, n, p.Value, from, what)
		} else if n := r.Resolve(p.Value); n.Kind == yaml.MappingNode && r.inFile(n) {
			r.attributeFile(&a, n, what)
		} else {
			pairs = r.Pairs(p.Value, what, "{north: 40%, south: 60%}")
		}
		for _, v := range pairs {
			if v.Name == "age" && v.Value.Kind == yaml.MappingNode {
				r.ageBands(&a, pairs, v.Value, what)
				break
			}
			if r.checkName(v.Key, what, v.Name) {
				a.Values = append(a.Values, Ref{Name: v.Name, At: r.Place(v.Key)})
				a.Shares = append(a.Shares, r.attributeShare(&a, v, what))
			}
		}
		if len(a.Values) == 0 && r.Count == before {
			r.Fail(p.Value, "%s: expected at least one value with its share, such as {north: 40%%, south: 60%%}", what)
		}
		if len(a.Values) > maxStates {
			r.Fail(p.Value, "%s: %d values are more than the %d there can be", what, len(a.Values), maxStates)
		}
		m.Attributes = append(m.Attributes, a)
	}
}

// ageBands reads the bands of an attribute that follows the age: {child: 0 years, adult: 15 years}.
func (r *Reader) ageBands(a *Attribute, pairs []Pair, n *yaml.Node, what string) {
	const example = "{child: 0 years, adult: 15 years}"
	*a = Attribute{Ref: a.Ref, Rest: -1, ByAge: true}
	for _, other := range pairs {
		if other.Name != "age" {
			r.Fail(other.Key, "%s: %s: %s follows the age; nothing else can give it", what, diag.Shorten(other.Name),
				a.Name)
		}
	}
	what += ": age"
	before := r.Count
	for _, v := range r.Pairs(n, what, example) {
		if r.checkName(v.Key, what, v.Name) {
			a.Values = append(a.Values, Ref{Name: v.Name, At: r.Place(v.Key)})
			a.Ages = append(a.Ages, r.Value(v.Value, what+": "+v.Name, quantity.Duration))
		}
	}
	if len(a.Values) == 0 && r.Count == before {
		r.Fail(n, "%s: expected the age from which on each value holds, such as %s", what, example)
	}
}

// attributeShare reads the share of the value that was appended last, or notes that it has the
// rest.
func (r *Reader) attributeShare(a *Attribute, v Pair, what string) Value {
	if v.Value.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value.Value) != "rest" {
		return r.Value(v.Value, what+": "+v.Name, quantity.Share)
	}
	if a.Rest >= 0 {
		r.Fail(v.Value, "%s: %s: a second rest; only one value can have what is left over", what, v.Name)
	}
	a.Rest = len(a.Values) - 1
	return Value{At: r.Place(v.Value), Text: "rest"}
}

// Where reads the optional key where of a section outside of this package.
func (f *Fields) Where(key string) []Where { return f.where(key) }

// where reads the optional key where or whom: {region: north, age: [child, adult]}.
func (f *Fields) where(key string) []Where {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	return f.whereOf(n, key)
}

// whereOf reads the value of a key where or whom.
func (f *Fields) whereOf(n *yaml.Node, key string) []Where {
	r := f.r
	var all []Where
	before := r.Count
	what := f.what + ": " + key
	for _, p := range r.Pairs(n, what, "{region: north}") {
		r.noteAsked(p.Name)
		w := Where{Attribute: Ref{Name: p.Name, At: r.Place(p.Key)}}
		for _, item := range r.oneOrMore(p.Value, what+": "+diag.Shorten(p.Name), "[north, south]") {
			w.Values = append(w.Values, r.Ref(item, what+": "+diag.Shorten(p.Name)))
		}
		if len(w.Values) == 0 && r.Count == before {
			r.Fail(p.Value, "%s: %s: expected at least one value, such as [north, south]", what, diag.Shorten(p.Name))
		}
		all = append(all, w)
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected an attribute and its values, such as {region: north}", what)
	}
	return all
}

// moves reads the optional key move or with: {region: south}.
func (f *Fields) moves(key string) []Move {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	r := f.r
	var all []Move
	before := r.Count
	what := f.what + ": " + key
	for _, p := range r.Pairs(n, what, "{region: south}") {
		gives := r.gives(p.Value, what+": "+diag.Shorten(p.Name))
		all = append(all, Move{Ref{Name: p.Name, At: r.Place(p.Key)}, gives})
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected an attribute and a value, such as {region: south}", what)
	}
	return all
}

// gives reads what an attribute is given.
func (r *Reader) gives(n *yaml.Node, what string) (g Gives) {
	if n = r.Resolve(n); n.Kind != yaml.MappingNode {
		g.Value = r.Ref(n, what)
		return g
	}
	g.At = r.Place(n)
	if !HasKey(n, "by") {
		shares := r.enter(n, what)
		g.Shares, g.Value.Bad = shares.Into, shares.Bad
		return g
	}
	if r.depth >= MaxNesting {
		r.Fail(n, "%s: values are nested too deeply", what)
		g.Value.Bad = true
		return g
	}
	r.depth++
	defer func() { r.depth-- }()
	before, inFile := r.Count, r.inFile(n)
	for _, p := range r.Pairs(n, what, "{by: home, north: south, other: north}") {
		if p.Name == "by" {
			g.By = r.Ref(p.Value, what+": by")
			r.noteAsked(g.By.Name)
			continue
		}
		if inFile {
			continue
		}
		one := GivesCase{Of: Ref{Name: p.Name, At: r.Place(p.Key)}, Other: p.Name == "other"}
		one.Gives = r.gives(p.Value, what+": "+diag.Shorten(p.Name))
		g.Cases = append(g.Cases, one)
	}
	if inFile {
		g.Value.Bad = r.Count > before || !r.givesFile(&g, n, what)
		return g
	}
	if len(g.Cases) == 0 && r.Count == before {
		r.Fail(n, "%s: a table without values; expected one for each value of %s", what, diag.Shorten(g.By.Name))
	}
	g.Value.Bad = r.Count > before
	return g
}

// sameAs returns what stands beside same as in an attribute, nil if the attribute has none. Beside
// a share it is a value of that name.
func (r *Reader) sameAs(n *yaml.Node) *yaml.Node {
	if n = r.Resolve(n); n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "same as" {
			continue
		}
		v := r.Resolve(n.Content[i+1])
		if text := strings.TrimSpace(v.Value); v.Kind == yaml.ScalarNode && (text == "rest" || quantity.LooksNumeric(text)) {
			return nil
		}
		return v
	}
	return nil
}

// attributeSameAs reads an attribute that begins with the value of another: {same as: home}. The
// section is that of all attributes.
func (r *Reader) attributeSameAs(m *File, a *Attribute, section, n, from *yaml.Node, what string) {
	f := r.Fields(n, what, "{same as: home}", "same as")
	if f == nil {
		return
	}
	if a.SameAs = r.Ref(from, what+": same as"); a.SameAs.Bad {
		return
	}
	var names []string
	for i := 0; i+1 < len(section.Content); i += 2 {
		names = append(names, section.Content[i].Value)
	}
	name := a.SameAs.Name
	i := slices.IndexFunc(m.Attributes, func(o Attribute) bool { return o.Name == name })
	switch {
	case r.Numbers[name]:
		r.Fail(from, "%s: same as: %s is a number; expected an attribute with values", what, name)
	case i >= 0 && m.Attributes[i].ByAge:
		r.Fail(from, "%s: same as: %s follows the age; expected an attribute that is drawn", what, name)
	case i >= 0:
		a.Values = slices.Clone(m.Attributes[i].Values)
	case name == a.Name:
		r.Fail(from, "%s: same as: %s is this attribute itself", what, name)
	case slices.Contains(names, name):
		r.Fail(from, "%s: same as: %s stands after it", what, name)
	default:
		r.Fail(from, "%s: same as: %s", what, diag.Unknown("attribute", name, func() []string { return names }))
	}
}

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
