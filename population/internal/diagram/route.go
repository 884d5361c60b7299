package diagram

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/vector"
)

type (
	point = vector.Point
	curve = vector.Curve
)

func xy(x, y float64) point { return point{X: x, Y: y} }

// A rect is given by two corners, the first with the lower numbers.
type rect struct{ min, max point }

func (r rect) union(o rect) rect {
	return rect{
		xy(min(r.min.X, o.min.X), min(r.min.Y, o.min.Y)),
		xy(max(r.max.X, o.max.X), max(r.max.Y, o.max.Y)),
	}
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
	frames []frame
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

// A span is what a column takes of the page. Lines are horizontal inside it and labels and boxes
// centred.
type span struct{ left, centre, right float64 }

// route turns the placed items into a picture.
func (s *sheet) route() picture {
	var p picture
	columns := s.spans()
	ports := s.ports()
	for node, shape := range s.shapes {
		centre := xy(columns[s.items[node].column].centre, s.items[node].y)
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
	return rect{xy(centre.X-width/2, centre.Y-height/2), xy(centre.X+width/2, centre.Y+height/2)}
}

// edge draws an edge along its chain.
func (p *picture) edge(s *sheet, edge int, columns []span, ports map[port]float64) {
	e, chain := s.g.Edges[edge], s.chains[edge]
	var stops []point // where it goes into a column and where out of it, from left to right
	for k, i := range chain {
		it, column := &s.items[i], columns[s.items[i].column]
		switch it.role {
		case bend:
			stops = append(stops, xy(column.left, it.y), xy(column.right, it.y))
		case source:
			centre := xy(column.centre-labelWidth(e)/2-markRadius, it.y)
			p.marks = append(p.marks, mark{e.Kind, centre, true})
			stops = append(stops, xy(centre.X+markRadius, it.y), xy(column.right, it.y))
		case state:
			half, y := s.shapes[it.of].width/2, ports[port{edge, i}]
			if k == 0 {
				stops = append(stops, xy(column.centre+half, y), xy(column.right, y))
			} else {
				stops = append(stops, xy(column.left, y), xy(column.centre-half, y))
			}
		}
		if it.labelled {
			middle := xy(column.centre, it.y-labelRise-labelHeight/2)
			p.labels = append(p.labels, label{kind: e.Kind, text: e.Label, rect: around(middle, labelWidth(e), labelHeight)})
		}
	}
	direction := xy(1, 0)
	if s.back[edge] {
		slices.Reverse(stops)
		direction = xy(-1, 0)
	}
	last := &stops[len(stops)-1]
	p.heads = append(p.heads, head{e.Kind, *last, direction})
	last.X -= direction.X * headLength(e.Kind) / 2 // the line ends inside the head, or it would blunt the tip
	p.lines = append(p.lines, line{e.Kind, stops[0], smooth(stops)})
}

// smooth joins stops with straight lines inside the columns and with curves between them that are
// level at both ends. What is level all along becomes one piece.
func smooth(stops []point) []curve {
	var path []curve
	at := stops[0]
	for _, to := range stops[1:] {
		switch {
		case to.Y != at.Y:
			middle := (at.X + to.X) / 2
			path = append(path, curve{A: xy(middle, at.Y), B: xy(middle, to.Y), To: to})
		case len(path) > 0 && path[len(path)-1].Straight:
			path[len(path)-1].To = to
		case to.X != at.X:
			path = append(path, curve{To: to, Straight: true})
		}
		at = to
	}
	return path
}

// loops draws what leads from a state to itself.
func (p *picture) loops(g Graph, shape shape, b box) {
	for i, edge := range shape.loops {
		e := g.Edges[edge]
		x := (b.min.X+b.max.X)/2 + shape.loopX(i)
		start, tip := xy(x-loopWidth/2, b.min.Y), xy(x+loopWidth/2, b.min.Y)
		base := xy(tip.X, tip.Y-headLength(e.Kind)/2)
		// A cubic curve reaches three quarters of the way to its control points.
		crest := b.min.Y - shape.loopReach(i)
		control := b.min.Y - shape.loopReach(i)*4/3
		p.lines = append(p.lines, line{e.Kind, start, []curve{{A: xy(start.X, control), B: xy(tip.X, control), To: base}}})
		p.heads = append(p.heads, head{e.Kind, tip, xy(0, 1)})
		p.labelRightOf(e, xy(tip.X, crest+3))
	}
}

// exits draws what leaves the population.
func (p *picture) exits(g Graph, shape shape, b box) {
	for i, edge := range shape.exits {
		e := g.Edges[edge]
		start := xy((b.min.X+b.max.X)/2+shape.exitX(i), b.max.Y)
		end := xy(start.X, start.Y+shape.exitReach(i))
		tip := xy(end.X, end.Y-markRadius)
		p.lines = append(p.lines, line{e.Kind, start, []curve{{To: xy(tip.X, tip.Y-headLength(e.Kind)/2), Straight: true}}})
		p.heads = append(p.heads, head{e.Kind, tip, xy(0, 1)})
		p.marks = append(p.marks, mark{kind: e.Kind, centre: end})
		p.labelRightOf(e, end)
	}
}

// labelRightOf puts a label to the right of a point.
func (p *picture) labelRightOf(e Edge, at point) {
	if e.Label == "" {
		return
	}
	left := at.X + labelSpace
	r := rect{xy(left, at.Y-labelHeight/2), xy(left+labelWidth(e), at.Y+labelHeight/2)}
	p.labels = append(p.labels, label{e.Kind, e.Label, true, r})
}
