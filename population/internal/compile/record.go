package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// recordTimes works out the times of the rows: the start, multiples of the interval, and the end.
func (c *compiler) recordTimes(here eval.Scope) {
	span := c.program.End - c.program.Start
	if math.IsNaN(span) {
		return
	}
	defer c.stopRecording()
	if c.file.Record.Months > 0 {
		c.calendarRows(here, span)
		return
	}
	every := c.file.Record.Every
	if !every.Given() || every.Bad {
		step := quantity.Quantity{Kind: quantity.Duration, Number: c.usualSpan(span) / 100, Unit: c.file.Unit}
		every = syntax.Value{Quantity: step, Text: "a hundredth of the run"}
	}
	step, ok := here.PositiveDuration(every, "record: every")
	if !ok {
		return
	}
	if span/step > maxRows {
		c.Add(every.At, "record: every: %s would make more than %d rows", every.Text, maxRows)
		return
	}
	resolved, _, _ := here.Resolve(every, "record: every")
	q := resolved.Quantity
	for k := 0.0; ; k++ {
		// Not k times the converted step: that could differ in the last digit from an intervention
		// at 30 days.
		t := quantity.Quantity{Kind: quantity.Duration, Number: k * q.Number, Unit: q.Unit}.In(c.file.Unit)
		if t > span*(1-1e-12) {
			break
		}
		c.program.RecordTimes = append(c.program.RecordTimes, t)
	}
	c.program.RecordTimes = append(c.program.RecordTimes, span)
}

// usualSpan is the length of a run of which rows are a hundredth apart. A run that goes on with a
// saved state has the rows of the saved one.
func (c *compiler) usualSpan(span float64) float64 {
	if c.file.KeepsRows {
		return c.file.CutEnd - c.program.Start
	}
	return span
}

// stopRecording ends the rows where the state of the run is saved. Events are kept for as far again
// as the model goes, so that the state can be gone on with after its end.
func (c *compiler) stopRecording() {
	p := c.program
	if math.IsNaN(c.file.Stop) || len(p.RecordTimes) == 0 {
		return
	}
	p.Stop, p.Keeps = c.file.Stop, 2*(p.End-p.Start)
	last := p.Stop - p.Start
	p.RecordTimes = slices.DeleteFunc(p.RecordTimes, func(t float64) bool { return t > last+p.TimeTolerance })
	if n := len(p.RecordTimes); p.RecordTimes[n-1] < last-p.TimeTolerance {
		p.RecordTimes, p.ExtraRow = append(p.RecordTimes, last), true
	}
}

// calendarRows works out the times of the rows if they are calendar months apart.
func (c *compiler) calendarRows(here eval.Scope, span float64) {
	for k := 0; ; k++ {
		t := here.Zero.AddMonths(c.program.Start, k*c.file.Record.Months, c.file.Unit) - c.program.Start
		if t > span*(1-1e-12) {
			break
		}
		c.program.RecordTimes = append(c.program.RecordTimes, t)
	}
	c.program.RecordTimes = append(c.program.RecordTimes, span)
}

// groupings looks up the attributes to record by, and lists the groups.
func (c *compiler) groupings() {
	const what = "record: by"
	seen := map[string]bool{}
	for _, by := range c.file.Record.By {
		g := program.Grouping{Groups: 1, First: len(c.program.Groups)}
		names, good := []string{}, true
		for _, a := range by.Attributes {
			if a.Bad {
				good = false
				continue
			}
			if a.Name == syntax.StateName && c.program.Listed().Index(a.Name) < 0 {
				c.Add(a.At, "%s: state: states are recorded anyway", what)
				good = false
				continue
			}
			if c.network(a.Name) >= 0 {
				c.Add(a.At, "%s: %s is a network; networks.csv has its links", what, a.Name)
				good = false
				continue
			}
			if c.kind(a.Name) >= 0 {
				c.Add(a.At, "%s: %s: there may be as many as people; people.csv has a column for it", what, a.Name)
				good = false
				continue
			}
			i := c.attribute(a, what)
			if i < 0 {
				good = false
				continue
			}
			if slices.Contains(g.Attributes, i) {
				c.Add(a.At, "%s: %s is twice in one combination", what, diag.Quote(a.Name))
				good = false
				continue
			}
			g.Attributes, g.Sizes = append(g.Attributes, i), append(g.Sizes, len(c.program.Attributes[i].Values))
			g.Groups = min(g.Groups*max(1, len(c.program.Attributes[i].Values)), maxRecorded+1)
			names = append(names, a.Name)
		}
		if !good {
			continue
		}
		key := strings.Join(slices.Sorted(slices.Values(names)), ",")
		if seen[key] {
			c.Add(by.At, "%s: %s is here twice", what, diag.Quote(strings.Join(names, ", ")))
			continue
		}
		seen[key] = true
		if g.Groups > maxRecorded || !c.listGroups(&g, names) {
			c.Add(by.At, "%s: %s make more than %s groups; record by fewer", what,
				diag.Quote(strings.Join(names, ", ")), format.Thousands(float64(maxGroups)))
			continue
		}
		c.program.Groupings = append(c.program.Groupings, g)
	}
}

// listGroups lists the groups of a grouping in the order of the values in the file, or reports
// false if there are too many.
func (c *compiler) listGroups(g *program.Grouping, names []string) bool {
	if len(c.program.Groups)+g.Groups > maxGroups {
		return false
	}
	for k := range g.Groups {
		values, rest := make([]string, len(names)), k
		for i := len(names) - 1; i >= 0; i-- {
			values[i] = c.program.Attributes[g.Attributes[i]].Values[rest%g.Sizes[i]]
			rest /= g.Sizes[i]
		}
		c.program.Groups = append(c.program.Groups, program.Group{Attributes: names, Values: values})
	}
	return true
}

// checkRecordSize refuses records too large to keep: for each group and row, a number for every
// state, flow and name.
func (c *compiler) checkRecordSize() {
	if len(c.program.Groups) == 0 || c.Count > 0 {
		return
	}
	p := c.program
	each := len(p.Counted) + len(p.Flows) + len(p.CountedNames) + len(p.Outcomes)
	if p.RecordsTime {
		each += len(p.Counted)
	}
	if n := float64(len(p.RecordTimes)) * float64(len(p.Groups)) * float64(each); n > maxRecorded {
		c.Add(c.file.Record.By[0].At,
			"record: by: %s groups with %s, %s and %s in %s make %.3g numbers in each replica, more than the %s there "+
				"can be; record less often, or by fewer",
			format.Thousands(float64(len(p.Groups))), format.Plural(len(p.States), "state"),
			format.Plural(len(p.Flows), "flow"), format.Plural(len(p.CountedNames), "name"),
			format.Plural(len(p.RecordTimes), "row"), n, format.Thousands(float64(maxRecorded)))
	}
}

// recordedValues works out the values of the section record, for the parameters of a phase. They
// are of the whole population, so that there is no individual whose tables could be read.
func (c *compiler) recordedValues(here eval.Scope, t *program.Phase) {
	for i := range c.file.Record.Values {
		v := &c.file.Record.Values[i]
		what := "record: values: " + v.Label.Name
		m, ok := here.Term(v.Value, what)
		switch {
		case !ok:
			m.Term = program.Constant(0)
		case m.HasNumber():
			name := here.NumberWords(m.Term)
			here.Report(v.Value, v.Value.At, "%s: %s is a number of each individual, and a value is one for all; "+
				"write mean(%s)", what, name, name)
		case m.Dimension != quantity.Dimensionless:
			here.Report(v.Value, v.Value.At, "%s: %s has a unit of time, and a value is a number; divide it by 1 day, "+
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
