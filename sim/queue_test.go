package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// check lists the ranks in order, if they are, and if no weight is above a larger one.
func (t *ranks) check() (all []*rankEnd, err error) {
	var walk func(e *rankEnd)
	walk = func(e *rankEnd) {
		if e == nil {
			return
		}
		for _, below := range []*rankEnd{e.left, e.right} {
			if below != nil && below.weight > e.weight {
				err = errors.New("a rank is above a heavier one")
			}
		}
		walk(e.left)
		if len(all) > 0 && all[len(all)-1].rank >= e.rank {
			err = errors.New("the ranks are not in order")
		}
		all = append(all, e)
		walk(e.right)
	}
	walk(t.root)
	for e := t.spare; e != nil; e = e.left {
		if e.last != nil || e.right != nil {
			err = errors.New("a rank that is free keeps something")
		}
	}
	return all, err
}

// depth is the longest way from the root, which is what inserting, removing and finding cost at
// most.
func (e *rankEnd) depth() int {
	if e == nil {
		return 0
	}
	return 1 + max(e.left.depth(), e.right.depth())
}

// queueOf is a queue that is not served.
func queueOf(s *Simulation) *queue {
	return &queue{s: s, name: "line", lengths: s.timeWeighted(0)}
}

// A slice into which requests are inserted, and from which they are taken by moving the others, is
// the reference for queues.
func TestQueueAgainstReference(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := queueOf(New())
		var want []*request
		different := []int{1, 2, 5, 40, min(1<<40, math.MaxInt)}[seed%5]
		for step := range 1500 {
			if grow := step%600 < 400; len(want) == 0 || r.IntN(10) < 5 == grow {
				q := &request{rank: r.IntN(different) - different/2}
				i := sort.Search(len(want), func(i int) bool { return want[i].rank > q.rank })
				want = slices.Insert(want, i, q)
				l.join(q)
			} else {
				i := r.IntN(len(want))
				if r.IntN(2) == 0 {
					i = 0
				}
				l.remove(want[i])
				want = slices.Delete(want, i, i+1)
			}
			if step%50 == 0 {
				if err := l.check(); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			}
			i := 0
			for q := l.first; q != nil; q = q.next {
				if i >= len(want) || q != want[i] {
					t.Fatalf("seed %d, step %d: place %d of %d is wrong", seed, step, i, len(want))
				}
				i++
			}
			if i != len(want) {
				t.Fatalf("seed %d, step %d: %d in line, want %d", seed, step, i, len(want))
			}
		}
	}
}

// The cost of a place in line is the logarithm of the number of ranks, whatever order they come in.
// Steps are counted by the depth of the tree.
func TestManyRanks(t *testing.T) {
	const n = 50_000
	// 46; ten random trees of so many ranks were 35 to 40 deep, and the trees here are always the same
	most := int(3 * math.Log2(n))
	for name, rank := range map[string]func(i int) int{
		"falling":  func(i int) int { return n - i },
		"rising":   func(i int) int { return i },
		"extremes": func(i int) int { return math.MinInt + i*(math.MaxInt/n) },
		"in turns": func(i int) int { return i % 2 * n * (1 - i) },
		"classes":  func(i int) int { return i%7<<20 + n - i },
		"random":   func(i int) int { return int(scatter(uint64(i))) },
	} {
		l := queueOf(New())
		all := make([]request, n)
		for i := range all {
			all[i].rank = rank(i)
			l.join(&all[i])
		}
		if depth := l.ranks.root.depth(); depth > most {
			t.Errorf("%s: %d steps, want at most %d", name, depth, most)
		}
		if err := l.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range n / 2 { // from the middle and from the head
			l.remove(&all[(i*2+n/2)%n])
		}
		if depth := l.ranks.root.depth(); depth > most {
			t.Errorf("%s: %d steps after half have left, want at most %d", name, depth, most)
		}
		for last := math.MinInt; l.first != nil; {
			q := l.first
			if q.rank < last {
				t.Fatalf("%s: %d comes after %d", name, q.rank, last)
			}
			last = q.rank
			l.remove(q)
		}
		if err := l.check(); err != nil || l.length != 0 || l.last != nil || l.ranks.root.depth() > 1 {
			t.Errorf("%s: something is left: %v", name, err)
		}
	}
}

func BenchmarkFallingRanks(b *testing.B) {
	b.ReportAllocs()
	l := queueOf(New())
	all := make([]request, 50_000)
	for b.Loop() {
		for i := range all {
			all[i].rank = -i
			l.join(&all[i])
		}
		for l.first != nil {
			l.remove(l.first)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/request")
}
