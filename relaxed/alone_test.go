//go:build !race

package relaxed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Tests of one goroutine that find the same in programs that are checked for races, and take thirty
// times as long there.

func TestQueueAllocatesNothing(t *testing.T) {
	c := New[int]()
	r := rand.New(rand.NewPCG(4, 0))
	for i := range 1000 {
		_, _ = c.Schedule(r.ExpFloat64(), i)
	}
	hold := func() {
		for range 1000 {
			v, at, _ := c.Next()
			e, _ := c.Schedule(at+r.ExpFloat64(), v)
			if v%2 == 0 {
				c.Cancel(e)
				_, _ = c.Schedule(at+r.ExpFloat64(), v)
			}
		}
	}
	for range 200 {
		hold()
	}
	if allocs := testing.AllocsPerRun(50, hold); allocs > 0 {
		t.Errorf("%v allocations in 1000 holds", allocs)
	}
}

// Events that pass through for ever need no more room than those that are there at once, whether
// they are dispatched or cancelled. That is of each queue: if the system moves the goroutine to
// another thread it uses those of another shard, which keep what they had.
func TestQueueMemoryIsBounded(t *testing.T) {
	c := New[int](Concurrency(2))
	r := rand.New(rand.NewPCG(5, 0))
	const n = 5000
	events := make([]Handle, n)
	now := 0.0
	add := func(i int) { events[i], _ = c.Schedule(now+r.ExpFloat64()*math.Exp(3*r.NormFloat64()), i) }
	for i := range n {
		add(i)
	}
	most := 0
	for round := range 60 {
		for range n {
			if i := r.IntN(n); r.IntN(3) > 0 {
				if !c.Cancel(events[i]) {
					t.Fatal("an event is gone")
				}
				add(i)
			} else {
				v, at, ok := c.Next()
				if !ok {
					t.Fatal("all events are gone")
				}
				now = max(now, at)
				add(v)
			}
		}
		sum, each := c.Stats()
		if sum.Pending != n || c.Len() != n {
			t.Fatalf("%d events", sum.Pending)
		}
		for _, q := range each {
			if round < 20 {
				most = max(most, q.Bytes)
			} else if q.Bytes > 2*most {
				t.Fatalf("%d bytes, after %d", q.Bytes, most)
			}
		}
	}
	mustCheck(t, c)
	if perEvent := most / (n / 2); perEvent > 400 {
		t.Errorf("%d bytes for an event", perEvent)
	}
	for _, e := range events {
		c.Cancel(e)
	}
	mustCheck(t, c)
	if _, _, ok := c.Next(); ok {
		t.Error("a cancelled event was dispatched")
	}
}
