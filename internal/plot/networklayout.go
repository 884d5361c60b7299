package plot

import (
	"cmp"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Where the discs of a [Network] are. Each part that hangs together is laid out by itself, so that
// distances between discs are as near as can be to the number of links between them: the stress,
// which is the sum over all pairs of (distance − links)² / links², is made smaller by moving one
// disc after the other to where it wants to be [Gansner04]. It begins with circles around the first
// disc, which is right for a tree. It takes a step for each pair and round. The parts are then put
// beside each other, the highest first, each as low as there is room for it.
//
// Products are rounded before they are summed up, so that the picture is the same on all machines.
//
// [Gansner04]: https://doi.org/10.1007/978-3-540-31843-9_25

// A spot is where a disc is. A link has the length 1.
type spot struct{ x, y float64 }

// layout returns where the discs are, and the width and the height of all.
func (n Network) layout() (at []spot, wide, high float64) {
	linked := make([][]int, len(n.Nodes))
	for _, l := range n.Links {
		linked[l.A], linked[l.B] = append(linked[l.A], l.B), append(linked[l.B], l.A)
	}
	at = make([]spot, len(n.Nodes))
	var parts []part
	seen := make([]bool, len(n.Nodes))
	for i := range n.Nodes {
		if seen[i] {
			continue
		}
		p := newPart(i, linked)
		for _, node := range p.nodes {
			seen[node] = true
		}
		p.settle(linked)
		parts = append(parts, p)
	}
	wide, high = pack(parts)
	for _, p := range parts {
		for i, node := range p.nodes {
			at[node] = spot{p.corner.x + p.at[i].x, high - p.corner.y - p.at[i].y} // the first at the top
		}
	}
	return at, wide, high
}

// A part is discs that hang together.
type part struct {
	nodes      []int // by breadth first
	parents    []int // positions in nodes; −1 of the first
	at         []spot
	wide, high float64 // with a margin around it
	corner     spot
}

// newPart collects the part of a disc.
func newPart(first int, linked [][]int) part {
	p := part{nodes: []int{first}, parents: []int{-1}}
	seen := map[int]bool{first: true}
	for i := 0; i < len(p.nodes); i++ {
		for _, other := range linked[p.nodes[i]] {
			if !seen[other] {
				seen[other] = true
				p.nodes, p.parents = append(p.nodes, other), append(p.parents, i)
			}
		}
	}
	return p
}

// settle places the discs of a part.
func (p *part) settle(linked [][]int) {
	p.circles()
	hops := p.hops(linked)
	const rounds = 60
	for range rounds {
		for i := range p.at {
			p.move(i, hops[i])
		}
	}
	p.turn()
	low, top := spot{math.Inf(1), math.Inf(1)}, spot{math.Inf(-1), math.Inf(-1)}
	for _, s := range p.at {
		low, top = spot{min(low.x, s.x), min(low.y, s.y)}, spot{max(top.x, s.x), max(top.y, s.y)}
	}
	const margin = 0.5
	for i, s := range p.at {
		p.at[i] = spot{s.x - low.x + margin, s.y - low.y + margin}
	}
	p.wide, p.high = top.x-low.x+2*margin, top.y-low.y+2*margin
}

// circles places the discs on circles around the first one, by the number of links to it. What
// hangs from a disc has a sector, the wider the more leaves there are.
func (p *part) circles() {
	leaves, depth := make([]float64, len(p.nodes)), make([]float64, len(p.nodes))
	for i := len(p.nodes) - 1; i >= 0; i-- {
		leaves[i] = max(leaves[i], 1)
		if i > 0 {
			leaves[p.parents[i]] += leaves[i]
		}
	}
	begins := make([]float64, len(p.nodes)) // of the sector of the next child, in turns
	p.at = make([]spot, len(p.nodes))
	for i := 1; i < len(p.nodes); i++ {
		up := p.parents[i]
		depth[i] = depth[up] + 1
		share := leaves[i] / leaves[0]
		begins[i] = begins[up]
		begins[up] += share
		angle := begins[i] + share/2
		p.at[i] = spot{depth[i] * detmath.CosTurns(angle), depth[i] * detmath.CosTurns(angle-0.25)}
	}
}

// hops counts the links between all pairs.
func (p *part) hops(linked [][]int) [][]float64 {
	position := map[int]int{}
	for i, node := range p.nodes {
		position[node] = i
	}
	all := make([][]float64, len(p.nodes))
	for i := range all {
		all[i] = make([]float64, len(p.nodes))
		queue := []int{i}
		for k := 0; k < len(queue); k++ {
			from := queue[k]
			for _, other := range linked[p.nodes[from]] {
				to := position[other]
				if to != i && all[i][to] == 0 {
					all[i][to] = all[i][from] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	return all
}

// move moves a disc to where the stress of its pairs is less.
func (p *part) move(i int, hops []float64) {
	var sum spot
	weights := 0.0
	for k, other := range p.at {
		if k == i {
			continue
		}
		dx, dy := p.at[i].x-other.x, p.at[i].y-other.y
		far := max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1e-9)
		weight, wanted := 1/float64(hops[k]*hops[k]), hops[k]/far
		sum.x += float64(weight * (other.x + float64(wanted*dx)))
		sum.y += float64(weight * (other.y + float64(wanted*dy)))
		weights += weight
	}
	if weights > 0 {
		p.at[i] = spot{sum.x / weights, sum.y / weights}
	}
}

// turn turns a part so that it is wider than high.
func (p *part) turn() {
	var mean spot
	for _, s := range p.at {
		mean.x, mean.y = mean.x+s.x/float64(len(p.at)), mean.y+s.y/float64(len(p.at))
	}
	var xx, xy, yy float64
	for _, s := range p.at {
		dx, dy := s.x-mean.x, s.y-mean.y
		xx, xy, yy = xx+float64(dx*dx), xy+float64(dx*dy), yy+float64(dy*dy)
	}
	// (a, b) is the first principal axis.
	half := (xx - yy) / 2
	a, b := half+math.Sqrt(float64(half*half)+float64(xy*xy)), xy
	if !(a > math.Abs(b)*1e-9) { // it is vertical, or there is none
		a, b = 0, 1
	}
	long := math.Sqrt(float64(a*a) + float64(b*b))
	a, b = a/long, b/long
	for i, s := range p.at {
		p.at[i] = spot{float64(a*s.x) + float64(b*s.y), float64(a*s.y) - float64(b*s.x)}
	}
}

// pack puts parts beside each other, and returns the width and the height of all. The highest come
// first, and each is as low as there is room for it, and there at the left.
func pack(parts []part) (wide, high float64) {
	room, area := 0.0, 0.0
	for _, p := range parts {
		room, area = max(room, p.wide), area+float64(p.wide*p.high)
	}
	room = max(room, math.Sqrt(area/networkShape)*1.05)
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.high, a.high) })
	type step struct{ from, to, high float64 } // of what is filled so far, from the left
	line := []step{{0, room, 0}}
	for k := range parts {
		p := &parts[k]
		p.corner = spot{0, math.Inf(1)}
		for _, s := range line {
			if s.from+p.wide > room {
				break
			}
			low := 0.0
			for _, under := range line {
				if under.from < s.from+p.wide && under.to > s.from {
					low = max(low, under.high)
				}
			}
			if low < p.corner.y {
				p.corner = spot{s.from, low}
			}
		}
		from, to := p.corner.x, p.corner.x+p.wide
		var next []step
		for _, s := range line {
			if s.from < from {
				next = append(next, step{s.from, min(s.to, from), s.high})
			}
			if s.from <= from && from < s.to {
				next = append(next, step{from, to, p.corner.y + p.high})
			}
			if s.to > to {
				next = append(next, step{max(s.from, to), s.to, s.high})
			}
		}
		line = next
		wide, high = max(wide, to), max(high, p.corner.y+p.high)
	}
	return wide, high
}
