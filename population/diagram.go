package population

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population/internal/diagram"
)

// ErrDiagram is the error of a model with so many states, or ways between them, that a diagram would take too long to lay out.
var ErrDiagram = errors.New("too large for a diagram")

// Diagram draws the states and the ways between them, as SVG. The error is [ErrDiagram], or that of the context if it ends first. Which models
// are too large does not depend on the machine; one that is takes some seconds to find out.
func (m *Model) Diagram(ctx context.Context) ([]byte, error) {
	d, err := m.DiagramShapes(ctx)
	if err != nil {
		return nil, err
	}
	return d.SVG(), nil
}

// DiagramShapes is what Diagram draws, as shapes with coordinates, for other formats than SVG.
func (m *Model) DiagramShapes(ctx context.Context) (vector.Drawing, error) {
	g := diagram.Graph{Title: m.name}
	for i, s := range m.states {
		note := ""
		if m.starts[i] > 0 {
			note = thousands(m.starts[i]) + " at the start"
		}
		g.Nodes = append(g.Nodes, diagram.Node{Name: s, Note: note})
	}
	for _, way := range m.ways() {
		g.Edges = append(g.Edges, diagram.Edge{From: way.from, To: way.to, Label: way.label, Kind: way.kind})
	}
	d, err := g.Drawing(ctx)
	if errors.Is(err, diagram.ErrTooLarge) {
		err = fmt.Errorf("%s: %w: it has %s states and %s ways between them", m.name, ErrDiagram, thousands(len(g.Nodes)), thousands(len(g.Edges)))
	}
	return d, err
}

// Ways is how many arrows the diagram has: several may lead from one state to the same other one.
func (m *Model) Ways() int { return len(m.ways()) }

// A way is an arrow of the diagram: something that takes individuals from one state to another.
type way struct {
	from, to int // states, or diagram.Outside
	label    string
	kind     diagram.Kind
	by       []int // contacts: the states of those who bring it about; births: of the parents
}

// ways lists all of them, in the order of the file.
func (m *Model) ways() []way {
	w := &wayList{m: m, here: m.quietly()}
	f := m.file
	for i := range f.states {
		for k := range f.states[i].race {
			w.clock(&f.states[i].race[k], i)
		}
		for k := range f.states[i].split {
			w.clock(&f.states[i].split[k], i)
		}
	}
	for i := range f.always {
		for _, s := range w.states(f.always[i].from) {
			w.clock(&f.always[i], s)
		}
	}
	for i := range f.transmission {
		c := &f.transmission[i]
		var met []named
		for _, to := range c.to {
			met = append(met, to.met)
			if f.stays(to) {
				continue
			}
			w.add(way{w.state(to.met), w.state(to.becomes), orElse(c.name, "by "+list(c.from)), diagram.Contact, w.states(c.from)})
		}
		if c.self.given() {
			for _, s := range w.states(c.from) {
				w.add(way{s, w.state(c.self), orElse(c.name, "by "+list(met)), diagram.Contact, w.states(met)})
			}
		}
	}
	for i := range f.births {
		b := &f.births[i]
		w.entry(&b.enter, orElse(b.name, "births"), diagram.Entry, w.states(b.from))
	}
	for i := range f.immigration {
		w.entry(&f.immigration[i].enter, orElse(f.immigration[i].name, "immigration"), diagram.Entry, nil)
	}
	for i := range f.plans {
		p := &f.plans[i]
		label := orElse(p.name, fmt.Sprintf("%s %.6g", m.unit.name, p.when))
		if p.waits {
			label = orElse(p.name, "when "+p.conditions[0].words())
		}
		if p.to.given() {
			for _, s := range w.states(p.who) {
				w.add(way{s, w.state(p.to), label, diagram.Planned, nil})
			}
		}
		if p.enter.given() {
			w.entry(&p.enter, label, diagram.Planned, nil)
		}
	}
	return w.all
}

type wayList struct {
	m    *Model
	here scope
	all  []way
}

func (w *wayList) add(next way) { w.all = append(w.all, next) }

// entry adds the way from outside into a state, or into each of several, with its share.
func (w *wayList) entry(e *enterText, label string, kind diagram.Kind, by []int) {
	if len(e.into) == 0 {
		w.add(way{diagram.Outside, w.state(e.named), label, kind, by})
	}
	for _, s := range e.into {
		share := "rest"
		if !s.rest {
			share = w.percent(s.share)
		}
		w.add(way{diagram.Outside, w.state(s.state), share + " " + label, kind, by})
	}
}

// clock adds what a clock does to those in a state.
func (w *wayList) clock(c *clockText, state int) {
	if !c.to.given() {
		return // it moves, but stays in its state
	}
	label := c.name
	switch {
	case label != "":
	case c.rate.given():
		label = w.label(c.rate, func() string {
			rate, _ := w.here.rate(c.rate, "")
			return fmt.Sprintf("%.3g per %s", rate, w.m.unit.name)
		})
	default:
		label = w.label(c.after, func() string {
			l, _ := w.here.law(c.after, "")
			return inWords(l.mean(), w.m.unit)
		})
	}
	if c.chance.given() {
		label = w.percent(c.chance) + " " + label
	}
	w.add(way{state, w.state(c.to), label, diagram.Clock, nil})
}

// percent puts a probability into words.
func (w *wayList) percent(v value) string {
	return w.label(v, func() string {
		chance, _ := w.here.chance(v, "")
		return percent(chance)
	})
}

// label puts a value into words; one that is not the same for all, by what it depends on.
func (w *wayList) label(v value, words func() string) string {
	d := w.here.depends(v)
	if d.fixed() {
		return words()
	}
	var by []string
	for _, a := range append(slices.Clone(d.own), d.met...) {
		if name := w.m.attributes[a].name; !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	if d.time {
		by = append(by, "time")
	}
	if d.counts {
		by = append(by, "counts")
	}
	return "by " + strings.Join(by, ", ")
}

// state is the number of a state, or diagram.Outside.
func (w *wayList) state(n named) int { return slices.Index(w.m.states, n.name) }

// states are the numbers of some states; none means all.
func (w *wayList) states(names []named) []int {
	var all []int
	for i, s := range w.m.states {
		if len(names) == 0 || slices.ContainsFunc(names, func(n named) bool { return n.name == s }) {
			all = append(all, i)
		}
	}
	return all
}

func orElse(name, otherwise string) string {
	if name != "" {
		return name
	}
	return otherwise
}

// reached tells which states anybody can ever be in.
func (m *Model) reached() []bool {
	reached := make([]bool, len(m.states))
	for i, n := range m.starts {
		reached[i] = n > 0
	}
	among := func(states []int) bool {
		return states == nil || slices.ContainsFunc(states, func(s int) bool { return reached[s] })
	}
	ways := m.ways()
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
