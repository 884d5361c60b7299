package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/spray"
)

// liLittle is enough for the checks to hold, and for wrong theories to be noticed.
func liLittle() liEffort { return liEffort{scale: 0.1, theory: liReport()} }

// liNamed returns the claim of that name, checked with some effort.
func liNamed(t *testing.T, e liEffort, name string) Claim {
	t.Helper()
	for _, c := range liWith(e) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no claim %s", name)
	return Claim{}
}

func TestLiClaims(t *testing.T) {
	fails := map[string]bool{"spray-lemma-5.2": true, "spray-theorems-5.3-6.2": true, "spray-padding": true,
		"spray-dirty-perfect":      true,
		"spray-perfect-conjecture": true}
	for _, c := range liWith(liLittle()) {
		t.Run(c.Name, func(t *testing.T) {
			last := 0.0
			f, err := c.Run(t.Context(), Options{Seed: 2014, Progress: func(fraction float64) {
				if fraction < last || fraction > 1 {
					t.Errorf("progress is %v after %v", fraction, last)
				}
				last = fraction
			}})
			if err != nil {
				t.Fatal(err)
			}
			want := Holds
			if fails[c.Name] {
				want = FailsThus
			}
			if got := c.verdict(&f); got != want || c.Paper != Li || !strings.HasPrefix(c.Name, "spray-") {
				t.Errorf("%s: %s, want %s", c.Paper, got, want)
			}
			if last != 1 {
				t.Errorf("progress ends at %v", last)
			}
			for _, k := range f.Checks {
				if !k.OK {
					t.Errorf("%s: %v, want %v ± %v", k.What, k.Measured, k.Expected, k.Tolerance)
				}
			}
			checkShape(t, f)
			wellFormed(t, c, f)
		})
	}
}

// What is wrong in a theory or in a walk must be seen, also with little effort.
func TestLiWrongTheory(t *testing.T) {
	report := liReport()
	times := func(bound func(mean, delta float64) float64, factor float64) func(mean, delta float64) float64 {
		return func(mean, delta float64) float64 { return bound(factor*mean, delta) }
	}
	tight := func(y *liTheory) { y.above, y.below = times(report.above, 4), times(report.below, 3) }
	basic := func(change func(w *spray.Walk)) func(*liTheory) {
		return func(y *liTheory) {
			y.basic = func(p int, f float64) spray.Walk {
				w := report.basic(p, f)
				change(&w)
				return w
			}
		}
	}
	perfect := func(change func(w *spray.Walk)) func(*liTheory) {
		return func(y *liTheory) {
			y.perfect = func(p int) spray.Walk {
				w := report.perfect(p)
				change(&w)
				return w
			}
		}
	}
	for _, test := range []struct {
		name, claim string
		spoil       func(*liTheory)
		checks      []string // parts of the names of checks that must fail
	}{
		{"a bound of a half of 1/p", "spray-theorem-5.1",
			func(y *liTheory) { y.share = func(p int) float64 { return 0.5 / float64(p) } },
			[]string{"elements that more than 1/p"}},
		{"half the heights", "spray-theorem-5.1", perfect(func(w *spray.Walk) { w.Start = (w.Start + 1) / 2 }),
			[]string{"elements that more than 1/p", "largest share times p"}},
		{"tighter bounds", "spray-lemma-4.1", tight, []string{"over the Chernoff bound"}},
		{"tighter bounds", "spray-lemma-5.2", tight, []string{"over exp(−β²μ/3)", "over exp(−β²μ/2)"}},
		{"a printed exponent that is right", "spray-lemma-5.2", func(y *liTheory) {
			y.above = func(_, delta float64) float64 { return report.above(16, delta) }
			y.below = func(_, delta float64) float64 { return report.below(16, delta) }
		}, []string{"the printed exp(−β²(k+1)/3)", "the printed exp(−β²(k+1)/2)"}},
		{"a start two heights higher", "spray-corollary-4.3", basic(func(w *spray.Walk) { w.Start += 2 }),
			[]string{"farther than σ·p·f·log³p", "largest p"}},
		{"tighter bounds", "spray-corollary-4.3", func(y *liTheory) { y.below = times(report.below, 8) },
			[]string{"less the Chernoff bounds"}},
		{"a start one height higher", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { w.Start++ }),
			[]string{"off 2/(p·f·log³p)", "off 1/(p·f·log³p)", "that no spray reaches"}},
		{"fewer steps", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { w.Most = (w.Most + 3) / 4 }),
			[]string{"C that is needed"}},
		{"a quarter of the padding", "spray-padding", func(y *liTheory) {
			y.full = func(p int, f float64) spray.Walk {
				w := report.full(p, f)
				w.Padding /= 4
				return w
			}
		}, []string{"p = 2", "share off what is expected"}},
		{"starts that are too low", "spray-collisions", func(y *liTheory) {
			low := func(w spray.Walk) spray.Walk { w.Start, w.Most = 1, min(w.Most, 3); return w }
			y.perfect = func(p int) spray.Walk { return low(report.perfect(p)) }
			y.basic = func(p int, f float64) spray.Walk { return low(report.basic(p, f)) }
		}, []string{"PerfectSpray, largest share", "BasicSpray, largest share", "PerfectSpray, mean rounds"}},
		{"PerfectSpray for BasicSpray", "spray-collisions", func(y *liTheory) {
			y.basic = func(p int, _ float64) spray.Walk { return report.perfect(p) }
		}, []string{"over that of uniform choice, most"}},
		{"steps from 0 on", "spray-dirty", basic(func(w *spray.Walk) { w.Least, w.Most = 0, 4 }),
			[]string{"mean height of the front off 2", "elements of height log p", "where sprays land off"}},
		{"steps from 1 on", "spray-dirty-perfect", perfect(func(w *spray.Walk) { w.Least, w.Most = 1, w.Most+1 }),
			[]string{"PerfectSpray: mean height of the front", "not lower by 5 standard errors", "every 2p-th exact, hold model",
				"growth of the mean"}},
		{"BasicSpray for PerfectSpray", "spray-perfect-conjecture", func(y *liTheory) {
			y.perfect = func(p int) spray.Walk { return report.basic(min(p, 128), 1) }
		}, []string{"PerfectSpray, growth of the relative variance", "that no spray hits"}},
	} {
		t.Run(test.claim+": "+test.name, func(t *testing.T) {
			e := liLittle()
			test.spoil(&e.theory)
			c := liNamed(t, e, test.claim)
			notices(t, c, 2014, test.checks)
		})
	}
}

func TestLiCancelled(t *testing.T) {
	cancelled(t, liClaims())
}

// The same seed must give the same findings, and another seed others.
func TestLiSeeds(t *testing.T) {
	c := liNamed(t, liLittle(), "spray-corollary-4.3")
	var measured [3]float64
	for i, seed := range []uint64{1, 1, 2} {
		f, err := c.Run(t.Context(), Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		measured[i] = f.Tables[0].Rows[0][4]
	}
	if measured[0] != measured[1] || measured[0] == measured[2] {
		t.Errorf("seeds 1, 1, 2 give %v", measured)
	}
}

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

// liWalks are of all kinds.
func liWalks() []spray.Walk {
	return []spray.Walk{spray.PerfectSpray(2), spray.PerfectSpray(16), spray.PerfectSpray(100), spray.BasicSpray(8, 1),
		spray.BasicSpray(32, 0.3),
		spray.FullSpray(16, 0.5), {Start: 7, Descend: 3, Least: 0, Most: 2}, {Start: 4, Least: 2, Most: 2}, {Start: 1, Most: 9}}
}

// The arrays and the linked nodes lead where walking element by element leads.
func TestLiListNaive(t *testing.T) {
	r := random.New(1)
	for _, w := range liWalks() {
		at := liHeights(w)
		chain := newLiChain(w.Start, false, &r)
		for key := range 3*w.Reach() + 20 {
			chain.insert(float64(key))
		}
		list := newLiList(w.Start, 0)
		nodes := []int32{0}
		for i := chain.next[1][0]; i != 0; i = chain.next[1][i] {
			list.add(int(chain.heights[i]))
			nodes = append(nodes, i)
		}
		steps := make([]int, len(at))
		ended := 0
		for range 500 {
			for k := range steps {
				steps[k] = liSteps(w, &r) * (1 + int(r.Below(8))/7) // now and then further than the list goes
			}
			want := naive(list.heights, at, steps)
			k := -1
			if got := list.walk(at, func() int { k++; return steps[k] }); got != want {
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

// A chain is what a sorted slice is, at every height, after any insertions and removals.
func TestLiChain(t *testing.T) {
	const top = 5
	r := random.New(2)
	c := newLiChain(top, false, &r)
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

// The shares of all elements are what an enumeration of all walks says, and on a perfect list what the integers say.
func TestLiLanding(t *testing.T) {
	r := random.New(3)
	for _, w := range []spray.Walk{spray.PerfectSpray(8), {Start: 4, Descend: 2, Least: 1, Most: 6}, {Start: 5, Descend: 3,
		Least: 2, Most: 5}, {Start: 1, Least: 3, Most: 4}} {
		list := liRandom(w, 0, &r)
		at := liHeights(w)
		count := w.Most - w.Least + 1
		all := int(math.Pow(float64(count), float64(len(at))))
		want := make([]float64, list.elements()+1)
		farthest := 0
		for n := range all {
			x := list.walk(at, func() int {
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
	for _, p := range liPowers(2, 512) {
		w := spray.PerfectSpray(p)
		ways, all := liWays(w)
		for x, share := range liPerfect(w.Start, w.Reach()).landing(w) {
			if want := float64(ways[x]) / float64(all); math.Abs(share-want) > 1e-12 {
				t.Fatalf("p = %d: a share of %v at %d, want %v", p, share, x, want)
			}
		}
	}
}

// Where sprays land on average, and how much that varies, over clean lists.
func TestLiMoments(t *testing.T) {
	r := random.New(4)
	for _, w := range []spray.Walk{spray.PerfectSpray(16), spray.BasicSpray(8, 1), {Start: 4, Descend: 2, Least: 2, Most: 3}} {
		at := liHeights(w)
		const n = 4000
		var ends, squares []float64
		mean, variance := liMoments(w)
		for range n {
			x := float64(liRandom(w, 0, &r).land(at, w, &r))
			ends, squares = append(ends, x), append(squares, (x-mean)*(x-mean))
		}
		if off := liDeviations(Mean(ends), mean); off > 4 {
			t.Errorf("%+v: %v standard errors off the mean of %v", w, off, mean)
		}
		if off := liDeviations(Mean(squares), variance); off > 4 {
			t.Errorf("%+v: %v standard errors off the variance of %v", w, off, variance)
		}
	}
}

// Elements are taken out of a list, and the others keep their heights and order.
func TestLiWithout(t *testing.T) {
	r := random.New(5)
	list := newLiList(4, 0)
	for range 200 {
		list.add(liHeight(&r))
	}
	taken := make([]bool, 150)
	want := newLiList(4, 0)
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

// The binomial law is exact, and counts that do not have it are rare.
func TestLiTail(t *testing.T) {
	for _, n := range []int{1, 5, 40} {
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 1} {
			sum, choose := 0.0, 1.0
			for k := -1; k <= n; k++ {
				if k >= 0 {
					sum += choose * math.Pow(q, float64(k)) * math.Pow(1-q, float64(n-k))
					choose *= float64(n-k) / float64(k+1)
				}
				if got := liTail(n, q, k); math.Abs(got-sum) > 1e-12 {
					t.Errorf("at most %d of %d with probability %v: %v, want %v", k, n, q, got, sum)
				}
			}
		}
	}
	// Far out: (1−q)ⁿ, and the same from the other side.
	if got, want := liTail(1000, 0.5, 0), math.Ldexp(1, -1000); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		count liCount
		rare  bool
	}{{liCount{seen: 95, of: 1000, exact: 0.1}, false}, {liCount{seen: 200, of: 1000, exact: 0.1}, true}, {liCount{seen: 20,
		of: 1000, exact: 0.1}, true},
		{liCount{seen: 0, of: 1000, exact: 1e-4}, false}, {liCount{seen: 5, of: 1000, exact: 1e-4}, true}} {
		if p := c.count.probability(); p < liRare != c.rare {
			t.Errorf("%+v has a probability of %v", c.count, p)
		}
	}
}

// Lists whose heights have another law are noticed by what is counted in them.
func TestLiOtherHeights(t *testing.T) {
	cells := tallCells(liLittle())
	r := random.New(6)
	countTall(cells, func() int {
		if r.Below(20) == 0 {
			return 1
		}
		return liHeight(&r)
	})
	f := judgeLemma52(cells)
	if f.Checks[0].OK && f.Checks[2].OK {
		t.Error("a list with one low element in twenty more is not noticed")
	}
}

// What sprays take and what fails, by hand.
func TestLiCompete(t *testing.T) {
	// Two sprays of one step: both end at the first element, and one has to try again.
	c := newCollisionPoint(liLittle(), 1, 2)
	r := random.New(7)
	list := liRandom(c.walk, 10, &r)
	if got := c.expected(list.landing(c.walk)); math.Abs(got-0.5) > 1e-12 || math.Abs(c.uniform-0.5) > 1e-12 {
		t.Errorf("%v and %v fail, want a half", got, c.uniform)
	}
	if failed, rounds := c.compete(list, &r); failed != 0.5 || rounds != 2 {
		t.Errorf("%v fail, and it takes %d rounds", failed, rounds)
	}
	// A padding that no spray gets over.
	full := newCollisionPoint(liLittle(), 2, 2)
	if !full.never() || full.place(2) != 0 || full.place(3) != 1 {
		t.Errorf("%+v", full)
	}
	if got := full.expected(list.landing(full.walk)); got != 1 {
		t.Errorf("%v fail, want all", got)
	}
	if _, rounds := full.compete(list, &r); rounds <= collisionPatience {
		t.Errorf("all have an element after %d rounds", rounds)
	}
}

// A removal like the naive one of section 3.2, often of the first element of height log p, must be seen to make a list dirty; and
// that of the first element not to.
func TestLiDirtyControl(t *testing.T) {
	for _, test := range []struct {
		name  string
		walk  spray.Walk
		dirty bool
	}{
		{"often the first of height 4", spray.Walk{Start: 4, Descend: 3, Least: 0, Most: 1}, true},
		{"the first", spray.Walk{Start: 1, Least: 1, Most: 1}, false},
	} {
		w := test.walk
		d := newDirtyRun(16, w, false, 0, 30, 800)
		r := newLiRunner(t.Context(), Options{Seed: 8}, test.name, d.replicas)
		if err := r.soil(d, 0); err != nil {
			t.Fatal(err)
		}
		height, _, _ := d.off()
		if (height > dirtySigmas) != test.dirty {
			t.Errorf("%s: the mean height is %+v of a clean list's", test.name, d.late(d.height))
		}
	}
}
