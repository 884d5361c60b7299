package analysis_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
)

// Intervals of runs that are usually long enough cover as often as they say, within three standard
// errors of so many runs; and those that pass and are wrong are no more than the level allows. The
// constants of the procedure were chosen by looking at runs of this queue with these seeds.
func TestCoverageOfMeans(t *testing.T) {
	for _, c := range []struct {
		load    float64
		n, runs int
	}{{0.5, 8000, 500}, {0.9, 256_000, testscale.Size(40, 60)}} {
		levels := []float64{0.9, 0.95}
		got := make([]tried, len(levels))
		for seed := range uint64(c.runs) {
			x := waits(seed, c.load, c.n)
			skip := analysis.Skip(analysis.MSER5(x).Skip)
			for i, level := range levels {
				e := analysis.Mean(x, analysis.Confidence(level), skip)
				got[i].add(e.Contains(meanWait(c.load)), e.Enough())
			}
		}
		for i, level := range levels {
			se := binomialError(level, c.runs)
			if x := got[i]; math.Abs(x.share(x.covered)-level) > 3*se || x.share(x.wrong) > 1-level+3*se || x.share(x.passed) <
				0.3 {
				t.Errorf("load %v, %v customers, %v: %+v; the coverage is %.3f ± %.3f", c.load, c.n, level, x, x.share(x.covered),
					se)
			}
		}
	}
}

// A run that is too short is told from others: hardly any passes, though their intervals cover too
// rarely.
func TestShortRunsDoNotPass(t *testing.T) {
	for _, c := range []struct {
		load float64
		n    int
	}{{0.5, 500}, {0.9, 10_000}, {0.99, 50_000}} {
		var got tried
		for seed := range uint64(100) {
			e := analysis.Mean(waits(seed, c.load, c.n))
			got.add(e.Contains(meanWait(c.load)), e.Enough())
		}
		if got.passed > 2 || got.share(got.covered) > 0.95-2*binomialError(0.95, 100) {
			t.Errorf("load %v, %d customers: %+v", c.load, c.n, got)
		}
	}
	// An overloaded queue has no mean.
	for seed := range uint64(50) {
		if e := analysis.Mean(waits(seed, 1.2, 20_000)); e.Enough() {
			t.Errorf("a queue that grows passes: %v", e)
		}
	}
}

// Intervals of quantiles cover as often as they say, too: of one run, of several, and of
// independent observations.
func TestCoverageOfQuantiles(t *testing.T) {
	const load, level = 0.5, 0.9
	runs := testscale.Size(130, 200)
	shares := []float64{0.75, 0.9}
	within, over := make([]tried, len(shares)), make([]tried, len(shares))
	for seed := range uint64(runs) {
		x := waits(seed, load, 8000)
		var parts [][]float64
		for k := range uint64(10) {
			parts = append(parts, waits(1000*(seed+1)+k, load, 500+int(50*k))[100:]) // of different lengths, warmed up
		}
		for i, p := range shares {
			e := analysis.Quantile(x, p, analysis.Confidence(level))
			within[i].add(e.Contains(quantileWait(load, p)), e.Enough())
			e = analysis.QuantileOfReplications(parts, p, analysis.Confidence(level))
			over[i].add(e.Contains(quantileWait(load, p)), e.Enough())
		}
	}
	se := binomialError(level, runs)
	for i, p := range shares {
		for name, got := range map[string]tried{"within": within[i], "over": over[i]} {
			if covered := got.share(got.covered); math.Abs(covered-level) > 3*se || got.share(got.passed) < 0.3 {
				t.Errorf("%s, %v: %+v; the coverage is %.3f ± %.3f", name, p, got, covered, se)
			}
		}
	}
}

// A run that goes on until its mean is known to a share of it covers nearly as often as it says,
// and stops at the same time again.
func TestRunTo(t *testing.T) {
	const load, level = 0.5, 0.95
	goal := analysis.Precision{Share: 0.1, First: 2000, Most: 1e6}
	run := func(seed uint64) (analysis.Estimate, float64) {
		s := sim.New(sim.Seed(seed))
		defer s.Close()
		r, w, served := s.Stream("all"), 0.0, s.NewTally("waits")
		s.Keep(sim.Thinned(4096))
		s.Every(1, 1, func() { // a customer at a time, by Lindley's recurrence
			served.Add(w)
			w = max(0, w+load*r.ExpFloat64()-r.ExpFloat64())
		})
		e, err := analysis.RunTo(context.Background(), s, func() analysis.Estimate {
			return analysis.Observations(s.AllObservations()[0])
		}, goal)
		if err != nil {
			t.Fatal(err)
		}
		return e, s.Now()
	}
	var got tried
	const runs = 100
	for seed := range uint64(runs) {
		e, at := run(seed)
		got.add(e.Contains(meanWait(load)), e.Enough())
		// a batch of which a part is missing does not count
		if e.HalfWidth() > goal.Share*e.Value || e.N+e.Skipped > int(at) || e.N+e.Skipped < int(at)-int(at)/2048-1 {
			t.Fatalf("%v at %v", e, at)
		}
		if seed == 0 {
			if again, then := run(seed); fmt.Sprint(again) != fmt.Sprint(e) || then != at {
				t.Errorf("the same run stops at %v with %v, and at %v with %v", at, e, then, again)
			}
		}
	}
	if covered := got.share(got.covered); got.passed != runs || math.Abs(covered-level) > 3*binomialError(level, runs) {
		t.Errorf("%+v, coverage %v", got, covered)
	}
}
