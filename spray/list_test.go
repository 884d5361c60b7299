package spray

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
)

// check compares a list, which nobody is using, with the elements that it should have, in order. It
// walks every level: each is sorted, ends, and holds every element that is so high, in the order of
// the lowest level.
func check(l *List[int, int], want []int) error {
	var lowest []uint32
	place := map[uint32]int{}
	for i := atomic.LoadUint32(&l.head.next[0]); i != none; i = l.nodes.At(i).next[0] &^ frozen {
		if n := l.nodes.At(i); n.state.Load()&alive != 0 {
			place[i] = len(lowest)
			lowest = append(lowest, i)
		}
		if len(lowest) > len(want) {
			break
		}
	}
	got := []int{}
	for _, i := range lowest {
		got = append(got, l.nodes.At(i).key)
	}
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		return fmt.Errorf("%d elements, want %d: %v, want %v", len(got), len(want), got[:min(20, len(got))],
			want[:min(20, len(want))])
	}
	if l.Len() != len(want) {
		return fmt.Errorf("Len is %d, want %d", l.Len(), len(want))
	}
	for level := range maxHeight {
		count, last, turn := 0, math.MinInt, ^uint32(0) // before the first of that key
		for i := *l.link(l.head, level); i != none; {
			n := l.nodes.At(i)
			state := n.state.Load()
			link := *l.link(n, level)
			if state&alive != 0 {
				if link&frozen != 0 {
					return fmt.Errorf("level %d: an element that is alive is frozen", level)
				}
				if heightOf(state) <= level {
					return fmt.Errorf("level %d: an element of height %d", level, heightOf(state))
				}
				count++
			} else if link&frozen == 0 {
				return fmt.Errorf("level %d: a dead element is not frozen", level)
			}
			if n.key < last || n.key == last && int32(n.turn-turn) <= 0 {
				return fmt.Errorf("level %d: %d, turn %d, after %d, turn %d", level, n.key, n.turn, last, turn)
			}
			last, turn = n.key, n.turn
			i = link &^ frozen
		}
		tall := 0
		for _, i := range lowest {
			if heightOf(l.nodes.At(i).state.Load()) > level {
				tall++
			}
		}
		if count != tall {
			return fmt.Errorf("level %d has %d elements, %d are so high", level, count, tall)
		}
	}
	return nil
}

// A reference for one goroutine: elements in order, each with its handle.
type element struct {
	key, value int
	handle     Handle
}

// drive makes operations on a list and on a sorted slice, and compares. With one goroutine
// DeleteMin removes the first element, and Spray one of the first few.
func drive(t testing.TB, l *List[int, int], reach int, next func() (what, key int, ok bool)) {
	t.Helper()
	var want []element
	var old []Handle
	remove := func(at int) element {
		e := want[at]
		old = append(old, e.handle)
		want = slices.Delete(want, at, at+1)
		return e
	}
	for step := 0; ; step++ {
		what, key, more := next()
		if !more {
			break
		}
		switch what % 8 {
		default:
			e := element{key, step, l.Insert(key, step)}
			at, _ := slices.BinarySearchFunc(want, key, func(e element, key int) int {
				if e.key <= key {
					return -1
				}
				return 1
			})
			want = slices.Insert(want, at, e)
		case 3, 4:
			k, v, ok := l.DeleteMin()
			if ok != (len(want) > 0) {
				t.Fatalf("step %d: DeleteMin says %v with %d elements", step, ok, len(want))
			}
			if ok {
				if e := remove(0); e.key != k || e.value != v {
					t.Fatalf("step %d: DeleteMin is %d, %d, want %+v", step, k, v, e)
				}
			}
		case 5, 6:
			k, v, ok := l.Spray()
			if ok != (len(want) > 0) {
				t.Fatalf("step %d: Spray says %v with %d elements", step, ok, len(want))
			}
			if ok {
				at := slices.IndexFunc(want, func(e element) bool { return e.value == v })
				if at < 0 || want[at].key != k || at > reach {
					t.Fatalf("step %d: Spray is %d, %d, at %d", step, k, v, at)
				}
				remove(at)
			}
		case 7:
			if len(want) > 0 {
				e := remove(int(uint(key) % uint(len(want))))
				if !l.Delete(e.handle) {
					t.Fatalf("step %d: %+v could not be deleted", step, e)
				}
			}
			for _, h := range old[max(0, len(old)-3):] {
				if l.Delete(h) {
					t.Fatalf("step %d: %v was deleted twice", step, h)
				}
			}
		}
		if l.Len() != len(want) {
			t.Fatalf("step %d: Len is %d, want %d", step, l.Len(), len(want))
		}
	}
	keys := []int{}
	for _, e := range want {
		keys = append(keys, e.key)
	}
	if err := check(l, keys); err != nil {
		t.Fatal(err)
	}
}

// What goes in comes out, exactly once, by any removal: goroutines insert, and
// remove by all ways at once, some of them by handles that another one was given.
func TestListConserves(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		for _, goroutines := range []int{1, 2, 7, 64} {
			if goroutines == 1 && interleave.Enabled {
				continue
			}
			for i, p := range []int{1, 2, 64} {
				conserve(t, procs, goroutines, p, stress.FewerRaced(2000, 300), mapped[(procs+goroutines+i)%len(mapped)])
			}
		}
	}
}

// mapped are keys for values from 1 on, some of which are hard on hints.
var mapped = []func(v int) int{
	func(v int) int { return v % 1000 },
	func(v int) int { return -v },                                     // always at the front
	func(v int) int { return v % 3 },                                  // nearly all are equal
	func(v int) int { return v%10 + (v/10%9-4)<<(bits.UintSize-4) },   // few are close together, and these far apart
	func(v int) int { return v << (v % bits.UintSize) },               // of all magnitudes
	func(v int) int { return v/64*1000 - v%2*math.MaxInt + v*v%1000 }, // two places that wander
}

// The same, with goroutines stopped between any two steps.
func TestListConservesJolted(t *testing.T) {
	for _, goroutines := range []int{2, 7, 64} {
		for n := range uint64(6) {
			stress.Jolted(2+3*n, func() {
				conserve(t, 1+int(n)%3*3, goroutines, 1+int(n), stress.FewerRaced(1000, 450), mapped[n])
			})
		}
	}
}

func conserve(t *testing.T, procs, goroutines, p, operations int, key func(v int) int) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	l := New[int, int](Concurrency(p))
	var removed [1 << 17]atomic.Int32 // by value
	var inserted atomic.Int64
	handles := make([]atomic.Pointer[struct {
		h Handle
		v int
	}], 64)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(g), uint64(p)))
			take := func(k, v int, ok bool) {
				if ok {
					if removed[v].Add(1) != 1 {
						t.Errorf("%d was removed twice", v)
					}
					if k != key(v) {
						t.Errorf("%d has key %d", v, k)
					}
				}
			}
			for range operations / goroutines {
				switch r.IntN(6) {
				case 0, 1, 2:
					v := int(inserted.Add(1))
					h := l.Insert(key(v), v)
					handles[r.IntN(len(handles))].Store(&struct {
						h Handle
						v int
					}{h, v})
				case 3:
					take(l.DeleteMin())
				case 4:
					take(l.Spray())
				case 5:
					if e := handles[r.IntN(len(handles))].Load(); e != nil && l.Delete(e.h) {
						take(key(e.v), e.v, true)
					}
				}
			}
		}()
	}
	wg.Wait()
	var want []int
	for v := 1; v <= int(inserted.Load()); v++ {
		if removed[v].Load() == 0 {
			want = append(want, key(v))
		}
	}
	slices.Sort(want)
	if err := check(l, want); err != nil {
		t.Fatalf("GOMAXPROCS %d, %d goroutines, p = %d: %v", procs, goroutines, p, err)
	}
	for range want {
		_, v, ok := l.Spray()
		if !ok || removed[v].Add(1) != 1 {
			t.Fatalf("at the end: %d, %v", v, ok)
		}
	}
	if _, _, ok := l.Spray(); ok || l.Len() != 0 {
		t.Fatal("the list is not empty at last")
	}
}
