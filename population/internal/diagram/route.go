package diagram

import "slices"

type point struct{ x, y float64 }

// A rect is given by two corners, the first with the lower numbers.
type rect struct{ min, max point }

func (r rect) union(o rect) rect {
	return rect{
		point{min(r.min.x, o.min.x), min(r.min.y, o.min.y)},
		point{max(r.max.x, o.max.x), max(r.max.y, o.max.y)},
	}
}

// A curve leads to a point from where the one before it ended; a and b are the control points of a cubic Bézier curve.
// If it is straight, they mean nothing.
type curve struct {
	a, b, to point
	straight bool
}

// A line is an edge without its ends.
type line struct {
	kind  Kind
	start point
	path  []curve
}

// A head is the head of an arrow; its direction is a unit vector.
type head struct {
	kind           Kind
	tip, direction point
}

// A mark is where an edge comes from outside (open) or goes there.
type mark struct {
	kind   Kind
	centre point
	open   bool
}

// A label is the text of an edge, to fill its rect.
type label struct {
	kind  Kind
	text  string
	atEnd bool // right of the end of its line, and so close to it; else above its middle
	rect
}

// A box is a state.
type box struct {
	node Node
	rect
}

// A picture is all that is drawn of a graph, but for the title and the legend.
type picture struct {
	boxes  []box
	lines  []line
	heads  []head
	marks  []mark
	labels []label
}

// Measures of lines.
const (
	markRadius  = 4
	headRoom    = 13 // between a box and where the lines begin to curve, for the heads
	labelHeight = 14
	labelRise   = 3 // of a label above its line
)

func headLength(k Kind) float64 {
	if k == Contact {
		return 11
	}
	return 9
}

// A span is what a column takes of the page. Lines are horizontal inside it and labels and boxes centred.
type span struct{ left, centre, right float64 }

// route turns the placed items into a picture.
func (s *sheet) route() picture {
	var p picture
	columns := s.spans()
	ports := s.ports()
	for node, shape := range s.shapes {
		centre := point{columns[s.items[node].column].centre, s.items[node].y}
		b := box{s.g.Nodes[node], around(centre, shape.width, shape.height)}
		p.boxes = append(p.boxes, b)
		p.loops(s.g, shape, b)
		p.exits(s.g, shape, b)
	}
	for edge, chain := range s.chains {
		if len(chain) > 0 {
			p.edge(s, edge, columns, ports)
		}
	}
	return p
}

func around(centre point, width, height float64) rect {
	return rect{point{centre.x - width/2, centre.y - height/2}, point{centre.x + width/2, centre.y + height/2}}
}

// edge draws an edge along its chain.
func (p *picture) edge(s *sheet, edge int, columns []span, ports map[port]float64) {
	e, chain := s.g.Edges[edge], s.chains[edge]
	var stops []point // where it goes into a column and where out of it, from left to right
	for k, i := range chain {
		it, column := &s.items[i], columns[s.items[i].column]
		switch it.role {
		case bend:
			stops = append(stops, point{column.left, it.y}, point{column.right, it.y})
		case source:
			centre := point{column.centre - labelWidth(e)/2 - markRadius, it.y}
			p.marks = append(p.marks, mark{e.Kind, centre, true})
			stops = append(stops, point{centre.x + markRadius, it.y}, point{column.right, it.y})
		case state:
			half, y := s.shapes[it.of].width/2, ports[port{edge, i}]
			if k == 0 {
				stops = append(stops, point{column.centre + half, y}, point{column.right, y})
			} else {
				stops = append(stops, point{column.left, y}, point{column.centre - half, y})
			}
		}
		if it.labelled {
			middle := point{column.centre, it.y - labelRise - labelHeight/2}
			p.labels = append(p.labels, label{kind: e.Kind, text: e.Label, rect: around(middle, labelWidth(e), labelHeight)})
		}
	}
	direction := point{1, 0}
	if s.back[edge] {
		slices.Reverse(stops)
		direction = point{-1, 0}
	}
	last := &stops[len(stops)-1]
	p.heads = append(p.heads, head{e.Kind, *last, direction})
	last.x -= direction.x * headLength(e.Kind) / 2 // the line ends inside the head, or it would blunt the tip
	p.lines = append(p.lines, line{e.Kind, stops[0], smooth(stops)})
}

// smooth joins stops with straight lines inside the columns and with curves between them that are level at both ends.
// What is level all along becomes one piece.
func smooth(stops []point) []curve {
	var path []curve
	at := stops[0]
	for _, to := range stops[1:] {
		switch {
		case to.y != at.y:
			middle := (at.x + to.x) / 2
			path = append(path, curve{a: point{middle, at.y}, b: point{middle, to.y}, to: to})
		case len(path) > 0 && path[len(path)-1].straight:
			path[len(path)-1].to = to
		case to.x != at.x:
			path = append(path, curve{to: to, straight: true})
		}
		at = to
	}
	return path
}

// loops draws what leads from a state to itself.
func (p *picture) loops(g Graph, shape shape, b box) {
	for i, edge := range shape.loops {
		e := g.Edges[edge]
		x := (b.min.x+b.max.x)/2 + shape.loopX(i)
		start, tip := point{x - loopWidth/2, b.min.y}, point{x + loopWidth/2, b.min.y}
		base := point{tip.x, tip.y - headLength(e.Kind)/2}
		// A cubic curve reaches three quarters of the way to its control points.
		crest := b.min.y - shape.loopReach(i)
		control := b.min.y - shape.loopReach(i)*4/3
		p.lines = append(p.lines, line{e.Kind, start, []curve{{a: point{start.x, control}, b: point{tip.x, control}, to: base}}})
		p.heads = append(p.heads, head{e.Kind, tip, point{0, 1}})
		p.labelRightOf(e, point{tip.x, crest + 3})
	}
}

// exits draws what leaves the population.
func (p *picture) exits(g Graph, shape shape, b box) {
	for i, edge := range shape.exits {
		e := g.Edges[edge]
		start := point{(b.min.x+b.max.x)/2 + shape.exitX(i), b.max.y}
		end := point{start.x, start.y + shape.exitReach(i)}
		tip := point{end.x, end.y - markRadius}
		p.lines = append(p.lines, line{e.Kind, start, []curve{{to: point{tip.x, tip.y - headLength(e.Kind)/2}, straight: true}}})
		p.heads = append(p.heads, head{e.Kind, tip, point{0, 1}})
		p.marks = append(p.marks, mark{kind: e.Kind, centre: end})
		p.labelRightOf(e, end)
	}
}

// labelRightOf puts a label to the right of a point.
func (p *picture) labelRightOf(e Edge, at point) {
	if e.Label == "" {
		return
	}
	left := at.x + labelSpace
	r := rect{point{left, at.y - labelHeight/2}, point{left + labelWidth(e), at.y + labelHeight/2}}
	p.labels = append(p.labels, label{e.Kind, e.Label, true, r})
}
