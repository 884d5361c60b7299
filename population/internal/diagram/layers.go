package diagram

import "slices"

// layering is which layer each node is in, and which edges lead back to an earlier one.
type layering struct {
	layer []int  // by node, from 0
	back  []bool // by edge
}

// newLayering puts every node one layer after the last of those that lead to it. Loops and edges
// from or to outside do not count, nor do the edges that close a cycle: they lead back.
func newLayering(g Graph) layering {
	s := search{
		g:    g,
		out:  make([][]int, len(g.Nodes)),
		seen: make([]progress, len(g.Nodes)),
		back: make([]bool, len(g.Edges)),
	}
	for i, e := range g.Edges {
		if inner(e) {
			s.out[e.From] = append(s.out[e.From], i)
		}
	}
	for _, root := range roots(g) {
		s.visit(root)
	}
	slices.Reverse(s.finished) // now no node comes before one that leads to it

	l := layering{make([]int, len(g.Nodes)), s.back}
	for _, node := range s.finished {
		for _, i := range s.out[node] {
			if next := g.Edges[i].To; !s.back[i] {
				l.layer[next] = max(l.layer[next], l.layer[node]+1)
			}
		}
	}
	l.pullSources(g)
	return l
}

// inner tells whether the edge joins two different nodes.
func inner(e Edge) bool { return e.From != Outside && e.To != Outside && !e.loops() }

// roots lists all nodes in the order in which the search shall start from them: first those entered
// from outside, for that is where lives begin and so where the picture should.
func roots(g Graph) []int {
	entered := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		if e.From == Outside {
			entered[e.To] = true
		}
	}
	var first, rest []int
	for node := range g.Nodes {
		if entered[node] {
			first = append(first, node)
		} else {
			rest = append(rest, node)
		}
	}
	return append(first, rest...)
}

// A search goes through the nodes depth first.
type search struct {
	g        Graph
	out      [][]int // by node, the inner edges that leave it
	seen     []progress
	back     []bool // by edge
	finished []int  // nodes in the order in which the search left them
}

type progress int

const (
	unseen progress = iota
	open            // on the path from the root to where the search is
	done
)

func (s *search) visit(node int) {
	if s.seen[node] != unseen {
		return
	}
	s.seen[node] = open
	for _, i := range s.out[node] {
		next := s.g.Edges[i].To
		s.back[i] = s.seen[next] == open
		s.visit(next)
	}
	s.seen[node] = done
	s.finished = append(s.finished, node)
}

// pullSources moves nodes that nothing leads to right up to the first they lead to. They would
// otherwise all be in the first layer, far from what they have to do with.
func (l layering) pullSources(g Graph) {
	reached := make([]bool, len(g.Nodes))
	nearest := make([]int, len(g.Nodes)) // of the layers that a node leads to; 0 if none, as no edge leads there
	for i, e := range g.Edges {
		if !inner(e) {
			continue
		}
		from, to := e.From, e.To
		if l.back[i] {
			from, to = to, from
		}
		reached[to] = true
		if nearest[from] == 0 || l.layer[to] < nearest[from] {
			nearest[from] = l.layer[to]
		}
	}
	for node := range g.Nodes {
		if !reached[node] && nearest[node] > 0 {
			l.layer[node] = nearest[node] - 1
		}
	}
}

// items is how many items the chains of all edges and the nodes have.
func (l layering) items(g Graph) int {
	n := len(g.Nodes) + len(g.Edges)
	for _, e := range g.Edges {
		if inner(e) {
			n += 2 * abs(l.layer[e.To]-l.layer[e.From])
		}
	}
	return n
}

func abs(n int) int { return max(n, -n) }

// components says which connected part of the graph each node is in; a part is named after its
// first node.
func components(g Graph) []int {
	part := make([]int, len(g.Nodes))
	for node := range part {
		part[node] = node
	}
	name := func(node int) int {
		for part[node] != node {
			part[node] = part[part[node]]
			node = part[node]
		}
		return node
	}
	for _, e := range g.Edges {
		if inner(e) {
			a, b := name(e.From), name(e.To)
			part[max(a, b)] = min(a, b)
		}
	}
	for node := range part {
		part[node] = name(node)
	}
	return part
}
