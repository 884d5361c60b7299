//go:build !race

package spray

import (
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// A level that was made near time 0, where buckets are short, does not stay in use as its buckets become long: after some jumps none gets so many events that
// it is nested, and an event is moved twice. (It was nested, and 30,000 entries in each, when the level was only rolled on.)
func TestCalendarStaysFine(t *testing.T) {
	const n = 200_000
	q := newQueue[int](0)
	r := rand.New(rand.NewPCG(23, 0))
	for i := range n {
		q.add(timekey.Of(r.ExpFloat64()), i)
	}
	hold := func() (now float64) {
		key := q.top()
		now = timekey.Time(key)
		q.add(timekey.Of(now+r.ExpFloat64()), q.take(key))
		return now
	}
	for hold() < 8 {
	}
	moved, deepest := q.moved, 0
	for range 2 * n {
		hold()
		deepest = max(deepest, len(q.levels))
	}
	if err := checkQueue(q); err != nil {
		t.Fatal(err)
	}
	unused := 0
	for next := q.unused; next != 0; next = q.nested[next-1].next {
		unused++
	}
	if inUse := len(q.nested) - unused; inUse > 0 {
		t.Errorf("%d buckets are nested", inUse)
	}
	if moves := float64(q.moved-moved) / (2 * n); moves > 2.1 {
		t.Errorf("an event is moved %.2f times", moves)
	}
	if deepest > 6 {
		t.Errorf("there are up to %d levels", deepest)
	}
	t.Logf("%.2f moves an event, %d levels, %d nested ones have been", float64(q.moved-moved)/(2*n), deepest, len(q.nested))
}
