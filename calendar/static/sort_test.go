package static

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// A million events in one bucket, at one time or in any order, must not take quadratic time, nor
// lose the order of ties.
func TestQueueHugeTies(t *testing.T) {
	n := testscale.Size(200_000, 1_000_000)
	s := mustNew(t, Config{Buckets: 16, Width: 1, Capacity: n, Discipline: JustInTime})
	for _, tc := range []struct {
		name    string
		time    func(i int) float64
		reverse bool
	}{
		{"equal", func(int) float64 { return 1e6 }, false},
		{"rising", func(i int) float64 { return 2e6 + float64(i)/float64(2*n) }, false},
		{"falling", func(i int) float64 { return 3e6 - float64(i+1)/float64(2*n) }, true},
		{"two times", func(i int) float64 { return 4e6 + 0.5*float64(i/(n/2)) }, false},
	} {
		start := s.Work()
		for i := range n {
			if err := s.Schedule(calendar.ID(i), tc.time(i)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			want := calendar.ID(i)
			if tc.reverse {
				want = calendar.ID(n - 1 - i)
			}
			if id, _, _ := s.Next(); id != want {
				t.Fatalf("%s: event %d to leave is %d, want %d", tc.name, i, id, want)
			}
		}
		if work := s.Work().Since(start); work.Traversed > uint64(3*n) {
			t.Errorf("%s: %d entries traversed for %d events, which is not linear", tc.name, work.Traversed, n)
		}
	}
	// Times in random order, a few hundred events at each, all in one bucket.
	rng := rand.New(rand.NewPCG(1, 2))
	start := s.Work()
	for i := range n {
		s.Schedule(calendar.ID(i), 5e6+float64(rng.IntN(4096))/8192)
	}
	lastID, last := calendar.ID(0), 0.0
	for id, at := range s.Until(math.Inf(1)) {
		if at < last || at == last && id < lastID {
			t.Fatalf("%d at %v leaves after %d at %v", id, at, lastID, last)
		}
		lastID, last = id, at
	}
	if work := s.Work().Since(start); float64(work.Traversed) > float64(n)*(math.Log2(float64(n))+2) {
		t.Errorf("random: %d entries traversed for %d events, more than n·log₂ n + 2n", work.Traversed, n)
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}
