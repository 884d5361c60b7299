package explain

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// groups says what the population is made of at the start.
func (e *explainer) groups() {
	if !e.f.Grouped {
		return
	}
	e.section("At the start there are", len(e.f.Groups))
	next := 0
	for g := range e.f.Groups {
		text := &e.f.Groups[g]
		total, in := 0, []string(nil)
		for range text.Starts {
			b := &e.p.StartGroups[next]
			next++
			total += b.Count
			in = append(in, format.Thousands(float64(b.Count))+" "+e.p.States[b.To])
		}
		e.line("  %s%s: %s", format.Thousands(float64(total)), of(text.With), strings.Join(in, ", "))
	}
}

// since says for how long those who begin in a state have been in it.
func (e *explainer) since(state int) {
	for i := range e.p.StartGroups {
		b := &e.p.StartGroups[i]
		if int(b.To) != state || b.Since == nil || b.Count == 0 {
			continue
		}
		who := "they"
		if b.Count < e.p.StartCounts[state] {
			who = format.Thousands(float64(b.Count)) + " of them"
		}
		e.line("    %s have been so for a time that is %s, and their clocks go on from there", who, e.duration(e.m.Starts[i].Since))
	}
}

// of lists values of attributes.
func of(with []syntax.Move) string {
	var all []string
	for _, w := range with {
		all = append(all, w.Attribute.Name+" "+w.Value.Name)
	}
	if len(all) == 0 {
		return ""
	}
	return " of " + strings.Join(all, " and ")
}

// begin says as what one begins.
func (e *explainer) begin(enter *syntax.Enter) string {
	if len(enter.Into) == 0 {
		return enter.Name
	}
	var all []string
	rest := ""
	for _, s := range enter.Into {
		if s.Rest {
			rest = s.State.Name
			continue
		}
		all = append(all, s.State.Name+" with probability "+e.probability(s.Share))
	}
	if rest != "" {
		all = append(all, "otherwise "+rest)
	}
	return strings.Join(all, ", ")
}

func (e *explainer) entries() {
	e.section("Entering the population", len(e.f.Births)+len(e.f.Immigration))
	for i := range e.f.Births {
		b := &e.f.Births[i]
		who := "each living individual"
		if len(b.From) > 0 {
			who = "each individual that is " + list(b.From) + and(b.Where)
		} else {
			who += ofAny(b.Where)
		}
		e.line("  %s has children at %s, who begin as %s%s", who, e.perUnit(b.Rate), e.begin(&b.Enter), e.named(b.Name))
		switch {
		case b.InheritAll:
			e.line("    they have all attributes of the parent")
		case len(b.Inherit) > 0:
			e.line("    they have the parent's %s", strings.ReplaceAll(list(b.Inherit), " or ", " and "))
		}
	}
	for i := range e.f.Immigration {
		a := &e.f.Immigration[i]
		per := ""
		if a.Per.Given() {
			per = fmt.Sprintf(" for every %s at the start,", e.words(a.Per))
			if t := &e.p.First.Immigration[i]; t.Varying == nil {
				per += fmt.Sprintf(" which is %.6g per %s,", t.Rate, e.f.Unit.Name)
			}
		}
		rate := e.perUnit(a.Rate)
		if per == "" && strings.Contains(rate, ",") {
			per = ","
		}
		e.line("  individuals%s arrive at %s%s as %s%s", of(a.With), rate, per, e.begin(&a.Enter), e.named(a.Name))
		if a.Age.Given() {
			e.line("    their age is %s", e.duration(a.Age))
		}
	}
}
