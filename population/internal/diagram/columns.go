package diagram

import "math"

// Distances between columns. Where lines climb much there is more of it, so that they are not too
// steep.
const (
	columnGap  = 12
	steepness  = 5.0 // how much climbing asks for one more pixel
	mostClimb  = 30.0
	leastLabel = 12 // width of a column without labels
)

// spans places the columns from left to right.
func (s *sheet) spans() []span {
	all := make([]span, len(s.columns))
	x := 0.0
	for c := range s.columns {
		left, right := s.reach(c)
		if c > 0 {
			x += columnGap + s.climb(c)
		}
		all[c] = span{x, x + left, x + left + right}
		x += left + right
	}
	return all
}

// reach is how far a column must extend to the left and to the right of its centre.
func (s *sheet) reach(c int) (left, right float64) {
	left, right = leastLabel/2, leastLabel/2
	for _, i := range s.columns[c] {
		switch it := &s.items[i]; {
		case it.role == state:
			left, right = max(left, s.shapes[it.of].left+headRoom), max(right, s.shapes[it.of].right+headRoom)
		case it.labelled || it.role == source:
			half := labelWidth(s.g.Edges[it.of]) / 2
			left, right = max(left, half), max(right, half)
			if it.role == source {
				left = max(left, half+2*markRadius)
			}
		}
	}
	return math.Ceil(left), math.Ceil(right)
}

// climb is the room between a column and the one before it that the steepest line needs.
func (s *sheet) climb(c int) float64 {
	most := 0.0
	for _, i := range s.columns[c] {
		for _, l := range s.items[i].left {
			most = max(most, math.Abs(s.items[i].y-s.items[l.to].y))
		}
	}
	return math.Round(min(most/steepness, mostClimb))
}
