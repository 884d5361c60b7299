package experiment

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
)

// A Factor is a parameter that is varied, through its levels. One with two levels has the low one
// first.
type Factor struct {
	Name   string
	Levels []float64
}

// A Design is the points at which a model is run to find out what its factors do.
type Design struct {
	Factors []Factor
	Runs    [][]int // for each point, the level of each factor, by its number

	base  int      // factors that are free, in a design of two levels
	words []uint64 // of those that are not, the product of which free ones each is
}

// MostRuns is how many points a design may have.
const MostRuns = ensemble.MaxPoints

// Full is all combinations of the levels, the first factor changing fastest.
func Full(factors ...Factor) (*Design, error) {
	if err := checkFactors(factors, 0); err != nil {
		return nil, err
	}
	n := 1
	for _, f := range factors {
		if n *= len(f.Levels); n > MostRuns {
			return nil, fmt.Errorf("experiment: a full design has %d points or more; %d are the most: take a fraction", n,
				MostRuns)
		}
	}
	d := &Design{Factors: slices.Clone(factors), base: len(factors)}
	for i := range n {
		run := make([]int, len(factors))
		for k, f := range factors {
			run[k] = i % len(f.Levels)
			i /= len(f.Levels)
		}
		d.Runs = append(d.Runs, run)
	}
	return d, nil
}

// checkFactors is an error if factors are not possible. They must have a number of levels, if it is
// not 0.
func checkFactors(factors []Factor, levels int) error {
	seen := map[string]bool{}
	if len(factors) == 0 || len(factors) > 62 {
		return fmt.Errorf("experiment: %d factors; there must be from 1 to 62", len(factors))
	}
	for _, f := range factors {
		switch {
		case f.Name == "" || strings.ContainsAny(f.Name, "*=") || seen[f.Name]:
			return fmt.Errorf("experiment: %q is no name for a factor, or there are two of it", f.Name)
		case len(f.Levels) < 2 || levels > 0 && len(f.Levels) != levels:
			return fmt.Errorf("experiment: factor %s has %d levels; it must be at least 2, and 2 in a fraction", f.Name,
				len(f.Levels))
		}
		seen[f.Name] = true
		for i, x := range f.Levels {
			if math.IsNaN(x) || math.IsInf(x, 0) || slices.Contains(f.Levels[:i], x) {
				return fmt.Errorf("experiment: factor %s has the level %g; levels must be finite, and different", f.Name, x)
			}
		}
	}
	return nil
}

// Points are the points of the design, as models take them.
func (d *Design) Points() []ensemble.Params {
	points := make([]ensemble.Params, len(d.Runs))
	for i, run := range d.Runs {
		points[i] = ensemble.Params{}
		for k, f := range d.Factors {
			points[i][f.Name] = f.Levels[run[k]]
		}
	}
	return points
}

// A Range is where a factor may lie.
type Range struct {
	Name      string
	Low, High float64
	Whole     bool // only whole numbers of it
}

// Spread is n points that are spread over ranges, by a Latin hypercube ("lhs") or Sobol's sequence
// ("sobol"): for a look at the whole, and for fitting a surface. The same seed gives the same
// points.
func Spread(kind string, n int, seed uint64, ranges ...Range) ([]ensemble.Params, error) {
	var axes []*design.Axis
	for _, r := range ranges {
		if !(r.Low < r.High) || math.IsInf(r.Low, 0) || math.IsInf(r.High, 0) || r.Whole && math.Ceil(r.Low) >
			math.Floor(r.High) {
			return nil, fmt.Errorf("experiment: %s is from %g to %g; both must be finite, the second above the first, and "+
				"numbers of its kind between them", r.Name, r.Low, r.High)
		}
		axes = append(axes, &design.Axis{Name: r.Name, Low: r.Low, High: r.High, Whole: r.Whole})
	}
	sample, err := design.Sample(axes, kind, n, MostRuns, seed)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	points := make([]ensemble.Params, n)
	for i, p := range sample {
		points[i] = ensemble.Params{}
		for k, a := range axes {
			points[i][a.Name] = a.Number(p[k])
		}
	}
	return points, nil
}

// twoLevels reports whether all factors have two.
func (d *Design) twoLevels() bool {
	return !slices.ContainsFunc(d.Factors, func(f Factor) bool { return len(f.Levels) != 2 })
}

// high reports whether the product of some free factors is positive in a run, where a low level is
// −1 and a high one 1.
func high(run int, word uint64) bool { return bits.OnesCount64(^uint64(run)&word)%2 == 0 }
