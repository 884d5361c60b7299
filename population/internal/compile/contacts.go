package compile

import (
	"slices"

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
	rate := text.Rate
	if text.By.Given() {
		if own := c.mixing(here, t, &ct, text); own != nil {
			rate = *own
		} else if text.Matrix.CountsContacts() { // the matrix is wrong, and there is no other rate
			return
		}
	} else {
		c.program.MixesFreely = true
	}
	ct.Rule = c.file.Functions.Chances[text.Name]
	ct.Special = ct.Rule != nil || ct.Chances != nil || len(ct.Whom) > 0 || ct.Self != program.SameState ||
		slices.Contains(ct.Becomes, program.Unchanged)
	do := program.Action{Kind: program.DoContact, Contact: len(t.Contacts), Name: c.nameIndex(text.Name), Chance: 1}
	t.Contacts = append(t.Contacts, ct)
	where := c.conditions(text.Where, text.What+": where")
	e := c.newRateEvent(here, rateEvent{what: text.What, rate: rate, where: where, do: do})
	if from := c.stateSet(text.From, text.What+": from"); from != nil {
		c.addRateEvent(from, e)
	}
}
