package li

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/spray"
)

// A chain is a skip list of linked nodes, from which elements are removed one by one. It either has
// no end, in that elements with heights of their own come up behind the last one when they are
// needed; or it has the elements that are inserted.
type chain struct {
	endless bool
	random  *random.Stream // of heights
	height  func(*random.Stream) int

	heights []uint8
	keys    []float64
	next    [][]int32 // by height, from 1 on, and node; node 0 is the head, and behind the last
	prev    [][]int32
	free    []int32
	last    float64 // the key behind all others, if it has no end
	n       int     // elements
}

func newChain(top int, endless bool, r *random.Stream) *chain {
	c := &chain{endless: endless, random: r, height: drawHeight, heights: make([]uint8, 1), keys: make([]float64, 1),
		next: make([][]int32, top+1), prev: make([][]int32, top+1)}
	for h := 1; h <= top; h++ {
		c.next[h], c.prev[h] = make([]int32, 1), make([]int32, 1)
	}
	return c
}

// node is a new one, with a height of its own.
func (c *chain) node(key float64) int32 {
	var i int32
	if n := len(c.free); n > 0 {
		i, c.free = c.free[n-1], c.free[:n-1]
	} else {
		i = int32(len(c.heights))
		c.heights, c.keys = append(c.heights, 0), append(c.keys, 0)
		for h := 1; h < len(c.next); h++ {
			c.next[h], c.prev[h] = append(c.next[h], 0), append(c.prev[h], 0)
		}
	}
	c.heights[i], c.keys[i] = uint8(c.height(c.random)), key
	c.n++
	return i
}

// link puts a node before another at a height.
func (c *chain) link(h int, i, before int32) {
	pred := c.prev[h][before]
	c.next[h][pred], c.prev[h][i] = i, pred
	c.next[h][i], c.prev[h][before] = before, i
}

// top is the height up to which a node is linked.
func (c *chain) top(i int32) int { return min(int(c.heights[i]), len(c.next)-1) }

// extend adds an element behind all others.
func (c *chain) extend() {
	c.last++
	i := c.node(c.last)
	for h := c.top(i); h >= 1; h-- {
		c.link(h, i, 0)
	}
}

// insert adds an element at the place of its key.
func (c *chain) insert(key float64) {
	at := int32(0)
	i := c.node(key)
	for h := len(c.next) - 1; h >= 1; h-- {
		for next := c.next[h][at]; next != 0 && c.keys[next] <= key; next = c.next[h][at] {
			at = next
		}
		if h <= c.top(i) {
			c.link(h, i, c.next[h][at])
		}
	}
}

// remove takes an element out, and returns its key.
func (c *chain) remove(i int32) float64 {
	for h := c.top(i); h >= 1; h-- {
		pred, next := c.prev[h][i], c.next[h][i]
		c.next[h][pred], c.prev[h][next] = next, pred
	}
	c.free = append(c.free, i)
	c.n--
	return c.keys[i]
}

// redraw gives the first n elements new heights.
func (c *chain) redraw(n int) {
	var front []int32
	for i := c.next[1][0]; i != 0 && len(front) < n; i = c.next[1][i] {
		front = append(front, i)
	}
	in := make(map[int32]bool, len(front))
	for _, i := range front {
		in[i] = true
	}
	for h := 2; h < len(c.next); h++ {
		rest := c.next[h][0]
		for in[rest] {
			rest = c.next[h][rest]
		}
		c.next[h][0], c.prev[h][rest] = rest, 0
	}
	for _, i := range slices.Backward(front) {
		c.heights[i] = uint8(c.height(c.random))
		for h := c.top(i); h >= 2; h-- {
			c.link(h, i, c.next[h][0])
		}
	}
}

// search goes to the last element before a key, as section 2.2 has it, and calls step with the
// height of each step on.
func (c *chain) search(key float64, step func(h int)) {
	at := int32(0)
	for h := len(c.next) - 1; h >= 1; h-- {
		for next := c.next[h][at]; next != 0 && c.keys[next] < key; next = c.next[h][at] {
			at = next
			step(h)
		}
	}
}

// after is the next node at a height, or 0 if there is none.
func (c *chain) after(h int, i int32) int32 {
	for c.endless && c.next[h][i] == 0 {
		c.extend()
	}
	return c.next[h][i]
}

// land is the node at which a spray ends, and false if the chain ends before it.
func (c *chain) land(heights []int, w spray.Walk, r *random.Stream) (int32, bool) {
	i := int32(0)
	for _, h := range heights {
		for range drawSteps(w, h, r) {
			if i = c.after(h, i); i == 0 {
				return 0, false
			}
		}
	}
	return i, true
}

// ranks numbers all elements, from 1 on, by node.
func (c *chain) ranks() []int {
	all := make([]int, len(c.heights))
	rank := 0
	for i := c.next[1][0]; i != 0; i = c.next[1][i] {
		rank++
		all[i] = rank
	}
	return all
}
