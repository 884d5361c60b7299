package calendar_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// oneByOne is what ScheduleAll should do.
func oneByOne(q *calendar.Queue, first calendar.ID, times []float64) error {
	for i, at := range times {
		if !math.IsInf(at, 1) {
			if err := q.Schedule(first+calendar.ID(i), at); err != nil {
				return err
			}
		}
	}
	return nil
}

// atOnce gives ScheduleAll times from a slice. It is told a number of workers, and sees to it that due is called as promised.
func atOnce(t testing.TB, q *calendar.Queue, first calendar.ID, times []float64, workers int) error {
	t.Helper()
	var mutex sync.Mutex
	seen := make(map[calendar.ID]bool)
	return q.ScheduleAll(first, len(times), workers, func(worker int, id calendar.ID, at []float64) error {
		mutex.Lock()
		defer mutex.Unlock()
		if worker < 0 || workers > 0 && worker >= workers || len(at) == 0 || len(at) > 1<<14 || seen[id] {
			t.Errorf("worker %d is asked for %d ids from %d on", worker, len(at), id)
		}
		seen[id] = true
		for i := range at {
			if !math.IsInf(at[i], 1) {
				t.Errorf("the time of id %d is %v before it is told", int(id)+i, at[i])
			}
		}
		copy(at, times[id-first:])
		return nil
	})
}

// sameQueues compares two queues, call by call, until they are empty.
func sameQueues(t *testing.T, got, want *calendar.Queue) {
	t.Helper()
	must(t, got.Check())
	for n := 0; ; n++ {
		if got.Len() != want.Len() {
			t.Fatalf("%d events, want %d", got.Len(), want.Len())
		}
		wantID, wantAt, wantOK := want.Next()
		id, at, ok := got.Next()
		if id != wantID || at != wantAt || ok != wantOK {
			t.Fatalf("event %d: %d at %v, %v; want %d at %v, %v", n, id, at, ok, wantID, wantAt, wantOK)
		}
		if !ok {
			break
		}
		if n%5000 == 0 {
			must(t, got.Check())
		}
	}
	must(t, got.Check())
}

// What ScheduleAll does is what Schedule does one by one, for all distributions of times, whatever is in the queue before, for any number of
// workers and wherever blocks begin and end, with times that are refused and without.
func TestScheduleAllIsOneByOne(t *testing.T) {
	all := calendartest.Distributions()
	for seed := range uint64(160) {
		r := rand.New(rand.NewPCG(seed, 61))
		d := all[r.IntN(len(all))]
		first := []calendar.ID{0, 0, 1, 16_383, 16_384, 40_000, math.MaxUint32 - 60_000}[r.IntN(7)]
		n := []int{0, 1, 41, 1000, 16_384, 16_385, 40_000}[r.IntN(7)]
		most := []int{40, 500, 8000, calendar.Most}[r.IntN(4)]
		start := 1e3 * r.NormFloat64()
		workers := r.IntN(5)
		make2 := func() *calendar.Queue {
			q := calendar.New(calendar.StartAt(start), calendar.MaxID(math.MaxUint32))
			q.SetMost(most)
			return q
		}
		got, want := make2(), make2()
		jumps := calendartest.NewJumps(d, max(n, 1), seed)
		state := seed % 5
		before := func(q *calendar.Queue) {
			r := rand.New(rand.NewPCG(seed, 62))
			switch state {
			case 1: // used, and empty, with dead entries or without
				for i := range 3 * r.IntN(1000) {
					must(t, q.Schedule(first+calendar.ID(i), start+r.Float64()))
				}
				for i := 0; q.Len() > 0; i++ {
					if r.IntN(2) == 0 {
						q.Next()
					}
					q.Cancel(first + calendar.ID(i))
				}
			case 2: // some of the ids are pending
				for range 20 {
					must(t, q.Reschedule(first+calendar.ID(r.IntN(max(n, 1))), start+r.Float64()))
				}
			case 3: // others are, and the queue is running
				for i := range 3000 {
					must(t, q.Reschedule(first+calendar.ID(n+i), start+r.ExpFloat64()))
				}
				for range r.IntN(2500) {
					q.Next()
				}
			case 4:
				for i := range 100 {
					must(t, q.Schedule(first+calendar.ID(i), start+1))
				}
				q.Reset(start)
			}
		}
		before(got)
		before(want)
		times := make([]float64, n)
		sparse := r.IntN(3)
		for i := range times {
			times[i] = got.Now() + jumps.Next()
			_, pending := got.At(first + calendar.ID(i))
			if r.IntN(5) < sparse || pending && r.IntN(20) > 0 {
				times[i] = math.Inf(1)
			}
		}
		if n > 0 && r.IntN(4) == 0 { // refused, once or several times
			for range 1 + r.IntN(3) {
				times[r.IntN(n)] = []float64{math.NaN(), math.Inf(-1), got.Now() - 1}[r.IntN(3)]
			}
		}
		t.Run(fmt.Sprintf("%d %s", seed, d.Name), func(t *testing.T) {
			wantErr := oneByOne(want, first, times)
			err := atOnce(t, got, first, times, workers)
			if !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			must(t, got.Check())
			for i := range times {
				id := first + calendar.ID(i)
				at, ok := got.At(id)
				if wantAt, wantOK := want.At(id); at != wantAt || ok != wantOK {
					t.Fatalf("id %d at %v, %v; want %v, %v", id, at, ok, wantAt, wantOK)
				}
			}
			for i := range n { // run on, and cancel
				id, at, ok := want.Next()
				gotID, gotAt, gotOK := got.Next()
				if id != gotID || at != gotAt || ok != gotOK {
					t.Fatalf("%d at %v, %v; want %d at %v, %v", gotID, gotAt, gotOK, id, at, ok)
				}
				if !ok || i > 10_000 {
					break
				}
				switch jump := jumps.Next(); i % 3 {
				case 0:
					must(t, errors.Join(want.Reschedule(id, at+jump), got.Reschedule(id, at+jump)))
				case 1:
					other := first + calendar.ID(r.IntN(n))
					if want.Cancel(other) != got.Cancel(other) {
						t.Fatal("cancelled by one of them")
					}
				}
			}
			sameQueues(t, got, want)
		})
	}
}
