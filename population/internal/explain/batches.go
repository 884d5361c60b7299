package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// outcomeOfClock says what a clock does when it fires: who enters, and then what becomes of its
// individual.
func (e *explainer) outcomeOfClock(c *syntax.Clock) string {
	what := e.becomes(c.To, c.Moves, false)
	if len(c.Children) == 0 {
		return what
	}
	child := &c.Children[0]
	children := "has a child"
	if child.Count.Given() {
		children = "has children, " + e.howMany(child.Count) + " at once,"
	}
	children += e.ofValues(child.With) + ", beginning as " + e.entryState(&child.Enter)
	children = strings.ReplaceAll(children, ",,", ",")
	if what == "" {
		return children + ","
	}
	return children + ", and " + what
}

// inheritance says what children have from their parent.
func (e *explainer) inheritance(b *syntax.Entry) {
	switch {
	case b.InheritAll:
		but := ""
		if len(e.program.Bands) > 0 {
			but = ", but not those that follow the age"
		}
		e.line("    they have all attributes of the parent%s", but)
	case len(b.Inherit) > 0:
		e.line("    they have the parent's %s", strings.ReplaceAll(orList(b.Inherit), " or ", " and "))
	}
}

// childrenOf says what the children have that enter when a clock fires, and who causes it.
func (e *explainer) childrenOf(c *syntax.Clock) {
	for i := range c.Children {
		e.inheritance(&c.Children[i])
	}
	e.sourceOf(c)
}

// howMany returns a whole number, or how it is distributed, in words.
func (e *explainer) howMany(v syntax.Value) string { return e.withName(v, e.value(v)) }

// whole returns a distribution of whole numbers in words.
func (e *explainer) whole(here eval.Scope, v syntax.Value) string {
	d := v.Distribution
	if d.Family == syntax.ByShares {
		var all []string
		for _, p := range d.Parts {
			all = append(all, p.Of.Text+" with probability "+e.probability(p.Share))
		}
		return strings.Join(all, ", ")
	}
	words := "a Poisson number"
	if d.Family != "poisson" {
		words = "a negative binomial number of dispersion " + e.value(d.Args["dispersion"])
	}
	words += " with mean " + e.value(d.Args["mean"])
	least, hasLeast := d.Args["least"]
	most, hasMost := d.Args["most"]
	switch {
	case hasLeast && hasMost:
		words += ", given that it is from " + e.value(least) + " to " + e.value(most)
	case hasLeast:
		words += ", given that it is at least " + e.value(least)
	case hasMost:
		words += ", given that it is at most " + e.value(most)
	}
	if w, ok := here.Whole(v, ""); ok && (hasLeast || hasMost) {
		words += fmt.Sprintf(", which is %.4g on average", w.Mean())
	}
	return words
}

// boundedBySize returns a rate that depends on counts in words, whose bound follows from the size
// of the population.
func (e *explainer) boundedBySize(here eval.Scope, c *syntax.CountDependent, show func(x float64) string) string {
	words := c.Value.Text
	if m, ok := here.Term(c.Value, ""); ok {
		// How many have a value of an attribute, or are in a state of a machine, is drawn at the start.
		if !m.CountsFrom(len(e.program.States)) {
			if x := m.At(0, program.Census{Total: e.program.Size, Counts: e.program.StartCounts}); x >= 0 {
				words += ", which is " + show(x) + " at the start"
			}
		}
		if sizes := e.program.Sizes; len(sizes) > 0 {
			if _, most := m.BoundsUpTo(0, e.program.End-e.program.Start, float64(sizes[0])); most >= 0 {
				words += fmt.Sprintf(", never below 0 and at most %s while no more than %s are alive", show(most),
					format.Thousands(float64(sizes[0])))
			}
		}
	}
	return words
}

// enterTogether reports whether several may enter at once, or children by a clock.
func (e *explainer) enterTogether() bool {
	counted := func(all []syntax.Entry) bool {
		return slices.ContainsFunc(all, func(b syntax.Entry) bool { return b.Count.Given() })
	}
	clocks := func(all []syntax.Clock) bool {
		return slices.ContainsFunc(all, func(c syntax.Clock) bool { return len(c.Children) > 0 })
	}
	return counted(e.file.Births) || counted(e.file.Immigration) || clocks(e.file.Always) ||
		slices.ContainsFunc(e.file.States, func(s syntax.State) bool { return clocks(s.Race) || clocks(s.Split) })
}
