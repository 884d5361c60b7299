package spray

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// A call is an operation of a history, and what came of it.
type call struct {
	insert bool
	key    int
	ok     bool // of a removal
}

// relaxed is a queue that removes one of the first k elements, and says that it is empty only if it
// is. States are sorted keys.
func relaxed(k int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return []int(nil) },
		Step: func(state, input, output any) (bool, any) {
			elements, in, out := state.([]int), input.(call), output.(call)
			if in.insert {
				at, _ := slices.BinarySearch(elements, in.key)
				return true, slices.Insert(slices.Clone(elements), at, in.key)
			}
			if !out.ok {
				return len(elements) == 0, elements
			}
			at, found := slices.BinarySearch(elements, out.key)
			if !found || at >= k {
				return false, elements
			}
			return true, slices.Delete(slices.Clone(elements), at, at+1)
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	}
}

// record runs goroutines that insert and remove, with others let in between any two steps, and
// returns what they did and when.
func record(goroutines, operations int, seed uint64, insert func(key int),
	remove func() (int, bool)) []porcupine.Operation {
	began := time.Now()
	logs := make([][]porcupine.Operation, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for i := range operations {
				in := call{insert: r.IntN(2) == 0, key: i*goroutines + g}
				if r.IntN(2) == 0 {
					in.key = -in.key // at the front, where removals are
				}
				op := porcupine.Operation{ClientId: g, Input: in, Call: time.Since(began).Nanoseconds()}
				out := in
				if in.insert {
					insert(in.key)
				} else {
					out.key, out.ok = remove()
				}
				op.Output, op.Return = out, time.Since(began).Nanoseconds()
				logs[g] = append(logs[g], op)
			}
		}()
	}
	wg.Wait()
	return slices.Concat(logs...)
}

// DeleteMin is exact: histories of short runs, in which goroutines are stopped between any two
// steps, are those of a queue whose operations happen one after the other and remove the first
// element.
func TestDeleteMinIsLinearizable(t *testing.T) {
	for seed := range testscale.Size[uint64](300, 1500) {
		stress.Jolted(2+seed%3, func() {
			l := New[int, int](Seed(seed))
			history := record(4, 8, seed, func(key int) { l.Insert(key, 0) }, func() (int, bool) {
				k, _, ok := l.DeleteMin()
				return k, ok
			})
			if !porcupine.CheckOperations(relaxed(1), history) {
				t.Fatalf("seed %d: %s", seed, stress.Describe(history))
			}
		})
	}
}

// Spray removes one of the first few: those that its walk can reach, and as many more as others
// have in hand.
func TestSprayIsRelaxed(t *testing.T) {
	for seed := range uint64(150) {
		stress.Jolted(2+seed%3, func() {
			const p = 3
			l := New[int, int](Seed(seed), Concurrency(p))
			history := record(p, 12, seed, func(key int) { l.Insert(key, 0) }, func() (int, bool) {
				k, _, ok := l.Spray()
				return k, ok
			})
			if !porcupine.CheckOperations(relaxed(4*(l.walk.Reach()+p)), history) {
				t.Fatalf("seed %d: %s", seed, stress.Describe(history))
			}
		})
	}
}

// The check can fail: a queue that removes the second element is not exact.
func TestHistoriesCanBeWrong(t *testing.T) {
	wrong := 0
	for seed := range uint64(20) {
		var mu sync.Mutex
		var elements []int
		history := record(2, 12, seed, func(key int) {
			mu.Lock()
			defer mu.Unlock()
			elements = append(elements, key)
			slices.Sort(elements)
		}, func() (int, bool) {
			mu.Lock()
			defer mu.Unlock()
			if len(elements) == 0 {
				return 0, false
			}
			at := min(1, len(elements)-1)
			k := elements[at]
			elements = slices.Delete(elements, at, at+1)
			return k, true
		})
		if !porcupine.CheckOperations(relaxed(1), history) {
			wrong++
		}
		if !porcupine.CheckOperations(relaxed(2), history) {
			t.Fatal("the second element is not one of the first two")
		}
	}
	if wrong < 15 {
		t.Errorf("only %d of 20 histories are found wrong", wrong)
	}
}
