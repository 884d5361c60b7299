package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// recordedValues works out the values of the section record, for the parameters of a phase. They are
// of the whole population, so that there is no individual whose tables could be read.
func (c *compiler) recordedValues(here Scope, t *program.Phase) {
	for i := range c.file.Record.Values {
		v := &c.file.Record.Values[i]
		m, ok := here.Term(v.Value, "record: values: "+v.Label.Name)
		if !ok {
			m.Term = program.Constant(0)
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
			c.Add(label.At, "record: values: %s: there is a state, a flow or a name called so; expected another name", label.Name)
		}
		c.program.Values = append(c.program.Values, function.Value{Name: label.Name})
	}
}
