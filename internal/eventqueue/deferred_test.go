package eventqueue_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// Whatever is asked of a queue while invalidations are deferred is answered as by one in which none
// are; and versions come round all the time.
func TestInvalidationsAreDeferred(t *testing.T) {
	most := 0
	for seed := range testscale.Size[uint64](18, 200) {
		r := rand.New(rand.NewPCG(seed, 91))
		d := calendartest.Distributions()[seed%uint64(len(calendartest.Distributions()))]
		const n = 3000
		j := calendartest.NewJumps(d, n, seed)
		got, want := eventqueue.New(), eventqueue.New()
		got.SetMost([]int{40, 300, 1000}[seed%3])
		switch seed / 3 % 3 {
		case 0:
			got.SetDeferring()
		case 1:
			got.SetCold()
		case 2:
			got.SetCool()
		}
		if seed%2 == 0 {
			got.SetVersions(2 + r.Uint32N(500))
		}
		ids := []uint32{n + 100, 3 * n}[seed%2] // of these some are never pending, or many
		for id := range eventqueue.ID(n) {
			at := j.Next()
			must(t, got.Schedule(id, at))
			must(t, want.Schedule(id, at))
		}
		round := []float64{0, 0, 1}[seed%3] // many equal times
		later := func() float64 {
			at := j.Next()
			if round > 0 {
				at = float64(int(at*8)) / 8
			}
			return got.Now() + at
		}
		same := func(what string, id eventqueue.ID, a, b any) {
			if a != b {
				t.Fatalf("seed %d: %s %d: %v, want %v", seed, what, id, a, b)
			}
		}
		hold := func() {
			id, at, ok := got.Next()
			idWant, atWant, okWant := want.Next()
			same("next", id, at, atWant)
			same("next", id, id, idWant)
			same("next", id, ok, okWant)
			if ok && r.IntN(20) > 0 {
				at = later()
				must(t, got.Schedule(id, at))
				must(t, want.Schedule(id, at))
			}
		}
		holds := 1 + r.IntN(10)
		var before eventqueue.ID
		for range testscale.Size(2500, 4000) {
			for range r.IntN(holds) {
				hold()
			}
			id := eventqueue.ID(r.Uint32N(ids))
			if r.IntN(4) == 0 {
				id = before // once more
			}
			before = id
			switch r.IntN(20) {
			case 0, 1, 2, 3, 4, 5:
				at := later()
				must(t, got.Reschedule(id, at))
				must(t, want.Reschedule(id, at))
			case 6, 7, 8, 9:
				same("cancel", id, got.Cancel(id), want.Cancel(id))
			case 10, 11, 12, 13:
				same("cancel", id, got.Cancel(id), want.Cancel(id))
				at := later()
				must(t, got.Schedule(id, at))
				must(t, want.Schedule(id, at))
			case 14:
				at := later()
				same("schedule", id, got.Schedule(id, at), want.Schedule(id, at))
			case 15:
				at, ok := got.Due(id)
				atWant, okWant := want.Due(id)
				same("at", id, at, atWant)
				same("at", id, ok, okWant)
			case 16:
				to := eventqueue.ID(r.Uint32N(ids))
				same("renumber", id, got.Renumber(id, to), want.Renumber(id, to))
			case 17:
				first, at, ok := got.Peek()
				firstWant, atWant, okWant := want.Peek()
				same("peek", first, first, firstWant)
				same("peek", first, at, atWant)
				same("peek", first, ok, okWant)
			case 18:
				until := got.Now() + j.Next()/8
				for {
					first, at, tied, ok := got.NextTied(until)
					firstWant, atWant, tiedWant, okWant := want.NextTied(until)
					same("tied", first, first, firstWant)
					same("tied", first, at, atWant)
					same("tied", first, ok, okWant)
					if !ok {
						break
					}
					if tiedWant && !tied {
						if again, ok := want.Ahead(0); ok && again != first { // it may be one that was cancelled
							if next, nextAt, ok := want.Peek(); ok && nextAt == at {
								t.Fatalf("seed %d: id %d is due with %d, which was not said", seed, next, first)
							}
						}
					}
				}
			case 19:
				switch r.IntN(8) {
				case 0:
					same("len", id, got.Len(), want.Len())
				case 1:
					got.Trim()
				case 2:
					same("pending", id, got.Stats().Pending, want.Stats().Pending)
				}
			}
			most = max(most, got.Deferred())
			if r.IntN(40) == 0 {
				must(t, got.Check())
			}
		}
		must(t, got.Check())
		same("len", 0, got.Len(), want.Len())
		must(t, got.Check())
		for want.Len() > 0 {
			hold()
		}
		same("len", 0, got.Len(), 0)
	}
	if most < 8 {
		t.Errorf("no more than %d invalidations were deferred", most)
	}
}

// Invalidations are not deferred for ever if no others come: soon entries of the bottom need not be
// checked any more.
func TestDeferredInvalidationsAreApplied(t *testing.T) {
	q := eventqueue.New()
	q.SetMost(40)
	q.SetDeferring()
	for id := range eventqueue.ID(1000) {
		must(t, q.Schedule(id, float64(id)))
	}
	for id := range eventqueue.ID(20) {
		must(t, q.Reschedule(900+id, 990))
	}
	if q.Deferred() != 8 {
		t.Fatalf("%d invalidations are deferred", q.Deferred())
	}
	for range 800 {
		q.Next()
	}
	if q.Deferred() != 0 {
		t.Errorf("%d invalidations are still deferred after 800 events", q.Deferred())
	}
	must(t, q.Check())
}

// An event that was moved while there was none is not forgotten when many others are scheduled at
// once.
func TestDeferredBeforeManyEvents(t *testing.T) {
	q := eventqueue.New()
	q.SetMost(10)
	q.SetDeferring()
	for id := range eventqueue.ID(1000) {
		must(t, q.Schedule(id, float64(id)))
	}
	for id := range eventqueue.ID(1000) {
		q.Cancel(id)
	}
	must(t, q.Reschedule(5000, 3))
	if q.Deferred() == 0 {
		t.Fatal("no invalidation is deferred")
	}
	must(t, q.ScheduleAll(context.Background(), 100, 50, 1, func(_ int, first eventqueue.ID, at []float64) error {
		for i := range at {
			at[i] = 4
		}
		return nil
	}))
	must(t, q.Check())
	if id, at, ok := q.Next(); id != 5000 || at != 3 || !ok || q.Len() != 50 {
		t.Errorf("%d at %v, %v, and %d others", id, at, ok, q.Len())
	}
}

// Moving, or cancelling and scheduling, events of many ids that were not pending is noticed,
// whenever it is asked for.
func TestDeferredWithoutAnEvent(t *testing.T) {
	q := eventqueue.New()
	q.SetMost(40)
	q.SetDeferring()
	for id := range eventqueue.ID(1000) {
		must(t, q.Schedule(id, float64(id%7)))
	}
	for id := range eventqueue.ID(1000) {
		must(t, q.Reschedule(1000+id, float64(id%5)))
		if id%3 == 0 {
			if err := q.Schedule(1000+id, 9); !errors.Is(err, eventqueue.ErrScheduled) {
				t.Fatalf("id %d is scheduled twice: %v", 1000+id, err)
			}
		}
		if id%4 == 0 && !q.Cancel(1000+id) {
			t.Fatalf("id %d was moved, and is not pending", 1000+id)
		}
		if id%4 == 0 && q.Cancel(1000+id) {
			t.Fatalf("id %d was cancelled twice", 1000+id)
		}
		if want := 1001 + int(id) - int(id)/4 - 1; id%11 == 0 && q.Len() != want {
			t.Fatalf("%d are pending, want %d", q.Len(), want)
		}
	}
	must(t, q.Check())
	n := 0
	for range q.Until(10) {
		n++
	}
	if n != 1750 {
		t.Errorf("%d events, want 1750", n)
	}
}

// Of ties whose first chunks leave with a stale entry that is not yet counted, those behind it
// that were counted stay so.
func TestDeferredInTiesThatLeave(t *testing.T) {
	const tied, last = 150, 149 // five chunks, of which four are brought to the bottom at once
	q := eventqueue.New()
	q.SetMost(200)
	q.SetDeferring()
	must(t, q.Schedule(1000, 1))
	for id := range eventqueue.ID(tied) {
		must(t, q.Schedule(id, 5))
	}
	for id := range eventqueue.ID(300) {
		must(t, q.Schedule(200+id, 6+float64(id)/2))
	}
	q.Next() // from here on the ties have a bucket of their own
	q.Cancel(last)
	for id := range eventqueue.ID(7) {
		q.Cancel(400 + id)
	}
	q.Cancel(0) // which has that of the last counted
	if q.Deferred() != 8 {
		t.Fatalf("%d invalidations are deferred", q.Deferred())
	}
	for id := eventqueue.ID(1); id < last; id++ {
		if got, at, ok := q.Next(); got != id || at != 5 || !ok {
			t.Fatalf("%d at %v, %v; want %d", got, at, ok, id)
		}
		must(t, q.Check())
	}
	if id, at, ok := q.Next(); id != 200 || at != 6 || !ok {
		t.Errorf("%d at %v, %v after the ties", id, at, ok)
	}
}

// An id can be scheduled whose invalidation is deferred before that of another, and a queue can be
// reset while they wait.
func TestDeferredBeforeOthers(t *testing.T) {
	q := eventqueue.New()
	q.SetMost(40)
	q.SetDeferring()
	for range 2 {
		for id := range eventqueue.ID(100) {
			must(t, q.Schedule(id, float64(id)))
		}
		q.Cancel(1)
		q.Cancel(2)
		must(t, q.Schedule(1, 7))
		must(t, q.Check())
		_, second := q.Due(2)
		if at, ok := q.Due(1); at != 7 || !ok || second {
			t.Errorf("1 is due at %v, %v; 2 is due: %v", at, ok, second)
		}
		q.Cancel(3)
		must(t, q.Reschedule(200, 8))
		if q.Deferred() != 2 {
			t.Fatalf("%d invalidations are deferred", q.Deferred())
		}
		q.Reset(0)
		must(t, q.Check())
		if q.Len() != 0 {
			t.Errorf("%d events after a reset", q.Len())
		}
	}
}

// reticent is a queue that is not asked how many events there are, nor when they are due, since
// that applies deferred invalidations: it remembers that.
type reticent struct {
	*eventqueue.Queue
	at map[eventqueue.ID]float64
}

func (q reticent) Len() int { return len(q.at) }

func (q reticent) Due(id eventqueue.ID) (at float64, ok bool) {
	at, ok = q.at[id]
	return at, ok
}

func (q reticent) Schedule(id eventqueue.ID, at float64) error {
	err := q.Queue.Schedule(id, at)
	if err == nil {
		q.at[id] = at + 0
	}
	return err
}

func (q reticent) Reschedule(id eventqueue.ID, at float64) error {
	err := q.Queue.Reschedule(id, at)
	if err == nil {
		q.at[id] = at + 0
	}
	return err
}

func (q reticent) Cancel(id eventqueue.ID) bool {
	ok := q.Queue.Cancel(id)
	if ok {
		delete(q.at, id)
	}
	return ok
}

func (q reticent) Renumber(from, to eventqueue.ID) error {
	err := q.Queue.Renumber(from, to)
	if err == nil && from != to {
		q.at[to] = q.at[from]
		delete(q.at, from)
	}
	return err
}

func (q reticent) Next() (id eventqueue.ID, at float64, ok bool) {
	if id, at, ok = q.Queue.Next(); ok {
		delete(q.at, id)
	}
	return id, at, ok
}

func FuzzDeferred(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var sets []calendartest.Set
		for i, most := range []int{3, 40, 200} {
			q := eventqueue.New(eventqueue.StartAt([]float64{0, -1e9, 0}[i]))
			q.SetMost(most)
			if i == 1 {
				q.SetCold()
			} else {
				q.SetDeferring()
				q.SetVersions(uint32(2 + len(data)))
			}
			sets = append(sets, reticent{q, make(map[eventqueue.ID]float64)})
		}
		if err := calendartest.Replay(data, sets...); err != nil {
			t.Error(err)
		}
	})
}
