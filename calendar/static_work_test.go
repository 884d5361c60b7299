package calendar

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The example in section 1.1 of Erickson, Ladner and LaMarca, worked by hand: N = 8, M = 10, δ = 10, t₀ = 30. The event
// after the first is the one the paper adds, at 87. Each row is what one Next costs.
func TestStaticWorkOnThePapersExample(t *testing.T) {
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
		// A whole year from 3 to 2, in which 251 is looked at once, in bucket 5; then straight to its day. The papers would
		// visit 3 and 4 again before that.
		{251, 10, [3]uint64{2, 2, 2}},
	}
	eachDiscipline(t, StaticConfig{Buckets: 10, Width: 10, Capacity: 9, Start: 30}, func(t *testing.T, s *Static) {
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

func TestStaticWorkOfCancelling(t *testing.T) {
	eachDiscipline(t, StaticConfig{Buckets: 2, Width: 1, Capacity: 4}, func(t *testing.T, s *Static) {
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
func TestStaticWorkOfAGap(t *testing.T) {
	eachDiscipline(t, StaticConfig{Buckets: 100, Width: 1e-3, Capacity: 3, Start: -1e300}, func(t *testing.T, s *Static) {
		mustSchedule(t, s, 1, 1e300, math.MaxFloat64)
		for want := range ID(3) {
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

// holdStatic runs the papers' model for a number of steps: remove the earliest, schedule it an exponential jump of mean 1 later.
func holdStatic(s *Static, rng *rand.Rand, steps int) Work {
	before := s.Work()
	for range steps {
		id, at, _ := s.Next()
		s.Schedule(id, at+rng.ExpFloat64())
	}
	return s.Work().Since(before)
}

// With b = c, δ = √2·μ/N and M so large that no event is in a later year, theory says
// q₀ = μ/(μ+Nδ) = 1/(1+√2) of the visits are empty (equation 8), and that 1 + √2 empty buckets and entries
// are met for each event (Theorem 2.2), with an error of order 1/N.
func TestStaticWorkMatchesTheory(t *testing.T) {
	const n, batches, steps = 100, 50, 4000
	rng := rand.New(rand.NewPCG(1994, 2012))
	s := mustStatic(t, StaticConfig{Buckets: 1 << 14, Width: math.Sqrt2 / n, Capacity: n})
	for i := range n {
		s.Schedule(ID(i), rng.ExpFloat64())
	}
	holdStatic(s, rng, 20*n)

	var q0, cost batchMeans
	for range batches {
		w := holdStatic(s, rng, steps)
		q0.add(float64(w.EmptyBuckets) / float64(w.EmptyBuckets+w.Dispatched))
		cost.add(float64(w.EmptyBuckets+w.Traversed) / float64(w.Dispatched))
	}
	mean, se := q0.mean()
	t.Logf("q₀ = %.5f ± %.5f", mean, se)
	if want := 1 / (1 + math.Sqrt2); math.Abs(mean-want) > 4*se {
		t.Errorf("q₀ is %.5f ± %.5f, theory says %.5f", mean, se, want)
	}
	mean, se = cost.mean()
	t.Logf("cost = %.5f ± %.5f", mean, se)
	if want := 1 + math.Sqrt2; math.Abs(mean-want) > 4*se+2./n {
		t.Errorf("an event costs %.5f ± %.5f, theory says %.5f with an error of order 1/%d", mean, se, want, n)
	}
}

// batchMeans collects batch means, which are nearly independent, and their standard error.
type batchMeans struct{ n, sum, squares float64 }

func (s *batchMeans) add(x float64) { s.n++; s.sum += x; s.squares += x * x }

func (s *batchMeans) mean() (mean, se float64) {
	mean = s.sum / s.n
	return mean, math.Sqrt((s.squares/s.n - mean*mean) / (s.n - 1))
}
