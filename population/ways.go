package population

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population/internal/diagram"
)

// drawing draws the states and the ways between them.
func drawing(ctx context.Context, m *compiled) (vector.Drawing, error) {
	p := m.program
	g := diagram.Graph{Title: p.name}
	for i, s := range p.states {
		note := ""
		if p.starts[i] > 0 {
			note = format.Thousands(float64(p.starts[i])) + " at the start"
		}
		g.Nodes = append(g.Nodes, diagram.Node{Name: s, Note: note})
	}
	for _, way := range ways(m) {
		g.Edges = append(g.Edges, diagram.Edge{From: way.from, To: way.to, Label: way.label, Kind: way.kind})
	}
	d, err := g.Drawing(ctx)
	if errors.Is(err, diagram.ErrTooLarge) {
		err = fmt.Errorf("%s: %w: it has %s states and %s ways between them", p.name, ErrDiagram, format.Thousands(float64(len(g.Nodes))), format.Thousands(float64(len(g.Edges))))
	}
	return d, err
}

// A way is an arrow of the diagram: something that takes individuals from one state to another.
type way struct {
	from, to int // states, or diagram.Outside
	label    string
	kind     diagram.Kind
	by       []int // contacts: the states of those who bring it about; births: of the parents
}

// ways lists all of them, in the order of the file.
func ways(m *compiled) []way {
	f := m.file
	w := &wayList{p: m.program, f: f, here: m.quietly()}
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
		label := orElse(p.name, fmt.Sprintf("%s %.6g", f.unit.name, p.when))
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
	p    *program
	f    *file
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
			return fmt.Sprintf("%.3g per %s", rate, w.f.unit.name)
		})
	default:
		label = w.label(c.after, func() string {
			l, _ := w.here.law(c.after, "")
			return w.f.unit.Duration(l.mean())
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
		return format.Percent(chance)
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
		if name := w.p.attributes[a].name; !slices.Contains(by, name) {
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
func (w *wayList) state(n named) int { return slices.Index(w.p.states, n.name) }

// states are the numbers of some states; none means all.
func (w *wayList) states(names []named) []int {
	var all []int
	for i, s := range w.p.states {
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
func reached(m *compiled) []bool {
	reached := make([]bool, len(m.program.states))
	for i, n := range m.program.starts {
		reached[i] = n > 0
	}
	among := func(states []int) bool {
		return states == nil || slices.ContainsFunc(states, func(s int) bool { return reached[s] })
	}
	ways := ways(m)
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

// ErrDiagram is the error of a model with so many states, or ways between them, that a diagram would take too long to lay out.
var ErrDiagram = errors.New("too large for a diagram")
