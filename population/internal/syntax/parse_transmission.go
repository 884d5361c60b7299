package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// same stands for what becomes of someone who is met and stays as they are, unless a state goes by that name.
const same = "same"

type Contact struct {
	What      string
	From      []Ref
	Rate      Value
	Chance    Value // 1 if it is not given
	To        []ContactEffect
	Self      Ref
	Where     []Where // who makes contacts
	Whom      []Where // who is affected
	By        Ref     // the attribute for mixing, if any
	Matrix    [][]Value
	MatrixAt  diag.Place
	RowsAt    []diag.Place
	MatrixBad bool
	Name      string
}

type ContactEffect struct{ Met, Becomes Ref }

func (r *Reader) transmission(m *File, n *yaml.Node) {
	const like = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.Items(n, "transmission", "["+like+"]") {
		c := Contact{What: fmt.Sprintf("transmission %d", i+1)}
		f := r.Fields(item, c.What, like, "from", "rate", "chance", "to", "self", "where", "whom", "mixing", "name")
		if f == nil {
			continue
		}
		from, rate, to := f.Need("from", "infectious"), f.Need("rate", "0.5 per day"), f.Need("to", "{susceptible: infectious}")
		c.Name = f.name()
		if from != nil {
			c.From = r.refs(f, "from")
		}
		c.Rate.Bad = true
		if rate != nil {
			c.Rate = r.Value(rate, c.What+": rate", KindRate)
		}
		c.Chance = f.Value("chance", KindShare)
		if to != nil {
			before := r.Found
			for _, p := range r.Pairs(to, c.What+": to", "{susceptible: infectious}") {
				c.To = append(c.To, ContactEffect{Ref{Name: p.Name, At: r.Place(p.Key)}, r.Named(p.Value, c.What+": to: "+diag.Echo(p.Name))})
			}
			if len(c.To) == 0 && r.Found == before {
				r.Fail(to, "%s: to: expected what becomes of whom, such as {susceptible: infectious}", c.What)
			}
		}
		c.Self = f.ref("self")
		for _, to := range c.To {
			if m.Stays(to) && !c.Self.Given() {
				r.Add(to.Becomes.At, "%s: to: %s: same leaves the one who is met as they are, so that nothing happens; write self: and what becomes of the one who makes the contact", c.What, diag.Echo(to.Met.Name))
			}
		}
		c.Where, c.Whom = r.where(f, "where"), r.where(f, "whom")
		if mixing := f.Get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		m.Transmission = append(m.Transmission, c)
	}
}

// Stays tells whether the one who is met stays as it is.
func (f *File) Stays(to ContactEffect) bool {
	return to.Becomes.Name == same && !slices.ContainsFunc(f.States, func(s State) bool { return s.Name == same })
}

func (r *Reader) mixing(c *Contact, n *yaml.Node) {
	const like = "{by: region, matrix: [[0.9, 0.1], [0.1, 0.9]]}"
	what := c.What + ": mixing"
	f := r.Fields(n, what, like, "by", "matrix")
	if f == nil {
		return
	}
	by, matrix := f.Need("by", "region"), f.Need("matrix", "[[0.9, 0.1], [0.1, 0.9]]")
	if by == nil || matrix == nil {
		return
	}
	c.By = r.Named(by, what+": by")
	c.MatrixAt = r.Place(matrix)
	before := r.Found
	for _, row := range r.Items(matrix, what+": matrix", "[[0.9, 0.1], [0.1, 0.9]]") {
		var values []Value
		for _, item := range r.Items(row, what+": matrix", "[0.9, 0.1]") {
			values = append(values, r.Value(item, what+": matrix", KindShare))
		}
		c.Matrix = append(c.Matrix, values)
		c.RowsAt = append(c.RowsAt, r.Place(row))
	}
	c.MatrixBad = r.Found > before
}
