package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diagram"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// ErrDiagram is the error of a model with so many states or transitions that laying out a diagram
// would take too long.
var ErrDiagram = errors.New("too large for a diagram")

// Diagram draws the states and the transitions between them. A model with machines has a frame for
// its states, and one for each machine.
func Diagram(ctx context.Context, m *compile.Model) (vector.Drawing, error) {
	p := m.Program
	g := diagram.Graph{Title: p.Name}
	for i, s := range p.States {
		note := ""
		if p.StartCounts[i] > 0 {
			note = format.Thousands(float64(p.StartCounts[i])) + " at the start"
		}
		g.Nodes = append(g.Nodes, diagram.Node{Name: s, Note: note})
	}
	g.Edges = edges(Ways(m))
	d, err := vector.Drawing{}, error(nil)
	if len(p.Machines) == 0 {
		d, err = g.Drawing(ctx)
	} else {
		g.Title = "states"
		parts := []diagram.Graph{g}
		for i := range p.Machines {
			parts = append(parts, machineGraph(m, i))
		}
		d, err = diagram.Framed(ctx, p.Name, parts)
	}
	if errors.Is(err, diagram.ErrTooLarge) {
		err = fmt.Errorf("%s: %w: it has %s states and %s ways between them", p.Name, ErrDiagram,
			format.Thousands(float64(len(p.Counted))), format.Thousands(float64(WayCount(m))))
	}
	return d, err
}

// WayCount returns the number of arrows of the diagram.
func WayCount(m *compile.Model) int {
	n := len(Ways(m))
	for i := range m.Program.Machines {
		n += machineWays(m, i)
	}
	return n
}

// edges are transitions as the diagram draws them.
func edges(ways []transition) (all []diagram.Edge) {
	for _, way := range ways {
		all = append(all, diagram.Edge{From: way.from, To: way.to, Label: way.label, Kind: way.kind})
	}
	return all
}

// A transition is an arrow of the diagram: something that takes individuals from one state to
// another.
type transition struct {
	from, to int // states, or diagram.Outside
	label    string
	kind     diagram.Kind
	by       []int // the states it needs: of the individuals that make the contact, or of the parents
}

// Ways lists all transitions between states, in the order of the file.
func Ways(m *compile.Model) []transition {
	f := m.File
	w := &transitionList{program: m.Program, file: f, here: m.StartScope(), names: m.Program.States}
	for i := range f.States {
		for k := range f.States[i].Race {
			w.clock(&f.States[i].Race[k], i)
			w.children(&f.States[i].Race[k], []int{i})
		}
		for k := range f.States[i].Split {
			w.clock(&f.States[i].Split[k], i)
			w.children(&f.States[i].Split[k], []int{i})
		}
	}
	for i := range f.Machines {
		for _, s := range f.Machines[i].States {
			for k := range s.Race {
				w.children(&s.Race[k], w.states(nil))
			}
			for k := range s.Split {
				w.children(&s.Split[k], w.states(nil))
			}
		}
	}
	for i := range f.Always {
		w.children(&f.Always[i], w.states(f.Always[i].From))
		for _, s := range w.states(f.Always[i].From) {
			w.clock(&f.Always[i], s)
		}
	}
	for i := range f.Transmission {
		c := &f.Transmission[i]
		if c.Machine.Given() {
			continue // it changes no state
		}
		w.contact(c)
	}
	for i := range f.Tracing {
		if c := traced(&f.Tracing[i]); !c.Machine.Given() {
			w.contact(&c)
		}
	}
	for i := range f.Births {
		b := &f.Births[i]
		w.entry(&b.Enter, cmp.Or(b.Name, "births"), diagram.Entry, w.states(b.From))
	}
	for i := range f.Immigration {
		w.entry(&f.Immigration[i].Enter, cmp.Or(f.Immigration[i].Name, "immigration"), diagram.Entry, nil)
	}
	for i := range f.Interventions {
		p := &f.Interventions[i]
		label := w.planned(p)
		if p.To.Given() {
			for _, s := range w.states(p.Who) {
				w.add(transition{s, w.state(p.To), label, diagram.Planned, nil})
			}
		}
		if p.Enter.Given() {
			w.entry(&p.Enter, label, diagram.Planned, nil)
		}
	}
	return w.all
}

// A transitionList collects the transitions of a model.
type transitionList struct {
	program *program.Program
	file    *syntax.File
	here    eval.Scope
	of      *syntax.Machine // nil for states
	names   []string        // of the states, or of those of the machine
	all     []transition
}

// add appends a transition. Those of a machine that look alike are one: the cases of a move may
// give the same.
func (w *transitionList) add(next transition) {
	alike := func(t transition) bool {
		return t.from == next.from && t.to == next.to && t.label == next.label && t.kind == next.kind
	}
	if w.of == nil || !slices.ContainsFunc(w.all, alike) {
		w.all = append(w.all, next)
	}
}

// contact adds the transitions that a contact causes by from, to and self.
func (w *transitionList) contact(c *syntax.Contact) {
	var met []syntax.Ref
	for _, to := range c.To {
		met = append(met, to.Met)
		if w.file.Stays(c, to) {
			continue
		}
		label := cmp.Or(c.Name, contactLabel(c.From))
		w.add(transition{w.state(to.Met), w.state(to.Becomes), label, diagram.Contact, w.states(c.From)})
		if c.Uses.Full.Given() {
			none := "no " + cmp.Or(c.Uses.Supply.Name, "room")
			w.add(transition{w.state(to.Met), w.state(c.Uses.Full), none, diagram.Contact, w.states(c.From)})
		}
	}
	if c.Self.Given() {
		for _, s := range w.states(c.From) {
			w.add(transition{s, w.state(c.Self), cmp.Or(c.Name, contactLabel(met)), diagram.Contact, w.states(met)})
		}
	}
}

// contactLabel is the label of a contact with individuals in some states.
func contactLabel(states []syntax.Ref) string {
	if len(states) == 0 {
		return "contact"
	}
	return "by " + orList(states)
}

// planned is the label of an intervention.
func (w *transitionList) planned(p *syntax.Intervention) string {
	if p.HasCondition {
		return cmp.Or(p.Name, "when "+p.Conditions[0].Text())
	}
	return cmp.Or(p.Name, fmt.Sprintf("%s %.6g", w.file.Unit.Name, p.FirstTime))
}

// entry adds the transition from outside into a state, or into each of several with its share.
func (w *transitionList) entry(e *syntax.Enter, label string, kind diagram.Kind, by []int) {
	if len(e.Into) == 0 {
		w.add(transition{diagram.Outside, w.state(e.Ref), label, kind, by})
	}
	for _, s := range e.Into {
		share := "rest"
		if !s.Rest {
			share = w.percent(s.Share)
		}
		w.add(transition{diagram.Outside, w.state(s.State), share + " " + label, kind, by})
	}
}

// children adds the transitions from outside of those who enter when a clock of individuals in some
// states fires.
func (w *transitionList) children(c *syntax.Clock, by []int) {
	for i := range c.Children {
		w.entry(&c.Children[i].Enter, cmp.Or(c.Name, "births"), diagram.Entry, by)
	}
}

// clock adds the transition that a clock causes in a state.
func (w *transitionList) clock(c *syntax.Clock, state int) {
	if c.Uses.Full.Given() && slices.Contains(w.program.States, c.Uses.Full.Name) {
		w.add(transition{state, w.state(c.Uses.Full), "no " + cmp.Or(c.Uses.Supply.Name, "room"), diagram.Clock, nil})
	}
	if !c.To.Given() {
		return // it changes attributes or machines only
	}
	w.add(transition{state, w.state(c.To), w.clockLabel(c), diagram.Clock, nil})
}

// clockLabel is the label of a clock: its name, or when it fires.
func (w *transitionList) clockLabel(c *syntax.Clock) string {
	label := c.Name
	switch {
	case label != "":
	case c.Rate.Given():
		label = w.label(c.Rate, func() string {
			rate, _ := w.here.Rate(c.Rate, "")
			return fmt.Sprintf("%.3g per %s", rate, w.file.Unit.Name)
		})
	default:
		label = w.label(c.After, func() string {
			l, _ := w.here.Law(c.After, "")
			return w.file.Unit.Duration(l.Mean())
		})
	}
	if c.Name == "" && len(w.program.Machines) > 0 {
		label += w.onlyIf(c.Where)
	}
	if c.Chance.Given() {
		label = w.percent(c.Chance) + " " + label
	}
	return label
}

// percent returns a probability in words.
func (w *transitionList) percent(v syntax.Value) string {
	return w.label(v, func() string {
		chance, _ := w.here.Chance(v, "")
		return format.Percent(chance)
	})
}

// label returns a value in words, or what it depends on if it is not the same for all individuals.
func (w *transitionList) label(v syntax.Value, words func() string) string {
	d := w.here.Dependence(v)
	if d.Fixed() {
		return words()
	}
	var by []string
	for _, a := range append(slices.Clone(d.Own), d.Met...) {
		if name := w.program.Attributes[a].Name; !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	switch {
	case d.Number:
		by = append(by, "individual")
	case d.Since:
		by = append(by, "time since")
	case d.Time:
		by = append(by, "time")
	}
	if d.Counts {
		by = append(by, "counts")
	}
	return "by " + strings.Join(by, ", ")
}

// state returns the number of a state, or diagram.Outside.
func (w *transitionList) state(n syntax.Ref) int { return slices.Index(w.names, n.Name) }

// states returns the numbers of some states. An empty list means all.
func (w *transitionList) states(names []syntax.Ref) []int {
	var all []int
	for i, s := range w.names {
		if len(names) == 0 || slices.ContainsFunc(names, func(n syntax.Ref) bool { return n.Name == s }) {
			all = append(all, i)
		}
	}
	return all
}

// reachable reports, for each state, whether any individual can ever be in it.
func reachable(m *compile.Model) []bool {
	reached := make([]bool, len(m.Program.States))
	for i, n := range m.Program.StartCounts {
		reached[i] = n > 0
	}
	among := func(states []int) bool {
		return states == nil || slices.ContainsFunc(states, func(s int) bool { return reached[s] })
	}
	ways := Ways(m)
	for again := true; again; {
		again = false
		for _, w := range ways {
			if w.to >= 0 && !reached[w.to] && (w.from < 0 || reached[w.from]) && among(w.by) {
				reached[w.to], again = true, true
			}
		}
	}
	return reached
}
