package static

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// holdQueue runs the papers' model for a number of steps: remove the earliest, schedule it an
// exponential jump of mean 1 later.
func holdQueue(s *Queue, rng *rand.Rand, steps int) Work {
	before := s.Work()
	for range steps {
		id, at, _ := s.Next()
		s.Schedule(id, at+rng.ExpFloat64())
	}
	return s.Work().Since(before)
}

// With b = c, δ = √2·μ/N and M so large that no event is in a later year, theory says q₀ = μ/(μ+Nδ)
// = 1/(1+√2) of the visits are empty (equation 8), and that 1 + √2 empty buckets and entries are
// met for each event (Theorem 2.2), with an error of order 1/N.
func TestLeastWork(t *testing.T) {
	const n, batches, steps = 100, 50, 4000
	rng := rand.New(rand.NewPCG(1994, 2012))
	s := must(New(Config{Buckets: 1 << 14, Width: math.Sqrt2 / n, Capacity: n}))
	for i := range n {
		s.Schedule(calendar.ID(i), rng.ExpFloat64())
	}
	holdQueue(s, rng, 20*n)

	var q0, cost batchMeans
	for range batches {
		w := holdQueue(s, rng, steps)
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
