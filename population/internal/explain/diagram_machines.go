package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diagram"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// machineGraph is the part of the diagram that shows a machine.
func machineGraph(m *compile.Model, machine int) diagram.Graph {
	w := machineList(m, machine)
	g := diagram.Graph{Title: "machine " + w.of.Name}
	for _, name := range w.names {
		g.Nodes = append(g.Nodes, diagram.Node{Name: name, Note: w.startNote(machine, name)})
	}
	w.addMachine()
	g.Edges = edges(w.all)
	return g
}

// machineWays returns the number of transitions of a machine.
func machineWays(m *compile.Model, machine int) int {
	w := machineList(m, machine)
	w.addMachine()
	return len(w.all)
}

func machineList(m *compile.Model, machine int) *transitionList {
	p, of := m.Program, &m.File.Machines[machine]
	return &transitionList{program: p, file: m.File, here: m.StartScope(), of: of,
		names: p.Attributes[p.Machines[machine].Attribute].Values}
}

// startNote says who is in a state of a machine at the start.
func (w *transitionList) startNote(machine int, state string) string {
	for _, d := range w.program.Machines[machine].Deals {
		if d.Count > 0 && w.names[d.Value] == state {
			return format.Thousands(float64(d.Count)) + " at the start"
		}
	}
	for _, s := range w.of.Start {
		switch {
		case s.State.Name != state:
		case s.Rest:
			return "the rest at the start"
		case s.Kind == syntax.ComputedShare || w.isShare(s.Value):
			if share := w.percent(s.Value); share != "0%" {
				return share + " at the start"
			}
		}
	}
	return ""
}

// isShare reports whether a value is a percentage.
func (w *transitionList) isShare(v syntax.Value) bool {
	got, _, ok := w.here.Resolve(v, "")
	return ok && got.IsQuantity() && got.Quantity.Kind == quantity.Share
}

// addMachine adds what changes the state of a machine: its own clocks, contacts, moves by clocks of
// the states, of other machines and of always, and interventions, and how individuals enter.
// Individuals that leave by a clock elsewhere are not among them.
func (w *transitionList) addMachine() {
	f := w.file
	everywhere := w.states(nil)
	clocks := func(s *syntax.State, from []int, own int) {
		for _, all := range [][]syntax.Clock{s.Race, s.Split} {
			for k := range all {
				if own >= 0 {
					w.clock(&all[k], own)
				}
				w.clockMoves(&all[k], from)
			}
		}
	}
	for i := range f.States {
		clocks(&f.States[i], everywhere, -1)
	}
	for i := range f.Machines {
		for k := range f.Machines[i].States {
			if m := &f.Machines[i]; m == w.of {
				clocks(&m.States[k], []int{k}, k)
			} else {
				clocks(&m.States[k], everywhere, -1)
			}
		}
	}
	for i := range f.Always {
		w.clockMoves(&f.Always[i], everywhere)
	}
	for i := range f.Transmission {
		w.machineContact(&f.Transmission[i])
	}
	for i := range f.Tracing {
		c := traced(&f.Tracing[i])
		w.machineContact(&c)
	}
	for i := range f.Interventions {
		p := &f.Interventions[i]
		if p.To.Name != syntax.Out {
			w.moves(p.Moves, w.allowed(p.Where), w.planned(p), diagram.Planned)
		}
	}
	w.entrances()
}

// clockMoves adds the moves of a clock, for individuals in some states of the machine.
func (w *transitionList) clockMoves(c *syntax.Clock, from []int) {
	if !slices.ContainsFunc(c.Moves, w.changes) || c.To.Name == syntax.Out {
		return
	}
	w.moves(c.Moves, both(from, w.allowed(c.Where)), w.clockLabel(c), diagram.Clock)
}

// changes reports whether a move is about the machine.
func (w *transitionList) changes(mv syntax.Move) bool { return mv.Attribute.Name == w.of.Name }

// moves adds what moves do to individuals in some states of the machine.
func (w *transitionList) moves(moves []syntax.Move, from []int, label string, kind diagram.Kind) {
	for i := range moves {
		if !w.changes(moves[i]) {
			continue
		}
		for _, to := range w.given(&moves[i].Gives) {
			for _, s := range from {
				if s != to.value {
					w.add(transition{s, to.value, to.share + label, kind, nil})
				}
			}
		}
	}
}

// A target is a state that a move may give. Share is its share in words, before the label.
type target struct {
	value int
	share string
}

// given lists what a move may give: all states if it copies another attribute.
func (w *transitionList) given(g *syntax.Gives) (all []target) {
	for i := range g.Cases {
		for _, t := range w.given(&g.Cases[i].Gives) {
			t.share = ""
			all = append(all, t)
		}
	}
	for _, s := range g.Shares {
		share := "rest "
		if !s.Rest {
			share = w.percent(s.Share) + " "
		}
		all = append(all, target{w.state(s.State), share})
	}
	if g.Value.Given() {
		if v := w.state(g.Value); v >= 0 {
			return append(all, target{value: v})
		}
		for v := range w.names {
			all = append(all, target{value: v})
		}
	}
	return all
}

// machineContact adds what a contact does to the machine.
func (w *transitionList) machineContact(c *syntax.Contact) {
	own := c.Machine.Name == w.of.Name
	if own {
		w.contact(c)
	}
	// Moves and what is inherited are for the individual that is met, or for the one that makes the
	// contact if it alone changes.
	self := c.Self.Given() && !c.Everybody
	from, givers := w.allowed(c.Whom), w.allowed(c.Where)
	var met []syntax.Ref
	for _, to := range c.To {
		self = self && w.file.Stays(c, to)
		met = append(met, to.Met)
	}
	if own {
		givers = both(givers, w.states(c.From))
		if !c.Everybody {
			from = both(from, w.states(met))
		}
	}
	if self {
		from, givers = givers, from
	}
	label := cmp.Or(c.Name, contactLabel(c.From))
	w.moves(c.Moves, from, label, diagram.Contact)
	if !slices.ContainsFunc(c.Inherit, w.isMachine) {
		return
	}
	for _, s := range from {
		for _, to := range givers {
			if s != to {
				w.add(transition{s, to, label, diagram.Contact, nil})
			}
		}
	}
}

func (w *transitionList) isMachine(n syntax.Ref) bool { return n.Name == w.of.Name }

// entrances adds how individuals enter: in a state that is written there, in that of a parent, or
// as enter of the machine says, with one arrow for all of these.
func (w *transitionList) entrances() {
	var plain []transition // of which enter decides the state
	one := func(with []syntax.Move, label string, kind diagram.Kind) {
		for i := range with {
			if !w.changes(with[i]) {
				continue
			}
			for _, to := range w.given(&with[i].Gives) {
				w.add(transition{diagram.Outside, to.value, to.share + label, kind, nil})
			}
			return
		}
		plain = append(plain, transition{label: label, kind: kind})
	}
	for i := range w.file.Births {
		b := &w.file.Births[i]
		label := cmp.Or(b.Name, "births")
		if !slices.ContainsFunc(b.With, w.changes) && (b.InheritAll || slices.ContainsFunc(b.Inherit, w.isMachine)) {
			for _, v := range w.allowed(b.Where) {
				w.add(transition{diagram.Outside, v, label, diagram.Entry, nil})
			}
			continue
		}
		one(b.With, label, diagram.Entry)
	}
	for i := range w.file.Immigration {
		in := &w.file.Immigration[i]
		one(in.With, cmp.Or(in.Name, "immigration"), diagram.Entry)
	}
	for i := range w.file.Interventions {
		if p := &w.file.Interventions[i]; p.Enter.Given() {
			one(p.With, w.planned(p), diagram.Planned)
		}
	}
	switch {
	case len(plain) == 0 || !w.of.Enter.Given():
	case len(plain) == 1:
		w.entry(&w.of.Enter, plain[0].label, plain[0].kind, nil)
	default:
		w.entry(&w.of.Enter, "whoever enters", diagram.Entry, nil)
	}
}

// allowed returns the states of the machine that conditions allow.
func (w *transitionList) allowed(where []syntax.Where) []int {
	for i := range where {
		if w.isMachine(where[i].Attribute) {
			return w.states(where[i].Values)
		}
	}
	return w.states(nil)
}

// both returns the numbers that are in two lists.
func both(a, b []int) (all []int) {
	for _, v := range a {
		if slices.Contains(b, v) {
			all = append(all, v)
		}
	}
	return all
}

// mostCondition is the number of letters that conditions take in a label; longer ones are shortened
// to the names of what they are about.
const mostCondition = 24

// onlyIf says in a label that other machines, or the state, decide whether a clock goes.
func (w *transitionList) onlyIf(where []syntax.Where) string {
	var all, names []string
	for _, c := range where {
		if a := w.program.Attributes.Index(c.Attribute.Name); a < w.program.Plain() {
			continue
		}
		all = append(all, c.Attribute.Name+" "+orList(c.Values))
		names = append(names, c.Attribute.Name)
	}
	text := strings.Join(all, " and ")
	switch {
	case len(all) == 0:
		return ""
	case len([]rune(text)) > mostCondition:
		return ", by " + strings.Join(names, ", ")
	}
	return " if " + text
}
