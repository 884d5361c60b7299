package population

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// explain says in plain words what a model is, and what may be a mistake in it.
func explain(m *compiled) string {
	p := m.program
	e := &explainer{m: m, p: p, f: m.file, here: m.quietly()}
	e.line("%s: %s %s from %s to %s, recorded %s %s%s.", p.name, format.Thousands(float64(p.size)), format.Things(p.size, "individual"), e.clock(p.start), e.clock(p.end),
		format.Thousands(float64(len(p.rows))), format.Things(len(p.rows), "time"), e.recorded())
	if e.f.about != "" {
		e.line("%s", e.f.about)
	}
	if p.first.ages != nil {
		e.line("Ages at the start: %s.", e.durationOnly(e.f.age))
	}
	e.attributes()
	e.groups()
	e.states()
	e.contacts()
	e.always()
	e.entries()
	e.interventions()
	e.parameters()
	e.scenarios()
	e.fit()
	e.doubts()
	return e.b.String()
}

type explainer struct {
	b    strings.Builder
	m    *compiled
	p    *program
	f    *file
	here scope
}

func (e *explainer) line(format string, args ...any) {
	fmt.Fprintf(&e.b, format, args...)
	e.b.WriteByte('\n')
}

// section begins a part of the text about so many things, if there are any.
func (e *explainer) section(title string, things int) {
	if things > 0 {
		e.line("\n%s", title)
	}
}

// called adds the parameter's name to what it stands for, or the expression by which it was worked out.
func (e *explainer) called(v value, words string) string {
	switch {
	case v.name != "":
		return words + " (" + v.name + ")"
	case v.expr != nil && !e.here.depends(v).time:
		return words + " (" + v.text + ")"
	}
	return words
}

// when says when a clock strikes.
func (e *explainer) when(c *clockText) string {
	if c.rate.given() {
		return "at " + e.perUnit(c.rate)
	}
	if e.here.depends(c.after).fixed() {
		if l, _ := e.here.law(c.after, ""); l.fixed() {
			return "after " + e.duration(c.after)
		}
	}
	return "after a time that is " + e.duration(c.after)
}

// goal says where one goes.
func goal(to named) string { return goalOf(to, false) }

// goalOf says where one goes, or many, if anywhere.
func goalOf(to named, many bool) string {
	switch {
	case !to.given():
		return ""
	case to.name == Out:
		return does("leaves", many) + " the population"
	}
	return does("becomes", many) + " " + to.name
}

// does is a verb of one, or of many.
func does(verb string, many bool) string {
	if many {
		return strings.TrimSuffix(verb, "s")
	}
	return verb
}

func (e *explainer) named(name string) string {
	if name == "" {
		return ""
	}
	return " [" + name + "]"
}

func (e *explainer) attributes() {
	e.section("Everybody has a value of", len(e.f.attributes))
	for _, a := range e.f.attributes {
		var values []string
		for i, v := range a.values {
			share := "the rest"
			if i != a.rest {
				share = e.probability(a.shares[i])
			}
			values = append(values, share+" "+v.name)
		}
		e.line("  %s: %s", a.name, strings.Join(values, ", "))
	}
}

func (e *explainer) states() {
	e.section("States", len(e.f.states))
	for i := range e.f.states {
		s := &e.f.states[i]
		e.line("  %s: %s at the start", s.name, format.Thousands(float64(e.p.starts[i])))
		e.since(i)
		for k := range s.split {
			c := &s.split[k]
			chance := "otherwise"
			if c.chance.given() {
				chance = "with probability " + e.probability(c.chance)
			}
			e.line("    %s %s %s%s", chance, goal(c.to), e.when(c), e.named(c.name))
		}
		for k := range s.race {
			c := &s.race[k]
			e.line("    %s %s%s%s", goal(c.to), e.when(c), where(c.where), e.named(c.name))
		}
		if min(1, len(s.split))+len(s.race) > 1 {
			e.line("    whichever comes first")
		}
	}
}

// list joins names as one says them.
func list(names []named) string {
	var all []string
	for _, n := range names {
		all = append(all, n.name)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	return strings.Join(all, "")
}

// ofAny says of which values attributes are.
func ofAny(all []whereText) string {
	text := ""
	for i, w := range all {
		if i > 0 {
			text += " and"
		}
		text += " of " + w.attribute.name + " " + list(w.values)
	}
	return text
}

// and says the same after a state.
func and(all []whereText) string {
	if len(all) == 0 {
		return ""
	}
	return " and" + ofAny(all)
}

// where says for whom a clock runs.
func where(all []whereText) string {
	if len(all) == 0 {
		return ""
	}
	return ", for those" + ofAny(all)
}

func (e *explainer) contacts() {
	e.section("Contacts", len(e.f.transmission))
	for i := range e.f.transmission {
		c := &e.f.transmission[i]
		e.line("  each individual that is %s%s meets others at %s%s", list(c.from), and(c.where), e.perUnit(c.rate), e.named(c.name))
		for _, to := range c.to {
			chance := ""
			if c.chance.given() {
				chance = " with probability " + e.probability(c.chance)
			}
			what := goal(to.becomes)
			if e.f.stays(to) {
				what = "stays as it is"
			}
			if c.self.given() {
				what += ", and the one who met it " + goal(c.self)
			}
			e.line("    whoever is met and is %s%s %s%s", to.met.name, and(c.whom), what, chance)
		}
		if !c.by.given() {
			e.line("    anybody else may be met, all with the same probability")
			continue
		}
		values := e.p.attributes[e.p.attributes.index(c.by.name)].values
		for k, row := range c.matrix {
			var shares []string
			for j, v := range row {
				shares = append(shares, e.probability(v)+" "+values[j])
			}
			e.line("    someone of %s %s meets %s", c.by.name, values[k], strings.Join(shares, ", "))
		}
	}
}

func (e *explainer) always() {
	e.section("To everybody, whatever the state", len(e.f.always))
	for i := range e.f.always {
		c := &e.f.always[i]
		what := joinMoves(goal(c.to), c.moves, false)
		if len(c.from) > 0 {
			what += " if " + list(c.from)
		}
		if c.chance.given() {
			what += " with probability " + e.probability(c.chance)
		}
		once := ""
		if !c.rate.given() && c.to.name != Out {
			once = " after entering the population, once"
		}
		e.line("  %s %s%s%s%s", what, e.when(c), once, where(c.where), e.named(c.name))
	}
}

// joinMoves adds what attributes one gets, or many.
func joinMoves(what string, moves []moveText, many bool) string {
	for _, m := range moves {
		if what != "" {
			what += " and "
		}
		what += does("moves", many) + " to " + m.attribute.name + " " + m.value.name
	}
	return what
}

// words is a value as it is, in the unit of the model.
func (e *explainer) words(v value) string {
	return e.forEach(v, func(here scope) string {
		got, _, ok := here.stands(v, "")
		switch {
		case !ok:
			return v.text
		case got.law != nil:
			l, _ := here.law(v, "")
			return l.words(e.f.unit)
		case got.plain() && (got.quantity.kind == aNumber || got.quantity.kind == aShare || got.quantity.kind == aDate):
			return got.text
		}
		d := ofRate
		if got.count == nil {
			m, _ := here.part(got, "")
			d = m.dimension
		}
		return e.changing(here, got, func(x float64) string { return e.figure(x, d) })
	})
}

func (e *explainer) parameters() {
	e.section("Parameters (--set changes them)", len(e.f.parameters))
	for _, p := range e.f.parameters {
		e.line("  %s: %s", p.label.name, e.words(p.value))
	}
}

// words says what an error is.
func (l *errorText) words(e *explainer) string {
	switch {
	case l.family == "negative binomial":
		return "negative binomial, of dispersion " + e.words(l.arg)
	case l.family == "normal" && l.share(e.here):
		return "normal, with a standard deviation of " + e.words(l.arg) + " of what is expected"
	case l.family == "normal":
		return "normal, with a standard deviation of " + e.words(l.arg)
	}
	return "Poisson"
}
