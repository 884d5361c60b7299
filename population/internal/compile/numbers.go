package compile

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// numbers works out the laws of the attributes that are numbers. They are the same all the time.
func (c *compiler) numbers(here eval.Scope) {
	for i := range c.file.Numbers {
		text := &c.file.Numbers[i]
		what := "attributes: " + text.Name + ": number"
		values := []syntax.Value{text.Law, text.Mean, text.Spread, text.Least, text.Most}
		n := program.Number{Name: text.Name}
		if c.setLater(here, values, what) || c.dependsOnLater(here, c.program.Plain(), what, values...) {
			c.program.Numbers = append(c.program.Numbers, n)
			continue
		}
		n.Law = eachCell(c, here, values, func(here eval.Scope) program.NumberLaw { return here.NumberLaw(text, what) })
		c.program.Numbers = append(c.program.Numbers, n)
	}
}

// setLater reports whether an intervention sets a parameter that values are made of, and adds a
// problem if so.
func (c *compiler) setLater(here eval.Scope, values []syntax.Value, what string) (found bool) {
	for _, v := range values {
		seen := map[string]bool{}
		here.EachParameter(v, seen, func(eval.Parameter) {})
		for name := range seen {
			if len(here.Sets[name]) > 0 && !found {
				found = true
				here.ReportTogether(v.At, []syntax.Value{v}, "%s: an intervention sets %s, and a number has one law all the "+
					"time; expected a value of its own", what, diag.Quote(name))
			}
		}
	}
	return found
}

// eachWith calls do with everything that with gives, wherever somebody enters.
func (c *compiler) eachWith(do func(m *syntax.Move, what string)) {
	f := c.file
	all := func(with []syntax.Move, what string) {
		for i := range with {
			do(&with[i], what+": with")
		}
	}
	for i := range f.Groups {
		all(f.Groups[i].With, f.Groups[i].What)
	}
	for i := range f.Births {
		all(f.Births[i].With, f.Births[i].What)
	}
	for i := range f.Immigration {
		all(f.Immigration[i].With, f.Immigration[i].What)
	}
	for i := range f.Interventions {
		all(f.Interventions[i].With, f.Interventions[i].What)
	}
}

// giveNumbers works out the numbers that with gives.
func (c *compiler) giveNumbers() map[string][]float64 {
	given := map[string][]float64{}
	c.eachWith(func(m *syntax.Move, what string) {
		if c.file.IsNumber(m.Attribute.Name) {
			if x, ok := c.givenNumber(m, what); ok {
				given[m.Attribute.Name] = append(given[m.Attribute.Name], x)
			}
		}
	})
	c.numbersOfPeople(given)
	return given
}

// givenNumber reads the number that with gives.
func (c *compiler) givenNumber(m *syntax.Move, what string) (float64, bool) {
	if x, ok := quantity.ParseNumber(m.Gives.Value.Name); ok && len(m.Gives.Shares)+len(m.Gives.Cases) == 0 {
		return x, true
	}
	at := m.Attribute.At
	c.here.Report(syntax.Value{At: at}, at, "%s: %s is a number; expected one, such as 2.5", what, m.Attribute.Name)
	return 0, false
}

// giveNumber sets a number that with gives, if that is what it gives.
func (c *compiler) giveNumber(in *program.Entry, m *syntax.Move, what string) bool {
	k := slices.Index(c.file.NumberNames(), m.Attribute.Name)
	if k < 0 {
		return false
	}
	if x, ok := c.givenNumber(m, what); ok {
		c.allNumbers(in)[k] = x
	}
	return true
}

// inheritNumbers sets the numbers that a child has from its parent.
func (c *compiler) inheritNumbers(in *program.Entry, b *syntax.Entry) {
	for k, name := range c.file.NumberNames() {
		if b.InheritAll || slices.ContainsFunc(b.Inherit, func(n syntax.Ref) bool { return n.Name == name }) {
			c.allNumbers(in)[k] = math.Inf(1)
		}
	}
}

// allNumbers returns the numbers of an entry, to be changed.
func (c *compiler) allNumbers(in *program.Entry) []float64 {
	if in.Numbers == nil {
		in.Numbers = slices.Repeat([]float64{math.NaN()}, len(c.file.Numbers))
	}
	return in.Numbers
}
