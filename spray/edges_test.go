package spray

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/internal/stress"
)

// The axis that hints stand on, which is all of a list that knows the kind of its keys, has the
// order of keys of every kind. Lists have it, too: here of some kinds, since each takes the
// compiler half a second, and of the others in a soak test.
func TestKeysOfEveryKind(t *testing.T) {
	type celsius float64
	keysOf(t, []float64{math.Inf(-1), -1e300, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, 5e-324, 1, 1e300,
		math.Inf(1)})
	keysOf(t, []celsius{-273.15, 0, 36.6})
	keysOf(t, []int{math.MinInt, -1, 0, 1, math.MaxInt})
	keysOf(t, []uint8{0, 1, 128, 255})
	inList(t, []string{"", "\x00", "a", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaab", "b",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff"})
	onAxis(t, float32s)
	onAxis(t, int64s)
	onAxis(t, int32s)
	onAxis(t, int16s)
	onAxis(t, int8s)
	onAxis(t, uints)
	onAxis(t, uint64s)
	onAxis(t, uint32s)
	onAxis(t, uint16s)
	onAxis(t, uintptrs)
}

// Keys in order, with the ends of what their types hold.
var (
	float32s = []float32{float32(math.Inf(-1)), -1, -1e-40, 0, 1e-40, 1, float32(math.Inf(1))}
	int64s   = []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
	int32s   = []int32{math.MinInt32, -1, 0, 1, math.MaxInt32}
	int16s   = []int16{math.MinInt16, -1, 0, 1, math.MaxInt16}
	int8s    = []int8{-128, -1, 0, 1, 127}
	uints    = []uint{0, 1, math.MaxUint}
	uint64s  = []uint64{0, 1, 1 << 63, math.MaxUint64}
	uint32s  = []uint32{0, 1, 1 << 31, math.MaxUint32}
	uint16s  = []uint16{0, 1, 1 << 15, math.MaxUint16}
	uintptrs = []uintptr{0, 1, 1 << 31}
)

func onAxis[K cmp.Ordered](t *testing.T, sorted []K) {
	t.Helper()
	kind := reflect.TypeFor[K]().Kind()
	for i := 1; i < len(sorted); i++ {
		if axis(kind, layout{}, sorted[i]) < axis(kind, layout{}, sorted[i-1]) {
			t.Errorf("%T: %v stands after %v", sorted[i], sorted[i-1], sorted[i])
		}
	}
}

func keysOf[K cmp.Ordered](t *testing.T, sorted []K) {
	t.Helper()
	onAxis(t, sorted)
	inList(t, sorted)
}

// inList reports keys that leave a list in another order.
func inList[K cmp.Ordered](t *testing.T, sorted []K) {
	t.Helper()
	l := New[K, int](Concurrency(1))
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		i := r.IntN(len(sorted))
		l.Insert(sorted[i], i)
	}
	last := 0
	for range 300 {
		k, i, ok := l.DeleteMin()
		if !ok || k != sorted[i] || k < sorted[last] {
			t.Fatalf("%T: %v after %v", k, k, sorted[last])
		}
		last = i
	}
}

func TestSearch(t *testing.T) {
	l := New[int, string]()
	h := l.Insert(5, "first")
	l.Insert(5, "second")
	l.Insert(7, "seven")
	for key, want := range map[int]string{5: "first", 7: "seven", 4: "", 6: "", 8: ""} {
		if got, ok := l.Search(key); got != want || ok != (want != "") {
			t.Errorf("%d: %q, %v", key, got, ok)
		}
	}
	l.Delete(h)
	if got, _ := l.Search(5); got != "second" {
		t.Errorf("after the first is gone: %q", got)
	}
}

func TestHandles(t *testing.T) {
	l := New[int, int]()
	l.Insert(0, 0)
	for _, h := range []Handle{{}, {owner: l.owner}, {place: 2, version: 1}, {owner: l.owner + 1, place: 2, version: 1},
		{owner: l.owner, place: 2, version: 3}} {
		if l.Delete(h) {
			t.Errorf("%+v deleted something", h)
		}
	}
	l.DeleteMin()
	seen := map[Handle]bool{}
	for range stress.FewerRaced(10_000, 1000) {
		h := l.Insert(1, 1)
		if seen[h] {
			t.Fatal("a handle was given twice")
		}
		seen[h] = true
		if !l.Delete(h) || l.Delete(h) {
			t.Fatal("not deleted once")
		}
	}
}

func TestListPanics(t *testing.T) {
	for what, f := range map[string]func(){
		"a key must not be NaN":  func() { New[float64, int]().Insert(math.NaN(), 1) },
		"a number of 1 or more":  func() { Concurrency(0) },
		"a walk is for at least": func() { PerfectSpray(0) },
		"a number above 0":       func() { BasicSpray(4, math.NaN()) },
		"last height of a walk":  func() { Spraying(Walk{}) },
		"walk is 1":              func() { Spraying(Walk{Heights: []int{3, 2}}) },
		"a height from 1 to 32":  func() { Spraying(Walk{Heights: []int{33, 1}}) },
		"no height is above":     func() { Spraying(Walk{Heights: []int{2, 3, 1}}) },
		"0 ≤ Least ≤ Most":       func() { Spraying(Walk{Heights: []int{3, 1}, Least: 2, Most: 1}) },
		"must not be negative":   func() { Spraying(Walk{Heights: []int{3, 1}, Padding: -1}) },
		"at most 16,777,216":     func() { Spraying(FullSpray(1<<20, 1)) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "spray: ") || !strings.Contains(s, what) {
					t.Errorf("panicked with %q, want %q", s, what)
				}
			}()
			f()
		}()
	}
}

// Numbers that make no sense are served, too.
func TestListOfTooMany(t *testing.T) {
	for _, o := range []Option{Concurrency(math.MaxInt), Spraying(Walk{Heights: down(32), Most: math.MaxInt}),
		Spraying(BasicSpray(math.MaxInt32, math.Inf(1)))} {
		l := New[int, int](o)
		for i := range 1000 {
			l.Insert(i, i)
		}
		for range 1000 {
			if _, _, ok := l.Spray(); !ok {
				t.Fatal("Spray found nothing")
			}
		}
		if _, _, ok := l.Spray(); ok || l.Len() != 0 {
			t.Error("it is not empty at last")
		}
	}
}

// What a value points to can be collected once its element is removed, and others have been.
func TestListForgetsValues(t *testing.T) {
	l := New[int, *[1 << 10]byte](Concurrency(1))
	var collected atomic.Int32
	for i := range 1000 {
		v := new([1 << 10]byte)
		runtime.AddCleanup(v, func(int) { collected.Add(1) }, 0)
		l.Insert(i, v)
	}
	for range 1000 {
		l.DeleteMin()
	}
	for range 200 { // epochs pass; the same few nodes are used
		l.Insert(1, nil)
		l.DeleteMin()
	}
	for range 10 {
		runtime.GC()
		runtime.Gosched()
	}
	if n := collected.Load(); n < 900 {
		t.Errorf("only %d of 1000 values were collected", n)
	}
	runtime.KeepAlive(l)
}

// A list that is shorter than the sprays' reach, and one that is empty: sprays return at once, and
// say so only when it is.
func TestShortLists(t *testing.T) {
	for _, w := range []Walk{PerfectSpray(512), BasicSpray(512, 1), FullSpray(64, 1), BasicSpray(2, 1)} {
		l := New[int, int](Spraying(w))
		for n := range 40 {
			for i := range n {
				l.Insert(i, i)
			}
			seen := map[int]bool{}
			for range n {
				k, _, ok := l.Spray()
				if !ok || seen[k] {
					t.Fatalf("%+v, %d elements: %d, %v", w, n, k, ok)
				}
				seen[k] = true
			}
			if _, _, ok := l.Spray(); ok {
				t.Fatal("something out of nothing")
			}
		}
	}
}

// A removal says that the list is empty only if it was: there is always one element more than
// goroutines that have one in hand.
func TestNeverEmpty(t *testing.T) {
	for _, p := range []int{1, 2, 16} {
		for _, exact := range []bool{false, true} {
			stress.Jolted(50, func() {
				const goroutines = 8
				l := New[int, int](Concurrency(p))
				for i := range goroutines + 1 {
					l.Insert(i, i)
				}
				var wg sync.WaitGroup
				for range goroutines {
					wg.Add(1)
					go func() {
						defer wg.Done()
						for range stress.FewerRaced(1000, 120) {
							remove := l.Spray
							if exact {
								remove = l.DeleteMin
							}
							k, v, ok := remove()
							if !ok {
								t.Error("empty, it says")
								return
							}
							l.Insert(k+7, v)
						}
					}()
				}
				wg.Wait()
			})
		}
	}
}

// Goroutines that come and go, many more than cores, do not make the list grow for ever.
func TestListMemoryWithManyGoroutines(t *testing.T) {
	l := New[int, int](Concurrency(8))
	for i := range 1000 {
		l.Insert(i, i)
	}
	grow := func(times int) int {
		for range times {
			var wg sync.WaitGroup
			for range 64 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for range stress.FewerRaced(200, 40) {
						k, v, _ := l.Spray()
						l.Insert(k+1000, v)
					}
				}()
			}
			wg.Wait()
		}
		return l.Stats().Nodes
	}
	first := grow(stress.FewerRaced(10, 2))
	if second := grow(stress.FewerRaced(20, 3)); second > 2*first+10_000 {
		t.Errorf("%d nodes, and then %d", first, second)
	}
}

func FuzzList(f *testing.F) {
	f.Add([]byte("insert and remove"), uint8(2))
	f.Add([]byte{0, 1, 0, 1, 0, 1, 3, 5, 7, 7, 7, 5, 5, 5, 5}, uint8(64))
	f.Add([]byte{0, 255, 8, 255, 16, 0, 6, 0, 6, 0, 6, 0, 4}, uint8(1))
	f.Fuzz(func(t *testing.T, script []byte, p uint8) {
		l := New[int, int](Concurrency(int(p)%100 + 1))
		drive(t, l, math.MaxInt, func() (int, int, bool) {
			if len(script) < 2 {
				return 0, 0, false
			}
			what, key := int(script[0]), int(int8(script[1]))<<(script[0]>>3*2) // of all magnitudes
			script = script[2:]
			return what, key, true
		})
	})
}
