package population

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

func (r *reader) transmission(m *file, n *yaml.Node) {
	const like = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.list(n, "transmission", "["+like+"]") {
		c := contactText{what: fmt.Sprintf("transmission %d", i+1)}
		f := r.fields(item, c.what, like, "from", "rate", "chance", "to", "self", "where", "whom", "mixing", "name")
		if f == nil {
			continue
		}
		from, rate, to := f.need("from", "infectious"), f.need("rate", "0.5 per day"), f.need("to", "{susceptible: infectious}")
		c.name = f.label()
		if from != nil {
			c.from = r.names(f, "from")
		}
		c.rate.bad = true
		if rate != nil {
			c.rate = r.value(rate, c.what+": rate", aRate)
		}
		c.chance = f.value("chance", aShare)
		if to != nil {
			before := r.found
			for _, p := range r.pairs(to, c.what+": to", "{susceptible: infectious}") {
				c.to = append(c.to, toText{named{name: p.name, at: r.place(p.key)}, r.named(p.value, c.what+": to: "+echo(p.name))})
			}
			if len(c.to) == 0 && r.found == before {
				r.fail(to, "%s: to: expected what becomes of whom, such as {susceptible: infectious}", c.what)
			}
		}
		c.self = f.named("self")
		for _, to := range c.to {
			if m.stays(to) && !c.self.given() {
				r.add(to.becomes.at, "%s: to: %s: same leaves the one who is met as they are, so that nothing happens; write self: and what becomes of the one who makes the contact", c.what, echo(to.met.name))
			}
		}
		c.where, c.whom = r.wheres(f, "where"), r.wheres(f, "whom")
		if mixing := f.get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		m.transmission = append(m.transmission, c)
	}
}

func (r *reader) mixing(c *contactText, n *yaml.Node) {
	const like = "{by: region, matrix: [[0.9, 0.1], [0.1, 0.9]]}"
	what := c.what + ": mixing"
	f := r.fields(n, what, like, "by", "matrix")
	if f == nil {
		return
	}
	by, matrix := f.need("by", "region"), f.need("matrix", "[[0.9, 0.1], [0.1, 0.9]]")
	if by == nil || matrix == nil {
		return
	}
	c.by = r.named(by, what+": by")
	c.matrixAt = r.place(matrix)
	before := r.found
	for _, row := range r.list(matrix, what+": matrix", "[[0.9, 0.1], [0.1, 0.9]]") {
		var values []value
		for _, item := range r.list(row, what+": matrix", "[0.9, 0.1]") {
			values = append(values, r.value(item, what+": matrix", aShare))
		}
		c.matrix = append(c.matrix, values)
		c.rowsAt = append(c.rowsAt, r.place(row))
	}
	c.matrixBad = r.found > before
}
