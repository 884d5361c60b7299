package syntax

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// An Attribute is one of the section attributes, with its values and the share of each.
type Attribute struct {
	Ref
	Values []Ref
	Shares []Value
	Rest   int // the index of the value whose share is rest; −1 if there is none
}

// A Where restricts an attribute to some of its values.
type Where struct {
	Attribute Ref
	Values    []Ref
}

// A Move gives an attribute a value: an entry of move, or of with.
type Move struct{ Attribute, Value Ref }

// attributes reads the section attributes.
func (r *Reader) attributes(m *File, n *yaml.Node) {
	for _, p := range r.Pairs(n, "attributes", "{region: {north: 40%, south: 60%}}") {
		what := "attributes: " + p.Name
		if !r.checkName(p.Key, "attributes", p.Name) {
			continue
		}
		a := Attribute{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, Rest: -1}
		before := r.Count
		for _, v := range r.Pairs(p.Value, what, "{north: 40%, south: 60%}") {
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

// attributeShare reads the share of the value that was appended last, or notes that it has the
// rest.
func (r *Reader) attributeShare(a *Attribute, v Pair, what string) Value {
	if v.Value.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value.Value) != "rest" {
		return r.Value(v.Value, what+": "+v.Name, KindShare)
	}
	if a.Rest >= 0 {
		r.Fail(v.Value, "%s: %s: a second rest; only one value can have what is left over", what, v.Name)
	}
	a.Rest = len(a.Values) - 1
	return Value{At: r.Place(v.Value), Text: "rest"}
}

// where reads the optional key where or whom: {region: north, age: [child, adult]}.
func (f *Fields) where(key string) []Where {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	r := f.r
	var all []Where
	before := r.Count
	what := f.what + ": " + key
	for _, p := range r.Pairs(n, what, "{region: north}") {
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
		value := r.Ref(p.Value, what+": "+diag.Shorten(p.Name))
		all = append(all, Move{Ref{Name: p.Name, At: r.Place(p.Key)}, value})
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected an attribute and a value, such as {region: south}", what)
	}
	return all
}
