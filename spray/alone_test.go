//go:build !race

package spray

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Tests of one goroutine that find the same in programs that are checked for races, and take thirty
// times as long there.

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
