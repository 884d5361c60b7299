package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// contact compiles what a contact does, and adds making contacts to the rate events of the states
// it is made from.
func (c *compiler) contact(here Scope, t *program.Phase, text *syntax.Contact) {
	if !c.reserveEntries(len(c.program.States) / 32) { // two bytes each
		return
	}
	ct := program.Contact{
		Chance: 1, Attribute: -1, Self: program.SameState,
		Becomes: slices.Repeat([]uint16{program.SameState}, len(c.program.States)),
	}
	for _, to := range text.To {
		met := c.state(to.Met, text.What+": to", false)
		becomes := program.Unchanged
		if !c.file.Stays(to) {
			becomes = c.state(to.Becomes, text.What+": to: "+to.Met.Name, true)
		}
		if met != program.NoState {
			ct.Becomes[met] = becomes
		}
	}
	if text.Self.Given() {
		ct.Self = c.state(text.Self, text.What+": self", true)
	}
	ct.Whom = c.conditions(text.Whom, text.What+": whom")
	if text.Chance.Given() {
		ct.Chance, ct.Chances = c.chances(here, text.Chance, text.What+": chance", true)
	}
	if text.By.Given() {
		c.mixing(here, &ct, text)
	} else {
		c.program.MixesFreely = true
	}
	ct.Rule = c.file.Functions.Chances[text.Name]
	ct.Special = ct.Rule != nil || ct.Chances != nil || len(ct.Whom) > 0 || ct.Self != program.SameState ||
		slices.Contains(ct.Becomes, program.Unchanged)
	do := program.Action{Kind: program.DoContact, Contact: len(t.Contacts), Name: c.nameIndex(text.Name), Chance: 1}
	t.Contacts = append(t.Contacts, ct)
	where := c.conditions(text.Where, text.What+": where")
	e := c.newRateEvent(here, rateEvent{what: text.What, rate: text.Rate, where: where, do: do})
	if from := c.stateSet(text.From, text.What+": from"); from != nil {
		c.addRateEvent(from, e)
	}
}

// functions checks the names of the functions that a program supplies for contacts, and of the
// values that it records.
func (c *compiler) functions() {
	var contacts []string
	for i := range c.file.Transmission {
		if name := c.file.Transmission[i].Name; name != "" {
			contacts = append(contacts, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.file.Functions.Chances)) {
		if !slices.Contains(contacts, name) {
			c.Add(diag.Place{File: "WithChance " + name}, "%s",
				diag.Unknown("contact", name, func() []string { return contacts }))
		}
	}
	c.program.Values = c.file.Functions.Values
	for i, v := range c.program.Values {
		if slices.ContainsFunc(c.program.Values[:i], func(o function.Value) bool { return o.Name == v.Name }) {
			c.Add(diag.Place{File: "WithValue " + v.Name}, "there are two values of that name")
		}
	}
}

// mixing compiles the mixing matrix: the cumulative shares of each row.
func (c *compiler) mixing(here Scope, ct *program.Contact, text *syntax.Contact) {
	what := text.What + ": mixing"
	if text.By.Bad {
		return
	}
	a := c.attribute(text.By, what+": by")
	if a < 0 || text.MatrixBad {
		return
	}
	c.program.MixesBy[a] = true
	values := c.program.Attributes[a].Values
	if len(text.Matrix) != len(values) {
		c.Add(text.MatrixAt, "%s: matrix: %s, expected %d, one for each of %s", what,
			format.Plural(len(text.Matrix), "row"), len(values), diag.ListNames(values))
		return
	}
	if !c.reserveEntries(len(values) * len(values) / 16) { // a number takes less than an entry
		return
	}
	ct.Attribute = a
	for i, row := range text.Matrix {
		if len(row) != len(values) {
			c.Add(text.RowsAt[i], "%s: matrix: row %d has %s, expected %d, one for each of %s", what, i+1,
				format.Plural(len(row), "number"), len(values), diag.ListNames(values))
			continue
		}
		shares := make([]float64, len(row))
		sum, good := 0.0, true
		for j, v := range row {
			if here.Dependence(v).Time {
				here.reportValue(v, v.At,
					"%s: matrix: its numbers cannot change with time by themselves; let an intervention set a "+
						"parameter that stands here", what)
			}
			var ok bool
			shares[j], ok = here.Chance(v, what+": matrix")
			sum, good = sum+shares[j], good && ok
		}
		if good && !isOne(sum) {
			here.reportTogether(row[0].At, row, "%s: matrix: row %d adds up to %.6g, expected 1", what, i+1, sum)
		}
		ct.MixingRows = append(ct.MixingRows, lookup.CumulativeShares(shares))
	}
}
