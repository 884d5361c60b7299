package diagram

import (
	"math"
	"slices"
	"testing"
)

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name  string
		edges []Edge
		want  []int
	}{
		{"chain", []Edge{{From: 0, To: 1}, {From: 1, To: 2}}, []int{0, 1, 2}},
		{"longest path", []Edge{{From: 0, To: 2}, {From: 0, To: 1}, {From: 1, To: 2}}, []int{0, 1, 2}},
		{"cycle", []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}, []int{0, 1, 2}},
		{"cycle, entered", []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: Outside, To: 1}},
			[]int{2, 0, 1}},
		{"loop and exit", []Edge{{From: 0, To: 0}, {From: 0, To: Outside}}, []int{0, 0, 0}},
		{"late source", []Edge{{From: 0, To: 1}, {From: 1, To: 3}, {From: 2, To: 3}}, []int{0, 1, 1, 2}},
	} {
		g := Graph{Nodes: make([]Node, len(c.want)), Edges: c.edges}
		if got := newLayering(g).layer; !slices.Equal(got, c.want) {
			t.Errorf("%s: layers %v, not %v", c.name, got, c.want)
		}
	}
}

func TestComponents(t *testing.T) {
	if got, want := components(parts()), []int{0, 1, 0, 0, 4, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// What belongs to one component lies above all that belongs to the next.
func TestComponentsAreApart(t *testing.T) {
	several := 0
	for seed := range seeds {
		s := sheetOf(random(seed))
		s.order()
		s.place()
		for _, a := range s.items {
			for _, b := range s.items {
				if a.component >= b.component {
					continue
				}
				several++
				if a.y+a.below >= b.y-b.above {
					t.Fatalf("seed %d: %+v and %+v", seed, a, b)
				}
			}
		}
	}
	if several == 0 {
		t.Error("no graph has two components")
	}
}

// Graphs that can be drawn without crossings are, and the count of crossings agrees with the
// definition.
func TestCrossings(t *testing.T) {
	for _, name := range []string{"sir", "seirs", "loops", "parts", "tuberculosis"} {
		s := sheetOf(graphs()[name])
		s.order()
		if n := s.crossings(); n != 0 {
			t.Errorf("%s has %d crossings", name, n)
		}
	}
	s := sheetOf(complete(6))
	before := s.crossings()
	if slow := slowCrossings(s); before != slow {
		t.Errorf("counted %d crossings of %d", before, slow)
	}
	s.order()
	if after := slowCrossings(s); after >= before || after != s.crossings() {
		t.Errorf("%d crossings became %d, counted as %d", before, after, s.crossings())
	}
}

// To swap two neighbours never helps any more.
func TestOrderIsLocallyBest(t *testing.T) {
	for seed := range seeds {
		s := sheetOf(random(seed))
		s.order()
		for _, column := range s.columns {
			for k := 1; k < len(column); k++ {
				upper, lower := column[k-1], column[k]
				if n, _ := s.saved(upper, lower); n > 0 && s.items[upper].component == s.items[lower].component {
					t.Errorf("seed %d: %d crossings could be saved", seed, n)
				}
			}
		}
	}
}

// slowCrossings looks at all pairs of links.
func slowCrossings(s *sheet) int {
	n := 0
	for _, column := range s.columns {
		for _, a := range column {
			for _, b := range column {
				for _, p := range s.items[a].right {
					for _, q := range s.items[b].right {
						if s.position[a] < s.position[b] && s.position[p.to] > s.position[q.to] {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// The course of a disease is one straight line, whatever else goes on around it.
func TestCourseIsStraight(t *testing.T) {
	for name, g := range map[string]Graph{"sir": sir(), "seirs": seirs(), "chain": chain(30)} {
		boxes := laidOut(g).boxes
		for i := 1; i < len(boxes); i++ {
			if a, b := boxes[i-1], boxes[i]; a.min.Y+a.max.Y != b.min.Y+b.max.Y || a.max.X >= b.min.X {
				t.Errorf("%s: box %d at %v is not straight right of that at %v", name, i, b.rect, a.rect)
			}
		}
	}
}

// Of the edges of the tuberculosis graph some are straight, although others begin or end next to
// them.
func TestStraightEdges(t *testing.T) {
	g := tuberculosis()
	s := sheetOf(g)
	s.order()
	s.place()
	var got []string
	for edge, l := range s.route().lines[len(g.Nodes)+1:] { // after the exits
		if len(l.path) == 1 {
			got = append(got, g.Edges[edge].Label)
		}
	}
	for _, want := range []string{"birth, vaccinated", "waning", "infection", "detection", "cure"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not straight; only %q are", want, got)
		}
	}
}

// No bend is left nearly but not quite straight ahead of a port that it could be moved to.
func TestSnap(t *testing.T) {
	for name, g := range graphs() {
		s := sheetOf(g)
		s.order()
		s.place()
		placed := slices.Clone(s.items)
		s.snap()
		for i := range s.items {
			if s.items[i].y != placed[i].y {
				t.Errorf("%s: item %d could move from %g to %g", name, i, placed[i].y, s.items[i].y)
			}
		}
	}
}

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "ab": 12, "Im": 16.2, "e\u0301": 6, "日": 10.5} {
		if got := textWidth(text, 10); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %g wide, not %g", text, got, want)
		}
	}
}

func TestSettle(t *testing.T) {
	at := func(places ...float64) [][]want {
		var all [][]want
		for _, p := range places {
			all = append(all, []want{{p, 1}})
		}
		return all
	}
	for _, c := range []struct {
		wants [][]want
		agree compromise
		want  []float64
	}{
		{at(0, 10, 20), mean, []float64{0, 10, 20}},
		{at(5, 5), mean, []float64{0, 10}},
		{at(20, 0, 100), mean, []float64{5, 15, 100}},
		{at(0, 0, 0), mean, []float64{-10, 0, 10}},
		{at(0, 0, 0), median, []float64{-10, 0, 10}},
		{[][]want{{{0, 1}, {0, 1}, {90, 1}}}, median, []float64{0}},
		{[][]want{{{0, 1}, {90, 3}}}, mean, []float64{67.5}},
	} {
		got, _ := settle(c.wants, []float64{10, 10, 10}, c.agree)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v settle at %v, not %v", c.wants, got, c.want)
		}
	}
}
