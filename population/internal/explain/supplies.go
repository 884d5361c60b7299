package explain

import (
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// supplies lists what is used up: when it is added to, and how much is kept.
func (e *explainer) supplies() {
	e.section("Supplies", len(e.file.Supplies))
	for i := range e.file.Supplies {
		s := &e.file.Supplies[i]
		most := ""
		if s.Keep.Given() {
			most = "; what is above " + e.withName(s.Keep, e.value(s.Keep)) + " is lost"
		}
		e.line("  %s: %s, %s more%s", s.Name, e.interventionTime(&s.Delivery), e.count(&s.Delivery), most)
	}
}

// uses says what a clock or a contact takes from a supply, and what happens if there is none.
func uses(u *syntax.Uses) string {
	if !u.Supply.Given() && u.Full.Given() {
		return ", if there is room; otherwise it " + outcome(u.Full) + inTurn(u)
	}
	if !u.Supply.Given() {
		return ""
	}
	instead := "otherwise nothing happens"
	if u.Full.Given() {
		instead = "otherwise it " + outcome(u.Full) + inTurn(u)
	}
	return ", if there is one of " + u.Supply.Name + " left, which is used; " + instead
}

// inTurn says that those for whom there was nothing wait.
func inTurn(u *syntax.Uses) string {
	if !u.Queue {
		return ""
	}
	return " and waits in turn"
}

// supplyWarnings lists the clocks that fire once, and in vain if a supply has nothing left; and
// the supplies that nothing uses.
func (e *explainer) supplyWarnings() (all []string) {
	used := map[string]bool{}
	e.file.EachClock(func(c *syntax.Clock) {
		used[c.Uses.Supply.Name] = true
		if c.Uses.Supply.Given() && !c.Uses.Full.Given() && c.After.Given() {
			all = append(all, c.What+": if it fires while no "+c.Uses.Supply.Name+" are left, nothing comes after it; "+
				"write full: and a state beside it, or a rate, which fires again")
		}
	})
	for i := range e.file.Transmission {
		used[e.file.Transmission[i].Uses.Supply.Name] = true
	}
	for i := range e.file.Tracing {
		used[e.file.Tracing[i].Contact.Uses.Supply.Name] = true
	}
	for i := range e.file.Interventions {
		used[e.file.Interventions[i].Supply.Name] = true
	}
	for _, name := range e.file.SupplyNames() {
		if !used[name] {
			all = append(all, "nothing uses the supply "+name)
		}
	}
	return all
}

// usesWhileRunning returns a supply that a clock or a contact uses, or "".
func (e *explainer) usesWhileRunning() (name string) {
	e.file.EachClock(func(c *syntax.Clock) {
		if name == "" {
			name = c.Uses.Supply.Name
		}
	})
	for i := range e.file.Transmission {
		if name == "" {
			name = e.file.Transmission[i].Uses.Supply.Name
		}
	}
	return name
}
