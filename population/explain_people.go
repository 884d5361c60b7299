package population

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// groups says what the population is made of at the start.
func (e *explainer) groups() {
	if !e.f.grouped {
		return
	}
	e.section("At the start there are", len(e.f.groups))
	next := 0
	for g := range e.f.groups {
		text := &e.f.groups[g]
		total, in := 0, []string(nil)
		for range text.starts {
			b := &e.p.begin[next]
			next++
			total += b.count
			in = append(in, format.Thousands(float64(b.count))+" "+e.p.states[b.to])
		}
		e.line("  %s%s: %s", format.Thousands(float64(total)), of(text.with), strings.Join(in, ", "))
	}
}

// since says for how long those who begin in a state have been in it.
func (e *explainer) since(state int) {
	for i := range e.p.begin {
		b := &e.p.begin[i]
		if int(b.to) != state || b.since == nil || b.count == 0 {
			continue
		}
		who := "they"
		if b.count < e.p.starts[state] {
			who = format.Thousands(float64(b.count)) + " of them"
		}
		e.line("    %s have been so for a time that is %s, and their clocks go on from there", who, e.duration(e.m.starts[i].since))
	}
}

// of lists values of attributes.
func of(with []moveText) string {
	var all []string
	for _, w := range with {
		all = append(all, w.attribute.name+" "+w.value.name)
	}
	if len(all) == 0 {
		return ""
	}
	return " of " + strings.Join(all, " and ")
}

// begin says as what one begins.
func (e *explainer) begin(enter *enterText) string {
	if len(enter.into) == 0 {
		return enter.name
	}
	var all []string
	rest := ""
	for _, s := range enter.into {
		if s.rest {
			rest = s.state.name
			continue
		}
		all = append(all, s.state.name+" with probability "+e.probability(s.share))
	}
	if rest != "" {
		all = append(all, "otherwise "+rest)
	}
	return strings.Join(all, ", ")
}

func (e *explainer) entries() {
	e.section("Entering the population", len(e.f.births)+len(e.f.immigration))
	for i := range e.f.births {
		b := &e.f.births[i]
		who := "each living individual"
		if len(b.from) > 0 {
			who = "each individual that is " + list(b.from) + and(b.where)
		} else {
			who += ofAny(b.where)
		}
		e.line("  %s has children at %s, who begin as %s%s", who, e.perUnit(b.rate), e.begin(&b.enter), e.named(b.name))
		switch {
		case b.inheritAll:
			e.line("    they have all attributes of the parent")
		case len(b.inherit) > 0:
			e.line("    they have the parent's %s", strings.ReplaceAll(list(b.inherit), " or ", " and "))
		}
	}
	for i := range e.f.immigration {
		a := &e.f.immigration[i]
		per := ""
		if a.per.given() {
			per = fmt.Sprintf(" for every %s at the start,", e.words(a.per))
			if t := &e.p.first.immigration[i]; t.vary == nil {
				per += fmt.Sprintf(" which is %.6g per %s,", t.rate, e.f.unit.name)
			}
		}
		rate := e.perUnit(a.rate)
		if per == "" && strings.Contains(rate, ",") {
			per = ","
		}
		e.line("  individuals%s arrive at %s%s as %s%s", of(a.with), rate, per, e.begin(&a.enter), e.named(a.name))
		if a.age.given() {
			e.line("    their age is %s", e.duration(a.age))
		}
	}
}
