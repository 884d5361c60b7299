package eventqueue

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// A queue of which most have left holds less memory after Trim, and goes on as if nothing had been
// done.
func TestTrim(t *testing.T) {
	n := testscale.Size(1<<19, 1<<20)
	q, other := New(), New()
	for _, q := range []*Queue{q, other} {
		rng := rand.New(rand.NewPCG(1, 2))
		if err := q.ScheduleAll(context.Background(), 0, n, 1, func(_ int, first ID, at []float64) error {
			for i := range at {
				at[i] = rng.Float64()
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if i == 100 || i == n/2 || i == 4*n/5 {
			before, entries := q.pool.bytes(), q.pending+q.stale
			q.Trim()
			if err := q.check(); err != nil {
				t.Fatal(err)
			}
			// A link for 31 entries, and for chunks and slabs that are not full 2 MB, 4 MB of twice as many.
			after, most := q.pool.bytes(), 17*entries+4*n
			if after > most || after > before {
				t.Errorf("after %d events: %d bytes before, %d after, for %d entries: more than %d", i, before, after, entries,
					most)
			}
		}
		id, at, ok := q.Next()
		id2, at2, ok2 := other.Next()
		if id != id2 || at != at2 || ok != ok2 {
			t.Fatalf("event %d: %d at %v, want %d at %v", i, id, at, id2, at2)
		}
		if i%8 == 0 && at < 0.9 {
			_ = q.Schedule(id, at+0.1)
			_ = other.Schedule(id, at+0.1)
		}
		if i%8 == 4 {
			q.Cancel(id + 1)
			other.Cancel(id + 1)
		}
		if q.Len() == 0 {
			break
		}
	}
	New().Trim()
}

// A pool that gave slabs back, the last one included, uses them again before others.
func TestPoolGrowsAfterGivingTheLastSlabBack(t *testing.T) {
	var p pool
	var some, more bucket
	fill := func(b *bucket, slabs uint32) {
		for p.total < slabs*slabChunks || p.fresh < p.total {
			p.push(b, entry{ID: ID(b.n)})
		}
	}
	fill(&some, 2)
	for round := range 3 {
		if round > 0 {
			for len(p.holes) > 0 || len(p.free) > 0 {
				p.push(&more, entry{ID: ID(more.n)})
			}
		}
		fill(&more, 4)
		if room := p.room(); room != 4*slabChunks || len(p.slabs) != 4 {
			t.Fatalf("%d slabs with room for %d chunks", len(p.slabs), room)
		}
		id := ID(0)
		for c, last := more.head, false; !last; id += chunkLen {
			last = c == more.last()
			if got := p.entries(more, c)[0].ID; got != id {
				t.Fatalf("entry %d, want %d", got, id)
			}
			c = p.release(c)
		}
		more = bucket{}
		p.giveBack()
		if p.slabs[2] != nil || p.slabs[3] != nil || p.room() != 2*slabChunks {
			t.Fatalf("slabs were not given back: room for %d chunks", p.room())
		}
	}
}

// Chunks are used again: a queue of a constant number of events soon has all that it needs. So are
// places for nested levels: there are as many as were in use at one time.
func TestQueueUsesChunksAndLevelsAgain(t *testing.T) {
	q := New()
	q.SetMost(40)
	rng := rand.New(rand.NewPCG(3, 4))
	levels := 0
	note := func() { levels = max(levels, len(q.nests)-len(q.vacant)) }
	for id := range ID(5000) {
		_ = q.Schedule(id, rng.ExpFloat64())
		note()
	}
	hold := func(n int) {
		for range n {
			id, at, _ := q.Next()
			note()
			_ = q.Schedule(id, at+rng.ExpFloat64())
			note()
		}
	}
	hold(10_000)
	chunks := q.pool.fresh
	hold(100_000)
	if q.pool.fresh > 2*chunks {
		t.Errorf("%d chunks, which were %d", q.pool.fresh, chunks)
	}
	if levels == 0 || len(q.nests) > levels {
		t.Errorf("places for %d nested levels, of which there were %d at most", len(q.nests), levels)
	}
}

// Dropping records applies the deferred invalidations of their ids first, and drops the bits too.
func TestPagesGoWhileInvalidationsAreDeferred(t *testing.T) {
	for _, way := range []string{"collapse", "read"} {
		q := New()
		q.SetMost(40)
		q.SetDeferring()
		for i := range ID(100) {
			_ = q.Schedule(i<<pageBits, float64(100+i))
		}
		for i := range ID(12) {
			q.Cancel(i << pageBits)
		}
		_ = q.Reschedule(3<<pageBits, 500)
		if q.deferred.n == 0 || q.bitPages != 12 {
			t.Fatalf("%s: %d invalidations are deferred, and bits of %d pages are there", way, q.deferred.n, q.bitPages)
		}
		if way == "collapse" {
			q.collapse()
		} else {
			q.applyAllDeferred()
			q.sweep()
			for range q.pages {
				q.releasePage()
			}
		}
		if err := q.check(); err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		if q.Len() != 89 || q.bitPages != 1 {
			t.Errorf("%s: %d events are left, and bits of %d pages", way, q.Len(), q.bitPages)
		}
	}
}
