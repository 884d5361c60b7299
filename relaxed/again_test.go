//go:build !race

package relaxed

import (
	"math/rand/v2"
	"testing"
)

// Slots, chunks and nested levels of a subqueue are used again: there are as many slots as
// there were events at one time, whatever passes through, and soon as many of the others as are
// needed.
func TestQueueUsesMemoryAgain(t *testing.T) {
	c := New[int](Concurrency(1))
	r := rand.New(rand.NewPCG(5, 0))
	most := 0
	burst := func(n int) *subqueue[int] {
		handles := make([]Handle, n)
		for i := range handles {
			handles[i], _ = c.Schedule(r.ExpFloat64(), i)
		}
		most = max(most, c.Len())
		for i := range 3 * n {
			if i%4 == 0 {
				c.Cancel(handles[r.IntN(n)])
			}
			_, at, ok := c.Next()
			for ok && c.Len() < n-1 {
				_, _ = c.Schedule(at+r.ExpFloat64(), i)
			}
			most = max(most, c.Len())
		}
		for c.Len() > 3 {
			c.Next()
		}
		mustCheck(t, c)
		return c.subqueues[0].Load()
	}
	q := burst(20_000)
	chunks, nested := q.fresh, len(q.nested)
	for range 5 {
		q = burst(20_000)
	}
	if len(q.slots) != most {
		t.Errorf("%d slots, for %d events at most", len(q.slots), most)
	}
	if q.fresh > 2*chunks || len(q.nested) > 2*nested+4 {
		t.Errorf("%d chunks and %d nested levels, which were %d and %d after the first burst",
			q.fresh, len(q.nested), chunks, nested)
	}
}
