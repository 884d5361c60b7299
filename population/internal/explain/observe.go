package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// observations lists what is observed, and what is recorded of individuals.
func (e *explainer) observations() {
	e.section("Observed, which changes nobody", len(e.file.Observations))
	for i := range e.file.Observations {
		o := &e.file.Observations[i]
		after := ", at once"
		if o.After.Given() {
			after = ", after a time that is " + e.duration(o.After)
		}
		chance := "always"
		if o.Chance.Given() {
			chance = "with probability " + e.probability(o.Chance)
		}
		if o.Of.Given() {
			e.line("  %s: each %s is seen %s%s", o.Name, o.Of.Name, chance, after)
			continue
		}
		e.line("  %s: %s", o.Name, e.interventionTime(&o.Survey))
		verb := "is"
		if o.Survey.PicksCount {
			verb = "are"
		}
		e.line("    %s %s tested, and positive %s; counted%s", strings.TrimSuffix(e.target(&o.Survey), ","), verb, chance,
			strings.TrimPrefix(after, ","))
	}
	if tree := e.file.Record.Tree; tree.Given() {
		e.line("\nWho infected whom is recorded for each %s.", tree.Name)
	}
	if p := e.program.People; p != nil {
		words := "Everybody who was ever there is listed"
		if p.Only >= 0 {
			words = "Everybody to whom " + p.Times[p.Only].Name + " happened is listed"
		}
		var times []string
		for _, t := range p.Times[:p.Listed] {
			times = append(times, t.Name)
		}
		if len(times) > 0 {
			words += ", with the first time of " + strings.Join(times, ", ")
		}
		e.line("\n%s.", words)
	}
}

// sourceOf says who causes what a clock does.
func (e *explainer) sourceOf(c *syntax.Clock) {
	var all []string
	for i := range c.Source {
		s := &c.Source[i]
		words := s.State.Name
		if s.Weight.Given() {
			words += " (weight " + e.withName(s.Weight, e.value(s.Weight)) + ")"
		}
		all = append(all, words)
	}
	if len(all) > 0 {
		e.line("      caused by one of the others who are %s, drawn when it happens", strings.Join(all, " or "))
	}
}

// sourceWarnings lists the sources that a rate does not depend on.
func (e *explainer) sourceWarnings() (all []string) {
	counts := map[string]func(state int) bool{} // by the clock: whether its rate depends on a count
	var look func(st *program.State)
	look = func(st *program.State) {
		for i := range st.Varying {
			v := &st.Varying[i]
			if v.Do.Source > 0 {
				before := counts[v.What]
				counts[v.What] = func(state int) bool {
					return v.Rate.Root.Counts(state) || before != nil && before(state)
				}
			}
		}
		for _, cell := range st.Cells {
			look(cell)
		}
	}
	for i := range e.program.FirstPhase.States {
		look(&e.program.FirstPhase.States[i])
	}
	e.file.EachClock(func(c *syntax.Clock) {
		for i := range c.Source {
			name := c.Source[i].State.Name
			state := slices.Index(e.program.States, name)
			if depends := counts[c.What]; depends == nil || !depends(state) {
				all = append(all, fmt.Sprintf("%s: source: the rate does not depend on count(%s)", c.What, name))
			}
		}
	})
	return all
}

// observedBytes says how much memory it takes to look at everybody.
func (e *explainer) observedBytes() {
	p, bytes := e.program, 0
	if p.Tree != nil {
		bytes += 24
	}
	if p.People != nil {
		bytes += 24 + 8*len(p.People.Times)
	}
	if p.Tree != nil || p.People != nil {
		bytes += 8
		e.line("\nWhat is recorded of individuals takes %d bytes for each, %s for those at the start.", bytes,
			format.Bytes(uint64(bytes)*uint64(p.Size)))
	}
}
