package population

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

func (e *explainer) interventions() {
	e.section("Interventions", len(e.f.plans))
	for i := range e.f.plans {
		p := &e.f.plans[i]
		e.line("  %s%s", e.moment(p), e.named(p.name))
		for _, s := range p.set {
			e.line("    %s becomes %s", s.label.name, e.called(s.value, e.words(s.value)))
		}
		if what := joinMoves(goalOf(p.to, p.picks), p.moves, p.picks); what != "" {
			e.line("    %s %s", e.whom(p), what)
		}
		if p.enter.given() {
			verb := "enter"
			if p.count == 1 {
				verb = "enters"
			}
			individuals := " individuals"
			if !p.countBy.given() {
				individuals = " " + format.Things(p.count, "individual")
			}
			e.line("    %s%s%s %s as %s", e.howMany(p), individuals, of(p.with), verb, e.begin(&p.enter))
		}
	}
}

// moment says when an intervention happens.
func (e *explainer) moment(p *planText) string {
	switch {
	case p.waits && p.again:
		return "each time it becomes true that " + e.condition(p)
	case p.waits:
		return "as soon as " + e.condition(p) + ", once"
	case p.interval > 0:
		words := e.clock(p.when) + ", and every " + e.each(p.interval)
		if math.IsInf(p.until, 1) {
			return words + " from then on"
		}
		return words + " from then on until " + e.clock(p.until)
	}
	return e.clock(p.when)
}

// condition says what an intervention waits for.
func (e *explainer) condition(p *planText) string {
	var all []string
	for _, c := range p.conditions {
		word, are := "fewer", c.of.name
		if c.above {
			word = "more"
		}
		if are == "total" {
			are = "alive"
		}
		limit := e.words(c.limit)
		share := strings.HasSuffix(limit, "%")
		if limit = e.called(c.limit, limit); share {
			limit += " of the living"
		}
		all = append(all, fmt.Sprintf("%s than %s are %s", word, limit, are))
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
		who = e.howMany(p) + " of those who are " + list(p.who)
		if len(p.who) == 0 {
			who = e.howMany(p) + " of all"
		}
	}
	if len(p.who) > 0 {
		who += and(p.where)
	} else {
		who += ofAny(p.where)
	}
	switch {
	case p.coverage.given():
		who += ", each with probability " + e.probability(p.coverage) + ","
	case p.picks:
		who += ", chosen at random (all of them, if there are fewer),"
	}
	return who
}

// howMany says how many enter or are picked.
func (e *explainer) howMany(p *planText) string {
	if p.countBy.given() {
		return e.called(p.countBy, e.words(p.countBy))
	}
	return format.Thousands(float64(p.count))
}

// each is how far apart the times are of what is repeated: "day", "2 days", or "month" in a model of years.
func (e *explainer) each(every float64) string {
	try := append(slices.Clone(units), e.f.unit)
	for _, u := range slices.Backward(try) { // the model's own, and then the largest that will do
		n := every * e.f.unit.seconds / u.seconds
		switch whole := math.Round(n); {
		case whole < 1 || math.Abs(n-whole) > 1e-9*whole:
		case whole == 1:
			return u.name
		case u == e.f.unit || u.seconds > aDay:
			return u.Duration(whole)
		}
	}
	return e.f.unit.Duration(every)
}
