//go:build !race

package spray

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Tests of one goroutine, or of memory. The race detector finds nothing in them, and makes them up
// to thirty times as slow.

func TestListAllocatesNothing(t *testing.T) {
	l := New[float64, int](Concurrency(4))
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		l.Insert(r.Float64(), 1)
	}
	hold := func() {
		k, v, _ := l.Spray()
		l.Delete(l.Insert(k+r.ExpFloat64(), v))
		l.Insert(k+r.ExpFloat64(), v)
	}
	for range 100_000 {
		hold()
	}
	if n := testing.AllocsPerRun(20_000, hold); n != 0 {
		t.Errorf("%v allocations an operation", n)
	}
}

// Sprays of one goroutine go as far as the walk does on a perfect list, and do not go further as
// time passes: the list at the front stays as a fresh one is. The mean rank of a walk is the sum of
// the mean numbers of steps times 2^(height−1), less 1 for the head. Ranks scatter about as much as
// their mean, and those of the sprays that find the same elements at the front, some 2p, are alike.
// So the mean of n sprays has a standard error of about √(2p/n), which is 4 % here; over 40 runs of
// 4,000 sprays it was 17 % for p = 64. The tolerance is 5 standard errors, since which random
// numbers there are depends on where a stack lies.
func TestSprayReach(t *testing.T) {
	for _, p := range []int{2, 4, 16, 64} {
		for _, hold := range []bool{false, true} {
			l := New[float64, int](Concurrency(p), Seed(uint64(p)))
			r := rand.New(rand.NewPCG(uint64(p), 1))
			var keys []float64 // the first is last, since most is done at the front
			place := func(k float64) int {
				at, _ := slices.BinarySearchFunc(keys, k, func(a, b float64) int { return cmp.Compare(b, a) })
				return at
			}
			measured := testscale.Size(500, 1250) * p
			elements := 2 * measured
			if hold {
				elements = 2000
			}
			for range elements {
				k := r.ExpFloat64()
				l.Insert(k, 0)
				keys = append(keys, k)
			}
			slices.Sort(keys)
			slices.Reverse(keys)
			sum := 0
			for i := range 3 * measured / 2 {
				k, _, _ := l.Spray()
				at := place(k)
				if i >= measured/2 {
					sum += len(keys) - 1 - at
				}
				keys = slices.Delete(keys, at, at+1)
				if hold {
					k += r.ExpFloat64()
					l.Insert(k, 0)
					keys = slices.Insert(keys, place(k), k)
				}
			}
			want := float64(l.walk.Reach())/2 - 0.5 // Final makes it half a step more
			want *= 1 - 1/float64(l.walk.Exact)
			if mean := float64(sum) / float64(measured); math.Abs(mean/want-1) > 0.2 {
				t.Errorf("p = %d, hold %v: a mean rank of %.2f, want %.2f", p, hold, mean, want)
			}
		}
	}
}

// Elements that are deleted by handle, where nobody comes by, are unlinked too.
func TestDeletedAreUnlinked(t *testing.T) {
	const n = 100_000
	l := New[int, int]()
	var handles []Handle
	for i := range n {
		handles = append(handles, l.Insert(i, i))
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
	for _, h := range handles {
		l.Delete(h)
	}
	if s := l.Stats(); s.Unlinked < n*9/10 || l.Len() != 0 {
		t.Errorf("%d of %d are unlinked, %d left", s.Unlinked, n, l.Len())
	}
}

// No element is passed over for ever: while sprays insert and remove beyond it, the first element
// is removed after at most as many sprays as a goroutine makes between two exact ones, times the
// participants, and in a list that keeps growing at its front too.
func TestFrontDoesNotStarve(t *testing.T) {
	for _, p := range []int{2, 8, 64} {
		l := New[int, int](Concurrency(p))
		for i := range 100_000 {
			l.Insert(1000+i, i)
		}
		for round := range 50 {
			l.Insert(-round, -1)
			sprays := 0
			for {
				sprays++
				if _, v, ok := l.Spray(); ok && v == -1 {
					break
				}
				if sprays > l.walk.Exact {
					t.Fatalf("p = %d: the first element is still there after %d sprays", p, sprays)
				}
			}
		}
	}
}

func TestListAgainstSlice(t *testing.T) {
	for _, opts := range map[string][]Option{
		"alone": {Concurrency(1)}, "two": {Concurrency(2)}, "many": {Concurrency(64)},
		"basic": {Spraying(BasicSpray(16, 1))}, "full": {Spraying(FullSpray(4, 1))}, "perfect": {Spraying(PerfectSpray(32))},
	} {
		for _, spread := range []int{1, 10, 1_000_000} {
			r := rand.New(rand.NewPCG(uint64(spread), 1))
			l := New[int, int](opts...)
			steps := 0
			drive(t, l, math.MaxInt, func() (int, int, bool) {
				steps++
				// Grow, shrink to nothing, and grow again.
				what := r.IntN(8)
				if steps/2000%2 == 1 && what < 3 && r.IntN(3) > 0 {
					what = 3 + r.IntN(5)
				}
				return what, r.IntN(spread), steps < 10_000
			})
		}
	}
}

// Elements pass through for ever, and the list does not grow.
func TestListMemoryIsBounded(t *testing.T) {
	for _, remove := range []string{"min", "spray", "delete"} {
		l := New[int, int](Concurrency(2))
		var handles []Handle
		for i := range 1000 {
			handles = append(handles, l.Insert(i*10, i))
		}
		for i := range 100_000 {
			switch remove {
			case "min":
				k, v, _ := l.DeleteMin()
				l.Insert(k+10_000, v)
			case "spray":
				k, v, _ := l.Spray()
				l.Insert(k+10_000-i%7, v)
			case "delete":
				at := i * 7919 % 1000
				if !l.Delete(handles[at]) {
					t.Fatal("not deleted")
				}
				handles[at] = l.Insert(i*7919%10_000, i)
			}
		}
		if n := l.fresh.Load(); n > 4000 {
			t.Errorf("%s: %d nodes for 1000 elements", remove, n)
		}
	}
}

// A deletion comes by as many nodes however many elements and processors there are, and none comes
// by many: it does not sweep the list. Elements lie at random in the list, or all have the same
// key.
func TestDeleteIsConstant(t *testing.T) {
	for _, keys := range []int{1 << 30, 1} {
		for _, procs := range []int{1, 64} {
			for _, n := range []int{2000, 40_000} {
				name := fmt.Sprintf("%d keys, GOMAXPROCS %d, %d elements", keys, procs, n)
				old := runtime.GOMAXPROCS(procs)
				l := New[int, int](Concurrency(2))
				runtime.GOMAXPROCS(old)
				r := rand.New(rand.NewPCG(1, uint64(n)))
				handles := make([]Handle, n)
				for i := range handles {
					handles[i] = l.Insert(r.IntN(keys), i)
				}
				r.Shuffle(n, func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
				from, most := visited(l), 0
				last := from
				for _, h := range handles {
					if !l.Delete(h) {
						t.Fatal("not deleted")
					}
					if left := l.nodes.At(h.place).hold & refs; left != 0 {
						t.Fatalf("%s: still linked at %d levels", name, left)
					}
					now := visited(l)
					most = max(most, now-last)
					last = now
				}
				// With hints a search visits about 7 nodes. Among elements of one key they are
				// of no use, and it visits two or so at each of log n levels.
				mean, want := float64(last-from)/float64(n), 12.0
				if keys == 1 {
					want = 40
				}
				if mean > want || most > 250 {
					t.Errorf("%s: %.1f nodes on average, %d at most", name, mean, most)
				}
				if l.Len() != 0 || l.Stats().Unlinked != uint64(n) {
					t.Errorf("%s: %d are left, %d of %d are unlinked", name, l.Len(), l.Stats().Unlinked, n)
				}
			}
		}
	}
}

// Bursts of keys that are close together and of keys that are far apart take turns, and the list
// becomes short and long. Hints are laid out anew each time, and no memory is taken for that.
func TestHintsAreUsedAgain(t *testing.T) {
	elements, burst := 20_000, 1024
	l := New[int, int](Concurrency(1))
	fill := func() {
		for i := range elements {
			l.Insert(i<<20, i)
			if i < burst {
				l.Insert(i<<4, i)
			}
		}
	}
	changes, shape := 0, l.hints.Load().shape.Load()
	cycle := func() {
		for round := range 8 {
			for i := range burst {
				key := i<<4 + 8
				if round%2 == 0 {
					key = i<<20 + 1<<19
				}
				l.Delete(l.Insert(key, i))
			}
			if now := l.hints.Load().shape.Load(); now != shape {
				shape, changes = now, changes+1
			}
		}
		for range elements + burst - 100 {
			l.DeleteMin()
		}
		for i := range burst {
			l.Delete(l.Insert(i, i))
		}
		for range 100 {
			l.DeleteMin()
		}
		fill()
	}
	fill()
	cycle()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	changes = 0
	for range 3 {
		cycle()
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 100_000 || changes < 20 {
		t.Errorf("%d bytes for hints that were laid out anew %d times", bytes, changes)
	}
}

// Nodes change their heights as they are used again, and towers go to those that are tall.
func TestTowersAreUsedAgain(t *testing.T) {
	l := New[int, int](Concurrency(1))
	for i := range 300_000 {
		l.Insert(i, i)
		if i > 1000 {
			l.DeleteMin()
		}
	}
	// One node in 256 has a tower: 4 of 1000, and of those that are put aside. A hundred is out of
	// the question.
	if n := l.freshTower.Load(); n > 100 {
		t.Errorf("%d towers for 1000 elements", n)
	}
}
