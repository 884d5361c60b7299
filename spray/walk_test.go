//go:build !race

package spray

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// algorithm31 is Algorithm 3.1 of the report, line by line: the height of each walk, and its most
// steps.
//
// Logarithms are binary, since a pointer of height k skips 2^(k−1) elements (section 2.2), E_k is
// 2^(k·log log p − 1)·f(p)·log³p and is log p times E_(k−1) (section 3.1, Lemma 6.1). The report
// rounds nothing: its levels are heights of the list, which are whole, and are rounded up here, as
// numbers of steps are.
//
// As printed k counts heights in two units: k := log p/log log p is how many heights there are, and
// k ← k − log log p goes down so many heights of the list. "The part of the spray consisting of the
// walk at level k log log p" is "the kth level of the spray, for k ≥ 1, and the part of the spray
// consisting of the walk at level 1 the 0th level of the spray" (Notation), and "we choose to skip
// log log p levels at a time", from "h = log p as a starting height" (section 3.1). So k is a
// height here, and is log p/log log p times log log p at first.
func algorithm31(p int, f float64) (heights, most []int) {
	log := math.Log2(float64(p))
	loglog := math.Log2(log)
	c := int(math.Ceil(f * log * log * log))
	// x := 0.
	k := log    // k := log p / log log p
	for k > 0 { // while k > 0 do
		most = append(most, c)                       // Choose s ← Unif[1, f(p) log³p]
		heights = append(heights, int(math.Ceil(k))) // Walk x by s steps at level k
		k -= loglog                                  // k ← k − log log p
	} // end while
	most = append(most, c)       // Choose s ← Unif[1, f(p) log³p]
	heights = append(heights, 1) // Walk x by s steps at level 1
	return heights, most         // Return x
}

// BasicSpray is Algorithm 3.1 for all p from 3 on. For p = 2 log log p is 0, and the printed loop
// does not end; for p = 1 it is not a number. Both walk at height 1 twice, with log p and log log p
// taken as 1.
func TestBasicSprayIsAlgorithm31(t *testing.T) {
	for p := 1; p <= 4096; p++ {
		log := math.Log2(float64(max(p, 2)))
		for _, f := range []float64{0.5, 1, 4} {
			heights, most := []int{1, 1}, []int{int(math.Ceil(f)), int(math.Ceil(f))}
			if p >= 3 {
				heights, most = algorithm31(p, f)
			}
			want := Walk{Heights: heights, Least: 1, Most: most[0]} // which is the same for all
			if got := BasicSpray(p, f); !reflect.DeepEqual(got, want) {
				t.Fatalf("BasicSpray(%d, %v) is %+v, want %+v", p, f, got, want)
			}
			// Algorithm 3.2:
			//	K(p) := p·f(p)·log²p
			//	while true do
			//	  Run BasicSpray
			//	  if BasicSpray finishes then
			//	    Let x be the value returned
			//	    if x is not in the first K(p) elements then
			//	      Remove x
			// As printed nothing ends the loop; what is meant is that it ends when x is removed. What
			// is in the loop is done by Spray, and land: see TestSprayFollowsItsWalk.
			want.Padding = int(math.Ceil(float64(p) * f * log * log))
			if got := FullSpray(p, f); !reflect.DeepEqual(got, want) {
				t.Fatalf("FullSpray(%d, %v) is %+v, want %+v", p, f, got, want)
			}
		}
		if p < 3 {
			continue
		}
		// Without the loop: ⌈log p/log log p⌉ heights, of which the i-th is log p − i·log log p rounded
		// up, and the walk at height 1 after them.
		heights, apart := BasicSpray(p, 1).Heights, math.Log2(log)
		if n := len(heights); n != int(math.Ceil(log/apart))+1 || heights[n-1] != 1 {
			t.Fatalf("p = %d: heights %v", p, heights)
		}
		for i, h := range heights[:len(heights)-1] {
			if up := float64(h) - (log - float64(i)*apart); up < -1e-9 || up >= 1 {
				t.Fatalf("p = %d: height %d is %d, %v above log p − i·log log p", p, i, h, up)
			}
		}
	}
	for p, want := range map[int][]int{1: {1, 1}, 2: {1, 1}, 3: {2, 1, 1, 1}, 4: {2, 1, 1}, 8: {3, 2, 1}, 16: {4, 2, 1},
		64: {6, 4, 1, 1}, 256: {8, 5, 2, 1}, 512: {9, 6, 3, 1}, 1024: {10, 7, 4, 1, 1}, 4096: {12, 9, 5, 2, 1},
		1 << 16: {16, 12, 8, 4, 1}} {
		if got := BasicSpray(p, 1).Heights; !slices.Equal(got, want) {
			t.Errorf("BasicSpray for p = %d walks at heights %v, want %v", p, got, want)
		}
	}
}

// PerfectSpray makes 1 to log p steps ("choosing uniformly from [1, c]", "a choice of c = log p")
// at each height from log p ("our choice of h = log p as a starting height") to 1 ("the natural
// choice of going down one level at a time", section 3.1). It walks at height 1 once: the proof of
// Theorem 5.1 counts tuples (a_1, …, a_(log p)), one number of steps for each level.
func TestPerfectSprayIsThatOfSection31(t *testing.T) {
	for p := 1; p <= 4096; p++ {
		l := int(math.Ceil(math.Log2(float64(max(p, 2))))) // one process walks as two do
		want := Walk{Least: 1, Most: l}
		for i := l; i >= 1; i-- {
			want.Heights = append(want.Heights, i)
		}
		if got := PerfectSpray(p); !reflect.DeepEqual(got, want) {
			t.Fatalf("PerfectSpray(%d) is %+v, want %+v", p, got, want)
		}
	}
}

// follow walks down a list element by element, as the text says it, and returns the element at
// which the walk ends. It draws what land draws. Elements are counted from 1, dummies included, and
// the head is element 0.
func follow(w Walk, heights []int, r random.Stream) int {
	x := 0
	for _, h := range w.Heights {
		least := w.Least
		if h == 1 {
			least = max(least, min(w.Final, w.Most))
		}
		for s := least + int(r.Below(uint64(w.Most-least)+1)); s > 0; s-- {
			for x++; heights[x] < h; x++ {
			}
		}
	}
	return x
}

// A list walks at all heights of its walk, also where one of them comes twice, and a walk that ends
// in the padding fails.
func TestSprayFollowsItsWalk(t *testing.T) {
	for _, w := range []Walk{PerfectSpray(2), PerfectSpray(16), BasicSpray(2, 1), BasicSpray(3, 1), BasicSpray(4, 1),
		BasicSpray(8, 0.3), BasicSpray(64, 0.1), BasicSpray(1024, 0.01), {Heights: []int{1, 1, 1}, Least: 1, Most: 1},
		{Heights: []int{5, 3, 3, 1}, Most: 3}, {Heights: []int{4, 4, 1, 1}, Most: 2, Final: 1},
		FullSpray(4, 1), FullSpray(16, 0.3)} {
		failed := 0
		for seed := range uint64(20) {
			n := 4*w.Reach() + 1000
			l := New[int, int](Spraying(w), Seed(seed))
			for i := range n {
				l.Insert(i+1, 0)
			}
			heights := make([]int, w.Padding+n+1)
			for level, places := range l.padding {
				for _, place := range places {
					heights[place] = level + 1
				}
			}
			for i := l.head.next[0]; i != none; i = l.nodes.At(i).next[0] {
				heights[w.Padding+l.nodes.At(i).key] = heightOf(l.nodes.At(i).state.Load())
			}
			p := l.epochs.Enter()
			want := follow(w, heights, p.Local.random)
			_, i, outcome := l.land(p, w.Heights[0])
			switch {
			case w.Padding > 0 && want <= w.Padding:
				if failed++; outcome != padded {
					t.Fatalf("%+v, seed %d: the walk ends at dummy %d, and does not fail", w, seed, want)
				}
			case outcome != landed || l.nodes.At(i).key != want-w.Padding:
				t.Fatalf("%+v, seed %d: the walk ends at %d, want %d", w, seed, l.nodes.At(i).key, want-w.Padding)
			}
			p.Leave()
		}
		if w.Padding > 0 && (failed == 0 || failed == 20) {
			t.Errorf("%+v: %d of 20 walks end in the padding", w, failed)
		}
	}
}

// A walk may be given the largest and the smallest number of its types.
func TestExtremeWalks(t *testing.T) {
	try := func(name string, walk func() Walk) {
		survives(t, name+", reach", func() {
			if r := walk().Reach(); r < 0 || r > math.MaxInt32 {
				t.Errorf("%s: the reach is %d", name, r)
			}
		})
		survives(t, name, func() { useList(t, New[int, int](Spraying(walk()))) })
	}
	for _, n := range extremeInts {
		heights := []int{3, 2, 1}
		for name, w := range map[string]Walk{
			"Heights":        {Heights: []int{n, 1}, Most: 2},
			"last height":    {Heights: []int{2, n}, Most: 2},
			"Least":          {Heights: heights, Least: n, Most: 2},
			"Most":           {Heights: heights, Most: n},
			"Least and Most": {Heights: heights, Least: n, Most: n},
			"Final":          {Heights: heights, Most: 2, Final: n},
			"Padding":        {Heights: heights, Most: 2, Padding: n},
			"Exact":          {Heights: heights, Most: 2, Exact: n},
		} {
			try(fmt.Sprintf("a walk with %s %d", name, n), func() Walk { return w })
		}
		try(fmt.Sprintf("PerfectSpray(%d)", n), func() Walk { return PerfectSpray(n) })
		for _, f := range append(extremeFloats, 1) {
			try(fmt.Sprintf("BasicSpray(%d, %v)", n, f), func() Walk { return BasicSpray(n, f) })
			try(fmt.Sprintf("FullSpray(%d, %v)", n, f), func() Walk { return FullSpray(n, f) })
		}
	}
	for _, f := range extremeFloats {
		try(fmt.Sprintf("FullSpray(16, %v)", f), func() Walk { return FullSpray(16, f) })
	}
	for _, f := range extremeFloats[:6] {
		for name, walk := range map[string]func(int, float64) Walk{"BasicSpray": BasicSpray, "FullSpray": FullSpray} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s(16, %v) does not panic", name, f)
					}
				}()
				walk(16, f)
			}()
		}
	}
}
