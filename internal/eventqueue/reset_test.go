package eventqueue_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// worn is a queue in the middle of its work: with pending and with stale entries, at the bottom, in
// levels, nested, and many at one instant.
func worn(t testing.TB, r *rand.Rand) *eventqueue.Queue {
	t.Helper()
	q := eventqueue.New(eventqueue.StartAt(1e6 * (r.Float64() - 0.5)))
	q.SetMost([]int{40, 500, eventqueue.Most}[r.IntN(3)])
	all := calendartest.Distributions()
	n := 1 + r.IntN(3000)
	jumps := calendartest.NewJumps(all[r.IntN(len(all))], n, r.Uint64())
	must(t, calendartest.Fill(q, n, jumps))
	must(t, calendartest.HoldReschedule(q, r.IntN(2*n), n, jumps))
	for id := range eventqueue.ID(r.IntN(n)) {
		q.Cancel(id)
	}
	if r.IntN(2) == 0 {
		for id := range eventqueue.ID(r.IntN(2000)) {
			must(t, q.Reschedule(eventqueue.ID(n)+3*id, q.Now()+5))
		}
		for range r.IntN(n) {
			q.Next()
		}
	}
	must(t, q.Check())
	return q
}

// Random operations on queues that were reset, beside the reference, with their check after each.
func TestResetReplays(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	for range 40 {
		q := worn(t, r)
		data := make([]byte, 2+r.IntN(100))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		for range 2 {
			q.Reset(100 * r.NormFloat64())
			must(t, q.Check())
			must(t, calendartest.Replay(data, q))
		}
	}
}

// What is done after a reset is what would be done by a new queue, call by call.
func TestResetIsNew(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 2))
	for range testscale.Size(15, 40) {
		q := worn(t, r)
		start := 100 * r.NormFloat64()
		q.Reset(start)
		q.SetMost(eventqueue.Most)
		fresh := eventqueue.New(eventqueue.StartAt(start))
		if q.Len() != 0 || q.Now() != start || q.Stats().Moved != 0 {
			t.Fatalf("%d events at %v: %+v", q.Len(), q.Now(), q.Stats())
		}
		n, seed := 1+r.IntN(5000), r.Uint64()
		for _, s := range []*eventqueue.Queue{q, fresh} {
			jumps := calendartest.NewJumps(calendartest.Distributions()[0], n, seed)
			must(t, calendartest.Fill(s, n, jumps))
			must(t, calendartest.HoldCancel(s, 2*n, n, jumps))
			must(t, s.Check())
		}
		for fresh.Len() > 0 {
			id, at, _ := fresh.Next()
			if got, when, ok := q.Next(); got != id || when != at || !ok {
				t.Fatalf("%d at %v, a new one has %d at %v", got, when, id, at)
			}
		}
	}
}

// Resetting keeps the memory that there was, takes no more, and a queue that is reset after every
// use of the same kind allocates nothing.
func TestResetKeepsMemory(t *testing.T) {
	q := eventqueue.New()
	use := func() {
		for id := range eventqueue.ID(3000) {
			must(t, q.Schedule(id, q.Now()+float64(id*7919%3001)))
		}
		for range 1000 {
			q.Next()
		}
		for id := range eventqueue.ID(700) {
			q.Cancel(id)
		}
		before := q.Stats().Bytes
		q.Reset(0)
		if after := q.Stats().Bytes; after > before+64<<10 {
			t.Fatalf("%d bytes became %d", before, after)
		}
	}
	for range 10 {
		use()
	}
	if n := testing.AllocsPerRun(20, use); n > 0 {
		t.Errorf("%v allocations", n)
	}
	// What is too much for what comes after goes, as it does without a reset; also if some of it
	// has gone before.
	for range 2 {
		for id := range testscale.Size[eventqueue.ID](200_000, 1_200_000) {
			must(t, q.Schedule(id, float64(id)))
		}
		for q.Len() > 20_000 {
			q.Next()
		}
		must(t, q.Check())
		q.Reset(0)
	}
	must(t, q.Schedule(1, 1))
	for range 200_000 {
		id, at, _ := q.Next()
		must(t, q.Schedule(id, at+1))
	}
	if s := q.Stats(); s.Bytes > 2<<20 {
		t.Errorf("%d bytes for one event", s.Bytes)
	}
}

func TestResetRefuses(t *testing.T) {
	for _, start := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		func() {
			defer func() {
				if recover() != "calendar: Reset needs a finite time" {
					t.Errorf("Reset(%v) does not say what it needs", start)
				}
			}()
			eventqueue.New().Reset(start)
		}()
	}
}

func FuzzReset(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		q := worn(t, rand.New(rand.NewPCG(seed, 0)))
		for range 2 {
			q.Reset(0)
			if err := calendartest.Replay(data, q); err != nil {
				t.Fatal(err)
			}
		}
	})
}
