package sim_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/sim/replicate"
)

// Two scenarios of one queue, with a server that is a little faster in one. With common random
// numbers both meet the same customers with the same work, and the difference of their mean times
// is known much better than from independent runs.
func TestCommonRandomNumbers(t *testing.T) {
	const lambda, slow, fast = 0.5, 1, 1.1
	run := func(mu float64, experimentSeed uint64) *replicate.Results {
		results, err := replicate.Run(t.Context(), 60, func(r *replicate.Replication) error {
			s := r.Sim()
			c := mm1(lambda, mu).build(s, math.Inf(1))
			s.WarmUp(300)
			if err := s.Run(r.Context(), 300+2000/min(shorter, 4)); err != nil {
				return err
			}
			r.Record("W", c.sojourns.Mean())
			return nil
		}, replicate.Seed(experimentSeed))
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	compare := func(a, b *replicate.Results) replicate.Comparison {
		c, err := replicate.Compare(a, b, "W")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(c)
		return c
	}
	slowly := run(slow, 1)
	common, apart := compare(slowly, run(fast, 1)), compare(slowly, run(fast, 2))

	exact := 1./(slow-lambda) - 1./(fast-lambda)
	for _, c := range []replicate.Comparison{common, apart} {
		// The interval is Student's at 95 %; four standard errors are twice as wide.
		if distance := math.Abs(c.Difference.Mean - exact); !(distance <= 2*c.Difference.HalfWidth) {
			t.Errorf("%v, but it should be %v", c, exact)
		}
	}
	if !common.Differs() {
		t.Errorf("common random numbers do not tell the servers apart: %v", common)
	}
	// Of two independent runs the ratio is 1 but for chance: with 60 pairs the correlation is 0 ±
	// 0.13.
	if r := apart.VarianceRatio; !(math.Abs(r-1) < 0.5) {
		t.Errorf("independent runs have a variance ratio of %v", r)
	}
	if r := common.VarianceRatio; !(r < 0.15) {
		t.Errorf("common random numbers have a variance ratio of %v", r)
	}
}

// A queue that starts with many customers is not in its long run for a while, and its mean over
// time is too large. By how much can be computed, with a warm-up and without.
func TestWarmUpBias(t *testing.T) {
	const lambda, mu, crowd, length, warmUp = 0.5, 1., 60, 1000., 400.
	run := func(warm bool) *replicate.Results {
		results, err := replicate.Run(t.Context(), 300/shorter, func(r *replicate.Replication) error {
			s := r.Sim()
			c := single(s, math.Inf(1), lambda, 1, exponential(mu))
			for range crowd {
				s.Go("customer", c.customer)
			}
			if warm {
				s.WarmUp(warmUp)
			}
			if err := s.Run(r.Context(), length); err != nil {
				return err
			}
			r.Record("L", c.present.Mean())
			r.Record("observed", c.present.Observed())
			r.Record("Lq+busy", c.resources[0].Queue().Mean()+c.resources[0].Usage().Mean())
			return nil
		}, replicate.Seed(seed))
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	cold, warm := run(false), run(true)
	check(t, cold, "L", meanFrom(crowd, lambda, mu, 0, length), lessStrict*0.05)
	check(t, cold, "Lq+busy", meanFrom(crowd, lambda, mu, 0, length), lessStrict*0.05)
	check(t, cold, "observed", length, 0)
	check(t, warm, "L", meanFrom(crowd, lambda, mu, warmUp, length), lessStrict*0.05)
	check(t, warm, "Lq+busy", meanFrom(crowd, lambda, mu, warmUp, length), lessStrict*0.05)
	check(t, warm, "observed", length-warmUp, 0)

	longRun := lambda / (mu - lambda)
	if bias := cold.Mean("L") - longRun; !(bias > 3*longRun) {
		t.Errorf("without a warm-up L is %v, hardly above %v", cold.Mean("L"), longRun)
	}
	check(t, warm, "L", longRun, lessStrict*0.05)
	// A queue that drains at a rate of μ−λ has crowd²/2(μ−λ) too many over its whole time.
	fluid := longRun + crowd*crowd/2/(mu-lambda)/length
	if exact := meanFrom(crowd, lambda, mu, 0, length); !(math.Abs(exact-fluid) < 0.05*exact) {
		t.Errorf("the expected mean is computed as %v, and in a fluid it is %v", exact, fluid)
	}
}
