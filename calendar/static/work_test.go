package static

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// The example in section 1.1 of Erickson, Ladner and LaMarca, worked by hand: N = 8, M = 10, δ =
// 10, t₀ = 30. The event after the first is the one the paper adds, at 87. Each row is what one
// Next costs.
func TestQueueWorkOnThePapersExample(t *testing.T) {
	rows := []struct {
		at      float64
		empty   uint64
		entries [3]uint64 // traversed: Unordered, Ordered, JustInTime
	}{
		// Bucket 3 has 31 and 138. JustInTime compares them once, and looks at the first.
		{31, 0, [3]uint64{2, 1, 2}},
		// 138 is left in bucket 3: empty, one entry. 4 is empty. 5 has 54 and 251.
		{54, 2, [3]uint64{3, 2, 3}},
		// 251 is left in bucket 5; 6 and 7 are empty; 8 has 85 and 87.
		{85, 3, [3]uint64{3, 2, 3}},
		// Bucket 8 again, with 87.
		{87, 0, [3]uint64{1, 1, 1}},
		// 8, empty now, and 9.
		{98, 1, [3]uint64{1, 1, 1}},
		// 9 and 0, both empty, and 1: the next year.
		{111, 2, [3]uint64{1, 1, 1}},
		{128, 1, [3]uint64{1, 1, 1}},
		{138, 1, [3]uint64{1, 1, 1}},
		// A whole year from 3 to 2, in which 251 is looked at once, in bucket 5; then straight to
		// its day. The papers would visit 3 and 4 again before that.
		{251, 10, [3]uint64{2, 2, 2}},
	}
	eachDiscipline(t, Config{Buckets: 10, Width: 10, Capacity: 9, Start: 30}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 31, 54, 85, 98, 111, 128, 138, 251)
		if s.discipline == Ordered {
			// 138 is put behind 31, and 251 behind 54.
			if want := (Work{Traversed: 2}); s.Work() != want {
				t.Errorf("scheduling took %+v, want %+v", s.Work(), want)
			}
		} else if s.Work() != (Work{}) {
			t.Errorf("scheduling took %+v, want nothing", s.Work())
		}
		for i, row := range rows {
			before := s.Work()
			if _, at, _ := s.Next(); at != row.at {
				t.Fatalf("Next gives %v, want %v", at, row.at)
			}
			want := Work{EmptyBuckets: row.empty, Traversed: row.entries[s.discipline], Dispatched: 1}
			if got := s.Work().Since(before); got != want {
				t.Errorf("dispatching %v took %+v, want %+v", row.at, got, want)
			}
			if i == 0 {
				s.Schedule(8, 87) // on top of 85, and behind it in an ordered list: one entry passed
			}
		}
		before := s.Work()
		if _, _, ok := s.Next(); ok || s.Work() != before {
			t.Error("an empty calendar took work")
		}
	})
}

// In an ordered list an insertion passes the entries that are not later, and stops at the first one
// that is.
func TestQueueWorkOfInserting(t *testing.T) {
	eachDiscipline(t, Config{Buckets: 2, Width: 1, Capacity: 6}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 0.5, 0.7, 0.1, 0.5, 0.6, 1.5)
		want := Work{}
		if s.discipline == Ordered { // 0.7 passes 0.5, 0.1 none, 0.5 two and 0.6 three
			want = Work{Traversed: 6, Stops: 3}
		}
		if got := s.Work(); got != want {
			t.Errorf("inserting took %+v, want %+v", got, want)
		}
	})
}

func TestQueueWorkOfCancelling(t *testing.T) {
	eachDiscipline(t, Config{Buckets: 2, Width: 1, Capacity: 4}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 0.1, 0.2, 0.3, 1.5)
		want := Work{Traversed: 3} // the newest is on top: 2, 1, 0
		if s.discipline == Ordered {
			want.Traversed = 1
		}
		before := s.Work()
		s.Cancel(0)
		if got := s.Work().Since(before); got != want {
			t.Errorf("cancelling took %+v, want %+v", got, want)
		}
	})
}

// A gap of more years than anyone can wait for costs one year of visits.
func TestQueueWorkOfAGap(t *testing.T) {
	eachDiscipline(t, Config{Buckets: 100, Width: 1e-3, Capacity: 3, Start: -1e300}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 1, 1e300, math.MaxFloat64)
		for want := range calendar.ID(3) {
			before := s.Work()
			if id, _, _ := s.Next(); id != want {
				t.Fatalf("Next gives %d, want %d", id, want)
			}
			if empty := s.Work().Since(before).EmptyBuckets; empty > 100 {
				t.Errorf("%d empty buckets before event %d", empty, want)
			}
		}
	})
}
