package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// recordedValues works out the values of the section record, for the parameters of a phase. They
// are of the whole population, so that there is no individual whose tables could be read.
func (c *compiler) recordedValues(here Scope, t *program.Phase) {
	for i := range c.file.Record.Values {
		v := &c.file.Record.Values[i]
		what := "record: values: " + v.Label.Name
		m, ok := here.Term(v.Value, what)
		switch {
		case !ok:
			m.Term = program.Constant(0)
		case m.HasNumber():
			name := here.numberWords(m.Term)
			here.reportValue(v.Value, v.Value.At, "%s: %s is a number of each individual, and a value is one for all; "+
				"write mean(%s)", what, name, name)
		case m.Dimension != syntax.Dimensionless:
			here.reportValue(v.Value, v.Value.At, "%s: %s has a unit of time, and a value is a number; divide it by 1 day, "+
				"or multiply it, for example", what, v.Value.Text)
		}
		t.Values = append(t.Values, m.Term)
	}
}

// listValues lists the recorded values after those that a program supplies, and checks their names.
func (c *compiler) listValues() {
	taken := append(slices.Clone(c.program.Counted), "total")
	for _, f := range c.program.Flows {
		taken = append(taken, f.String())
	}
	taken = append(taken, c.program.CountedNames...)
	for _, v := range c.program.Values {
		taken = append(taken, v.Name)
	}
	c.program.Values = slices.Clip(c.program.Values)
	c.program.SuppliedValues = len(c.program.Values)
	for i := range c.file.Record.Values {
		label := &c.file.Record.Values[i].Label
		if slices.Contains(taken, label.Name) {
			c.Add(label.At, "record: values: %s: there is a state, a flow or a name called so; expected another name",
				label.Name)
		}
		c.program.Values = append(c.program.Values, function.Value{Name: label.Name})
	}
}
