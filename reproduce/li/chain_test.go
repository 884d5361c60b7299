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
