package diagram

import "math"

// Gaps between items that are neighbours in a column.
const (
	bendGap      = 5
	stateGap     = 16 // where one of them is a state
	componentGap = 34
)

// How often the columns are gone through, to and fro, in each phase of the placement.
const (
	roughRounds  = 4
	meanRounds   = 20
	medianRounds = 8
)

// roughSlack is added to the gaps at first. What it leaves between the items lets threads be
// straightened.
const roughSlack = 8

// stay is the weight with which an item wants to be where it is. It decides only between places
// that are equally good.
const stay = 1e-4

// A side is one of leftLinks and rightLinks.
type side func(*item) []link

// place gives every item its height. At first only one side pulls at a time, which carries the
// rough picture through all columns; then both sides do, as in a net of springs, and threads are
// straightened; at last majorities win.
func (s *sheet) place() {
	s.slack = roughSlack
	s.stack()
	for range roughRounds {
		s.sweep([]side{leftLinks}, []side{rightLinks}, mean)
	}
	both := []side{leftLinks, rightLinks}
	threads := s.threads()
	for range meanRounds {
		s.sweep(both, both, mean)
		s.straighten(threads, mean)
	}
	s.slack = 0
	for range medianRounds {
		s.sweep(both, both, median)
		s.straighten(threads, median)
	}
	for i := range s.items {
		s.items[i].y = math.Round(s.items[i].y)
	}
	s.snap()
	s.stackComponents()
}

// gap is the least distance of two neighbours in a column.
func (s *sheet) gap(upper, lower int) float64 {
	a, b := &s.items[upper], &s.items[lower]
	gap := 1.0 + bendGap // heights are rounded at the end, which may take up to one
	switch {
	case a.component != b.component:
		gap = componentGap
	case a.role == state || b.role == state:
		gap = stateGap
	}
	return a.below + gap + s.slack + b.above
}

// stack puts the items of each column one below the other.
func (s *sheet) stack() {
	for _, column := range s.columns {
		for k := 1; k < len(column); k++ {
			s.items[column[k]].y = s.items[column[k-1]].y + s.gap(column[k-1], column[k])
		}
	}
}

// sweep settles the columns from left to right and then from right to left.
func (s *sheet) sweep(there, back []side, agree compromise) {
	for c := range s.columns {
		s.settleColumn(c, there, agree)
	}
	for c := len(s.columns) - 1; c >= 0; c-- {
		s.settleColumn(c, back, agree)
	}
}

// settleColumn moves the items of a column towards their neighbours on the given sides.
func (s *sheet) settleColumn(c int, sides []side, agree compromise) {
	column := s.columns[c]
	if !s.spend(8 * len(column)) {
		return
	}
	wants, gaps := make([][]want, len(column)), make([]float64, len(column))
	for k, i := range column {
		wants[k] = []want{{s.items[i].y, stay}}
		for _, links := range sides {
			for _, l := range links(&s.items[i]) {
				wants[k] = append(wants[k], want{s.items[l.to].y, l.pull})
			}
		}
		if k > 0 {
			gaps[k-1] = s.gap(column[k-1], i)
		}
	}
	places, steps := settle(wants, gaps, agree)
	for k, y := range places {
		s.items[column[k]].y = y
	}
	s.spend(steps)
}

// stackComponents moves the connected parts of the graph as wholes, so that each begins below the
// end of the one before it in every column.
func (s *sheet) stackComponents() {
	top, bottom := map[int]float64{}, map[int]float64{}
	for _, it := range s.items {
		if _, seen := top[it.component]; !seen {
			top[it.component], bottom[it.component] = math.Inf(1), math.Inf(-1)
		}
		top[it.component] = min(top[it.component], it.y-it.above)
		bottom[it.component] = max(bottom[it.component], it.y+it.below)
	}
	shift, end := map[int]float64{}, 0.0
	for node := range s.g.Nodes {
		if c := s.items[node].component; c == node { // a part is named after its first node
			shift[c] = end - top[c]
			end += bottom[c] - top[c] + componentGap
		}
	}
	for i := range s.items {
		s.items[i].y += shift[s.items[i].component]
	}
}
