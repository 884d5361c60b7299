package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

func (e *explainer) interventions() {
	e.section("Interventions", len(e.f.Interventions))
	for i := range e.f.Interventions {
		p := &e.f.Interventions[i]
		e.line("  %s%s", e.moment(p), e.named(p.Name))
		for _, s := range p.Set {
			e.line("    %s becomes %s", s.Label.Name, e.called(s.Value, e.words(s.Value)))
		}
		if what := joinMoves(goalOf(p.To, p.Picks), p.Moves, p.Picks); what != "" {
			e.line("    %s %s", e.whom(p), what)
		}
		if p.Enter.Given() {
			verb := "enter"
			if p.Count == 1 {
				verb = "enters"
			}
			individuals := " individuals"
			if !p.CountBy.Given() {
				individuals = " " + format.Things(p.Count, "individual")
			}
			e.line("    %s%s%s %s as %s", e.howMany(p), individuals, of(p.With), verb, e.begin(&p.Enter))
		}
	}
}

// moment says when an intervention happens.
func (e *explainer) moment(p *syntax.Intervention) string {
	switch {
	case p.Waits && p.Again:
		return "each time it becomes true that " + e.condition(p)
	case p.Waits:
		return "as soon as " + e.condition(p) + ", once"
	case p.Interval > 0:
		words := e.clock(p.When) + ", and every " + e.each(p.Interval)
		if math.IsInf(p.Until, 1) {
			return words + " from then on"
		}
		return words + " from then on until " + e.clock(p.Until)
	}
	return e.clock(p.When)
}

// condition says what an intervention waits for.
func (e *explainer) condition(p *syntax.Intervention) string {
	var all []string
	for _, c := range p.Conditions {
		word, are := "fewer", c.Of.Name
		if c.Above {
			word = "more"
		}
		if are == "total" {
			are = "alive"
		}
		limit := e.words(c.Limit)
		share := strings.HasSuffix(limit, "%")
		if limit = e.called(c.Limit, limit); share {
			limit += " of the living"
		}
		all = append(all, fmt.Sprintf("%s than %s are %s", word, limit, are))
	}
	return strings.Join(all, " and ")
}

// whom says whom an intervention is about.
func (e *explainer) whom(p *syntax.Intervention) string {
	who := "everybody"
	if len(p.Who) > 0 {
		who = "whoever is " + list(p.Who)
	}
	if p.Picks {
		who = e.howMany(p) + " of those who are " + list(p.Who)
		if len(p.Who) == 0 {
			who = e.howMany(p) + " of all"
		}
	}
	if len(p.Who) > 0 {
		who += and(p.Where)
	} else {
		who += ofAny(p.Where)
	}
	switch {
	case p.Coverage.Given():
		who += ", each with probability " + e.probability(p.Coverage) + ","
	case p.Picks:
		who += ", chosen at random (all of them, if there are fewer),"
	}
	return who
}

// howMany says how many enter or are picked.
func (e *explainer) howMany(p *syntax.Intervention) string {
	if p.CountBy.Given() {
		return e.called(p.CountBy, e.words(p.CountBy))
	}
	return format.Thousands(float64(p.Count))
}

// each is how far apart the times are of what is repeated: "day", "2 days", or "month" in a model of years.
func (e *explainer) each(every float64) string {
	try := append(slices.Clone(syntax.Units), e.f.Unit)
	for _, u := range slices.Backward(try) { // the model's own, and then the largest that will do
		n := every * e.f.Unit.Seconds / u.Seconds
		switch whole := math.Round(n); {
		case whole < 1 || math.Abs(n-whole) > 1e-9*whole:
		case whole == 1:
			return u.Name
		case u == e.f.Unit || u.Seconds > syntax.ADay:
			return u.Duration(whole)
		}
	}
	return e.f.Unit.Duration(every)
}
