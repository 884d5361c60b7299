//go:build !race

package spray

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
)

var (
	extremeInts   = []int{math.MinInt, math.MinInt + 1, -1, 0, 1, math.MaxInt32, math.MaxInt - 1, math.MaxInt}
	extremeFloats = []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -1, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1e-9, math.MaxFloat64, math.Inf(1)}
)

// survives runs a function. It may panic with the package's prefix, and may not allocate more than
// 512 MB.
func survives(t *testing.T, name string, f func()) {
	t.Helper()
	bytes := allocated(func() {
		defer func() {
			p := recover()
			if s, ok := p.(string); p != nil && (!ok || !strings.HasPrefix(s, "spray: ")) {
				t.Errorf("%s: panicked with %v", name, p)
			}
		}()
		f()
	})
	if bytes > 1<<29 {
		t.Errorf("%s: allocated %d MB", name, bytes>>20)
	}
}

// allocated is how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// useList inserts some elements, and sprays until there are none.
func useList(t *testing.T, l *List[int, int]) {
	t.Helper()
	const n = 300
	for i := range n {
		l.Insert(i, i)
	}
	sum := 0
	for range n {
		_, v, ok := l.Spray()
		if !ok {
			t.Fatal("Spray found nothing")
		}
		sum += v
	}
	if _, _, ok := l.Spray(); ok || sum != n*(n-1)/2 {
		t.Errorf("the elements add up to %d, want %d; one is left: %v", sum, n*(n-1)/2, ok)
	}
}

// An option may be given the largest and the smallest number of its type.
func TestExtremeOptions(t *testing.T) {
	for _, n := range extremeInts {
		for name, option := range map[string]func(int) Option{"Capacity": Capacity, "Concurrency": Concurrency} {
			survives(t, fmt.Sprintf("%s(%d)", name, n), func() { useList(t, New[int, int](option(n))) })
		}
	}
	survives(t, "large values in a list", func() { New[int, [1 << 16]byte](Capacity(math.MaxInt)) })
}

// Room is made up front for as much as can be spared, and for what is asked for if that is less.
func TestCapacityIsBounded(t *testing.T) {
	for capacity, least := range map[int]uint64{1 << 20: 32 << 20, math.MaxInt: maxReserved / 2} {
		if bytes := allocated(func() { New[int, int](Capacity(capacity)) }); bytes < least || bytes > maxReserved*3/2 {
			t.Errorf("Capacity(%d): allocated %d MB", capacity, bytes>>20)
		}
	}
}

// A key may be the largest or the smallest of its type, and no number is refused.
func TestExtremeKeys(t *testing.T) {
	for _, n := range extremeInts {
		survives(t, fmt.Sprintf("key %d", n), func() { useKey(t, n) })
		survives(t, fmt.Sprintf("key %d", uint(n)), func() { useKey(t, uint(n)) })
	}
	for _, x := range extremeFloats {
		survives(t, fmt.Sprintf("key %v", x), func() { useKey(t, x) })
		survives(t, fmt.Sprintf("key %v", float32(x)), func() { useKey(t, float32(x)) })
	}
}

// useKey has a list with a key among others.
func useKey[K cmp.Ordered](t *testing.T, key K) {
	t.Helper()
	l := New[K, int](Concurrency(1))
	var other K
	l.Insert(other, 1)
	if _, ok := l.Search(key); ok != (key == other) {
		t.Errorf("a list with key %v has key %v: %v", other, key, ok)
	}
	l.Insert(key, 2) // which panics if it is NaN
	for range 99 {
		l.Insert(other, 1)
		l.Insert(key, 2)
		l.Delete(l.Insert(key, 3))
	}
	var keys []K
	for k, _, ok := l.DeleteMin(); ok; k, _, ok = l.DeleteMin() {
		if len(keys) > 0 && k < keys[len(keys)-1] {
			t.Errorf("key %v after %v", k, keys[len(keys)-1])
		}
		keys = append(keys, k)
	}
	if len(keys) != 200 {
		t.Errorf("%d elements came out of 200", len(keys))
	}
}

// What New did not make says so.
func TestZeroValues(t *testing.T) {
	var l List[int, int]
	var b Blocking[int, int]
	for name, use := range map[string]func(){
		"Insert": func() { l.Insert(1, 1) }, "Spray": func() { l.Spray() }, "DeleteMin": func() { l.DeleteMin() },
		"Delete": func() { l.Delete(Handle{}) }, "Search": func() { l.Search(1) }, "Len": func() { l.Len() },
		"Stats": func() { l.Stats() }, "Heights": func() { l.Heights() },
		"Blocking.Insert": func() { b.Insert(1, 1) }, "Blocking.Spray": func() { b.Spray(t.Context()) },
		"Blocking.Delete": func() { b.Delete(Handle{}) }, "Blocking.Len": func() { b.Len() },
		"Blocking.Close": func() { b.Close() },
	} {
		func() {
			defer func() {
				if p, ok := recover().(string); !ok || !strings.Contains(p, "call New") {
					t.Errorf("%s: %v", name, p)
				}
			}()
			use()
		}()
	}
}
