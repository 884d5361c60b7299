package compile

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxSupplies is the number of supplies that a file can have.
const maxSupplies = 250

// listSupplies copies the names of the supplies into the program.
func (c *compiler) listSupplies() {
	c.program.Supplies = c.file.SupplyNames()
	if n := len(c.file.Supplies); n > maxSupplies {
		c.Add(c.file.Supplies[maxSupplies].At, "supplies: %d are more than the %d there can be", n, maxSupplies)
		c.Stopped = true
	}
}

// supply looks up a supply. It returns −1 if there is none.
func (c *compiler) supply(n syntax.Ref) int {
	if !n.Given() || n.Bad {
		return -1
	}
	return slices.Index(c.program.Supplies, n.Name)
}

// unknownCount reports whether a count is neither a supply nor a parameter, and adds a problem if
// so. Without supplies that is left to the look-up of parameters.
func (c *compiler) unknownCount(text *syntax.Intervention) bool {
	v := &text.ComputedCount
	if len(c.file.Supplies) == 0 || v.Name == "" || c.file.HasParameter(v.Name) {
		return false
	}
	c.here.Report(*v, v.At, "%s: count: %s", text.What, diag.Unknown("supply or parameter", v.Name,
		func() []string { return append(c.file.SupplyNames(), c.file.ParameterNames()...) }))
	return true
}

// deliveries returns when the supplies are added to, as interventions.
func (c *compiler) deliveries(start eval.Scope) (all []occurrence, ok bool) {
	for i := range c.file.Supplies {
		s := &c.file.Supplies[i]
		if s.Bad {
			continue
		}
		d := &program.Intervention{
			What: s.Delivery.What, Effects: map[*program.Phase]*program.Effect{}, Begins: -1, Supply: -1, Adds: i,
			Do: program.Action{Kind: program.DoMove, To: program.SameState, Name: -1, Chance: 1},
		}
		c.interventionSyntax[d] = &s.Delivery
		if all, ok = c.occurrences(start, all, &s.Delivery, d); !ok {
			return all, false
		}
	}
	return all, true
}

// deliverFirst puts deliveries before the interventions of the same instant. The occurrences are
// sorted by time, and those of equal times are; but times that differ by rounding errors are equal
// too.
func (c *compiler) deliverFirst(all []occurrence) {
	for i := range all {
		one := all[i]
		if one.of.Adds < 0 {
			continue
		}
		k := i
		for k > 0 && all[k-1].of.Adds < 0 && all[k-1].at >= one.at-c.program.TimeTolerance {
			one.at = all[k-1].at
			all[k] = all[k-1]
			k--
		}
		all[k] = one
	}
}

// keep returns how many a supply keeps at most.
func (c *compiler) keep(here eval.Scope, s *syntax.Supply) int {
	if !s.Keep.Given() || s.Keep.Bad {
		return math.MaxInt
	}
	keep, _ := here.Individuals(s.Keep, s.Delivery.What+": keep", "")
	return keep
}

// onlyMoves returns the moves of what leads to no state; nil if it does.
func onlyMoves(to syntax.Ref, moves []syntax.Move) []syntax.Move {
	if to.Given() {
		return nil
	}
	return moves
}

// uses looks up what a clock takes from a supply, and what happens if there is none: the state of
// full is one of a machine, or of states if machine is −1. Only are the moves that are all that the
// clock does; nil if there is more. It returns nil for nothing.
func (c *compiler) uses(u *syntax.Uses, what string, machine, name int, only []syntax.Move) *program.Use {
	if u.Supply.Bad || !u.Supply.Given() && (!u.Full.Given() || u.Full.Bad) {
		return nil
	}
	use := &program.Use{Supply: c.supply(u.Supply), Queue: u.Queue}
	c.program.Queues = c.program.Queues || u.Queue
	if !u.Supply.Given() {
		c.needLimited(u.Full, what, only)
	} else if use.Supply < 0 {
		c.Add(u.Supply.At, "%s: uses: %s", what, diag.Unknown("supply", u.Supply.Name, c.file.SupplyNames))
		return nil
	}
	if !u.Full.Given() {
		return use
	}
	use.Full = &program.Action{Kind: program.DoMove, To: program.SameState, Name: name, Chance: 1}
	if machine < 0 {
		use.Full.To = c.state(u.Full, what+": full", true)
		return use
	}
	if v := c.machineValue(machine, u.Full, what+": full", true); v == program.NoState {
		use.Full.To = program.NoState
	} else {
		attribute := uint16(c.program.Machines[machine].Attribute)
		use.Full.Moves = []program.Move{{Attribute: attribute, Value: v, Machine: int16(machine), Enters: true}}
	}
	return use
}

// contactUses looks up what a contact takes from a supply, and notes the flows of machines if there
// is none: to the state of full, and from there once it is their turn.
func (c *compiler) contactUses(ct *program.Contact, text *syntax.Contact, machine int) *program.Use {
	use := c.uses(&text.Uses, text.What, machine, c.nameIndex(text.Name), nil)
	beside := ""
	switch {
	case text.Self.Given() || len(text.Inherit) > 0:
		beside = "self or inherit"
	case text.Link.Given():
		beside = "link"
	}
	if text.Uses.Queue && beside != "" {
		c.Add(text.Uses.Full.At, "%s: queue beside %s: when there is room the other may have changed, or left", text.What,
			beside)
	}
	if use == nil || use.Full == nil || len(c.program.Machines) == 0 {
		return use
	}
	if machine < 0 {
		c.noteAction(use.Full, nil)
		return use
	}
	affected := make([]bool, len(ct.Rich.Becomes)) // those who are met, or the maker if they stay as they are
	for v, to := range ct.Rich.Becomes {
		affected[v] = to != program.SameState && (to != program.Unchanged || text.Everybody)
	}
	if slices.Contains(ct.Rich.Becomes, program.Unchanged) && !text.Everybody {
		for v, is := range ct.Rich.From {
			affected[v] = affected[v] || is
		}
	}
	c.noteAction(use.Full, []program.Condition{{Attribute: ct.Rich.Attribute, Is: affected}})
	if !use.Queue {
		return use
	}
	for _, to := range ct.Rich.Becomes {
		switch waits := c.whileWaiting(use); {
		case to == program.NoState:
			c.noteLeaving(waits)
		case to < program.Unchanged:
			c.addMachineFlow(machine, waits[0].Is, to, true)
		}
	}
	return use
}
