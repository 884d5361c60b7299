package rivals

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// Used by one goroutine, a queue holds what it should, and an exact one returns the smallest key.
func TestConcurrentSequential(t *testing.T) {
	for _, rival := range AllConcurrent() {
		for _, processes := range []int{1, 3} {
			q := rival.New(10, processes) // room for a part, so that growing is tested too
			r := rand.New(rand.NewPCG(1, uint64(processes)))
			var keys []float64 // sorted; the value is the key's bits
			for step := range 20_000 {
				// Long runs of insertions and of removals, so that it is empty now and then.
				if insert := step/500%2 == 0; insert == (r.IntN(4) > 0) {
					key := math.Floor(r.ExpFloat64()*50) / 10 // with ties
					q.Insert(key, math.Float64bits(key))
					at, _ := slices.BinarySearch(keys, key)
					keys = slices.Insert(keys, at, key)
				} else {
					key, value, ok := q.Remove()
					if ok != (len(keys) > 0) {
						t.Fatalf("%s: ok is %v with %d elements", rival.Name, ok, len(keys))
					}
					if !ok {
						continue
					}
					at, found := slices.BinarySearch(keys, key)
					if !found || value != math.Float64bits(key) || rival.Exact && at != 0 {
						t.Fatalf("%s: removed %v with value %v, place %d", rival.Name, key, math.Float64frombits(value), at)
					}
					keys = slices.Delete(keys, at, at+1)
				}
				if q.Len() != len(keys) {
					t.Fatalf("%s: Len is %d, want %d", rival.Name, q.Len(), len(keys))
				}
			}
		}
	}
}

// Heaps are in order after any operations.
func FuzzQuaternaryHeap(f *testing.F) {
	f.Add([]byte{5, 3, 9, 0, 0, 200, 7, 7, 7, 7, 255, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		h := newQuaternaryHeap(0)
		for i, b := range data {
			if b > 0 {
				h.push(pair{float64(b), uint64(i)})
			} else if h.len() > 0 {
				least := slices.MinFunc(h.at[root:], func(a, b pair) int { return int(a.key - b.key) })
				if e := h.pop(); e.key != least.key {
					t.Fatalf("popped %v, the least is %v", e.key, least.key)
				}
			}
			for k := root + 1; k < len(h.at); k++ {
				if h.at[k].key < h.at[k/4+2].key {
					t.Fatalf("element %d comes before its parent", k)
				}
			}
		}
	})
}

// Used by many, nothing is lost or returned twice, exact queues have no rank errors, and none fails
// while it has elements.
func TestConcurrentConserve(t *testing.T) {
	for _, rival := range AllConcurrent() {
		for _, goroutines := range []int{2, 16} {
			for _, fill := range []int{4, 500} {
				trace := relaxedtest.Meter{
					Goroutines: goroutines, Fill: fill, Operations: 6000 / goroutines, Workload: relaxedtest.Mixed(fill), Drain: true,
					Seed: uint64(fill),
				}.Run(rival.New(fill, goroutines))
				r, err := relaxedtest.Replay(trace)
				if err != nil || rival.Exact && (r.Rank.Max > 0 || r.Missed > 0) || r.Left != fill+r.Insertions-r.Removals {
					t.Errorf("%s, %d goroutines, %d elements: %v, %v", rival.Name, goroutines, fill, r, err)
				}
			}
		}
	}
}

// Half of the goroutines only insert, the others only remove, until all has come through.
func TestConcurrentPassOn(t *testing.T) {
	const senders, each = 4, 2000
	for _, rival := range AllConcurrent() {
		q := rival.New(0, 2*senders)
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[uint64]bool{}
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					q.Insert(float64(i), uint64(s*each+i))
				}
			})
			wg.Go(func() {
				for range each {
					key, value, ok := q.Remove()
					for !ok {
						key, value, ok = q.Remove()
					}
					mu.Lock()
					if seen[value] || float64(value%each) != key {
						t.Errorf("%s: %d with key %v, seen before: %v", rival.Name, value, key, seen[value])
					}
					seen[value] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(seen) != senders*each || q.Len() != 0 {
			t.Errorf("%s: %d came through, %d are left", rival.Name, len(seen), q.Len())
		}
	}
}

// The rank error of a MultiQueue grows with its number of heaps m. With one goroutine its mean is a
// little below m.
func TestMultiQueueRanks(t *testing.T) {
	last := -1.0
	for _, processes := range []int{1, 4, 16} {
		trace := relaxedtest.Meter{Fill: 5000, Operations: 20_000}.Run(NewMultiQueue(5000, processes))
		r, err := relaxedtest.Replay(trace)
		if err != nil || r.Rank.Mean > 1.5*perProcess*float64(processes) || r.Rank.Mean <= last {
			t.Errorf("%d processes: %v, %v", processes, r, err)
		}
		last = r.Rank.Mean
	}
}

func TestConcurrentAllocatesNothing(t *testing.T) {
	const n = 1000
	for _, rival := range AllConcurrent() {
		q := rival.New(n, 2)
		for i := range n {
			q.Insert(rand.ExpFloat64(), uint64(i))
		}
		hold := func() {
			for range 10 * n {
				key, value, _ := q.Remove()
				q.Insert(key+rand.ExpFloat64(), value)
			}
		}
		hold()
		if allocs := testing.AllocsPerRun(3, hold); allocs > 1 { // a heap of a MultiQueue may grow once more
			t.Errorf("%s: %v allocations in %d operations", rival.Name, allocs, 20*n)
		}
	}
}

func BenchmarkConcurrentHold(b *testing.B) {
	for _, rival := range AllConcurrent() {
		for _, n := range []int{1000, 1_000_000} {
			b.Run(rival.Name+"/"+strconv.Itoa(n), func(b *testing.B) {
				q := rival.New(n, 2)
				for i := range n {
					q.Insert(rand.ExpFloat64(), uint64(i))
				}
				for b.Loop() {
					key, value, _ := q.Remove()
					q.Insert(key+rand.ExpFloat64(), value)
				}
			})
		}
	}
}
