//go:build !race

package relaxed

import (
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
			if s, ok := p.(string); p != nil && (!ok || !strings.HasPrefix(s, "relaxed: ")) {
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

// useQueue schedules some events, and takes them all.
func useQueue[V any](t *testing.T, c *Queue[V]) {
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
		for name, option := range map[string]func(int) Option{"Capacity": Capacity, "Concurrency": Concurrency} {
			survives(t, fmt.Sprintf("%s(%d)", name, n), func() { useQueue(t, New[int](Concurrency(2), option(n))) })
		}
	}
	for _, n := range []int{1, math.MaxInt} { // subqueues that take more than the room in them
		survives(t, "many subqueues", func() { New[int](Concurrency(1<<16), perProcess(maxPer), Capacity(n)) })
	}
	survives(t, "large values", func() {
		useQueue(t, New[[1 << 16]byte](Concurrency(1), Capacity(math.MaxInt)))
	})
}

// Room is made up front for as much as can be spared, and for what is asked for if that is less.
func TestCapacityIsBounded(t *testing.T) {
	for capacity, least := range map[int]uint64{1 << 20: 32 << 20, math.MaxInt: maxReserved / 2} {
		if bytes := allocated(func() { New[int](Capacity(capacity)) }); bytes < least || bytes > maxReserved*3/2 {
			t.Errorf("Capacity(%d): allocated %d MB", capacity, bytes>>20)
		}
	}
}

// A time may be the largest or the smallest of its type, and no finite number is refused.
func TestExtremeTimes(t *testing.T) {
	for _, x := range extremeFloats {
		survives(t, fmt.Sprintf("time %v", x), func() {
			c := New[int](Concurrency(2))
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

// What New did not make says so.
func TestZeroValues(t *testing.T) {
	var q Queue[int]
	var b Blocking[int]
	for name, use := range map[string]func(){
		"Schedule": func() { q.Schedule(1, 1) }, "Next": func() { q.Next() }, "Peek": func() { q.Peek() },
		"Cancel": func() { q.Cancel(Handle{}) }, "Len": func() { q.Len() }, "Stats": func() { q.Stats() },
		"Blocking.Schedule": func() { b.Schedule(1, 1) }, "Blocking.Next": func() { b.Next(t.Context()) },
		"Blocking.Cancel": func() { b.Cancel(Handle{}) }, "Blocking.Len": func() { b.Len() },
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
