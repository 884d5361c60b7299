//go:build !race

package spray

import "testing"

// A list with room for so many elements takes no more memory when they come, but for what a
// participant needs, and bundles.
func TestListCapacity(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		capacity int
		grows    bool
	}{{0, true}, {n / 4, true}, {n, false}} {
		l := New[int, int](Capacity(c.capacity), Concurrency(1))
		parts := func() int { return l.nodes.Parts() + l.towers.Parts() + len(l.hints.Load().ring[0]) }
		before := parts()
		for i := range n {
			l.Insert(i*7919%n, i)
		}
		if grew := parts() > before; grew != c.grows {
			t.Errorf("with room for %d, %d elements: grew %v", c.capacity, n, grew)
		}
		for i := range n {
			if k, _, ok := l.DeleteMin(); !ok || k != i {
				t.Fatalf("%d, %v, want %d", k, ok, i)
			}
		}
	}
}
