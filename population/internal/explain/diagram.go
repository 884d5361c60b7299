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
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// ErrDiagram is the error of a model with so many states or transitions that laying out a diagram
// would take too long.
var ErrDiagram = errors.New("too large for a diagram")

// Diagram draws the states and the transitions between them.
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
	for _, way := range Ways(m) {
		g.Edges = append(g.Edges, diagram.Edge{From: way.from, To: way.to, Label: way.label, Kind: way.kind})
	}
	d, err := g.Drawing(ctx)
	if errors.Is(err, diagram.ErrTooLarge) {
		err = fmt.Errorf("%s: %w: it has %s states and %s ways between them", p.Name, ErrDiagram,
			format.Thousands(float64(len(g.Nodes))), format.Thousands(float64(len(g.Edges))))
	}
	return d, err
}

// A transition is an arrow of the diagram: something that takes individuals from one state to
// another.
type transition struct {
	from, to int // states, or diagram.Outside
	label    string
	kind     diagram.Kind
	by       []int // the states it needs: of the individuals that make the contact, or of the parents
}

// Ways lists all transitions, in the order of the file.
func Ways(m *compile.Model) []transition {
	f := m.File
	w := &transitionList{program: m.Program, file: f, here: m.StartScope()}
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
		var met []syntax.Ref
		for _, to := range c.To {
			met = append(met, to.Met)
			if f.Stays(c, to) {
				continue
			}
			label := cmp.Or(c.Name, "by "+orList(c.From))
			w.add(transition{w.state(to.Met), w.state(to.Becomes), label, diagram.Contact, w.states(c.From)})
			if c.Uses.Full.Given() {
				none := "no " + cmp.Or(c.Uses.Supply.Name, "room")
				w.add(transition{w.state(to.Met), w.state(c.Uses.Full), none, diagram.Contact, w.states(c.From)})
			}
		}
		if c.Self.Given() {
			for _, s := range w.states(c.From) {
				w.add(transition{s, w.state(c.Self), cmp.Or(c.Name, "by "+orList(met)), diagram.Contact, w.states(met)})
			}
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
		label := cmp.Or(p.Name, fmt.Sprintf("%s %.6g", f.Unit.Name, p.FirstTime))
		if p.HasCondition {
			label = cmp.Or(p.Name, "when "+p.Conditions[0].Text())
		}
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
	here    compile.Scope
	all     []transition
}

func (w *transitionList) add(next transition) { w.all = append(w.all, next) }

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
		return // it changes attributes only
	}
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
	if c.Chance.Given() {
		label = w.percent(c.Chance) + " " + label
	}
	w.add(transition{state, w.state(c.To), label, diagram.Clock, nil})
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
func (w *transitionList) state(n syntax.Ref) int { return slices.Index(w.program.States, n.Name) }

// states returns the numbers of some states. An empty list means all.
func (w *transitionList) states(names []syntax.Ref) []int {
	var all []int
	for i, s := range w.program.States {
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
