package explain

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// machines lists the machines: their states with what happens in each, who is in them at the start,
// and in which state individuals enter.
func (e *explainer) machines() {
	for i := range e.file.Machines {
		m := &e.file.Machines[i]
		e.line("\nMachine %s: everybody is in one of these states too, whatever the state above", m.Name)
		for k := range m.States {
			s := &m.States[k]
			e.line("  %s%s", s.Name, e.machineStart(m, s.Name))
			e.clocks(s)
		}
		if m.Enter.Given() {
			e.line("  whoever enters begins as %s, unless it says otherwise there", e.entryState(&m.Enter))
		}
	}
}

// machineStart says who is in a state of a machine at the start.
func (e *explainer) machineStart(m *syntax.Machine, state string) string {
	text := ": nobody at the start"
	for i := range m.Start {
		s := &m.Start[i]
		if s.State.Name != state {
			continue
		}
		switch {
		case s.Rest:
			text = ": the rest at the start"
		case s.Kind == syntax.ComputedShare:
			text = ": at the start with probability " + e.probability(s.Value)
		case e.isShare(s.Value):
			text = ": at the start with probability " + e.probability(s.Value)
		default:
			text = ": " + e.value(s.Value) + " at the start, chosen at random"
		}
		if s.Since.Given() {
			text += ", for a time that is " + e.duration(s.Since) + ", from which their clocks go on"
		}
	}
	return text
}

// isShare reports whether a value is a percentage.
func (e *explainer) isShare(v syntax.Value) bool {
	got, _, ok := e.here.Resolve(v, "")
	return ok && got.IsQuantity() && got.Quantity.Kind == quantity.Share
}

// clocks lists the clocks of a state.
func (e *explainer) clocks(s *syntax.State) {
	for k := range s.Split {
		c := &s.Split[k]
		chance := "otherwise"
		if c.Chance.Given() {
			chance = "with probability " + e.probability(c.Chance)
		}
		e.line("    %s %s %s%s%s", chance, e.outcomeOfClock(c), e.clockTime(c), uses(&c.Uses), nameTag(c.Name))
		e.childrenOf(c)
	}
	for k := range s.Race {
		c := &s.Race[k]
		e.line("    %s %s%s%s%s", e.outcomeOfClock(c), e.clockTime(c), whereConditions(c.Where), uses(&c.Uses),
			nameTag(c.Name))
		e.childrenOf(c)
	}
	if min(1, len(s.Split))+len(s.Race) > 1 {
		e.line("    whichever comes first")
	}
}

// gives says what a move gives.
func (e *explainer) gives(g *syntax.Gives) string {
	switch {
	case g.File != "":
		return "drawn from the row of its " + g.By.Name + " in " + g.File
	case len(g.Cases) > 0:
		var all []string
		for i := range g.Cases {
			of := g.By.Name + " " + g.Cases[i].Of.Name
			if g.Cases[i].Other {
				of = "any other " + g.By.Name
			}
			all = append(all, e.gives(&g.Cases[i].Gives)+" for "+of)
		}
		return strings.Join(all, ", ")
	case len(g.Shares) > 0:
		return e.entryState(&syntax.Enter{Into: g.Shares})
	}
	return g.Value.Name
}

// makers says who makes a contact.
func makers(c *syntax.Contact) string {
	who := "each individual"
	switch {
	case len(c.From) > 0 && c.Machine.Given():
		who += " of " + c.Machine.Name + " " + orList(c.From) + andConditions(c.Where)
	case len(c.From) > 0:
		who += " that is " + orList(c.From) + andConditions(c.Where)
	default:
		who += ofConditions(c.Where)
	}
	return who
}

// ofMachine says in which state an individual is: of the machine of a contact, if it has one.
func ofMachine(c *syntax.Contact, state string) string {
	if c.Machine.Given() {
		return "of " + c.Machine.Name + " " + state
	}
	return state
}

// inherits says what somebody has from another individual.
func inherits(all []syntax.Ref, from string) string {
	if len(all) == 0 {
		return ""
	}
	return " and has the " + strings.ReplaceAll(orList(all), " or ", " and ") + " of " + from
}

// everybodyMet says what a contact does to everybody that is met.
func (e *explainer) everybodyMet(c *syntax.Contact) {
	what := strings.TrimPrefix(e.addMoves("", c.Moves, false)+inherits(c.Inherit, "the one who met it"), " and ")
	if c.Link.Given() {
		what = strings.TrimSuffix("is linked with the one who met it and "+what, " and ")
	}
	if c.Chance.Given() {
		what += " with probability " + e.probability(c.Chance)
	}
	if c.Self.Given() {
		what += ", and the one who met it " + outcome(c.Self)
	}
	e.line("    whoever is met%s %s%s", ofConditions(c.Whom), what, uses(&c.Uses))
	if c.Link.Given() {
		e.line("    %s", e.linked(c))
	}
}

// readAtStart says of a clock with a memory that reads a machine that it does so when it starts.
func (e *explainer) readAtStart(c *syntax.Clock) string {
	if e.exponential(c.After, 0) {
		return "" // it follows
	}
	reads := e.here.Dependence(c.After).Own
	for _, w := range c.Where {
		reads = append(reads[:len(reads):len(reads)], e.program.Attributes.Index(w.Attribute.Name))
	}
	var names []string
	for i := range e.program.Machines {
		if a := e.program.Machines[i].Attribute; slices.Contains(reads, a) {
			names = append(names, e.program.Attributes[a].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, " and ") + " is read when the clock starts; what it becomes later changes nothing)"
}

// exponential reports whether a duration is exponential for all individuals, as a gamma with shape
// 1 is too.
func (e *explainer) exponential(v syntax.Value, steps int) bool {
	switch {
	case steps > syntax.MaxParameterChain:
		return false
	case v.Name != "":
		p, _ := e.here.Parameter(v.Name)
		return e.exponential(p.Value, steps+1)
	case v.Table != nil:
		follows := true
		for i := range v.Table.Entries {
			follows = follows && e.exponential(v.Table.Entries[i].Value, steps+1)
		}
		return follows
	}
	if v.Distribution == nil {
		return false
	}
	switch d := v.Distribution; d.Family {
	case "exponential":
		return true
	case "gamma", "weibull", "erlang": // exponential, if the shape is 1
		shape, ok := d.Args["shape"]
		if d.Family == "erlang" {
			shape, ok = d.Args["k"]
		}
		if !ok || e.here.Dependence(shape).Cells() {
			return false
		}
		x, _, ok := e.here.Quantity(shape, "", quantity.Number)
		return ok && x == 1
	}
	return false
}
