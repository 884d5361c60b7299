package diagram

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func (r rect) overlaps(o rect) bool {
	return r.min.X < o.max.X && o.min.X < r.max.X && r.min.Y < o.max.Y && o.min.Y < r.max.Y
}

func TestNothingOverlaps(t *testing.T) {
	each(t, checkApart)
}

// The layout must stay apart for any graph, not only for those that were looked at.
func TestNothingOverlapsInRandomGraphs(t *testing.T) {
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkApart(t, random(seed)) })
	}
}

// seeds is how many random graphs the tests look at.
const seeds = uint64(80)

// random has up to 12 nodes and about twice as many edges of any sort.
func random(seed uint64) Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	g := Graph{Title: fmt.Sprint("random ", seed)}
	n := 1 + r.IntN(12)
	word := func(most int) string { return strings.Repeat("x", r.IntN(most)) }
	for range n {
		g.Nodes = append(g.Nodes, Node{"N" + word(15), word(15)})
	}
	for range r.IntN(3 * n) {
		e := Edge{r.IntN(n+1) - 1, r.IntN(n+1) - 1, word(20), Kind(r.IntN(int(kinds)))}
		if e.From != Outside || e.To != Outside {
			g.Edges = append(g.Edges, e)
		}
	}
	return g
}

// checkApart fails if boxes, labels or lines lie on each other where they must not.
func checkApart(t *testing.T, g Graph) {
	p := laidOut(g)
	boxes := parse(t, drawn(g)).rects // as they are written, not as they are planned
	if len(boxes) != len(g.Nodes) {
		t.Fatalf("%d boxes for %d nodes", len(boxes), len(g.Nodes))
	}
	for i, b := range boxes {
		for k := range i {
			if b.overlaps(boxes[k]) {
				t.Errorf("boxes %d and %d overlap", k, i)
			}
		}
	}
	for _, m := range p.marks {
		for k, b := range boxes {
			if b.overlaps(around(m.centre, 2*markRadius, 2*markRadius)) {
				t.Errorf("the mark at %v overlaps box %d", m.centre, k)
			}
		}
	}
	for i, l := range p.labels {
		for k, b := range boxes {
			if l.overlaps(b) {
				t.Errorf("label %q overlaps box %d", l.text, k)
			}
		}
		for _, o := range p.labels[:i] {
			if l.overlaps(o.rect) {
				t.Errorf("labels %q and %q overlap", l.text, o.text)
			}
		}
	}
	for _, l := range p.lines {
		checkLine(t, p, boxes, l)
	}
}

// checkLine fails if a line runs through a box, a label or a mark.
func checkLine(t *testing.T, p picture, boxes []rect, l line) {
	for _, at := range samples(l) {
		speck := around(at, 0.2, 0.2)
		for k, b := range boxes {
			b.min.X, b.min.Y, b.max.X, b.max.Y = b.min.X+1, b.min.Y+1, b.max.X-1, b.max.Y-1 // it may touch
			if speck.overlaps(b) {
				t.Fatalf("the line from %v runs through box %d at %v", l.start, k, at)
			}
		}
		for _, m := range p.marks {
			if math.Hypot(at.X-m.centre.X, at.Y-m.centre.Y) < markRadius-0.1 {
				t.Fatalf("the line from %v runs through the mark at %v", l.start, m.centre)
			}
		}
		for _, o := range p.labels {
			if speck.overlaps(o.rect) {
				t.Fatalf("the line from %v runs through label %q at %v", l.start, o.text, at)
			}
		}
	}
}

// samples are many points on a line.
func samples(l line) []point {
	var all []point
	from := l.start
	for _, c := range l.path {
		for k := range 41 {
			u := float64(k) / 40
			v := 1 - u
			at := xy(v*from.X+u*c.To.X, v*from.Y+u*c.To.Y)
			if !c.Straight {
				at.X = v*v*v*from.X + 3*v*v*u*c.A.X + 3*v*u*u*c.B.X + u*u*u*c.To.X
				at.Y = v*v*v*from.Y + 3*v*v*u*c.A.Y + 3*v*u*u*c.B.Y + u*u*u*c.To.Y
			}
			all = append(all, at)
		}
		from = c.To
	}
	return all
}

// Every edge has a line that begins where it should and a head whose tip touches what it leads to.
func TestEdgesTouchTheirNodes(t *testing.T) {
	each(t, func(t *testing.T, g Graph) {
		p := laidOut(g)
		if len(p.lines) != len(g.Edges) || len(p.heads) != len(g.Edges) {
			t.Fatalf("%d lines and %d heads for %d edges", len(p.lines), len(p.heads), len(g.Edges))
		}
		type ends struct {
			from, to int
			kind     Kind
		}
		want, got := map[ends]int{}, map[ends]int{}
		for _, e := range g.Edges {
			want[ends{e.From, e.To, e.Kind}]++
		}
		tips := map[point]bool{}
		for i, h := range p.heads {
			got[ends{p.at(p.lines[i].start), p.at(h.tip), h.kind}]++
			tips[h.tip] = true
		}
		if !maps.Equal(want, got) {
			t.Errorf("the edges are %v, not %v", got, want)
		}
		if len(tips) != len(g.Edges) {
			t.Errorf("only %d different tips of %d edges", len(tips), len(g.Edges))
		}
		checkPorts(t, p)
	})
}

// checkPorts fails if two edges touch a side of a box so close to each other that their heads would
// overlap.
func checkPorts(t *testing.T, p picture) {
	var ports []point
	for i, h := range p.heads {
		if h.direction.Y == 0 {
			ports = append(ports, h.tip, p.lines[i].start)
		}
	}
	for i, a := range ports {
		for _, b := range ports[:i] {
			if a.X == b.X && math.Abs(a.Y-b.Y) < portStep-0.01 {
				t.Errorf("edges touch at %v and at %v", a, b)
			}
		}
	}
}

// at is the node on whose border a point is, or Outside if the point is on that of a mark.
func (p picture) at(at point) int {
	const near = 0.01
	for node, b := range p.boxes {
		onSide := math.Abs(at.X-b.min.X) < near || math.Abs(at.X-b.max.X) < near
		onEnd := math.Abs(at.Y-b.min.Y) < near || math.Abs(at.Y-b.max.Y) < near
		if at.X > b.min.X-near && at.X < b.max.X+near && at.Y > b.min.Y-near && at.Y < b.max.Y+near && onSide != onEnd {
			return node
		}
	}
	for _, m := range p.marks {
		if math.Abs(math.Hypot(at.X-m.centre.X, at.Y-m.centre.Y)-markRadius) < near {
			return Outside
		}
	}
	return -2
}
