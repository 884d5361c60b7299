package spray

import (
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// Heights are those of the elements that are there, in their order.
func TestHeights(t *testing.T) {
	l := New[int, int](Seed(3))
	var handles []Handle
	for i := range 300 {
		handles = append(handles, l.Insert(i, 0))
	}
	var want []int
	for i, h := range handles {
		if i%3 == 0 {
			l.Delete(h)
		} else {
			want = append(want, heightOf(l.nodes.At(h.place).state.Load()))
		}
	}
	if got := l.Heights(); !slices.Equal(got, want) || slices.Max(want) < 4 {
		t.Errorf("heights are %v, want %v", got, want)
	}
	if got := New[int, int]().Heights(); len(got) != 0 {
		t.Errorf("an empty list has heights %v", got)
	}
}

// A single goroutine loses no element to another, and no link changes under it, also where walks
// come to the end of the list.
func TestAloneNothingIsLost(t *testing.T) {
	for _, w := range []Walk{PerfectSpray(8), BasicSpray(8, 1), FullSpray(8, 1), defaultWalk(8)} {
		l := New[int, int](Spraying(w))
		for round := range 20 {
			for i := range 50 {
				l.Insert(i*(round+3)%97, 0)
			}
			for range 40 + round%15 {
				l.Spray()
			}
		}
		if s := l.Stats(); s.Lost != 0 || s.Retries != 0 || s.Collisions != 0 {
			t.Errorf("%+v: %+v", w, s)
		}
	}
}

// Another goroutine that removes the element at which a walk has ended, or inserts where an
// insertion is about to, is counted. It does so at a point between two steps, of which there are
// any with the race detector.
func TestLostIsCounted(t *testing.T) {
	if !interleave.Enabled {
		t.Skip("needs the race detector")
	}
	l := New[int, int](Spraying(Walk{Heights: []int{1}, Least: 1, Most: 1}))
	for i := range 100 {
		l.Insert(i, 0)
	}
	// once calls f at the first point, and not again at those of f.
	once := func(f func()) func() {
		called := false
		return func() {
			if !called {
				called = true
				f()
			}
		}
	}
	interleave.Between(once(func() { l.DeleteMin() }), func() {
		if key, _, _ := l.Spray(); key != 1 {
			t.Errorf("the walk takes %d, want the next one", key)
		}
	})
	if s := l.Stats(); s.Lost != 1 || s.Sprays != 1 {
		t.Errorf("%+v, want one that is lost", s)
	}
	before := l.Stats().Retries
	interleave.Between(once(func() { l.Insert(-1, 0) }), func() { l.Insert(-2, 0) })
	if got := l.Stats().Retries - before; got == 0 {
		t.Error("an insertion whose place has changed is not counted")
	}
}
