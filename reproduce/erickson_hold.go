package reproduce

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/theory"
)

// batches is into how many parts a run is cut. Their means are nearly independent, and give the standard error.
const batches = 40

// sigmas is how many standard errors a mean may be off: with Student's distribution for 40 batches, one in 17 000 is further.
const sigmas = 4.5

// because is the reason for a tolerance that has nothing but the standard error in it.
const because = "the formula is exact: 4.5 standard errors of batch means"

// A hold is a run of the papers' model: n events are pending; the earliest leaves and is scheduled again, a jump later.
type hold struct {
	jumps      jumps
	n          int
	width      float64 // δ
	buckets    int     // M; 0 stands for infinitely many
	discipline calendar.Discipline
	events     int    // to count, after the warm-up
	stream     uint64 // which random numbers: runs that have the same see the same jumps
}

// warmUp is how many events go before those that are counted. The run begins in what renewal theory says is the steady state,
// so this need not be long; three jumps of every event make sure.
func (h hold) warmUp() int { return 3 * h.n }

// A runner runs holds for a claim, and tells how far it is.
type runner struct {
	ctx         context.Context
	o           Options
	name        string // of the claim
	done, total int    // runs
}

// random is the generator for a stream: each claim has its own, which other claims do not change.
func (r *runner) random(stream uint64) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(r.name))
	return rand.New(rand.NewPCG(r.o.Seed, hash.Sum64()+stream))
}

// ran reports that another run is done.
func (r *runner) ran() {
	r.done++
	r.o.progress(min(1, float64(r.done)/float64(r.total)))
}

// run returns what each batch took.
func (r *runner) run(h hold) ([]calendar.Work, error) {
	s, rng, err := r.begin(h)
	if err != nil {
		return nil, err
	}
	if err := r.spend(s, rng, h, h.warmUp()); err != nil {
		return nil, err
	}
	works := make([]calendar.Work, batches)
	for i := range works {
		before := s.Work()
		if err := r.spend(s, rng, h, h.events/batches); err != nil {
			return nil, err
		}
		works[i] = s.Work().Since(before)
	}
	r.ran()
	return works, nil
}

// begin makes a calendar with its events at the first edge of a bucket in the steady state: section A.3 has them
// independent there, each with the residual of a jump.
func (r *runner) begin(h hold) (*calendar.Static, *rand.Rand, error) {
	buckets := h.buckets
	if buckets == 0 {
		var err error
		if buckets, err = r.unlimited(h); err != nil {
			return nil, nil, err
		}
	}
	s, err := calendar.NewStatic(calendar.StaticConfig{Buckets: buckets, Width: h.width, Discipline: h.discipline, Capacity: h.n})
	if err != nil {
		return nil, nil, err
	}
	rng := r.random(h.stream)
	for i := range h.n {
		if err := s.Schedule(calendar.ID(i), h.jumps.residual(rng)); err != nil {
			return nil, nil, err
		}
	}
	return s, rng, nil
}

// unlimited is a number of buckets that is as good as infinitely many. It draws all the jumps of the run beforehand: none is
// longer than β, so β/δ + 1 buckets keep every event of a later year out of the current one (Theorem 3.1).
func (r *runner) unlimited(h hold) (int, error) {
	rng := r.random(h.stream)
	longest := 0.0
	for range h.n {
		longest = max(longest, h.jumps.residual(rng))
	}
	for i := range h.warmUp() + h.events {
		if i%4096 == 0 && r.ctx.Err() != nil {
			return 0, r.ctx.Err()
		}
		longest = max(longest, h.jumps.draw(rng))
	}
	return theory.BucketsFor(longest, h.width)
}

// spend lets a number of events happen.
func (r *runner) spend(s *calendar.Static, rng *rand.Rand, h hold, events int) error {
	for i := range events {
		if i%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if err := step(s, rng, h.jumps); err != nil {
			return err
		}
	}
	return nil
}

// step is one event of the hold model.
func step(s *calendar.Static, rng *rand.Rand, j jumps) error {
	id, at, ok := s.Next()
	if !ok {
		return errors.New("reproduce: the calendar has lost its events")
	}
	return s.Schedule(id, at+j.draw(rng))
}

// An estimate is a mean and its standard error.
type estimate struct {
	mean, se float64
	// one is what a single thing that is counted adds to the mean, where there may be too few of them for batches to tell the
	// standard error.
	one float64
}

// minus is the difference of two independent estimates.
func (e estimate) minus(o estimate) estimate {
	return estimate{mean: e.mean - o.mean, se: math.Hypot(e.se, o.se)}
}

// outside is how many standard errors an estimate lies outside of bounds, 0 within them. If the lower bound is true, as many things
// as it says are expected, and their number varies by the root of that at least; so none of them where three are expected is
// no surprise, though the batches agree.
func (e estimate) outside(low, high float64) float64 {
	off := max(low-e.mean, e.mean-high)
	se := max(e.se, math.Sqrt(max(0, low)*e.one))
	switch {
	case !(off > 0):
		return 0
	case se == 0:
		return far
	}
	return off / se
}

// far is a number of standard errors, where there is no error.
const far = 1e9

// meanOf estimates something that is known for each batch.
func meanOf(works []calendar.Work, f func(calendar.Work) float64) estimate {
	x := make([]float64, len(works))
	for i, w := range works {
		x[i] = f(w)
	}
	return batchMeans(x)
}

// batchMeans is the mean of batches. Where a batch resembles those before it, as heavy tails make it do, the standard error grows by what
// the autocorrelations say, up to the first that is not positive (Geyer's initial positive sequence).
func batchMeans(x []float64) estimate {
	n := float64(len(x))
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	squares := products(x, mean, 0)
	if squares == 0 {
		return estimate{mean: mean}
	}
	grows := 1.0
	for lag := 1; lag <= len(x)/2; lag++ {
		p := products(x, mean, lag)
		if p <= 0 {
			break
		}
		grows += 2 * p / squares
	}
	return estimate{mean: mean, se: math.Sqrt(squares / (n * (n - 1)) * grows)}
}

// products adds up the products of deviations from the mean, some batches apart.
func products(x []float64, mean float64, lag int) float64 {
	sum := 0.0
	for i, v := range x[lag:] {
		sum += (v - mean) * (x[i] - mean)
	}
	return sum
}

// cost is what an event takes with b = c = d = 1.
func cost(w calendar.Work) float64 {
	return float64(w.EmptyBuckets+w.Traversed+w.Dispatched) / float64(w.Dispatched)
}

// emptyVisits is the share of visits that found the bucket empty, an estimate of q₀.
func emptyVisits(w calendar.Work) float64 {
	return float64(w.EmptyBuckets) / float64(w.EmptyBuckets+w.Dispatched)
}

// holdCosts estimates how many empty buckets are visited and how many entries looked at for each event.
func (r *runner) holdCosts(h hold) (empty, traversed, total estimate, err error) {
	works, err := r.run(h)
	if err != nil {
		return estimate{}, estimate{}, estimate{}, err
	}
	empty = meanOf(works, func(w calendar.Work) float64 { return float64(w.EmptyBuckets) / float64(w.Dispatched) })
	traversed = meanOf(works, func(w calendar.Work) float64 { return float64(w.Traversed) / float64(w.Dispatched) })
	return empty, traversed, meanOf(works, cost), nil
}
