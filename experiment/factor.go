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

// A Factor is a parameter that is varied, with its levels. The first of two levels is the low one.
type Factor struct {
	Name   string
	Levels []float64
}

// A Design is a set of points at which a model is run to estimate effects of factors.
type Design struct {
	Factors []Factor
	Runs    [][]int // for each point, the index of each factor's level

	base  int      // number of free factors, in a two-level design
	words []uint64 // of the other factors: the free factors of which each is the product
}

// MostRuns is the largest number of points of a design.
const MostRuns = ensemble.MaxPoints

// Full is the full factorial design: all combinations of levels, the first factor changing fastest.
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

// checkFactors returns an error if factors are not valid. levels, if not 0, is the required number
// of levels.
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

// Points returns the points of the design, as models take them.
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

// A Range is the range of a factor.
type Range struct {
	Name      string
	Low, High float64
	Whole     bool // whole numbers only
}

// Spread returns n points that fill the ranges, by a Latin hypercube ("lhs") or Sobol's sequence
// ("sobol"), for screening or for fitting a response surface. The same seed gives the same points.
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

// twoLevels reports whether all factors have two levels.
func (d *Design) twoLevels() bool {
	return !slices.ContainsFunc(d.Factors, func(f Factor) bool { return len(f.Levels) != 2 })
}

// high reports whether the product of some free factors is positive in a run, with low levels as −1
// and high ones as 1.
func high(run int, word uint64) bool { return bits.OnesCount64(^uint64(run)&word)%2 == 0 }
