package calendar_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/soak"
)

// compareAll cancels and moves the same ids at once and one by one, with holds between, as the numbers say that next returns.
func compareAll(t *testing.T, got, want *calendar.Queue, n, rounds int, next func(below int) int) {
	t.Helper()
	for id := range calendar.ID(n) {
		at := float64(next(500)) / 7
		must(t, got.Schedule(id, at))
		must(t, want.Schedule(id, at))
	}
	for range rounds {
		for range next(40) {
			id, at, ok := want.Next()
			if gotID, gotAt, gotOK := got.Next(); id != gotID || at != gotAt || ok != gotOK {
				t.Fatalf("%d at %v, %v; want %d at %v, %v", gotID, gotAt, gotOK, id, at, ok)
			}
			if ok && next(8) > 0 {
				at += float64(next(500)) / 7
				must(t, want.Schedule(id, at))
				must(t, got.Schedule(id, at))
			}
		}
		ids, at := make([]calendar.ID, next(60)), []float64(nil)
		for i := range ids {
			ids[i] = calendar.ID(next(n + n/8)) // some were never scheduled, some are there twice
			if next(200) == 0 {
				ids[i] = math.MaxUint32 - calendar.ID(next(3))
			}
			at = append(at, want.Now()+float64(next(500))/7)
			if next(500) == 0 {
				at[i] = [...]float64{math.NaN(), math.Inf(1), want.Now() - 1}[next(3)]
			}
		}
		if next(2) == 0 {
			cancelled := 0
			for _, id := range ids {
				if want.Cancel(id) {
					cancelled++
				}
			}
			if n := got.CancelAll(ids); n != cancelled {
				t.Fatalf("%d cancelled, want %d", n, cancelled)
			}
		} else {
			var refused error
			for i := 0; i < len(ids) && refused == nil; i++ {
				refused = want.Reschedule(ids[i], at[i])
			}
			if err := got.RescheduleAll(ids, at); !errors.Is(err, refused) || (err == nil) != (refused == nil) {
				t.Fatalf("%v, want %v", err, refused)
			}
		}
		must(t, got.Check())
		if got.Len() != want.Len() {
			t.Fatalf("%d events, want %d", got.Len(), want.Len())
		}
	}
	sameQueues(t, got, want)
}

// What CancelAll and RescheduleAll do is what Cancel and Reschedule do one by one.
func TestCancelAllIsOneByOne(t *testing.T) {
	for seed := range soak.Size[uint64](12, 30) {
		r := rand.New(rand.NewPCG(seed, 84))
		q := cold(0, []int{40, 500, calendar.Most}[seed%3])
		compareAll(t, q, calendar.New(), 1+r.IntN(3000), 50, r.IntN)
	}
}

func FuzzCancelAll(f *testing.F) {
	f.Add([]byte("cancel all of them, or move them"))
	f.Fuzz(func(t *testing.T, data []byte) {
		i := 0
		compareAll(t, cold(0, 40), calendar.New(), 100, min(len(data)/8, 50), func(below int) int {
			if len(data) == 0 || below == 0 {
				return 0
			}
			i += 2 // the numbers go on after the last, otherwise than before
			return (int(data[i%len(data)])<<8 + int(data[(i+1)%len(data)]) + i/len(data)*257) % below
		})
	})
}

func TestRescheduleAllRefuses(t *testing.T) {
	q := calendar.New(calendar.MaxID(9))
	err := q.RescheduleAll([]calendar.ID{3, 4, 10, 5}, []float64{1, 2, 3, 4})
	if !errors.Is(err, calendar.ErrID) || err.Error() != "calendar: RescheduleAll: id 10 at 3: calendar: id is beyond the largest" || q.Len() != 2 {
		t.Errorf("%d events, %v", q.Len(), err)
	}
	if n := q.CancelAll([]calendar.ID{3, 3, 7, math.MaxUint32, 4}); n != 2 || q.Len() != 0 {
		t.Errorf("%d cancelled, %d are left", n, q.Len())
	}
	if n := q.CancelAll(nil); n != 0 {
		t.Errorf("%d of none were cancelled", n)
	}
	defer func() {
		if s, _ := recover().(string); s != "calendar: RescheduleAll needs a time for each id" {
			t.Errorf("%q", s)
		}
	}()
	_ = q.RescheduleAll([]calendar.ID{1, 2}, []float64{1})
}

func TestCancelAllAllocatesNothing(t *testing.T) {
	const n = 140_000 // deaths wait
	exponential, _ := calendartest.ByName("exponential")
	j := calendartest.NewJumps(exponential, n, 85)
	q := calendar.New()
	must(t, calendartest.Fill(q, n, j))
	ids, at := make([]calendar.ID, 50), make([]float64, 50)
	work := func() {
		for range 2000 {
			must(t, calendartest.Hold(q, len(ids), j))
			for i := range ids {
				ids[i], at[i] = j.Pick(n), q.Now()+j.Next()
			}
			q.CancelAll(ids[:10])
			must(t, q.RescheduleAll(ids, at))
		}
	}
	work()
	if allocs := testing.AllocsPerRun(3, work); allocs > 1 {
		t.Errorf("%v allocations in 2000 rounds", allocs)
	}
}
