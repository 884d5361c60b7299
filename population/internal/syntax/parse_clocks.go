package syntax

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// clocks reads a list of clocks that may have the given keys, and tells whether all of them could be read.
func (r *Reader) clocks(n *yaml.Node, what string, keys ...string) ([]Clock, bool) {
	const like = "{after: 5 days, to: recovered}"
	var all []Clock
	before := r.Found
	for i, item := range r.Items(n, what, "[{rate: 0.2 per day, to: recovered}]") {
		f := r.Fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		c := Clock{At: r.Place(f.Node), What: fmt.Sprintf("%s: clock %d", what, i+1)}
		if f.Get("name") != nil {
			c.Name = f.label()
			c.What = what + ": " + diag.Echo(c.Name)
		}
		f.what = c.What
		rate, after := f.Get("rate"), f.Get("after")
		switch {
		case rate != nil && after != nil:
			r.Fail(f.Node, "%s: both rate and after; a clock has one of them", c.What)
			continue
		case rate != nil:
			c.Rate = f.Value("rate", KindRate)
		case after != nil:
			c.After = f.Value("after", KindDuration)
		default:
			r.Fail(f.Node, "%s: when? Write rate: 0.2 per day or after: 5 days, for example", c.What)
			continue
		}
		c.Moves = r.moves(f, "move")
		if c.To = f.named("to"); !c.To.Given() && f.Get("move") == nil {
			f.Need("to", "recovered")
			continue
		}
		c.From = r.names(f, "from")
		c.Where = r.wheres(f, "where")
		c.Chance = f.Value("chance", KindShare)
		if otherwise := f.Get("otherwise"); otherwise != nil {
			c.Otherwise = otherwise.Value == "true"
			if !c.Otherwise {
				r.Fail(otherwise, "%s: otherwise: found %s, expected true", c.What, Found(otherwise))
				c.ChanceBad = true
			} else if c.Chance.Given() {
				r.Fail(otherwise, "%s: both chance and otherwise; a branch has one of them", c.What)
			}
		}
		all = append(all, c)
	}
	return all, r.Found == before
}

// Named is the name of something, and where it stands.
func (r *Reader) Named(n *yaml.Node, what string) Ref {
	text, ok := r.text(n, what, "a name")
	return Ref{text, r.Place(n), !ok}
}

// names is one name or a list of them.
func (r *Reader) names(f *Fields, key string) []Ref {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	var all []Ref
	for _, item := range r.oneOrMore(n, f.what+": "+key, "[latent, infectious]") {
		all = append(all, r.Named(item, f.what+": "+key))
	}
	if n.Kind == yaml.SequenceNode && len(all) == 0 {
		r.Fail(n, "%s: %s: expected at least one state, such as [latent, infectious]", f.what, key)
		all = append(all, Ref{At: r.Place(n), Bad: true})
	}
	return all
}

// wheres reads which values attributes may have: {region: north, age: [child, adult]}.
func (r *Reader) wheres(f *Fields, key string) []Where {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	var all []Where
	before := r.Found
	what := f.what + ": " + key
	for _, p := range r.Pairs(n, what, "{region: north}") {
		w := Where{Attribute: Ref{Name: p.Name, At: r.Place(p.Key)}}
		for _, item := range r.oneOrMore(p.Value, what+": "+diag.Echo(p.Name), "[north, south]") {
			w.Values = append(w.Values, r.Named(item, what+": "+diag.Echo(p.Name)))
		}
		if len(w.Values) == 0 && r.Found == before {
			r.Fail(p.Value, "%s: %s: expected at least one value, such as [north, south]", what, diag.Echo(p.Name))
		}
		all = append(all, w)
	}
	if len(all) == 0 && r.Found == before {
		r.Fail(n, "%s: expected an attribute and its values, such as {region: north}", what)
	}
	return all
}

// moves reads which attributes get which values.
func (r *Reader) moves(f *Fields, key string) []Move {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	var all []Move
	before := r.Found
	for _, p := range r.Pairs(n, f.what+": "+key, "{region: south}") {
		all = append(all, Move{Ref{Name: p.Name, At: r.Place(p.Key)}, r.Named(p.Value, f.what+": "+key+": "+diag.Echo(p.Name))})
	}
	if len(all) == 0 && r.Found == before {
		r.Fail(n, "%s: %s: expected an attribute and a value, such as {region: south}", f.what, key)
	}
	return all
}
