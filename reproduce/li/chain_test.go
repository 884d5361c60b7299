package li

import (
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A chain is what a sorted slice is, at every height, after any insertions and removals.
func TestChain(t *testing.T) {
	const top = 5
	r := random.New(2)
	c := newChain(top, false, &r)
	var keys []float64
	for op := range 3000 {
		if len(keys) == 0 || r.Below(5) < 3-uint64(op/1500) {
			key := float64(r.Below(1000)) + float64(op)/10000
			at, _ := slices.BinarySearch(keys, key)
			keys = slices.Insert(keys, at, key)
			c.insert(key)
		} else {
			k := int(r.Below(uint64(len(keys))))
			i := c.next[1][0]
			for range k {
				i = c.next[1][i]
			}
			if got := c.remove(i); got != keys[k] {
				t.Fatalf("element %d has key %v, want %v", k, got, keys[k])
			}
			keys = slices.Delete(keys, k, k+1)
		}
		if c.n != len(keys) {
			t.Fatalf("%d elements, want %d", c.n, len(keys))
		}
		if op%100 != 0 {
			continue
		}
		ranks := c.ranks()
		var all []int32
		for i := c.next[1][0]; i != 0; i = c.next[1][i] {
			all = append(all, i)
			if c.keys[i] != keys[len(all)-1] || ranks[i] != len(all) {
				t.Fatalf("element %d has key %v and rank %d", len(all), c.keys[i], ranks[i])
			}
		}
		for h := 1; h <= top; h++ {
			at, before := c.next[h][0], int32(0)
			for _, i := range all {
				if int(c.heights[i]) < h {
					continue
				}
				if at != i || c.prev[h][i] != before {
					t.Fatalf("height %d: node %d after %d, want %d", h, at, before, i)
				}
				at, before = c.next[h][at], i
			}
			if at != 0 || c.prev[h][0] != before {
				t.Fatalf("height %d goes on with node %d", h, at)
			}
		}
	}
}

// New heights leave the order as it is, and what is linked at a height is what is so high; a search
// counts the steps that it makes.
func TestRedraw(t *testing.T) {
	const top, n = 6, 200
	for _, front := range []int{0, 1, 50, n, n + 10} {
		r := random.New(9, uint64(front))
		c := newChain(top, false, &r)
		for i := range n {
			c.insert(float64(i))
		}
		before := slices.Clone(c.heights)
		c.redraw(front)
		changed, rank := 0, 0
		for i := c.next[1][0]; i != 0; i = c.next[1][i] {
			if c.keys[i] != float64(rank) {
				t.Fatalf("front %d: element %d has key %v", front, rank, c.keys[i])
			}
			rank++
			if c.heights[i] != before[i] {
				changed++
				if rank > front {
					t.Errorf("front %d: element %d has another height", front, rank)
				}
			}
		}
		if rank != n || front >= 50 && changed < front/4 && changed < n/4 {
			t.Errorf("front %d: %d elements, %d with another height", front, rank, changed)
		}
		for h := 2; h <= top; h++ {
			at, last := c.next[h][0], int32(0)
			for i := c.next[1][0]; i != 0; i = c.next[1][i] {
				if int(c.heights[i]) < h {
					continue
				}
				if at != i || c.prev[h][i] != last {
					t.Fatalf("front %d, height %d: node %d after %d, want %d", front, h, at, last, i)
				}
				at, last = c.next[h][i], i
			}
			if at != 0 || c.prev[h][0] != last {
				t.Fatalf("front %d, height %d goes on", front, h)
			}
		}
		// A search for the end passes, from the back, the elements that are higher than all behind
		// them or as high.
		want := make([]int, top+1)
		highest := 0
		for i := c.prev[1][0]; i != 0; i = c.prev[1][i] {
			if h := c.top(i); h >= highest {
				want[h]++
				highest = h
			}
		}
		got := make([]int, top+1)
		c.search(n, func(h int) { got[h]++ })
		if !slices.Equal(got, want) {
			t.Errorf("front %d: steps %v, want %v", front, got, want)
		}
	}
}
