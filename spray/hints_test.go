//go:build !race

package spray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An insertion goes few steps from where hints have it begin, however high it is: they name
// most elements, and what they do not is named as searches come by. Where buckets have become too
// narrow, or too wide, it takes as many insertions as there are elements.
func TestInsertionsGoFewSteps(t *testing.T) {
	n := 10_000
	l := New[float64, int](Concurrency(1))
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		l.Insert(r.ExpFloat64(), i)
	}
	holds := func() float64 {
		steps := 0
		for range 2 * n {
			k, v, _ := l.DeleteMin()
			before := visited(l)
			l.Insert(k+r.ExpFloat64(), v)
			steps += visited(l) - before
		}
		return float64(steps) / float64(2*n)
	}
	for range 6 { // keys near 0 are of all magnitudes
		holds()
	}
	if mean := holds(); mean > 1.6 {
		t.Errorf("an insertion goes %.2f steps", mean)
	}
	before, last := visited(l), 0.0
	for range n { // each behind all others, as when all wait for the same time
		last += 1e3
		l.Insert(last, 0)
	}
	if mean := float64(visited(l)-before) / float64(n); mean > 1.6 {
		t.Errorf("an insertion at the end goes %.2f steps", mean)
	}
}

// Buckets of equal width suit times, however these grow: they are not laid out anew when times
// double. Where gaps grow with the keys, buckets are not of equal width, until they are times
// again.
func TestBucketsSuitKeys(t *testing.T) {
	n := 10_000
	l := New[float64, int](Concurrency(1))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		l.Insert(r.ExpFloat64(), i)
	}
	y := func() layout { return l.hints.Load().layout() }
	// holds makes some holds, so many for each element, and returns how many steps their insertions
	// went, and how often buckets changed.
	holds := func(each int, next func(key float64) float64) (steps float64, changes int) {
		sum, was := 0, y()
		for range each * n {
			k, v, _ := l.DeleteMin()
			before := visited(l)
			l.Insert(next(k), v)
			sum += visited(l) - before
			if now := y(); now != was {
				was, changes = now, changes+1
			}
		}
		return float64(sum) / float64(each*n), changes
	}
	later := func(k float64) float64 { return k + r.ExpFloat64() }
	holds(8, later)
	if steps, changes := holds(16, later); changes > 0 || steps > 1.2 || !y().linear {
		t.Errorf("times: %.2f steps, %d changes, now %+v", steps, changes, y())
	}
	larger := func(k float64) float64 { return k * math.Exp(r.ExpFloat64()) }
	holds(8, larger)
	if steps, _ := holds(4, larger); steps > 1.2 || y().linear {
		t.Errorf("gaps that grow: %.2f steps, now %+v", steps, y())
	}
	far, v, _ := l.DeleteMin() // the unit of times is now what the first of them is
	l.Insert(far, v)
	later = func(k float64) float64 { return k + far*r.ExpFloat64() }
	holds(8, later)
	if steps, _ := holds(4, later); steps > 1.2 || !y().linear {
		t.Errorf("times again: %.2f steps, now %+v", steps, y())
	}
}

// Buckets suit times, too, where some elements are never due: their gaps, however wide, do not tell
// how far apart the others are.
func TestBucketsSuitTimesAmongOthers(t *testing.T) {
	n := 5000
	l := New[float64, int](Concurrency(1))
	r := rand.New(rand.NewPCG(1, 3))
	for i := range n {
		l.Insert(r.ExpFloat64(), i)
	}
	changes, was := 0, l.hints.Load().layout()
	for i := range 24 * n {
		k, v, _ := l.DeleteMin()
		l.Insert(k+r.ExpFloat64(), v)
		if i%500 == 0 {
			l.Insert(math.MaxFloat64*(1-r.Float64()/2), v)
		}
		if now := l.hints.Load().layout(); now != was {
			if i >= 8*n {
				changes++
			}
			was = now
		}
	}
	if changes > 2 || !was.linear {
		t.Errorf("%d changes, now %+v", changes, was)
	}
}

// A search does not begin at a node that a hint names if it is not in the list at all its levels,
// or is another element by now.
func TestWrongHintsAreNotUsed(t *testing.T) {
	l := New[int, int](Concurrency(1))
	for i := range 1000 {
		l.Insert(i<<10, i)
	}
	const key = 500<<10 + 1000
	p, i := l.acquire()
	n := l.nodes.At(i)
	begins := func(state uint64, at int) bool {
		l.build(n, 1)
		n.key = at
		n.state.Store(state)
		l.addHint(i, axis(l.kind, l.hints.Load().layout(), key-1), 1) // nearer than any other
		start, _ := l.findHints(p, key, axis(l.kind, l.hints.Load().layout(), key), 1)
		return start == i
	}
	fresh := stateOf(7, 1)
	if !begins(fresh|alive|linked, key-1) {
		t.Error("a hint that is right is not used")
	}
	for name, wrong := range map[string]bool{
		"not linked yet": begins(fresh|alive, key-1),
		"dead":           begins(fresh|linked, key-1),
		"after the key":  begins(fresh|alive|linked, key+1),
		"far away":       begins(fresh|alive|linked, 1),
	} {
		if wrong {
			t.Errorf("a search begins at a node that is %s", name)
		}
	}
	n.state.Store(fresh)
	p.Leave()
}

// visited is how many nodes searches and sweeps have come by.
func visited[K interface{ int | float64 }](l *List[K, int]) (sum int) {
	for _, p := range l.epochs.Participants() {
		sum += p.Local.visited
	}
	return sum
}
