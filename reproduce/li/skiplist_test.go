package li

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// naive walks along heights, element by element. The head is element 0.
func naive(heights []uint8, at []int, steps []int) int {
	x := 0
	for k, h := range at {
		for range steps[k] {
			for x++; x < len(heights) && int(heights[x]) < h; x++ {
			}
			if x >= len(heights) {
				return -1
			}
		}
	}
	return x
}

// walks are of all kinds.
func walks() []spray.Walk {
	return []spray.Walk{spray.PerfectSpray(2), spray.PerfectSpray(16), spray.PerfectSpray(100), spray.BasicSpray(8, 1),
		spray.BasicSpray(32, 0.3),
		spray.FullSpray(16, 0.5), {Heights: heightsDown(7, 3), Least: 0, Most: 2}, {Heights: heightsDown(4, 1), Least: 2,
			Most: 2}, {Heights: []int{3, 3, 1, 1}, Most: 3}, {Heights: []int{1}, Most: 9}}
}

// The arrays and the linked nodes lead where walking element by element leads.
func TestSkiplistNaive(t *testing.T) {
	r := random.New(1)
	for _, w := range walks() {
		at := w.Heights
		chain := newChain(w.Heights[0], false, &r)
		for key := range 3*w.Reach() + 20 {
			chain.insert(float64(key))
		}
		list := newSkiplist(w.Heights[0], 0)
		nodes := []int32{0}
		for i := chain.next[1][0]; i != 0; i = chain.next[1][i] {
			list.add(int(chain.heights[i]))
			nodes = append(nodes, i)
		}
		steps := make([]int, len(at))
		ended := 0
		for range 500 {
			for k := range steps {
				steps[k] = drawSteps(w, at[k], &r) * (1 + int(r.Below(8))/7) // now and then further than the list goes
			}
			want := naive(list.heights, at, steps)
			k := -1
			if got := list.walk(at, func(int) int { k++; return steps[k] }); got != want {
				t.Fatalf("%+v: %v steps end at %d, want %d", w, steps, got, want)
			}
			i := int32(0)
			for k, h := range at {
				for range steps[k] {
					if i = chain.after(h, i); i == 0 {
						break
					}
				}
				if i == 0 && want < 0 {
					break
				}
			}
			if want >= 0 && i != nodes[want] || want < 0 && i != 0 {
				t.Fatalf("%+v: %v steps end at node %d, want element %d", w, steps, i, want)
			}
			if want < 0 {
				ended++
			}
		}
		if ended == 500 {
			t.Errorf("%+v: all walks come to the end", w)
		}
	}
}

// The shares of all elements are what an enumeration of all walks says, and on a perfect list what
// the integers say.
func TestLanding(t *testing.T) {
	r := random.New(3)
	for _, w := range []spray.Walk{spray.PerfectSpray(8), {Heights: []int{4, 2, 1}, Least: 1, Most: 6},
		{Heights: []int{5, 2, 1},
			Least: 2, Most: 5}, {Heights: []int{1}, Least: 3, Most: 4}, {Heights: []int{3, 3, 1, 1}, Least: 1, Most: 4}} {
		list := randomSkiplist(w, 0, &r)
		at := w.Heights
		count := w.Most - w.Least + 1
		all := int(math.Pow(float64(count), float64(len(at))))
		want := make([]float64, list.elements()+1)
		farthest := 0
		for n := range all {
			x := list.walk(at, func(int) int {
				s := w.Least + n%count
				n /= count
				return s
			})
			want[x] += 1 / float64(all)
			farthest = max(farthest, x)
		}
		got := list.landing(w)
		if farthest != list.longest(w) || len(got) != farthest+1 {
			t.Errorf("%+v: the farthest is %d, and %d shares, want %d", w, list.longest(w), len(got), farthest)
		}
		for x, share := range got {
			if math.Abs(share-want[x]) > 1e-12 || share == 0 != (want[x] == 0) {
				t.Errorf("%+v: a share of %v at %d, want %v", w, share, x, want[x])
			}
		}
	}
	for _, p := range powers(2, 512) {
		w := spray.PerfectSpray(p)
		ways, all := countWays(w)
		for x, share := range perfectSkiplist(w.Heights[0], w.Reach()).landing(w) {
			if want := float64(ways[x]) / float64(all); math.Abs(share-want) > 1e-12 {
				t.Fatalf("p = %d: a share of %v at %d, want %v", p, share, x, want)
			}
		}
	}
}

// Where sprays land on average, and how much that varies, over clean lists.
func TestMoments(t *testing.T) {
	r := random.New(4)
	for _, w := range []spray.Walk{spray.PerfectSpray(16), spray.BasicSpray(8, 1), {Heights: []int{4, 2, 1}, Least: 2,
		Most: 3}, {Heights: []int{2, 1, 1}, Least: 1, Most: 8}} {
		at := w.Heights
		const n = 4000
		var ends, squares []float64
		mean, variance := moments(w)
		for range n {
			x := float64(randomSkiplist(w, 0, &r).land(at, w, &r))
			ends, squares = append(ends, x), append(squares, (x-mean)*(x-mean))
		}
		if off := deviations(reproduce.Mean(ends), mean); off > 4 {
			t.Errorf("%+v: %v standard errors off the mean of %v", w, off, mean)
		}
		if off := deviations(reproduce.Mean(squares), variance); off > 4 {
			t.Errorf("%+v: %v standard errors off the variance of %v", w, off, variance)
		}
	}
}

// Elements are taken out of a list, and the others keep their heights and order.
func TestWithout(t *testing.T) {
	r := random.New(5)
	list := newSkiplist(4, 0)
	for range 200 {
		list.add(drawHeight(&r))
	}
	taken := make([]bool, 150)
	want := newSkiplist(4, 0)
	for x := 1; x <= 200; x++ {
		if x < len(taken) && r.Below(3) == 0 {
			taken[x] = true
		} else {
			want.add(int(list.heights[x]))
		}
	}
	got := list.without(taken)
	for h := 2; h <= 4; h++ {
		if !slices.Equal(got.at[h], want.at[h]) || !slices.Equal(got.down[h], want.down[h]) {
			t.Errorf("height %d: %v, want %v", h, got.at[h], want.at[h])
		}
	}
	if !slices.Equal(got.heights[1:], want.heights[1:]) {
		t.Errorf("%v, want %v", got.heights, want.heights)
	}
}
