package spray

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/stress"
)

// kill removes an element as one does who is halted before it could unlink anything: the node is
// dead, and linked at all its levels.
func kill(l *List[int, int], h Handle) {
	p := l.epochs.Enter()
	n := l.nodes.At(h.place)
	if !l.claim(p, n, n.state.Load()) {
		panic("it is dead already")
	}
	p.Leave()
}

// Search finds what is there and nothing else, while dead nodes lie about: those that Delete has
// left, and those of goroutines that were halted in the middle of it. There are few keys, so that
// new elements come right behind dead ones.
func TestSearchPassesTheDead(t *testing.T) {
	for _, keys := range []int{20, 1000} {
		for seed := range uint64(stress.FewerRaced(10, 1)) {
			l := New[int, int](Seed(seed))
			r := rand.New(rand.NewPCG(seed, 1))
			there := map[int][]element{} // in the order in which they were inserted
			for step := range 5000 {
				key := r.IntN(keys)
				es := there[key]
				switch r.IntN(4) {
				case 0:
					there[key] = append(es, element{key, step, l.Insert(key, step)})
				case 1:
					if len(es) > 0 {
						at := r.IntN(len(es))
						if r.IntN(2) == 0 {
							kill(l, es[at].handle)
						} else if !l.Delete(es[at].handle) {
							t.Fatalf("%+v could not be deleted", es[at])
						}
						there[key] = slices.Delete(es, at, at+1)
					}
				default:
					v, ok := l.Search(key)
					if ok != (len(es) > 0) || ok && v != es[0].value {
						t.Fatalf("seed %d, step %d: Search(%d) is %d, %v, want %v", seed, step, key, v, ok, es)
					}
				}
			}
		}
	}
}

// Sprays go no further than their walk, whatever is dead. A node that is dead may still be linked
// at an upper level, unlinked below, and what its links there lead to may be used again by now, for
// an element at the far end. Here all tall nodes are such, and walks come to the end of their
// level.
func TestSpraysPassTheDead(t *testing.T) {
	const top = 4
	w := Walk{Heights: []int{4, 3, 2, 1}, Most: 2, Final: 1}
	for seed := range uint64(stress.FewerRaced(30, 2)) {
		l := New[int, int](Seed(seed), Spraying(w))
		p := l.epochs.Enter()
		var keys []int
		var tall []*node[int, int]
		far := uint32(none)
		for i := range 3000 {
			h := l.Insert(i, 0)
			if n := l.nodes.At(h.place); heightOf(n.state.Load()) >= top {
				tall = append(tall, n)
			} else {
				keys, far = append(keys, i), h.place
			}
		}
		for _, n := range tall {
			l.claim(p, n, n.state.Load())
		}
		for level := range top - 1 {
			l.sweepLevel(p, level, 3000)
		}
		for _, n := range tall {
			for level := range top - 1 {
				*l.link(n, level) = far | frozen
			}
		}
		p.Leave()
		for range 20 {
			key, _, ok := l.Spray()
			at, found := slices.BinarySearch(keys, key)
			// Of height 3 there is one in 8: some walks are several times as long as on a perfect
			// list.
			if !ok || !found || at > 8*w.Reach() {
				t.Fatalf("seed %d: a spray took the element %d of rank %d, reach %d", seed, key, at, w.Reach())
			}
			keys = slices.Delete(keys, at, at+1)
		}
	}
}
