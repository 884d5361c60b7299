//go:build soak

package analysis_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
)

// The share of M/M/1 runs that cover the true mean, of those that RunTo ended because they were
// precise enough (docs/decisions/0010-sim-statistics-and-shifts.md).
func TestCoverageOfRunTo(t *testing.T) {
	const runs = 1000
	for _, c := range []struct{ load, share, first float64 }{{0.5, 0.1, 1000}, {0.5, 0.05, 1000}, {0.8, 0.1, 5000}} {
		var got tried
		for seed := range uint64(runs) {
			s := sim.New()
			tally, wait, r := s.NewTally("wait"), 0.0, rand.New(rand.NewPCG(seed, 31))
			tally.KeepObservations(8192, s.Now)
			s.Every(1, 1, func() {
				tally.Add(wait)
				wait = max(0, wait+c.load*r.ExpFloat64()-r.ExpFloat64())
			})
			e, err := analysis.RunTo(context.Background(), s, func() analysis.Estimate {
				o, _ := tally.Observations()
				return analysis.Observations(o)
			}, analysis.Precision{Share: c.share, First: c.first, Most: 1e6})
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			got.add(e.Contains(meanWait(c.load)), e.Enough())
		}
		t.Logf("load %g, to %g: %d of %d end precise, and of them %.3f cover", c.load, c.share, got.passed, runs,
			1-float64(got.wrong)/float64(got.passed))
		if low := 0.9 - 3*binomialError(0.9, got.passed); 1-float64(got.wrong)/float64(got.passed) < low {
			t.Errorf("less than 0.90 cover, by three standard errors: %+v", got)
		}
	}
}
