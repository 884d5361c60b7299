package population

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// clocks reads a list of clocks that may have the given keys, and tells whether all of them could be read.
func (r *reader) clocks(n *yaml.Node, what string, keys ...string) ([]clockText, bool) {
	const like = "{after: 5 days, to: recovered}"
	var all []clockText
	before := r.found
	for i, item := range r.list(n, what, "[{rate: 0.2 per day, to: recovered}]") {
		f := r.fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		c := clockText{at: r.place(f.node), what: fmt.Sprintf("%s: clock %d", what, i+1)}
		if f.get("name") != nil {
			c.name = f.label()
			c.what = what + ": " + echo(c.name)
		}
		f.what = c.what
		rate, after := f.get("rate"), f.get("after")
		switch {
		case rate != nil && after != nil:
			r.fail(f.node, "%s: both rate and after; a clock has one of them", c.what)
			continue
		case rate != nil:
			c.rate = f.value("rate", aRate)
		case after != nil:
			c.after = f.value("after", aDuration)
		default:
			r.fail(f.node, "%s: when? Write rate: 0.2 per day or after: 5 days, for example", c.what)
			continue
		}
		c.moves = r.moves(f, "move")
		if c.to = f.named("to"); !c.to.given() && f.get("move") == nil {
			f.need("to", "recovered")
			continue
		}
		c.from = r.names(f, "from")
		c.where = r.wheres(f, "where")
		c.chance = f.value("chance", aShare)
		if otherwise := f.get("otherwise"); otherwise != nil {
			c.otherwise = otherwise.Value == "true"
			if !c.otherwise {
				r.fail(otherwise, "%s: otherwise: found %s, expected true", c.what, found(otherwise))
				c.chanceBad = true
			} else if c.chance.given() {
				r.fail(otherwise, "%s: both chance and otherwise; a branch has one of them", c.what)
			}
		}
		all = append(all, c)
	}
	return all, r.found == before
}

// named is the name of something, and where it stands.
func (r *reader) named(n *yaml.Node, what string) named {
	text, ok := r.text(n, what, "a name")
	return named{text, r.place(n), !ok}
}

// names is one name or a list of them.
func (r *reader) names(f *fields, key string) []named {
	n := f.get(key)
	if n == nil {
		return nil
	}
	var all []named
	for _, item := range r.oneOrMore(n, f.what+": "+key, "[latent, infectious]") {
		all = append(all, r.named(item, f.what+": "+key))
	}
	if n.Kind == yaml.SequenceNode && len(all) == 0 {
		r.fail(n, "%s: %s: expected at least one state, such as [latent, infectious]", f.what, key)
		all = append(all, named{at: r.place(n), bad: true})
	}
	return all
}

// wheres reads which values attributes may have: {region: north, age: [child, adult]}.
func (r *reader) wheres(f *fields, key string) []whereText {
	n := f.get(key)
	if n == nil {
		return nil
	}
	var all []whereText
	before := r.found
	what := f.what + ": " + key
	for _, p := range r.pairs(n, what, "{region: north}") {
		w := whereText{attribute: named{name: p.name, at: r.place(p.key)}}
		for _, item := range r.oneOrMore(p.value, what+": "+echo(p.name), "[north, south]") {
			w.values = append(w.values, r.named(item, what+": "+echo(p.name)))
		}
		if len(w.values) == 0 && r.found == before {
			r.fail(p.value, "%s: %s: expected at least one value, such as [north, south]", what, echo(p.name))
		}
		all = append(all, w)
	}
	if len(all) == 0 && r.found == before {
		r.fail(n, "%s: expected an attribute and its values, such as {region: north}", what)
	}
	return all
}

// moves reads which attributes get which values.
func (r *reader) moves(f *fields, key string) []moveText {
	n := f.get(key)
	if n == nil {
		return nil
	}
	var all []moveText
	before := r.found
	for _, p := range r.pairs(n, f.what+": "+key, "{region: south}") {
		all = append(all, moveText{named{name: p.name, at: r.place(p.key)}, r.named(p.value, f.what+": "+key+": "+echo(p.name))})
	}
	if len(all) == 0 && r.found == before {
		r.fail(n, "%s: %s: expected an attribute and a value, such as {region: south}", f.what, key)
	}
	return all
}
