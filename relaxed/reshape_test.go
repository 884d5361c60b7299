//go:build !race

package relaxed

import (
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// A level that was made near time 0, where buckets are short, does not stay in use as its buckets
// become long, and no level is made that is too coarse for the events that are to come: after some
// jumps none gets so many that it is nested, and an event is moved twice. (With 24 times as many
// events as fill a bucket, buckets were nested when the level was only rolled on; with 122 times as
// many, as 10⁶ are, when a new one always spanned as much time as was pending.)
func TestQueueStaysFine(t *testing.T) {
	for _, c := range []struct {
		n                       int
		crowded, early, refined uint32
	}{
		{200_000, maxInBucket, maxInFirst, refined},
		{125_000, maxInBucket / 8, maxInFirst / 8, refined / 8},
	} {
		q := newSubqueue[int](0)
		q.maxInBucket, q.maxInFirst, q.refined = c.crowded, c.early, c.refined
		r := rand.New(rand.NewPCG(23, 0))
		for i := range c.n {
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
		moved, deepest, nested := q.moved, 0, 0
		holds := testscale.Size(6, 10) * c.n
		for i := range holds {
			hold()
			deepest = max(deepest, len(q.levels))
			if i%c.n == 0 {
				nested = max(nested, q.nestedInUse())
			}
		}
		if err := checkSubqueue(q); err != nil {
			t.Fatal(err)
		}
		if nested > 0 {
			t.Errorf("%d events: %d buckets are nested", c.n, nested)
		}
		if moves := float64(q.moved-moved) / float64(holds); moves > 2.1 {
			t.Errorf("%d events: an event is moved %.2f times", c.n, moves)
		}
		if deepest > 6 {
			t.Errorf("%d events: there are up to %d levels", c.n, deepest)
		}
		t.Logf("%d events: %.2f moves an event, %d levels, %d nested ones have been", c.n,
			float64(q.moved-moved)/float64(holds), deepest, len(q.nested))
	}
}

// nestedInUse is how many buckets are nested.
func (q *subqueue[V]) nestedInUse() int {
	n := len(q.nested)
	for next := q.unused; next != 0; next = q.nested[next-1].next {
		n--
	}
	return n
}
