package erickson

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// batches is into how many parts a run is cut. Their means are nearly independent, and give the
// standard error.
const batches = 40

// because is the reason for a tolerance that has nothing but the standard error in it.
const because = "the formula is exact: 4.5 standard errors of batch means"

// worstOf adds a check of the largest of several distances, each in standard errors of batch means.
// The largest of many goes further by chance than a single one does; so the tolerance is what
// chance takes one of them beyond as rarely as it takes a single one beyond 4.5 (Bonferroni's
// correction, with Student's distribution).
func worstOf(c reproduce.Checker, what string, worst float64, of int) {
	c.Check(what, worst, 0, sigmasOf(of), fmt.Sprintf("exact: chance takes the largest of %d beyond this as rarely as "+
		"one beyond "+
		"4.5 standard errors of %d batch means", of, batches))
}

// sigmasOf is how many standard errors the largest of several distances may be.
func sigmasOf(of int) float64 {
	student := distuv.StudentsT{Sigma: 1, Nu: batches - 1}
	return student.Quantile(1 - student.Survival(reproduce.Sigmas)/float64(of))
}

// A hold is a run of the papers' model: n events are pending; the earliest leaves and is scheduled
// again, a jump later.
type hold struct {
	jumps      jumps
	n          int
	width      float64 // δ
	buckets    int     // M; 0 stands for infinitely many
	discipline static.Discipline
	events     int    // to count, after the warm-up
	stream     uint64 // which random numbers: runs that have the same see the same jumps
}

// warmUp is how many events go before those that are counted. The run begins in what renewal theory
// says is the steady state, so this need not be long; three jumps of every event make sure.
func (h hold) warmUp() int { return 3 * h.n }

// run returns what each batch took.
func (r *runner) run(h hold) []static.Work {
	s, rng := r.begin(h)
	r.spend(s, rng, h, h.warmUp())
	works := make([]static.Work, batches)
	for i := range works {
		before := s.Work()
		r.spend(s, rng, h, h.events/batches)
		works[i] = s.Work().Since(before)
	}
	r.Ran()
	return works
}

// begin makes a calendar with its events at the first edge of a bucket in the steady state: section
// A.3 has them independent there, each with the residual of a jump.
func (r *runner) begin(h hold) (*static.Queue, *rand.Rand) {
	buckets := h.buckets
	if buckets == 0 {
		buckets = r.unlimited(h)
	}
	config := static.Config{Buckets: buckets, Width: h.width, Discipline: h.discipline, Capacity: h.n}
	s := reproduce.Must(static.New(config))
	rng := r.Random(h.stream)
	for i := range h.n {
		r.FailOn(s.Schedule(calendar.ID(i), h.jumps.residual(rng)))
	}
	return s, rng
}

// unlimited is a number of buckets that is as good as infinitely many. It draws all the jumps of
// the run beforehand: none is longer than β, so β/δ + 1 buckets keep every event of a later year
// out of the current one (Theorem 3.1).
func (r *runner) unlimited(h hold) int {
	rng := r.Random(h.stream)
	longest := 0.0
	for range h.n {
		longest = max(longest, h.jumps.residual(rng))
	}
	for i := range h.warmUp() + h.events {
		r.CheckpointEvery(4096, i)
		longest = max(longest, h.jumps.draw(rng))
	}
	return reproduce.Must(static.BucketsFor(longest, h.width))
}

// spend lets a number of events happen.
func (r *runner) spend(s *static.Queue, rng *rand.Rand, h hold, events int) {
	for i := range events {
		r.CheckpointEvery(4096, i)
		r.step(s, rng, h.jumps)
	}
}

// step is one event of the hold model.
func (r *runner) step(s *static.Queue, rng *rand.Rand, j jumps) {
	id, at, ok := s.Next()
	if !ok {
		r.FailOn(errors.New("reproduce: the calendar has lost its events"))
	}
	r.FailOn(s.Schedule(id, at+j.draw(rng)))
}

// meanOf estimates something that is known for each batch.
func meanOf(works []static.Work, f func(static.Work) float64) reproduce.Estimate {
	x := make([]float64, len(works))
	for i, w := range works {
		x[i] = f(w)
	}
	return reproduce.BatchMeans(x)
}

// cost is what an event takes with b = c = d = 1.
func cost(w static.Work) float64 {
	return float64(w.EmptyBuckets+w.Traversed+w.Dispatched) / float64(w.Dispatched)
}

// emptyVisits is the share of visits that found the bucket empty, an estimate of q₀.
func emptyVisits(w static.Work) float64 {
	return float64(w.EmptyBuckets) / float64(w.EmptyBuckets+w.Dispatched)
}

// holdCosts estimates how many empty buckets are visited and how many entries looked at for each
// event.
func (r *runner) holdCosts(h hold) (empty, traversed, total reproduce.Estimate) {
	return costsOf(r.run(h))
}

func costsOf(works []static.Work) (empty, traversed, total reproduce.Estimate) {
	empty = meanOf(works, func(w static.Work) float64 { return float64(w.EmptyBuckets) / float64(w.Dispatched) })
	traversed = meanOf(works, func(w static.Work) float64 { return float64(w.Traversed) / float64(w.Dispatched) })
	return empty, traversed, meanOf(works, cost)
}

// A widthPoint is what was measured at a width, and what the paper says.
type widthPoint struct {
	width                  float64
	empty, traversed, cost reproduce.Estimate
	about, low, high       float64 // the approximation and the bounds of section A.5
}

func (r *runner) widthPoint(h hold) widthPoint {
	p, _ := r.worksAt(h)
	return p
}

// worksAt is widthPoint with what each batch took.
func (r *runner) worksAt(h hold) (p widthPoint, works []static.Work) {
	works = r.run(h)
	p.width = h.width
	p.empty, p.traversed, p.cost = costsOf(works)
	p.about = r.perEvent(h.n, 1, h.width)
	p.low, p.high = r.bounds(h.n, h.jumps.law, h.width)
	return p, works
}

// logarithmic is a range of numbers with equal ratios.
func logarithmic(from, to float64, count int) []float64 {
	x := make([]float64, count)
	for i := range x {
		x[i] = from * math.Pow(to/from, float64(i)/float64(count-1))
	}
	return x
}

func widthTable(name string, points []widthPoint) reproduce.Table {
	table := reproduce.Table{Name: name, Columns: []string{"width", "empty", "empty se", "traversed", "traversed se",
		"cost", "cost se", "approximation", "low", "high"}}
	for _, p := range points {
		table.Rows = append(table.Rows, []float64{p.width, p.empty.Mean, p.empty.SE, p.traversed.Mean, p.traversed.SE,
			p.cost.Mean, p.cost.SE, p.about, p.low, p.high})
	}
	return table
}

// A pair is what M buckets took and what infinitely many took, on the same jumps. The same buckets
// are visited and the same events leave, so what differs is the entries of later years alone, and
// most of the noise is gone.
type pair struct{ finite, unlimited []static.Work }

// pairs runs h with each number of buckets, and with infinitely many.
func (r *runner) pairs(h hold, buckets []int) []pair {
	h.buckets = 0
	unlimited := r.run(h)
	all := make([]pair, len(buckets))
	for i, m := range buckets {
		h.buckets = m
		all[i] = pair{r.run(h), unlimited}
		for k, w := range all[i].finite {
			if w.EmptyBuckets != unlimited[k].EmptyBuckets {
				r.FailOn(errors.New("reproduce: runs on the same jumps visited different buckets, as if a year had no event"))
			}
		}
	}
	return all
}

// per estimates how many entries of later years there are for each of something.
func (p pair) per(count func(static.Work) uint64) reproduce.Estimate {
	x := make([]float64, len(p.finite))
	all := 0.0
	for i, w := range p.finite {
		x[i] = float64(w.Traversed-p.unlimited[i].Traversed) / float64(count(w))
		all += float64(count(w))
	}
	e := reproduce.BatchMeans(x)
	e.One = 1 / all
	return e
}

// excess estimates L_M, which is an average over visits.
func (p pair) excess() reproduce.Estimate {
	return p.per(func(w static.Work) uint64 { return w.EmptyBuckets + w.Dispatched })
}

// extra estimates E_M − E, which is an average over events.
func (p pair) extra() reproduce.Estimate {
	return p.per(func(w static.Work) uint64 { return w.Dispatched })
}

// degradation estimates ε_M = (E_M − E)/E.
func (p pair) degradation() reproduce.Estimate {
	extra, all := p.extra(), meanOf(p.unlimited, cost)
	mean := extra.Mean / all.Mean
	return reproduce.Estimate{Mean: mean, SE: math.Hypot(extra.SE, mean*all.SE) / all.Mean, One: extra.One / all.Mean}
}

// bucketsFor turns ratios M/N into numbers of buckets.
func bucketsFor(n int, ratios []float64) []int {
	m := make([]int, len(ratios))
	for i, ratio := range ratios {
		m[i] = int(math.Round(ratio * float64(n)))
	}
	return m
}
