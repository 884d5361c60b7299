package diagram

import (
	"unicode"
)

// Measures of what hangs on a box. Loops stand on its top and exits hang from its bottom, side by
// side; each is longer than its right neighbour by a line of text, so that its label, which is to
// the right of its end, lies beyond them.
const (
	loopHeight = 20 // of the shortest loop
	loopWidth  = 14
	loopStep   = 22 // from a loop to the next
	exitLength = 27 // of the shortest exit
	exitStep   = 15 // from an exit to the next
	lineHeight = 15
	labelSpace = 9 // between a label and the line left of it
)

// Measures of boxes.
const (
	boxPadding  = 12 // beside the text
	leastWidth  = 52
	leastHeight = 42
	portStep    = 12 // from one edge to the next on the side of a box
	portMargin  = 8  // from the corner of a box to the nearest edge
)

// A shape is what a node takes of the page, measured from the centre of its box.
type shape struct {
	width, height             float64 // of the box
	loops, exits              []int   // edges that hang on it
	left, right, above, below float64 // how far it reaches with all that hangs on it
}

// shapes measures all nodes; ports says how many edges each has at its left and its right side.
func shapes(g Graph, ports [][2]int) []shape {
	all := make([]shape, len(g.Nodes))
	for i, e := range g.Edges {
		switch {
		case e.To == Outside:
			all[e.From].exits = append(all[e.From].exits, i)
		case e.loops():
			all[e.From].loops = append(all[e.From].loops, i)
		}
	}
	for i, node := range g.Nodes {
		all[i].measure(g, node, max(ports[i][0], ports[i][1]))
	}
	return all
}

func (s *shape) measure(g Graph, node Node, ports int) {
	loops, exits := float64(len(s.loops)), float64(len(s.exits))
	text := max(textWidth(node.Name, nameSize), textWidth(node.Note, noteSize))
	s.width = max(leastWidth, text+2*boxPadding, loops*loopStep+boxPadding, exits*exitStep+boxPadding)
	s.height = max(leastHeight, float64(ports-1)*portStep+2*portMargin)
	if node.Note != "" {
		s.height = max(s.height, leastHeight+10)
	}
	s.left, s.right, s.above, s.below = s.width/2, s.width/2, s.height/2, s.height/2
	for i, edge := range s.loops {
		s.right = max(s.right, s.loopX(i)+loopWidth/2+labelSpace+labelWidth(g.Edges[edge]))
		s.above = max(s.above, s.height/2+s.loopReach(i)+lineHeight/2)
	}
	for i, edge := range s.exits {
		s.right = max(s.right, s.exitX(i)+labelSpace+labelWidth(g.Edges[edge]))
		s.below = max(s.below, s.height/2+s.exitReach(i)+lineHeight/2)
	}
}

func labelWidth(e Edge) float64 { return textWidth(e.Label, labelSize) }

// loopX is where the middle of loop i is. The first loop is the leftmost and tallest, its label the
// topmost.
func (s *shape) loopX(i int) float64 { return (float64(i) - float64(len(s.loops)-1)/2) * loopStep }

// loopReach is how far loop i reaches above the box.
func (s *shape) loopReach(i int) float64 { return loopHeight + float64(len(s.loops)-1-i)*lineHeight }

// exitX is where exit i is. The first exit is the rightmost and shortest, so here too its label is
// the topmost.
func (s *shape) exitX(i int) float64 { return (float64(len(s.exits)-1)/2 - float64(i)) * exitStep }

// exitReach is how far exit i reaches below the box.
func (s *shape) exitReach(i int) float64 { return exitLength + float64(i)*lineHeight }

// Sizes of type, in pixels.
const (
	titleSize = 17
	nameSize  = 15
	noteSize  = 11
	labelSize = 12
)

// textWidth estimates how wide a text is. The font is the viewer's choice, so the estimate errs to
// the wide side.
func textWidth(text string, size float64) float64 {
	ems := 0.0
	for _, r := range text {
		ems += letterWidth(r)
	}
	return ems * size
}

// letterWidth is in ems.
func letterWidth(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0 // drawn over the letter before it, or not at all
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0x1f000:
		return 1.05
	case r == 'm', r == 'w', r == 'M', r == 'W':
		return 0.9
	case unicode.IsUpper(r):
		return 0.72
	}
	return 0.6
}
