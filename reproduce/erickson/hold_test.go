package erickson

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// clockwork are jumps of 2, all of them, and events that begin at 0.5 and 1.25 in turn.
func clockwork() jumps {
	turn := 0
	return jumps{
		name: "clockwork",
		law:  static.Jump{Mean: 2, Support: 2},
		draw: func(*rand.Rand) float64 { return 2 },
		residual: func(*rand.Rand) float64 {
			turn++
			return []float64{1.25, 0.5}[turn%2]
		},
	}
}

// Two events, δ = 1: they are due at 0.5, 1.25, 2.5, 3.25 … on the days 0, 1, 2, 3 … So each search
// first finds the bucket it has just emptied, and then the event alone in the next: one empty
// bucket and one entry. With two buckets the event that left day 0 for day 2 is in the same bucket
// again, and is looked at in vain: one entry more.
func TestHoldByHand(t *testing.T) {
	r := &runner{Runner: reproduce.NewRunner(t.Context(), reproduce.Options{}, "test", 1)}
	h := hold{jumps: clockwork(), n: 2, width: 1, events: 10 * batches}
	works := r.run(h)
	for _, w := range works {
		if want := (static.Work{EmptyBuckets: 10, Traversed: 10, Dispatched: 10}); w != want {
			t.Fatalf("a batch took %+v, want %+v", w, want)
		}
	}
	empty, traversed, total := r.holdCosts(h)
	if m := r.unlimited(h); m != 3 {
		t.Errorf("%d buckets are unlimited, want 2/1 + 1", m)
	}
	pairs := r.pairs(h, []int{2})
	near := func(name string, got reproduce.Estimate, want float64) {
		if math.Abs(got.Mean-want) > 1e-12 || got.SE > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("empty buckets", empty, 1)
	near("entries", traversed, 1)
	near("cost", total, 3)
	near("E_2 − E", pairs[0].extra(), 1)
	near("L_2", pairs[0].excess(), 0.5)
	near("ε_2", pairs[0].degradation(), 1./3)
}

// The same as a chain, and a chain of three steps.
func TestChainByHand(t *testing.T) {
	r := &runner{Runner: reproduce.NewRunner(t.Context(), reproduce.Options{}, "test", 1)}
	works := r.runChain(hold{jumps: clockwork(), n: 2, width: 1, events: 10 * batches})
	// A batch ends with a dispatch, so the steps of all are alike.
	for _, w := range works {
		if want := (static.Work{EmptyBuckets: 10, Traversed: 10, Dispatched: 10}); w != want {
			t.Fatalf("a batch took %+v, want %+v", w, want)
		}
	}
	c := &chain{at: []float64{0.75, 0.25, 3}, width: 1}
	for range 3 { // 0.25 jumps to 2.25, 0.75 to 2.75; none is left and all come nearer
		c.step(func() float64 { return 2 })
	}
	if want := [3]float64{1.75, 1.25, 2}; [3]float64(c.at) != want || c.work != (static.Work{EmptyBuckets: 1, Traversed: 3,
		Dispatched: 2}) {
		t.Errorf("the chain is at %v after %+v, want %v", c.at, c.work, want)
	}
}

// Jumps must have the distribution that the theory is told, mean 1, and residuals with density 1−F.
func TestJumps(t *testing.T) {
	for _, j := range []jumps{exponentialJumps(), uniformJumps(1), uniformJumps(0.05), triangularJumps(), gammaJumps(20),
		gammaJumps(1.2), gammaJumps(0.5),
		lognormalJumps(1), lognormalJumps(1.5), paretoJumps(2.5, 60), atomJumps(0.5)} {
		t.Run(j.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			const n = 100_000
			tail := func(x float64) float64 { return 1 - j.law.CDF(x) }
			points := []float64{0.1, 0.5, 0.97, 1.03, 2, 5}
			shorts, soons := make([]float64, len(points)), make([]float64, len(points))
			for range n {
				jump, residual := j.draw(rng), j.residual(rng)
				for i, at := range points {
					if jump <= at {
						shorts[i]++
					}
					if residual <= at {
						soons[i]++
					}
				}
			}
			for i, at := range points {
				short, soon := shorts[i], soons[i]
				residual := 0.0 // in pieces, for the corners of some distributions
				for i := range 100 {
					residual += quad.Fixed(tail, at*float64(i)/100, at*float64(i+1)/100, 20, nil, 0)
				}
				for name, pair := range map[string][2]float64{"jumps": {short / n, j.law.CDF(at)},
					"residuals": {soon / n, residual}} {
					if got, want := pair[0], pair[1]; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/n)+1e-4 {
						t.Errorf("%v of the %s are up to %v, want %v", got, name, at, want)
					}
				}
			}
			mean := 0.0
			for i := range 4000 { // the mean is the integral of the tail; lognormal has 1e-6 beyond 400
				mean += quad.Fixed(tail, 0.1*float64(i), 0.1*float64(i+1), 20, nil, 0)
			}
			if j.law.Mean != 1 || math.Abs(mean-1) > 2e-3 {
				t.Errorf("the mean is %v, and by the distribution %v", j.law.Mean, mean)
			}
		})
	}
}

// One distance may be 4.5 standard errors; of many, the largest may be more, though not by much.
func TestSigmasOf(t *testing.T) {
	wantNear(t, "how far one may be", sigmasOf(1), reproduce.Sigmas, 1e-6)
	student := distuv.StudentsT{Sigma: 1, Nu: batches - 1}
	for _, of := range []int{5, 36, 72} {
		far := sigmasOf(of)
		wantNear(t, "the chance that one of them is further", float64(of)*student.Survival(far)/student.Survival(
			reproduce.Sigmas), 1, 1e-6)
		if !(far > reproduce.Sigmas && far < 6) {
			t.Errorf("the largest of %d may be %v", of, far)
		}
	}
}
