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

// useCalendar schedules some events, and takes them all.
func useCalendar[V any](t *testing.T, c *Calendar[V]) {
	t.Helper()
	const n = 300
	for i := range n {
		if _, err := c.Schedule(float64(i%7), *new(V)); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		if _, _, ok := c.Next(); !ok {
			t.Fatal("Next found nothing")
		}
	}
	if _, _, ok := c.Next(); ok || c.Len() != 0 {
		t.Error("an event is left")
	}
}

// An option may be given the largest and the smallest number of its type.
func TestExtremeOptions(t *testing.T) {
	for _, n := range extremeInts {
		for name, option := range map[string]func(int) Option{"Capacity": Capacity, "Processes": Processes,
			"PerProcess": PerProcess, "Sticky": Sticky} {
			name := fmt.Sprintf("%s(%d)", name, n)
			survives(t, name+" of a calendar", func() { useCalendar(t, NewCalendar[int](Processes(2), option(n))) })
			survives(t, name+" of a list", func() { useList(t, New[int, int](option(n))) })
		}
	}
	for _, n := range []int{1, math.MaxInt} { // queues that take more than the room in them
		survives(t, "many queues", func() { NewCalendar[int](Processes(1<<16), PerProcess(maxPer), Capacity(n)) })
	}
	survives(t, "large values in a calendar", func() {
		useCalendar(t, NewCalendar[[1 << 16]byte](Processes(1), Capacity(math.MaxInt)))
	})
	survives(t, "large values in a list", func() { New[int, [1 << 16]byte](Capacity(math.MaxInt)) })
}

// Room is made up front for as much as can be spared, and for what is asked for if that is less.
func TestCapacityIsBounded(t *testing.T) {
	for capacity, least := range map[int]uint64{1 << 20: 32 << 20, math.MaxInt: maxReserved / 2} {
		for name, f := range map[string]func(){
			"calendar": func() { NewCalendar[int](Capacity(capacity)) },
			"list":     func() { New[int, int](Capacity(capacity)) },
		} {
			if bytes := allocated(f); bytes < least || bytes > maxReserved*3/2 {
				t.Errorf("a %s with Capacity(%d): allocated %d MB", name, capacity, bytes>>20)
			}
		}
	}
}

// A key or a time may be the largest or the smallest of its type, and no number is refused.
func TestExtremeKeysAndTimes(t *testing.T) {
	for _, n := range extremeInts {
		survives(t, fmt.Sprintf("key %d", n), func() { useKey(t, n) })
		survives(t, fmt.Sprintf("key %d", uint(n)), func() { useKey(t, uint(n)) })
	}
	for _, x := range extremeFloats {
		survives(t, fmt.Sprintf("key %v", x), func() { useKey(t, x) })
		survives(t, fmt.Sprintf("key %v", float32(x)), func() { useKey(t, float32(x)) })
		survives(t, fmt.Sprintf("time %v", x), func() {
			c := NewCalendar[int](Processes(2))
			want := 0
			for i := range 100 {
				for _, at := range []float64{float64(i), x} {
					if _, err := c.Schedule(at, i); err == nil {
						want++
					}
				}
			}
			got := 0
			for _, _, ok := c.Next(); ok; _, _, ok = c.Next() {
				got++
			}
			if finite := x-x == 0; got != want || got == 200 != finite {
				t.Errorf("with time %v: %d events came out of %d", x, got, want)
			}
		})
	}
}

// useKey has a list with a key among others.
func useKey[K cmp.Ordered](t *testing.T, key K) {
	t.Helper()
	l := New[K, int](Processes(1))
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
