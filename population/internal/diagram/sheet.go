package diagram

import (
	"cmp"
	"context"
	"slices"
)

// A role is what an item is.
type role int

const (
	bend   role = iota // a point where an edge passes through a column
	state              // a node
	source             // where an edge from outside begins, with its label
)

// An item is what lies in a column.
type item struct {
	role         role
	of           int  // the node of a state, the edge of any other item
	labelled     bool // the label of its edge is above it
	column       int
	component    int
	above, below float64 // the room it takes, measured from y
	y            float64
	left, right  []link // to items in the next columns
}

// A link is one part of an edge, from one column to the next.
type link struct {
	to   int     // an item
	pull float64 // how strongly the item at the other end draws this one to its own height
}

// A sheet is the graph cut up into columns that hold states and labels by turns.
type sheet struct {
	g        Graph
	shapes   []shape // by node
	back     []bool  // by edge: drawn from right to left
	items    []item
	columns  [][]int // items from top to bottom
	chains   [][]int // by edge, its items from left to right; none for what hangs on a box
	position []int   // by item, in its column
	slack    float64 // added to the gaps between items
	work
}

// Room around lines and labels.
const (
	bendRoom   = 5
	labelAbove = 18
)

// newSheet cuts a graph up. The error is ErrTooLarge if there are too many pieces.
func newSheet(ctx context.Context, g Graph) (*sheet, error) {
	l := newLayering(g)
	if l.items(g) > mostItems {
		return nil, ErrTooLarge
	}
	s := &sheet{g: g, back: l.back, chains: make([][]int, len(g.Edges)), work: work{ctx: ctx}}
	first := firstColumn(g, l.layer)
	for node := range g.Nodes {
		s.add(item{role: state, of: node, column: first + 2*l.layer[node]})
	}
	for i, e := range g.Edges {
		if e.To != Outside && !e.loops() {
			s.chain(i)
		}
	}
	s.measure()
	part := components(g)
	for i := range s.items {
		s.items[i].component = part[s.nodeOf(i)]
	}
	s.fillColumns()
	return s, nil
}

// firstColumn is that of the first layer of nodes: 1 if there must be one before it for edges from
// outside.
func firstColumn(g Graph, layer []int) int {
	for _, e := range g.Edges {
		if e.From == Outside && layer[e.To] == 0 {
			return 1
		}
	}
	return 0
}

func (s *sheet) add(it item) int {
	s.items = append(s.items, it)
	return len(s.items) - 1
}

// nodeOf is a node that the item belongs to.
func (s *sheet) nodeOf(i int) int {
	if it := s.items[i]; it.role != state {
		return s.g.Edges[it.of].To
	}
	return s.items[i].of
}

// chain makes the items of an edge. A node's item has the node's number, as they were made first.
func (s *sheet) chain(edge int) {
	from, to := s.g.Edges[edge].From, s.g.Edges[edge].To
	if s.back[edge] {
		from, to = to, from
	}
	var chain []int
	if from == Outside {
		chain = append(chain, s.addPoint(source, edge, s.items[to].column-1, true))
	} else {
		first, last := s.items[from].column, s.items[to].column
		middle := first + (last-first)/4*2 + 1 // by odd numbers from a state one comes to the labels
		chain = append(chain, from)
		for c := first + 1; c < last; c++ {
			chain = append(chain, s.addPoint(bend, edge, c, c == middle))
		}
	}
	s.chains[edge] = append(chain, to)
	s.link(edge)
}

// addPoint adds an item that is not a state.
func (s *sheet) addPoint(role role, edge, column int, middle bool) int {
	it := item{role: role, of: edge, column: column, above: bendRoom, below: bendRoom}
	if middle && s.g.Edges[edge].Label != "" {
		it.labelled, it.above = true, labelAbove
	}
	return s.add(it)
}

// Pulls. A state follows its short edges, as these show the course of a life, and hardly any that
// lead back or far. The bends of a long edge follow each other, so that it becomes straight, and
// only a little the states at its ends; so they leave the way to states that want to be in line.
const (
	pullShort    = 1.0
	pullBack     = 0.1 // if it is short
	pullLong     = 0.004
	pullStraight = 1.0
	pullToEnds   = 0.05
	pullStrong   = 1.0 // from here on a pull is strong
)

// link joins the items of an edge.
func (s *sheet) link(edge int) {
	chain := s.chains[edge]
	onState, onBend := pullShort, pullShort
	switch {
	case len(chain) > 3:
		onState, onBend = pullLong, pullToEnds
	case s.back[edge]:
		onState = pullBack
	}
	pull := func(on, by int) float64 {
		switch {
		case s.items[on].role == state:
			return onState
		case s.items[by].role == state:
			return onBend
		}
		return pullStraight
	}
	for k := 1; k < len(chain); k++ {
		a, b := chain[k-1], chain[k]
		s.items[a].right = append(s.items[a].right, link{b, pull(a, b)})
		s.items[b].left = append(s.items[b].left, link{a, pull(b, a)})
	}
}

// measure gives the states their room.
func (s *sheet) measure() {
	ports := make([][2]int, len(s.g.Nodes))
	for node := range ports {
		ports[node] = [2]int{len(s.items[node].left), len(s.items[node].right)}
	}
	s.shapes = shapes(s.g, ports)
	for node, shape := range s.shapes {
		s.items[node].above, s.items[node].below = shape.above, shape.below
	}
}

// fillColumns puts the items into their columns, one connected part of the graph below the other.
// Where it makes no difference to the crossings, this order stays: edges that lead back pass above
// the states and others below.
func (s *sheet) fillColumns() {
	for i, it := range s.items {
		for len(s.columns) <= it.column {
			s.columns = append(s.columns, nil)
		}
		s.columns[it.column] = append(s.columns[it.column], i)
	}
	rank := func(it item) int {
		switch {
		case it.role == bend && s.back[it.of]:
			return 0
		case it.role == bend:
			return 2
		}
		return 1
	}
	s.position = make([]int, len(s.items))
	for _, column := range s.columns {
		slices.SortStableFunc(column, func(a, b int) int {
			p, q := s.items[a], s.items[b]
			return cmp.Or(cmp.Compare(p.component, q.component), cmp.Compare(rank(p), rank(q)))
		})
		s.number(column)
	}
}

// number notes where in the column its items are.
func (s *sheet) number(column []int) {
	for place, i := range column {
		s.position[i] = place
	}
}
