package eventqueue_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// Many simultaneous events must not be moved about for each event that comes before it.
func TestQueuePeeksPastTies(t *testing.T) {
	const tied, early = 100_000, 10_000
	q := eventqueue.New()
	for id := range eventqueue.ID(tied) {
		must(t, q.Schedule(id, 1e6))
	}
	q.Peek()
	moved, _ := work(t, q, early, func() {
		for i := range eventqueue.ID(early) {
			must(t, q.Schedule(tied, float64(i)))
			must(t, q.Schedule(tied+1, float64(i)+0.5))
			for range q.Until(float64(i) + 0.75) {
			}
			if id, _, _ := q.Peek(); id != 0 {
				t.Fatalf("the first of the ties is %d", id)
			}
		}
	})
	if moved > 4 {
		t.Errorf("%.2f entries moved per event", moved)
	}
	for want := range eventqueue.ID(tied) {
		if id, _, _ := q.Next(); id != want {
			t.Fatalf("got %d, not %d", id, want)
		}
	}
}

func TestQueueOneMillionAtOnce(t *testing.T) {
	const n = 1_000_000
	q := eventqueue.New()
	for id := range eventqueue.ID(n) {
		must(t, q.Schedule(id, 1))
	}
	moved, _ := work(t, q, n, func() {
		for want := range eventqueue.ID(n) {
			if id, at, ok := q.Next(); !ok || id != want || at != 1 {
				t.Fatalf("got %d at %v, %v; want %d", id, at, ok, want)
			}
			if want%2 == 0 { // at once again, behind all others
				must(t, q.Schedule(want, 1))
			}
		}
	})
	if moved > 2 {
		t.Errorf("%.2f entries moved per event", moved)
	}
	for want := eventqueue.ID(0); want < n; want += 2 {
		if id, _, _ := q.Next(); id != want {
			t.Fatalf("got %d, not %d", id, want)
		}
	}
}

// Many events at each of two times two units in the last place apart, and an event that comes
// between them after the second was looked at.
func TestQueueBetweenNeighbouringTies(t *testing.T) {
	const tied = 100
	q := eventqueue.New()
	first := 1.0
	between := math.Nextafter(first, 2)
	second := math.Nextafter(between, 2)
	for id := range eventqueue.ID(tied) {
		must(t, q.Schedule(id, first))
		must(t, q.Schedule(id+tied, second))
	}
	for range tied {
		q.Next()
	}
	if id, at, _ := q.Peek(); id != tied || at != second {
		t.Fatalf("the second ties begin with %d at %v", id, at)
	}
	must(t, q.Schedule(0, between))
	must(t, q.Check())
	if id, at, _ := q.Next(); id != 0 || at != between {
		t.Errorf("got %d at %v", id, at)
	}
	for want := eventqueue.ID(tied); want < 2*tied; want++ {
		if id, at, _ := q.Next(); id != want || at != second {
			t.Fatalf("got %d at %v, want %d", id, at, want)
		}
	}
}

// Events that are scheduled backwards lie before everything that has been divided so far, again and
// again.
func TestQueueScheduledBackwards(t *testing.T) {
	n := testscale.Size[eventqueue.ID](30_000, 100_000)
	for _, peek := range []bool{false, true} {
		q := eventqueue.New()
		must(t, q.Schedule(n, float64(n+1)))
		q.Peek()
		levels := 0
		moved, _ := work(t, q, int(n), func() {
			for i := range n {
				must(t, q.Schedule(i, float64(n-i)))
				if peek {
					if id, _, _ := q.Peek(); id != i {
						t.Fatalf("first is %d, not %d", id, i)
					}
					levels = max(levels, q.Stats().Levels)
				}
			}
		})
		// At worst a level doubles each time that it is taken up into another: log₂(10⁵/48) ≈ 11
		// times.
		if moved > 14 || levels > 30 {
			t.Errorf("peek %v: %.1f moves per event, %d levels", peek, moved, levels)
		}
		for i := n; i > 0; i-- {
			if id, _, _ := q.Next(); id != i-1 {
				t.Fatalf("got %d, not %d", id, i-1)
			}
		}
	}
}

func TestQueueOutliers(t *testing.T) {
	const n = 50_000
	q := eventqueue.New()
	r := rand.New(rand.NewPCG(3, 0))
	jump := func() float64 {
		if r.IntN(1000) == 0 {
			return 1e6 * r.ExpFloat64()
		}
		return r.ExpFloat64()
	}
	for id := range eventqueue.ID(n) {
		must(t, q.Schedule(id, jump()))
	}
	moved, passed := work(t, q, 10*n, func() {
		for range 10 * n {
			id, at, _ := q.Next()
			must(t, q.Schedule(id, at+jump()))
		}
	})
	if moved > 4 || passed > 1.5 {
		t.Errorf("%.2f entries moved and %.2f buckets passed per event", moved, passed)
	}
}
