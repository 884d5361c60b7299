package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// same as an effect leaves the individual that is met as it is, unless a state has that name.
const same = "same"

// A Contact is an item of the section transmission.
type Contact struct {
	What      string // how messages name it
	From      []Ref
	Rate      Value
	Chance    Value // 1 if not given
	To        []ContactEffect
	Self      Ref       // what becomes of the individual that makes the contact; optional
	Where     []Where   // restricts the individuals that make contacts
	Whom      []Where   // restricts the individuals that are affected
	By        Ref       // mixing: the attribute; optional
	Matrix    [][]Value // mixing: row i, column j: the chance that group i meets group j
	MatrixAt  diag.Place
	RowsAt    []diag.Place
	MatrixBad bool
	Name      string
}

// A ContactEffect says what an individual becomes that is met in a state.
type ContactEffect struct{ Met, Becomes Ref }

// transmission reads the section transmission.
func (r *Reader) transmission(m *File, n *yaml.Node) {
	const example = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.Items(n, "transmission", "["+example+"]") {
		c := Contact{What: fmt.Sprintf("transmission %d", i+1)}
		f := r.Fields(item, c.What, example, "from", "rate", "chance", "to", "self", "where", "whom", "mixing", "name")
		if f == nil {
			continue
		}
		from, rate := f.Need("from", "infectious"), f.Need("rate", "0.5 per day")
		to := f.Need("to", "{susceptible: infectious}")
		c.Name = f.name()
		if from != nil {
			c.From = f.refs("from")
		}
		c.Rate.Bad = true
		if rate != nil {
			c.Rate = r.Value(rate, c.What+": rate", KindRate)
		}
		c.Chance = f.Value("chance", KindShare)
		if to != nil {
			c.To = r.contactEffects(to, c.What+": to")
		}
		c.Self = f.ref("self")
		for _, to := range c.To {
			if m.Stays(to) && !c.Self.Given() {
				r.Add(to.Becomes.At, "%s: to: %s: same leaves the one who is met as they are, "+
					"so that nothing happens; write self: and what becomes of the one who makes the contact",
					c.What, diag.Shorten(to.Met.Name))
			}
		}
		c.Where, c.Whom = f.where("where"), f.where("whom")
		if mixing := f.Get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		m.Transmission = append(m.Transmission, c)
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
func (m *File) Stays(to ContactEffect) bool {
	return to.Becomes.Name == same && !slices.ContainsFunc(m.States, func(s State) bool { return s.Name == same })
}

// mixing reads the key mixing: an attribute and a matrix.
func (r *Reader) mixing(c *Contact, n *yaml.Node) {
	const example = "{by: region, matrix: [[0.9, 0.1], [0.1, 0.9]]}"
	what := c.What + ": mixing"
	f := r.Fields(n, what, example, "by", "matrix")
	if f == nil {
		return
	}
	by, matrix := f.Need("by", "region"), f.Need("matrix", "[[0.9, 0.1], [0.1, 0.9]]")
	if by == nil || matrix == nil {
		return
	}
	c.By = r.Ref(by, what+": by")
	c.MatrixAt = r.Place(matrix)
	before := r.Count
	for _, row := range r.Items(matrix, what+": matrix", "[[0.9, 0.1], [0.1, 0.9]]") {
		var values []Value
		for _, item := range r.Items(row, what+": matrix", "[0.9, 0.1]") {
			values = append(values, r.Value(item, what+": matrix", KindShare))
		}
		c.Matrix = append(c.Matrix, values)
		c.RowsAt = append(c.RowsAt, r.Place(row))
	}
	c.MatrixBad = r.Count > before
}
