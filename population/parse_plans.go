package population

import (
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (r *reader) interventions(m *file, n *yaml.Node) {
	const like = "{at: 30 days, set: {beta: 0.2 per day}}"
	for i, item := range r.list(n, "interventions", "["+like+"]") {
		p := planText{what: fmt.Sprintf("intervention %d", i+1), until: math.Inf(1)}
		f := r.fields(item, p.what, like, "at", "every", "until", "when", "again", "set", "who", "where", "coverage", "to", "move", "enter", "with", "count", "name")
		if f == nil {
			continue
		}
		p.at = r.place(f.node)
		if f.get("name") != nil {
			p.name = f.label()
			p.what = "intervention " + echo(p.name)
			f.what = p.what
		}
		if when := f.get("when"); when != nil {
			p.waits = true
			if r.condition(&p, f, when) && r.deed(&p, f) {
				m.plans = append(m.plans, p)
			}
		} else if r.schedule(m, &p, f) && r.deed(&p, f) {
			m.plans = append(m.plans, p)
		}
	}
}

// condition reads what an intervention waits for.
func (r *reader) condition(p *planText, f *fields, when *yaml.Node) bool {
	const like = "{infectious: above 1%}"
	before := r.found
	for _, key := range []string{"at", "every", "until"} {
		if n := f.get(key); n != nil {
			r.fail(n, "%s: both when and %s; it happens when its condition becomes true, or at times that are known", p.what, key)
		}
	}
	if n := f.get("again"); n != nil {
		if p.again = n.Value == "true"; !p.again && n.Value != "false" {
			r.fail(n, "%s: again: found %s, expected true or false", p.what, found(n))
		}
	}
	for _, c := range r.pairs(when, p.what+": when", like) {
		what := p.what + ": when: " + echo(c.name)
		text, ok := r.text(c.value, what, "above or below a number or a percentage, such as above 1%")
		if !ok {
			continue
		}
		word, limit, _ := strings.Cut(text, " ")
		if limit = strings.TrimSpace(limit); word != "above" && word != "below" || limit == "" {
			r.fail(c.value, "%s: found %s, expected above or below and a number or a percentage, such as above 1%%", what, quote(text))
			continue
		}
		v := *c.value
		v.Value = limit
		p.conditions = append(p.conditions, conditionText{named{name: c.name, at: r.place(c.key)}, word == "above", r.value(&v, what, aNumber)})
	}
	if len(p.conditions) == 0 && r.found == before {
		r.fail(when, "%s: when: expected a state, or total, and what its number is to be, such as %s", p.what, like)
	}
	return r.found == before
}

// schedule reads when an intervention happens.
func (r *reader) schedule(m *file, p *planText, f *fields) bool {
	good := true
	if n := f.get("again"); n != nil {
		r.fail(n, "%s: again without when; write every: 7 days for something that happens at known times", p.what)
		good = false
	}
	at, every := f.get("at"), f.get("every")
	if at == nil && every == nil {
		f.need("at", "30 days")
		return false
	}
	// A time of the model's clock, as its start and its end are.
	clock := func(n *yaml.Node, key string) float64 {
		x, ok := r.clockTime(n, p.what+": "+key, m.unit)
		good = good && ok
		return x
	}
	first := "the start"
	p.when = m.start
	if at != nil {
		p.when, first = clock(at, "at"), "at, "+echo(at.Value)
		if good && p.when < m.start {
			r.fail(at, "%s: at: %s is before the start of the model, %s; times are those of the model's clock", p.what, echo(at.Value), m.startWords())
			good = false
		}
	}
	if every != nil {
		what := p.what + ": every"
		v := r.value(every, what, aDuration)
		if name := v.mentions(); name != "" {
			r.fail(every, "%s: found %s, expected %s such as %s; a parameter cannot stand here", what, quote(name), aDuration, aDuration.like())
			v.bad = true
		}
		p.every = v
	}
	if n := f.get("until"); n != nil {
		p.until = clock(n, "until")
		if every == nil {
			r.fail(n, "%s: until without every; something that happens once needs no end", p.what)
			good = false
		} else if good && p.until < p.when {
			r.fail(n, "%s: until: %s is before %s", p.what, echo(n.Value), first)
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
	p.where = r.wheres(f, "where")
	p.moves = r.moves(f, "move")
	p.coverage, p.to = f.value("coverage", aShare), f.named("to")
	if n := f.get("enter"); n != nil {
		p.enter = r.enter(n, p.what+": enter")
		if count := f.need("count", "10"); count != nil {
			r.count(p, count)
		}
	} else if n := f.get("count"); n != nil {
		if p.picks = f.get("who") != nil; !p.picks {
			r.fail(n, "%s: count of whom? Write who and to beside it, or enter: infectious, for example", p.what)
		}
		if p.coverage.given() {
			r.fail(n, "%s: both coverage and count; a share of those whom it is about is reached, or a number of them", p.what)
		}
		r.count(p, n)
	}
	p.with = r.moves(f, "with")
	moving := f.get("to") != nil || f.get("move") != nil
	choosing := p.everyone || len(p.who) > 0
	switch {
	case r.found > before:
		return true // what could be read is still looked at
	case moving && !choosing:
		r.fail(f.node, "%s: who? Write who: susceptible, for example, or who: everyone", p.what)
	case choosing && !moving:
		r.fail(f.node, "%s: what becomes of them? Write to: recovered, for example", p.what)
	case !moving && (p.coverage.given() || len(p.where) > 0):
		r.fail(f.node, "%s: coverage and where are about individuals; write who and to beside them", p.what)
	case len(p.with) > 0 && !p.enter.given():
		r.fail(f.node, "%s: with is about those who enter; write enter and count beside it", p.what)
	case !moving && !p.enter.given() && len(p.set) == 0:
		r.fail(f.node, "%s: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count", p.what)
	default:
		return true
	}
	return false
}

// count reads how many: a whole number, or a parameter or an expression that is one.
func (r *reader) count(p *planText, n *yaml.Node) {
	what := p.what + ": count"
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		text := strings.TrimSpace(n.Value)
		if _, plain := parseNumber(text); !plain && (!looksNumeric(text) || isExpression(text)) {
			p.countBy = r.value(n, what, aNumber)
			return
		}
	}
	p.count, _ = r.whole(n, what, mostIndividuals)
}
