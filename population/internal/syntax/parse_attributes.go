package syntax

import (
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
