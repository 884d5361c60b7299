package diagram

import (
	"cmp"
	"math"
	"slices"
)

// A want is a place where something would like to be, and how much.
type want struct{ at, weight float64 }

// units is the weight in whole units, of which all weights are multiples: sums of them are exact.
func (w want) units() int64 { return int64(math.Round(w.weight / stay)) }

// A compromise makes one place out of many wants.
type compromise int

const (
	// mean is the place with the least sum of squared distances: everyone yields a little.
	mean compromise = iota
	// median is the place with the least sum of distances: the majority gets what it wants exactly,
	// so lines become straight where the mean would leave them slightly bent.
	median
)

// of is the compromise of some wants.
func (c compromise) of(wants []want) float64 {
	p := newPools(c, wants)
	return p.at(p.pool(0, len(wants)))
}

// settle finds places for things in a row that keep their order and gaps and are near what they
// want. gaps[i] is the least distance from thing i to the one after it.
//
// It is isotonic regression by pooling neighbours that would pass each other (Ayer and others
// 1955), after the gaps are subtracted from the places. Of n wants it takes O(n log n) steps; how
// many it took is returned, too.
func settle(wants [][]want, gaps []float64, agree compromise) (places []float64, steps int) {
	offsets := make([]float64, len(wants))
	var all []want // each as a place of the first thing
	for i := range wants {
		if i > 0 {
			offsets[i] = offsets[i-1] + gaps[i-1]
		}
		for _, w := range wants[i] {
			all = append(all, want{w.at - offsets[i], w.weight})
		}
	}
	type group struct { // neighbours that lie as closely together as they may and so move as one
		first int
		pool
		at float64
	}
	p := newPools(agree, all)
	var groups []group
	next := 0
	for i := range wants {
		g := group{first: i, pool: p.pool(next, next+len(wants[i]))}
		next += len(wants[i])
		g.at = p.at(g.pool)
		for len(groups) > 0 && groups[len(groups)-1].at > g.at {
			upper := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			g.first, g.pool = upper.first, p.join(upper.pool, g.pool)
			g.at = p.at(g.pool)
		}
		groups = append(groups, g)
	}
	places = make([]float64, len(wants))
	for k, g := range groups {
		end := len(wants)
		if k+1 < len(groups) {
			end = groups[k+1].first
		}
		for i := g.first; i < end; i++ {
			places[i] = g.at + offsets[i]
		}
	}
	return places, p.steps
}

// smallPool is up to how many wants a pool is added up want by want, in their order. Rounding then
// decides between two places that are equally good, and every drawing keeps the bytes that it
// always had. What is larger is added up in parts, by whole numbers where there is a tie, which
// takes no longer the larger it is.
const smallPool = 1024

// pools are disjoint sets of wants that can be joined.
//
// For the mean a pool is two sums. For the median it is a binary tree over all wants in the order
// of their places, with the weight of those in the pool at each node; what is empty has no node. To
// join two trees takes a step for each node that both have, of which one is gone afterwards, so
// that all joins together take O(n log n) steps.
type pools struct {
	agree compromise
	wants []want
	order []want  // by place, for the median
	rank  []int32 // by want, where it is in that order
	nodes []node  // of all trees; the first stands for none
	steps int     // that were taken
}

// A pool has wants that follow each other.
type pool struct {
	first, end  int
	sum, weight float64 // for the mean
	root        int32   // for the median
}

func (q pool) size() int { return q.end - q.first }

type node struct {
	weight      int64 // in units
	left, right int32
}

func newPools(agree compromise, wants []want) *pools {
	p := &pools{agree: agree, wants: wants}
	if agree == mean {
		return p
	}
	order := make([]int32, len(wants))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(wants[a].at, wants[b].at) })
	p.order, p.rank, p.nodes = make([]want, len(wants)), make([]int32, len(wants)), make([]node, 1, 4*len(wants)+1)
	for place, k := range order {
		p.order[place], p.rank[k] = wants[k], int32(place)
	}
	return p
}

// pool makes one of wants that are in no pool.
func (p *pools) pool(first, end int) pool {
	q := pool{first: first, end: end}
	for k := first; k < end; k++ {
		if p.agree == mean {
			p.sum(&q, k)
		} else {
			q.root = p.add(q.root, 0, int32(len(p.wants)), p.rank[k])
		}
	}
	return q
}

// sum adds a want to the sums of a pool.
func (p *pools) sum(q *pool, k int) {
	p.steps++
	q.sum += p.wants[k].at * p.wants[k].weight
	q.weight += p.wants[k].weight
}

// add adds a want, by its rank, to the tree at a node, which is for the ranks from low to below
// high. It returns the node.
func (p *pools) add(at, low, high, rank int32) int32 {
	p.steps++
	if at == 0 {
		at = int32(len(p.nodes))
		p.nodes = append(p.nodes, node{})
	}
	p.nodes[at].weight += p.order[rank].units()
	if high-low == 1 {
		return at
	}
	if middle := (low + high) / 2; rank < middle {
		child := p.add(p.nodes[at].left, low, middle, rank)
		p.nodes[at].left = child
	} else {
		child := p.add(p.nodes[at].right, middle, high, rank)
		p.nodes[at].right = child
	}
	return at
}

// join makes one pool of two that follow each other.
func (p *pools) join(a, b pool) pool {
	q := pool{first: a.first, end: b.end, sum: a.sum, weight: a.weight}
	switch {
	case p.agree == median:
		q.root = p.merge(a.root, b.root)
	case b.size() <= smallPool:
		for k := b.first; k < b.end; k++ {
			p.sum(&q, k)
		}
	default:
		q.sum, q.weight = a.sum+b.sum, a.weight+b.weight
	}
	return q
}

// merge makes one tree of two that have no want in common.
func (p *pools) merge(a, b int32) int32 {
	if a == 0 || b == 0 {
		return a + b
	}
	p.steps++
	to, from := &p.nodes[a], &p.nodes[b]
	to.weight += from.weight
	to.left = p.merge(to.left, from.left)
	to.right = p.merge(to.right, from.right)
	return a
}

// at is the compromise of a pool.
func (p *pools) at(q pool) float64 {
	if p.agree == mean {
		return q.sum / q.weight
	}
	low, high, at := int32(0), int32(len(p.wants)), q.root
	for twice := p.nodes[q.root].weight; high-low > 1; { // twice what is to come up to the place, and no more
		p.steps++
		middle, left := (low+high)/2, p.nodes[at].left
		switch below := 2 * p.nodes[left].weight; {
		case twice == below && q.size() <= smallPool:
			return p.middle(q)
		case twice <= below:
			at, high = left, middle
		default:
			twice -= below
			at, low = p.nodes[at].right, middle
		}
	}
	return p.order[low].at
}

// middle is the median of a small pool with a tie.
func (p *pools) middle(q pool) float64 {
	var ranks [smallPool]int32
	sorted := ranks[:0]
	for k := q.first; k < q.end; k++ {
		sorted = append(sorted, p.rank[k])
	}
	slices.Sort(sorted)
	p.steps += 8 * len(sorted)
	half := 0.0
	for _, rank := range sorted {
		half += p.order[rank].weight / 2
	}
	for _, rank := range sorted {
		if half -= p.order[rank].weight; half <= 0 {
			return p.order[rank].at
		}
	}
	return p.order[sorted[len(sorted)-1]].at
}
