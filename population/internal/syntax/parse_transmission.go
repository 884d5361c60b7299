package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// same as an effect leaves the individual that is met as it is, unless a state has that name.
const same = "same"

// A Contact is an item of the section transmission.
type Contact struct {
	What      string // how messages name it
	Machine   Ref    // whose states From, To and Self are; not Given for those of states
	From      []Ref
	Rate      Value
	EachPair  bool  // Rate is for each ordered pair of individuals
	Chance    Value // 1 if not given
	To        []ContactEffect
	Moves     []Move  // of the one it is about
	Inherit   []Ref   // what that one has from the other
	Everybody bool    // there is no To: everybody is affected who matches Whom
	Self      Ref     // what becomes of the individual that makes the contact; optional
	Where     []Where // restricts the individuals that make contacts
	Whom      []Where // restricts the individuals that are affected
	By        Ref     // mixing: the attribute; optional
	Among     Ref     // whose others are met: those of the same place or with the same value; optional
	Matrix    Matrix  // mixing: who meets whom
	Link      Ref     // the network in which the contact links the two; optional
	Uses      Uses    // of a supply
	Name      string
}

// A ContactEffect says what an individual becomes that is met in a state.
type ContactEffect struct{ Met, Becomes Ref }

// transmission reads the section transmission.
func (r *Reader) transmission(m *File, n *yaml.Node) {
	const example = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.Items(n, "transmission", "["+example+"]") {
		c := Contact{What: fmt.Sprintf("transmission %d", i+1)}
		f := r.Fields(item, c.What, example, "machine", "from", "rate", "rate each", "chance", "to", "self", "where", "whom",
			"mixing", "among", "move", "inherit", "link", "name", "uses", "full", "queue")
		if f == nil {
			continue
		}
		if mixing := f.Get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		r.among(&c, f)
		r.link(&c, f)
		from, rate, to := f.Get("from"), r.contactRate(&c, f), f.Get("to")
		gives := f.Get("move") != nil || f.Get("inherit") != nil || f.Get("link") != nil
		if from == nil && !gives {
			f.Need("from", "infectious")
		}
		switch counted := c.Matrix.CountsContacts(); {
		case counted && rate != nil:
			r.Fail(rate, "%s: rate: the matrix has numbers of contacts, which are the rate; leave out rate, or the unit of the "+
				"matrix", c.What)
		case !counted && rate == nil:
			f.Need("rate", "0.5 per day")
		}
		if c.Everybody = to == nil; to == nil && !gives {
			f.Need("to", "{susceptible: infectious}")
		}
		c.Machine, c.Moves = f.ref("machine"), f.moves("move")
		if inherit := f.Get("inherit"); inherit != nil {
			c.Inherit = r.attributeRefs(inherit, c.What+": inherit")
		}
		c.Name = f.name()
		if from != nil {
			c.From = f.refs("from")
		}
		c.Rate.Bad = true // also if the matrix gives it
		switch {
		case rate != nil && c.EachPair:
			c.Rate = r.ratePerPair(rate, c.What+": rate each")
		case rate != nil:
			c.Rate = r.Value(rate, c.What+": rate", quantity.Rate)
		}
		c.Chance = f.Value("chance", quantity.Share)
		if to != nil {
			c.To = r.contactEffects(to, c.What+": to")
		}
		c.Self = f.ref("self")
		for _, to := range c.To {
			if m.Stays(&c, to) && !c.Self.Given() {
				r.Add(to.Becomes.At, "%s: to: %s: same leaves the one who is met as they are, "+
					"so that nothing happens; write self: and what becomes of the one who makes the contact",
					c.What, diag.Shorten(to.Met.Name))
			}
		}
		c.Where, c.Whom = f.where("where"), f.where("whom")
		c.Uses = f.uses()
		m.Transmission = append(m.Transmission, c)
	}
}

// contactRate returns the rate of a contact: rate, or rate each.
func (r *Reader) contactRate(c *Contact, f *Fields) *yaml.Node {
	rate, each := f.Get("rate"), f.Get("rate each")
	if each == nil {
		return rate
	}
	c.EachPair = true
	switch {
	case rate != nil:
		r.Fail(each, "%s: both rate and rate each; a contact has one of them", c.What)
	case f.Get("mixing") != nil:
		r.Fail(each, "%s: rate each with mixing: the matrix says with whom, rate each is with everybody", c.What)
	}
	return each
}

// among reads the key among.
func (r *Reader) among(c *Contact, f *Fields) {
	n := f.Get("among")
	if n == nil {
		return
	}
	c.Among = r.Ref(n, c.What+": among")
	r.noteState(c.Among.Name)
	if f.Get("mixing") != nil {
		r.Fail(n, "%s: both among and mixing; among says with whom", c.What)
		c.Among.Bad = true
	}
}

// contactEffects reads the key to: {susceptible: infectious}.
func (r *Reader) contactEffects(n *yaml.Node, what string) []ContactEffect {
	const example = "{susceptible: infectious}"
	var all []ContactEffect
	before := r.Count
	for _, p := range r.Pairs(n, what, example) {
		becomes := r.Ref(p.Value, what+": "+diag.Shorten(p.Name))
		all = append(all, ContactEffect{Ref{Name: p.Name, At: r.Place(p.Key)}, becomes})
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected what becomes of whom, such as %s", what, example)
	}
	return all
}

// Stays reports whether an effect leaves the individual that is met as it is.
func (m *File) Stays(c *Contact, to ContactEffect) bool {
	states := m.States
	for i := range m.Machines {
		if m.Machines[i].Name == c.Machine.Name {
			states = m.Machines[i].States
		}
	}
	return to.Becomes.Name == same && !slices.ContainsFunc(states, func(s State) bool { return s.Name == same })
}
