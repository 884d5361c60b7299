package population

import (
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

func (r *reader) interventions(m *file, n *yaml.Node) {
	const like = "{at: 30 days, set: {beta: 0.2 per day}}"
	for i, item := range r.list(n, "interventions", "["+like+"]") {
		p := planText{what: fmt.Sprintf("intervention %d", i+1), until: math.Inf(1)}
		f := r.fields(item, p.what, like, "at", "every", "until", "set", "who", "where", "coverage", "to", "move", "enter", "count", "name")
		if f == nil {
			continue
		}
		p.at = r.place(f.node)
		if name := f.get("name"); name != nil {
			p.name = r.label(name, p.what+": name")
			p.what = "intervention " + echo(p.name)
			f.what = p.what
		}
		if r.schedule(m, &p, f) && r.deed(&p, f) {
			m.plans = append(m.plans, p)
		}
	}
}

// schedule reads when an intervention happens.
func (r *reader) schedule(m *file, p *planText, f *fields) bool {
	at := f.need("at", "30 days")
	if at == nil {
		return false
	}
	good := true
	// A time of the model's clock, as its start and its end are.
	clock := func(n *yaml.Node, key string) float64 {
		x, ok := r.clockTime(n, p.what+": "+key, m.unit)
		good = good && ok
		return x
	}
	p.when = clock(at, "at")
	if good && p.when < m.start {
		r.fail(at, "%s: at: %s is before the start of the model, %.12g %s; times are those of the model's clock", p.what, echo(at.Value), m.start, m.unit.of(m.start))
		good = false
	}
	if n := f.get("every"); n != nil {
		what := p.what + ": every"
		v := r.value(n, what, aDuration)
		if v.name != "" {
			r.fail(n, "%s: found %s, expected %s such as %s; a parameter cannot stand here", what, quote(v.name), aDuration, aDuration.like())
			v.bad = true
		}
		var ok bool
		p.every, ok = newScope(r.problemList, m.unit).longer(v, what)
		good = good && ok
	}
	if n := f.get("until"); n != nil {
		p.until = clock(n, "until")
		if f.get("every") == nil {
			r.fail(n, "%s: until without every; something that happens once needs no end", p.what)
			good = false
		} else if good && p.until < p.when {
			r.fail(n, "%s: until: %s is before at, %s", p.what, echo(n.Value), echo(at.Value))
			good = false
		}
	}
	return good
}

// deed reads what an intervention does: it sets parameters, moves individuals, or lets some in.
func (r *reader) deed(p *planText, f *fields) bool {
	before := r.found
	if n := f.get("set"); n != nil {
		for _, s := range r.pairs(n, p.what+": set", "{beta: 0.2 per day}") {
			p.set = append(p.set, namedValue{named{name: s.name, at: r.place(s.key)}, r.value(s.value, p.what+": set: "+echo(s.name), aValue), s.value})
		}
	}
	for _, who := range r.names(f, "who") {
		if who.name == "everyone" {
			p.everyone = true
		} else {
			p.who = append(p.who, who)
		}
	}
	p.where = r.moves(f, "where")
	p.moves = r.moves(f, "move")
	if n := f.get("coverage"); n != nil {
		p.covers, p.coverage = true, r.value(n, p.what+": coverage", aShare)
	}
	if n := f.get("to"); n != nil {
		p.to = r.named(n, p.what+": to")
	}
	if n := f.get("enter"); n != nil {
		p.enter = r.named(n, p.what+": enter")
		if count := f.need("count", "10"); count != nil {
			p.count, _ = r.whole(count, p.what+": count", mostIndividuals)
		}
	} else if n := f.get("count"); n != nil {
		r.fail(n, "%s: count without enter; write enter: infectious, for example", p.what)
	}
	moving := f.get("to") != nil || f.get("move") != nil
	choosing := p.everyone || len(p.who) > 0
	switch {
	case r.found > before:
		return true // what could be read is still looked at
	case moving && !choosing:
		r.fail(f.node, "%s: who? Write who: susceptible, for example, or who: everyone", p.what)
	case choosing && !moving:
		r.fail(f.node, "%s: what becomes of them? Write to: recovered, for example", p.what)
	case !moving && (p.covers || len(p.where) > 0):
		r.fail(f.node, "%s: coverage and where are about individuals; write who and to beside them", p.what)
	case !moving && !p.enter.given() && len(p.set) == 0:
		r.fail(f.node, "%s: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count", p.what)
	default:
		return true
	}
	return false
}
