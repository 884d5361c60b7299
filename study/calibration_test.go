package study

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// Simulation-based calibration [Talts18]: values are drawn from the prior, data from the model with
// these values, and a posterior is made from the data. The share of the posterior below the true
// value is then uniform, and true values lie in intervals of 50 % and 90 % that often.
//
// This holds for the data sets for which a fit says that it is exact: whether it says so depends on
// the data and on luck of its own, and given the data, the true value is a draw from the posterior.
// What is not exact is too wide by design, and is counted apart.
//
// [Talts18]: https://arxiv.org/abs/1804.06788
type calibration struct {
	what    string
	ranks   [][]float64 // by unknown, and then by data set: of fits that are exact
	covered [][2]int    // by unknown: how often the true value was in the intervals of 50 % and 90 %
	inexact int
	wide    [][2]int // as covered, for fits that are not exact
	refused int      // data sets for which the budget is said to be too small
}

// intervals are those for which coverage is looked at.
var intervals = [2]float64{0.5, 0.9}

// calibrate makes fits to so many data sets.
func (e *exactly) calibrate(t *testing.T, sets int, o fit.Options) *calibration {
	t.Helper()
	c := &calibration{what: e.name + " by " + o.Method}
	opened, _ := e.open(t, e.data)
	unknowns := opened.Problem.Unknowns
	c.ranks, c.covered, c.wide = make([][]float64, len(unknowns)), make([][2]int, len(unknowns)),
		make([][2]int, len(unknowns))
	name := fnv.New64a()
	name.Write([]byte(c.what))
	for set := range sets {
		luck := random.New(name.Sum64(), uint64(set))
		truth := make([]float64, len(unknowns))
		for j, u := range unknowns {
			truth[j] = u.Prior.Draw(&luck)
		}
		course, err := opened.Simulator.Simulate(t.Context(), truth, luck.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		o.Seed = uint64(set)
		r, err := e.tryFit(t, course.Draw(&luck)[0], o)
		if errors.Is(err, fit.ErrBudget) { // as with what is not exact, it is about the data
			c.refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		covered := c.covered
		if !r.Exact {
			c.inexact++
			covered = c.wide
		}
		for j, x := range truth {
			below := 0.0
			for k, row := range r.Posterior.Rows {
				if row[j] < x {
					below += r.Posterior.Weights[k]
				}
			}
			// Among n draws the true value has one of n+1 ranks, and is placed at random within it.
			if n := r.Effective(); r.Exact {
				c.ranks[j] = append(c.ranks[j], (below*n+luck.Float64())/(n+1))
			}
			for i, share := range intervals {
				if q := r.Posterior.Quantiles(j, (1-share)/2, (1+share)/2); x >= q[0] && x <= q[1] {
					covered[j][i]++
				}
			}
		}
	}
	return c
}

// check tests that ranks are uniform, by χ² with so many bins and by their mean, and that coverage is
// what it should be. The level is of all tests together, of which there are four for each unknown in
// so many calibrations. Of fits that are not exact, intervals are at least as wide. Of a tenth of
// the data sets, at most, a fit is refused.
func (c *calibration) check(t *testing.T, bins, calibrations int, level float64) {
	t.Helper()
	level /= float64(4 * len(c.ranks) * calibrations)
	most := distuv.ChiSquared{K: float64(bins - 1)}.Quantile(1 - level)
	far := distuv.UnitNormal.Quantile(1 - level/2)
	for j, ranks := range c.ranks {
		n := float64(len(ranks))
		counts, chi, mean := make([]float64, bins), 0.0, 0.0
		for _, r := range ranks {
			counts[min(int(r*float64(bins)), bins-1)]++
			mean += r / n
		}
		for _, k := range counts {
			chi += (k - n/float64(bins)) * (k - n/float64(bins)) / (n / float64(bins))
		}
		text := fmt.Sprintf("%s, unknown %d: χ² %.1f with %d bins (at most %.1f)", c.what, j+1, chi, bins, most)
		z := (mean - 0.5) * math.Sqrt(12*n)
		text += fmt.Sprintf(", mean rank %.3f (%+.1f standard errors)", mean, z)
		bad := !(chi <= most && math.Abs(z) <= far) || 10*c.refused > len(ranks)
		for i, share := range intervals {
			se := math.Sqrt(share * (1 - share) / n)
			z := (float64(c.covered[j][i])/n - share) / se
			text += fmt.Sprintf(", %.1f %% in %.0f %% (%+.1f standard errors)", 100*float64(c.covered[j][i])/n, 100*share, z)
			bad = bad || math.Abs(z) > far
			if m := float64(c.inexact); m > 0 {
				text += fmt.Sprintf(" and %d of %.0f inexact", c.wide[j][i], m)
				bad = bad || float64(c.wide[j][i]) < m*share-far*math.Sqrt(m*share*(1-share))
			}
		}
		t.Log(text)
		if bad {
			t.Errorf("%s; counts %v", text, counts)
		}
	}
}

// A small calibration; the soak test has three models and 500 data sets of each.
func TestCalibration(t *testing.T) {
	finalSizes().calibrate(t, 60, fit.Options{Method: "abc", Population: 100}).check(t, 10, 1, 1e-3)
}
