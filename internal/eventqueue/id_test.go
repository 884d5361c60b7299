package eventqueue_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
)

// Every id there is can be used, and one that is far from the others costs a page of records and
// not all that lies between.
func TestQueueTakesEveryID(t *testing.T) {
	ids := []eventqueue.ID{math.MaxUint32, 0, 1 << 31, 1<<31 - 1, 1<<14 - 1, 1 << 14, 3 << 14, 63, 64, math.MaxUint32 -
		1<<14}
	q := eventqueue.New()
	for i, id := range ids {
		must(t, q.Schedule(id, float64(i+1)))
		must(t, q.Reschedule(id, float64(i)))
		if err := q.Schedule(id, 5); !errors.Is(err, eventqueue.ErrScheduled) {
			t.Errorf("id %d twice: %v", id, err)
		}
		must(t, q.Check())
	}
	if s := q.Stats(); s.Bytes > 10<<20 {
		t.Errorf("%d bytes for %d ids", s.Bytes, len(ids))
	}
	must(t, q.Renumber(0, math.MaxUint32-1))
	if q.Cancel(1<<31 + 1<<20) {
		t.Error("cancelled an event that never was")
	}
	for i, id := range ids {
		if i == 1 {
			id = math.MaxUint32 - 1
		}
		if at, ok := q.Due(id); at != float64(i) || !ok {
			t.Errorf("id %d is due at %v, %v", id, at, ok)
		}
		if got, at, ok := q.Next(); got != id || at != float64(i) || !ok {
			t.Errorf("got %d at %v, want %d at %d", got, at, id, i)
		}
	}
	must(t, q.Check())
}

// Many wrong numbers cost what is said of them, and the same operations give the same with ids that
// are sparse as with dense ones.
func TestQueueSparseIDs(t *testing.T) {
	const n = 500
	r := rand.New(rand.NewPCG(21, 0))
	sparse, dense := eventqueue.New(), eventqueue.New()
	ids := make([]eventqueue.ID, n)
	for i := range ids {
		ids[i] = eventqueue.ID(r.Uint32())
		at := r.ExpFloat64()
		must(t, sparse.Schedule(ids[i], at))
		must(t, dense.Schedule(eventqueue.ID(i), at))
	}
	if s := sparse.Stats(); s.Bytes > n*200_000+10<<20 {
		t.Errorf("%d bytes for %d ids", s.Bytes, n)
	}
	for range 20 * n {
		i, at, _ := dense.Next()
		if id, other, _ := sparse.Next(); id != ids[i] || other != at {
			t.Fatalf("got %d at %v, want %d at %v", id, other, ids[i], at)
		}
		at += r.ExpFloat64()
		must(t, sparse.Schedule(ids[i], at))
		must(t, dense.Schedule(i, at))
	}
	must(t, sparse.Check())
}

func TestQueueMaxID(t *testing.T) {
	for _, most := range []eventqueue.ID{0, 1, 63, 64, 1000, 1<<14 - 1, 1 << 14, 100_000, 1 << 31} {
		q := eventqueue.New(eventqueue.MaxID(most), eventqueue.Capacity(1000))
		must(t, q.Schedule(most, 1))
		for _, beyond := range []eventqueue.ID{most + 1, most + 1<<14, math.MaxUint32} {
			for what, err := range map[string]error{
				"schedule":      q.Schedule(beyond, 1),
				"at no time":    q.Schedule(beyond, math.NaN()),
				"in the past":   q.Reschedule(beyond, -1),
				"reschedule":    q.Reschedule(beyond, 1),
				"renumber to":   q.Renumber(most, beyond),
				"renumber from": q.Renumber(beyond, most),
			} {
				if !errors.Is(err, eventqueue.ErrID) {
					t.Errorf("%s of %d, beyond %d: %v", what, beyond, most, err)
				}
			}
			if q.Cancel(beyond) {
				t.Errorf("cancelled %d, beyond %d", beyond, most)
			}
			if _, ok := q.Due(beyond); ok {
				t.Errorf("%d, beyond %d, is due", beyond, most)
			}
		}
		must(t, q.Check())
		if id, _, _ := q.Next(); id != most || q.Len() != 0 {
			t.Errorf("%d came, of at most %d; %d are left", id, most, q.Len())
		}
	}
}

// A wrong number of ids does no more harm than a wrong id.
func TestQueueCapacity(t *testing.T) {
	q := eventqueue.New(eventqueue.Capacity(math.MaxInt32))
	if s := q.Stats(); s.Bytes > 60<<20 {
		t.Errorf("%d bytes up front", s.Bytes)
	}
	must(t, q.Schedule(math.MaxInt32, 1))
	must(t, q.Check())
	for _, n := range []int{0, 1, 63, 64, 65, 1<<14 - 1, 1 << 14, 1<<14 + 1} {
		q := eventqueue.New(eventqueue.Capacity(n))
		must(t, q.Check())
		for id := range eventqueue.ID(n) {
			must(t, q.Schedule(id, float64(id)))
		}
		must(t, q.Check())
	}
}
