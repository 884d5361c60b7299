package syntax

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Tracing is an item of the section tracing: a call that goes out when something happens to
// somebody, to those near.
type Tracing struct {
	At      diag.Place
	When    Ref     // a state or a name; not Given if Enters has what is entered
	Enters  []Where // states, of states or of machines, that are entered
	Through []Through
	Back    Value // for how long contacts and links that ended are remembered; optional
	After   Value // how long it takes until somebody who is found is reached; at once if not given

	// Contact is what becomes of those who are reached, as of those who are met by a contact. Of it
	// count What, Machine, To, Everybody, Moves, Whom, Uses and Name.
	Contact Contact
}

// A Through is a layer of a call, and the chance that each person of it is found.
type Through struct {
	Layer  Ref
	Chance Value
}

// tracing reads the section tracing.
func (r *Reader) tracing(m *File, n *yaml.Node) {
	const example = "{when: isolated, through: {household: 80%}, to: {infectious: isolated}}"
	for i, item := range r.Items(n, "tracing", "["+example+"]") {
		t := Tracing{At: r.Place(item), Contact: Contact{What: fmt.Sprintf("tracing %d", i+1)}}
		c := &t.Contact
		f := r.Fields(item, c.What, example, "when", "through", "back", "after", "machine", "to", "move", "whom", "uses",
			"full", "queue", "name")
		if f == nil {
			continue
		}
		if when := f.Need("when", "isolated"); when != nil {
			r.callWhen(&t, f, when)
		}
		if through := f.Need("through", "{household: 80%}"); through != nil {
			r.through(&t, through)
		}
		t.Back, t.After = f.Value("back", quantity.Duration), f.Value("after", quantity.Duration)
		if f.Misspelt["back"] {
			t.Back = Value{At: t.At, Bad: true}
		}
		to := f.Get("to")
		if to == nil && f.Get("move") == nil && !f.Misspelt["to"] && !f.Misspelt["move"] {
			r.Fail(f.Node, "%s: neither to nor move: nothing would become of those who are found", c.What)
		}
		c.Machine, c.Moves, c.Name, c.Everybody = f.ref("machine"), f.moves("move"), f.name(), to == nil
		if to != nil {
			c.To = r.contactEffects(to, c.What+": to")
		}
		for _, to := range c.To {
			if m.Stays(c, to) && len(c.Moves) == 0 {
				r.Add(to.Becomes.At, "%s: to: %s: same leaves the one who is reached as they are, so that nothing happens; "+
					"write move: beside it, or leave it out", c.What, diag.Shorten(to.Met.Name))
			}
		}
		c.Whom, c.Uses = f.where("whom"), f.uses()
		m.Tracing = append(m.Tracing, t)
	}
}

// callWhen reads what makes a call go out: a state or a name, or {isolation: alone}.
func (r *Reader) callWhen(t *Tracing, f *Fields, n *yaml.Node) {
	if r.Resolve(n).Kind != yaml.MappingNode {
		t.When = r.Ref(n, f.what+": when")
		return
	}
	what := f.what + ": when"
	before := r.Count
	for _, p := range r.Pairs(n, what, "{isolation: alone}") {
		w := Where{Attribute: Ref{Name: p.Name, At: r.Place(p.Key)}}
		for _, item := range r.oneOrMore(p.Value, what+": "+diag.Shorten(p.Name), "[alone, asked]") {
			w.Values = append(w.Values, r.Ref(item, what+": "+diag.Shorten(p.Name)))
		}
		t.Enters = append(t.Enters, w)
	}
	if len(t.Enters) == 0 && r.Count == before {
		r.Fail(n, "%s: expected a state that is entered, such as {isolation: alone}", what)
	}
}

// through reads the layers of a call.
func (r *Reader) through(t *Tracing, n *yaml.Node) {
	const example = "{household: 80%}"
	what := t.Contact.What + ": through"
	before := r.Count
	for _, p := range r.Pairs(n, what, example) {
		chance := r.Value(p.Value, what+": "+diag.Shorten(p.Name), quantity.Share)
		t.Through = append(t.Through, Through{Ref{Name: p.Name, At: r.Place(p.Key)}, chance})
	}
	if len(t.Through) == 0 && r.Count == before {
		r.Fail(n, "%s: expected layers with the chance that somebody is found, such as %s", what, example)
	}
}
