package diagram

import (
	"context"
	"errors"
	"fmt"

	"github.com/almanac-sim/almanac/internal/vector"
)

// A Node is a state. The note is a short second line in smaller type; it may be empty.
type Node struct {
	Name string
	Note string
}

// A Kind says how an edge is drawn.
type Kind int

// The kinds of edges.
const (
	Clock   Kind = iota // after a time of its own: dark grey
	Contact             // by meeting others: red-orange, thick
	Entry               // from outside: blue
	Planned             // by intervention: green, dashed
	kinds               // how many there are
)

// Outside stands for what is not in the population, where an edge begins or ends.
const Outside = -1

// An Edge leads from one node to another. From is Outside for what enters the population, To is
// Outside for what leaves it.
type Edge struct {
	From, To int
	Label    string
	Kind     Kind
}

// loops tells whether the edge leads from a node to itself.
func (e Edge) loops() bool { return e.From == e.To }

// A Graph is what to draw.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// Drawing lays the graph out. The error is [ErrTooLarge], or that of the context if it ends first.
// Drawing panics if an edge has an end or a kind that does not exist, or leads from outside to
// outside.
func (g Graph) Drawing(ctx context.Context) (vector.Drawing, error) {
	p, err := g.picture(ctx)
	if err != nil {
		return vector.Drawing{}, err
	}
	return p.drawing(g.Title), nil
}

// ErrTooLarge is the error of a graph that would take too long to lay out.
var ErrTooLarge = errors.New("diagram: too large to lay out")

// What a layout may take. Both limits are on counts, so that a graph is drawn on every machine or
// on none. A step takes some nanoseconds, an item some 200 bytes.
const (
	mostItems = 500_000
	mostSteps = 1_000_000_000
)

// picture lays the graph out.
func (g Graph) picture(ctx context.Context) (picture, error) {
	p, _, err := g.pictureAfter(ctx, 0)
	return p, err
}

// pictureAfter is picture after so many steps were taken for other graphs. It returns the steps of
// all together.
func (g Graph) pictureAfter(ctx context.Context, steps int) (picture, int, error) {
	g.check()
	s, err := newSheet(ctx, g)
	if err != nil {
		return picture{}, steps, err
	}
	s.steps = steps
	s.order()
	s.place()
	if s.err != nil {
		return picture{}, s.steps, s.err
	}
	return s.route(), s.steps, nil
}

// work is what a layout has taken so far. When it is too much, or the context ends, err says so,
// and all that is left is passed over.
type work struct {
	ctx   context.Context
	steps int
	err   error
}

// spend counts steps that are about to be taken, or were, and reports whether to go on. It is
// called for a column at a time.
func (w *work) spend(steps int) bool {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err != nil {
		return false
	}
	if w.steps += steps; w.steps > mostSteps {
		w.err = ErrTooLarge
	}
	return w.err == nil
}

func (g Graph) check() {
	for i, e := range g.Edges {
		for _, end := range []int{e.From, e.To} {
			if end != Outside && (end < 0 || end >= len(g.Nodes)) {
				panic(fmt.Sprintf("diagram: edge %d ends at node %d of %d", i, end, len(g.Nodes)))
			}
		}
		if e.From == Outside && e.To == Outside {
			panic(fmt.Sprintf("diagram: edge %d has no node", i))
		}
		if e.Kind < 0 || e.Kind >= kinds {
			panic(fmt.Sprintf("diagram: edge %d is of kind %d, which does not exist", i, e.Kind))
		}
	}
}
