package explain

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/fitting"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Model says in plain words what a model is, and what may be a mistake in it.
func Model(m *compile.Model) string {
	p := m.Program
	e := &explainer{m: m, p: p, f: m.File, here: m.Quietly()}
	e.line("%s: %s %s from %s to %s, recorded %s %s%s.", p.Name, format.Thousands(float64(p.Size)), format.Things(p.Size, "individual"), e.clock(p.Start), e.clock(p.End),
		format.Thousands(float64(len(p.Rows))), format.Things(len(p.Rows), "time"), e.recorded())
	if e.f.About != "" {
		e.line("%s", e.f.About)
	}
	if p.First.Ages != nil {
		e.line("Ages at the start: %s.", e.durationOnly(e.f.Age))
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
	m    *compile.Model
	p    *program.Program
	f    *syntax.File
	here compile.Scope
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
func (e *explainer) called(v syntax.Value, words string) string {
	switch {
	case v.Name != "":
		return words + " (" + v.Name + ")"
	case v.Expr != nil && !e.here.Depends(v).Time:
		return words + " (" + v.Text + ")"
	}
	return words
}

// when says when a clock strikes.
func (e *explainer) when(c *syntax.Clock) string {
	if c.Rate.Given() {
		return "at " + e.perUnit(c.Rate)
	}
	if e.here.Depends(c.After).Fixed() {
		if l, _ := e.here.Law(c.After, ""); l.Fixed() {
			return "after " + e.duration(c.After)
		}
	}
	return "after a time that is " + e.duration(c.After)
}

// goal says where one goes.
func goal(to syntax.Ref) string { return goalOf(to, false) }

// goalOf says where one goes, or many, if anywhere.
func goalOf(to syntax.Ref, many bool) string {
	switch {
	case !to.Given():
		return ""
	case to.Name == syntax.Out:
		return does("leaves", many) + " the population"
	}
	return does("becomes", many) + " " + to.Name
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
	e.section("Everybody has a value of", len(e.f.Attributes))
	for _, a := range e.f.Attributes {
		var values []string
		for i, v := range a.Values {
			share := "the rest"
			if i != a.Rest {
				share = e.probability(a.Shares[i])
			}
			values = append(values, share+" "+v.Name)
		}
		e.line("  %s: %s", a.Name, strings.Join(values, ", "))
	}
}

func (e *explainer) states() {
	e.section("States", len(e.f.States))
	for i := range e.f.States {
		s := &e.f.States[i]
		e.line("  %s: %s at the start", s.Name, format.Thousands(float64(e.p.StartCounts[i])))
		e.since(i)
		for k := range s.Split {
			c := &s.Split[k]
			chance := "otherwise"
			if c.Chance.Given() {
				chance = "with probability " + e.probability(c.Chance)
			}
			e.line("    %s %s %s%s", chance, goal(c.To), e.when(c), e.named(c.Name))
		}
		for k := range s.Race {
			c := &s.Race[k]
			e.line("    %s %s%s%s", goal(c.To), e.when(c), where(c.Where), e.named(c.Name))
		}
		if min(1, len(s.Split))+len(s.Race) > 1 {
			e.line("    whichever comes first")
		}
	}
}

// list joins names as one says them.
func list(names []syntax.Ref) string {
	var all []string
	for _, n := range names {
		all = append(all, n.Name)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
	return strings.Join(all, "")
}

// ofAny says of which values attributes are.
func ofAny(all []syntax.Where) string {
	text := ""
	for i, w := range all {
		if i > 0 {
			text += " and"
		}
		text += " of " + w.Attribute.Name + " " + list(w.Values)
	}
	return text
}

// and says the same after a state.
func and(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return " and" + ofAny(all)
}

// where says for whom a clock runs.
func where(all []syntax.Where) string {
	if len(all) == 0 {
		return ""
	}
	return ", for those" + ofAny(all)
}

func (e *explainer) contacts() {
	e.section("Contacts", len(e.f.Transmission))
	for i := range e.f.Transmission {
		c := &e.f.Transmission[i]
		e.line("  each individual that is %s%s meets others at %s%s", list(c.From), and(c.Where), e.perUnit(c.Rate), e.named(c.Name))
		for _, to := range c.To {
			chance := ""
			if c.Chance.Given() {
				chance = " with probability " + e.probability(c.Chance)
			}
			what := goal(to.Becomes)
			if e.f.Stays(to) {
				what = "stays as it is"
			}
			if c.Self.Given() {
				what += ", and the one who met it " + goal(c.Self)
			}
			e.line("    whoever is met and is %s%s %s%s", to.Met.Name, and(c.Whom), what, chance)
		}
		if !c.By.Given() {
			e.line("    anybody else may be met, all with the same probability")
			continue
		}
		values := e.p.Attributes[e.p.Attributes.Index(c.By.Name)].Values
		for k, row := range c.Matrix {
			var shares []string
			for j, v := range row {
				shares = append(shares, e.probability(v)+" "+values[j])
			}
			e.line("    someone of %s %s meets %s", c.By.Name, values[k], strings.Join(shares, ", "))
		}
	}
}

func (e *explainer) always() {
	e.section("To everybody, whatever the state", len(e.f.Always))
	for i := range e.f.Always {
		c := &e.f.Always[i]
		what := joinMoves(goal(c.To), c.Moves, false)
		if len(c.From) > 0 {
			what += " if " + list(c.From)
		}
		if c.Chance.Given() {
			what += " with probability " + e.probability(c.Chance)
		}
		once := ""
		if !c.Rate.Given() && c.To.Name != syntax.Out {
			once = " after entering the population, once"
		}
		e.line("  %s %s%s%s%s", what, e.when(c), once, where(c.Where), e.named(c.Name))
	}
}

// joinMoves adds what attributes one gets, or many.
func joinMoves(what string, moves []syntax.Move, many bool) string {
	for _, m := range moves {
		if what != "" {
			what += " and "
		}
		what += does("moves", many) + " to " + m.Attribute.Name + " " + m.Value.Name
	}
	return what
}

// words is a value as it is, in the unit of the model.
func (e *explainer) words(v syntax.Value) string {
	return e.forEach(v, func(here compile.Scope) string {
		got, _, ok := here.Stands(v, "")
		switch {
		case !ok:
			return v.Text
		case got.Distribution != nil:
			l, _ := here.Law(v, "")
			return l.Words(e.f.Unit)
		case got.Plain() && (got.Quantity.Kind == syntax.KindNumber || got.Quantity.Kind == syntax.KindShare || got.Quantity.Kind == syntax.KindDate):
			return got.Text
		}
		d := syntax.OfRate
		if got.CountDependent == nil {
			m, _ := here.Part(got, "")
			d = m.Dimension
		}
		return e.changing(here, got, func(x float64) string { return e.figure(x, d) })
	})
}

func (e *explainer) parameters() {
	e.section("Parameters (--set changes them)", len(e.f.Parameters))
	for _, p := range e.f.Parameters {
		e.line("  %s: %s", p.Label.Name, e.words(p.Value))
	}
}

// errorLaw says what the law of an error is.
func (e *explainer) errorLaw(l *fitting.Error) string {
	switch {
	case l.Family == "negative binomial":
		return "negative binomial, of dispersion " + e.words(l.Arg)
	case l.Family == "normal" && l.Share(e.here):
		return "normal, with a standard deviation of " + e.words(l.Arg) + " of what is expected"
	case l.Family == "normal":
		return "normal, with a standard deviation of " + e.words(l.Arg)
	}
	return "Poisson"
}
