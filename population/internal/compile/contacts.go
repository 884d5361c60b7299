package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// contact compiles what a contact does, and adds making contacts to the rate events of the states
// it is made from.
func (c *compiler) contact(here eval.Scope, t *program.Phase, text *syntax.Contact) {
	if !c.reserveEntries(len(c.program.States) / 32) { // two bytes each
		return
	}
	ct := program.Contact{
		Chance: 1, Attribute: -1, Near: -1, Self: program.SameState,
		Becomes: slices.Repeat([]uint16{program.SameState}, len(c.program.States)),
	}
	machine, ok := c.contactMachine(text)
	if !ok {
		return
	}
	where := c.conditions(text.Where, text.What+": where")
	var from program.StateSet
	switch {
	case machine >= 0:
		ct.Rich = c.machineContact(&ct, text, machine)
		where = append([]program.Condition{{Attribute: ct.Rich.Attribute, Is: ct.Rich.From}}, where...)
	default:
		c.stateContact(&ct, text)
		from = c.contactFrom(text)
	}
	ct.Whom = c.conditions(text.Whom, text.What+": whom")
	c.contactMoves(here, &ct, text)
	ct.Uses = c.contactUses(&ct, text, machine)
	if text.Chance.Given() {
		ct.Chance, ct.Chances = c.chances(here, text.Chance, text.What+": chance", true)
	}
	rate := text.Rate
	if text.Among.Given() {
		if !c.among(&ct, text, &rate) {
			return
		}
	} else if text.By.Given() {
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
		ct.Rich != nil || ct.Uses != nil || slices.ContainsFunc(c.program.Places, limited) ||
		slices.Contains(ct.Becomes, program.Unchanged)
	ct.Log = 1 + c.remembered(text.Name, false)
	do := program.Action{Kind: program.DoContact, Contact: len(t.Contacts), Name: c.nameIndex(text.Name), Chance: 1}
	t.Contacts = append(t.Contacts, ct)
	e := c.newRateEvent(here, rateEvent{what: text.What, rate: rate, where: where, do: do})
	if from != nil || machine >= 0 || len(text.From) == 0 && ct.Rich != nil {
		c.addRateEvent(from, e)
	}
}

// stateContact looks up what becomes of the individuals that are met and of the maker, by their
// states.
func (c *compiler) stateContact(ct *program.Contact, text *syntax.Contact) {
	if text.Everybody {
		for s := range ct.Becomes {
			ct.Becomes[s] = program.Unchanged
		}
	}
	for _, to := range text.To {
		met := c.contactState(text, to.Met, text.What+": to", false)
		becomes := program.Unchanged
		if !c.file.Stays(text, to) {
			becomes = c.contactState(text, to.Becomes, text.What+": to: "+to.Met.Name, true)
		}
		if met != program.NoState {
			ct.Becomes[met] = becomes
		}
		if becomes == program.NoState {
			c.noteLeaving(nil)
		}
	}
	if text.Self.Given() {
		if ct.Self = c.contactState(text, text.Self, text.What+": self", true); ct.Self == program.NoState {
			c.noteLeaving(nil)
		}
	}
}

// contactState looks up a state of a contact. If there is none, but a machine has one of that name,
// the message says so.
func (c *compiler) contactState(text *syntax.Contact, n syntax.Ref, what string, orOut bool) uint16 {
	if _, ok := c.states[n.Name]; !ok && !n.Bad && !c.file.StatesBad && !c.file.InvalidStates[n.Name] {
		for i := range c.file.Machines {
			m := &c.file.Machines[i]
			if slices.ContainsFunc(m.States, func(s syntax.State) bool { return s.Name == n.Name }) {
				c.Add(n.At, "%s: there is no state %s under states; machine %s has one: write machine: %s", what,
					diag.Quote(n.Name), m.Name, m.Name)
				return program.NoState
			}
		}
	}
	return c.state(n, what, orOut)
}

// contactFrom looks up the states that a contact is made from: nil if there are none.
func (c *compiler) contactFrom(text *syntax.Contact) program.StateSet {
	if len(text.From) == 0 {
		return nil
	}
	s := make(program.StateSet, len(c.program.States))
	for _, n := range text.From {
		if i := c.contactState(text, n, text.What+": from", false); i != program.NoState {
			s[i] = true
		}
	}
	return s
}

// contactMachine returns the machine that a contact is about, −1 for states, and reports false if
// there is no such machine.
func (c *compiler) contactMachine(text *syntax.Contact) (int, bool) {
	if !text.Machine.Given() {
		return -1, true
	}
	if text.Machine.Bad {
		return -1, false
	}
	m := slices.Index(c.file.MachineNames(), text.Machine.Name)
	if m < 0 {
		c.Add(text.Machine.At, "%s: machine: %s", text.What, diag.Unknown("machine", text.Machine.Name, c.file.MachineNames))
	}
	return m, m >= 0
}

// machineContact looks up the states of a machine in a contact. The contact affects individuals in
// all states; the machine decides.
func (c *compiler) machineContact(ct *program.Contact, text *syntax.Contact, m int) *program.RichContact {
	n := len(c.file.Machines[m].States)
	r := &program.RichContact{
		Machine: m, Attribute: c.program.Machines[m].Attribute, Everybody: text.Everybody,
		From: make([]bool, n), Becomes: slices.Repeat([]uint16{program.SameState}, n), Self: program.SameState,
	}
	for s := range ct.Becomes {
		ct.Becomes[s] = program.Unchanged
	}
	for v := range n {
		if r.From[v] = len(text.From) == 0; text.Everybody {
			r.Becomes[v] = program.Unchanged
		}
	}
	for _, from := range text.From {
		if v := c.machineValue(m, from, text.What+": from", false); v != program.NoState {
			r.From[v] = true
		}
	}
	for _, to := range text.To {
		met := c.machineValue(m, to.Met, text.What+": to", false)
		becomes := program.Unchanged
		if !c.file.Stays(text, to) {
			becomes = c.machineValue(m, to.Becomes, text.What+": to: "+to.Met.Name, true)
		}
		if met == program.NoState {
			continue
		}
		switch r.Becomes[met] = becomes; becomes {
		case program.NoState:
			c.noteLeaving([]program.Condition{c.isIn(m, int(met))})
		case program.Unchanged:
		default:
			c.addMachineFlow(m, c.isIn(m, int(met)).Is, becomes, true)
		}
	}
	if text.Self.Given() {
		if v := c.machineValue(m, text.Self, text.What+": self", true); v == program.NoState {
			ct.Self = program.NoState
			c.noteLeaving([]program.Condition{{Attribute: r.Attribute, Is: r.From}})
		} else {
			r.Self = v
			c.addMachineFlow(m, r.From, v, true)
		}
	}
	return r
}

// contactMoves works out what a contact gives, and what is inherited by it.
func (c *compiler) contactMoves(here eval.Scope, ct *program.Contact, text *syntax.Contact) {
	moves := c.moves(here, text.Moves, text.What+": move")
	places := c.placeMoves(text.Moves, text.Inherit, text.What+": move")
	c.inheritAlike(text.Inherit, text.Among.Name, text.What)
	for _, n := range text.Inherit {
		if n.Bad || c.kind(n.Name) >= 0 {
			continue
		}
		if a := c.givenAttribute(n, text.What+": inherit"); a >= 0 {
			moves = append(moves, program.Move{Attribute: uint16(a), Machine: int16(c.machineOf(a)), Inherits: true})
		}
	}
	link := c.link(text)
	if len(moves) == 0 && len(places) == 0 && link == 0 {
		return
	}
	if ct.Rich == nil {
		ct.Rich = &program.RichContact{Machine: -1, Self: program.SameState, Everybody: text.Everybody}
	}
	ct.Rich.Moves, ct.Rich.Places, ct.Rich.Link = moves, places, link
	if ct.MovesSomebody() {
		c.noteMoves(program.SameState, moves, nil)
	}
}

// among looks up whom a contact is among. The rate is then for each of their pairs, if it is for
// pairs. It reports false if there is no such attribute.
func (c *compiler) among(ct *program.Contact, text *syntax.Contact, rate *syntax.Value) bool {
	if text.Among.Bad {
		return false
	}
	near := program.Neighbourhood{Attribute: c.program.Attributes.Index(text.Among.Name), Kind: -1, Network: -1}
	if near.Kind = c.kind(text.Among.Name); near.Kind >= 0 {
		near.Attribute = -1
	} else if near.Network = c.network(text.Among.Name); near.Network >= 0 {
		near.Attribute = -1
	} else if near.Attribute < 0 {
		c.Add(text.Among.At, "%s: among: %s", text.What,
			diag.Unknown("kind of places, network or attribute", text.Among.Name, func() []string {
				return slices.Concat(c.file.PlaceNames(), c.file.NetworkNames(), c.program.Listed().Names())
			}))
		return false
	}
	if near.Attribute >= 0 {
		c.program.MixesBy[near.Attribute] = true
	}
	ct.EachPair = text.EachPair
	ct.Near = c.near(near)
	if text.EachPair {
		c.program.Near[ct.Near].Pairs = true
		each := *rate.CountDependent
		each.Near = 1 + ct.Near
		rate.CountDependent = &each
	}
	return true
}

// near returns the number of a neighbourhood in Program.Near.
func (c *compiler) near(of program.Neighbourhood) int {
	k := slices.IndexFunc(c.program.Near, func(o program.Neighbourhood) bool {
		of.Pairs = o.Pairs
		return o == of
	})
	if k < 0 {
		k = len(c.program.Near)
		c.program.Near = append(c.program.Near, of)
	}
	return k
}
