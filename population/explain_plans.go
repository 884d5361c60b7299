package population

import (
	"fmt"
	"strings"
)

func (e *explainer) interventions() {
	if len(e.f.plans) == 0 {
		return
	}
	e.section("Interventions")
	for i := range e.f.plans {
		p := &e.f.plans[i]
		e.line("  %s%s", e.moment(p), e.named(p.name))
		for _, s := range p.set {
			e.line("    %s becomes %s", s.label.name, e.words(s.value))
		}
		if what := joinMoves(goalOf(p.to), p.moves); what != "" {
			e.line("    %s %s", e.whom(p), what)
		}
		if p.enter.given() {
			verb := "enter"
			if p.count == 1 {
				verb = "enters"
			}
			e.line("    %s%s %s as %s", e.howMany(p), of(p.with), verb, e.begin(&p.enter))
		}
	}
}

// moment says when an intervention happens.
func (e *explainer) moment(p *planText) string {
	switch {
	case p.waits && p.again:
		return "each time that " + e.condition(p)
	case p.waits:
		return "when " + e.condition(p) + ", once"
	case p.every > 0:
		return e.clock(p.when) + ", and every " + inWords(p.every, e.m.unit) + " from then on"
	}
	return e.clock(p.when)
}

// condition says what an intervention waits for.
func (e *explainer) condition(p *planText) string {
	var all []string
	for _, c := range p.conditions {
		word, who := "below", "the number of those who are "+c.of.name
		if c.above {
			word = "above"
		}
		if c.of.name == "total" {
			who = "the number of the living"
		}
		limit := e.words(c.limit)
		if strings.HasSuffix(limit, "%") {
			limit += " of the living"
		}
		all = append(all, fmt.Sprintf("%s is %s %s", who, word, e.called(c.limit, limit)))
	}
	return strings.Join(all, " and ")
}

// whom says whom an intervention is about.
func (e *explainer) whom(p *planText) string {
	who := "everybody"
	if len(p.who) > 0 {
		who = "whoever is " + list(p.who)
	}
	if p.picks {
		who = "each of " + e.howMany(p)
		if len(p.who) > 0 {
			who += " that are " + list(p.who)
		}
	}
	for i := range p.where {
		who += " and" + ofAny(p.where[i:i+1])
	}
	switch {
	case p.covers:
		who += ", each with probability " + e.probability(p.coverage) + ","
	case p.picks:
		who += ", chosen at random, or of all if there are fewer,"
	}
	return who
}

// howMany says how many enter or are picked.
func (e *explainer) howMany(p *planText) string {
	if p.counts {
		return e.called(p.countBy, e.words(p.countBy)) + " individuals"
	}
	return thousands(p.count) + " " + things(p.count, "individual")
}

// words is a condition as it is written.
func (c *conditionText) words() string {
	if c.above {
		return c.of.name + " above " + c.limit.text
	}
	return c.of.name + " below " + c.limit.text
}
