package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// An Interval is an estimate with a confidence interval by Student's t over the replicas.
type Interval struct {
	Mean, HalfWidth float64
}

// Low is the lower end of the interval.
func (i Interval) Low() float64 { return i.Mean - i.HalfWidth }

// High is the upper end of the interval.
func (i Interval) High() float64 { return i.Mean + i.HalfWidth }

// Differs reports whether 0 is outside the interval.
func (i Interval) Differs() bool { return !(i.Low() <= 0 && i.High() >= 0) }

// String formats the estimate and half the width of its interval.
func (i Interval) String() string { return fmt.Sprintf("%.4g ± %.2g", i.Mean, i.HalfWidth) }

// An Effect is a main effect or a two-factor interaction.
type Effect struct {
	Name    string   // of the factors: "a", or "a*b"
	Aliases []string // effects of up to two factors aliased with it: the estimate is of their sum
	Size    Interval
}

// String formats the effect in a line.
func (e Effect) String() string {
	s := fmt.Sprintf("%s: %v", e.Name, e.Size)
	if len(e.Aliases) > 0 {
		s += " (with " + strings.Join(e.Aliases, ", ") + ")"
	}
	return s
}

// Run observes n replicas at all points of the design.
func (d *Design) Run(ctx context.Context, source Source, n int) ([][]float64, error) {
	if n < 2 {
		return nil, fmt.Errorf("experiment: %d replicas; an interval needs at least 2", n)
	}
	return source.observe(ctx, d.Points(), 0, n)
}

// Effects estimates main effects and two-factor interactions from observations at all points of a
// two-level design. A main effect is the mean at the high level minus the mean at the low one. An
// interaction is half the difference between a factor's effects at the high and at the low level of
// the other.
//
// Each replica gives one value of an effect, and the interval is over these values. So it is valid
// for any dependence between observations of the same replica at different points, and common
// random numbers make it narrow. Each interval covers with probability level; there is no
// correction for multiple comparisons.
func (d *Design) Effects(values [][]float64, level float64) ([]Effect, error) {
	if !d.twoLevels() {
		return nil, fmt.Errorf("experiment: effects are those of factors with two levels; there is Means for others")
	}
	n, err := d.check(values, level)
	if err != nil {
		return nil, err
	}
	free, err := d.free()
	if err != nil {
		return nil, err
	}
	var effects []Effect
	done := map[uint64]bool{}
	for order := range 2 {
		for i := range d.Factors {
			for j := i + order; j < len(d.Factors); j++ {
				column := d.column(uint64(1)<<i | uint64(1)<<j)
				if !done[column] && column != 0 {
					done[column] = true
					effects = append(effects, d.effect(column, free, values, n, level))
				}
				if order == 0 {
					break
				}
			}
		}
	}
	return effects, nil
}

// free returns which free factors are high in each run, in any order. It is an error if the runs
// are not those of a design made here.
func (d *Design) free() ([]int, error) {
	wrong := errors.New("experiment: effects are those of a design by Full, Fraction or FractionBy, with all of its " +
		"runs, in any order")
	if d.base == 0 || d.base+len(d.words) != len(d.Factors) || len(d.Runs) != 1<<d.base {
		return nil, wrong
	}
	free, seen := make([]int, len(d.Runs)), make([]bool, len(d.Runs))
	for i, run := range d.Runs {
		if len(run) != len(d.Factors) {
			return nil, wrong
		}
		for k := range d.base {
			free[i] |= run[k] & 1 << k
		}
		for k, level := range run {
			if level>>1 != 0 || high(free[i], d.word(k)) != (level == 1) {
				return nil, wrong
			}
		}
		if seen[free[i]] {
			return nil, wrong
		}
		seen[free[i]] = true
	}
	return free, nil
}

func (d *Design) effect(column uint64, free []int, values [][]float64, n int, level float64) Effect {
	class := d.class(column)
	e := Effect{Name: d.name(class[0])}
	for _, other := range class[1:] {
		e.Aliases = append(e.Aliases, d.name(other))
	}
	contrasts := make([]float64, n)
	for r := range contrasts {
		for i, y := range values {
			if high(free[i], column) {
				contrasts[r] += y[r]
			} else {
				contrasts[r] -= y[r]
			}
		}
		contrasts[r] /= float64(len(values)) / 2
	}
	e.Size = interval(contrasts, level)
	return e
}

// A LevelMean is the mean at a level of a factor.
type LevelMean struct {
	Factor   string
	Level    float64
	Mean     Interval // over all points with that level
	Distance Interval // difference from the mean over all points
}

// Means estimates the mean at each level of each factor, from observations at all points of a
// design.
func (d *Design) Means(values [][]float64, level float64) ([]LevelMean, error) {
	n, err := d.check(values, level)
	if err != nil {
		return nil, err
	}
	var means []LevelMean
	for k, f := range d.Factors {
		for l, x := range f.Levels {
			at, from := make([]float64, n), make([]float64, n)
			for r := range n {
				all, count := 0.0, 0
				for i, y := range values {
					all += y[r]
					if d.Runs[i][k] == l {
						at[r] += y[r]
						count++
					}
				}
				at[r] /= float64(count)
				from[r] = at[r] - all/float64(len(values))
			}
			means = append(means, LevelMean{f.Name, x, interval(at, level), interval(from, level)})
		}
	}
	return means, nil
}

// check returns the number of replicas of each point, or an error.
func (d *Design) check(values [][]float64, level float64) (int, error) {
	if len(values) != len(d.Runs) || len(values) == 0 {
		return 0, fmt.Errorf("experiment: observations of %d points, and the design has %d", len(values), len(d.Runs))
	}
	n := len(values[0])
	for i, y := range values {
		if len(y) != n || n < 2 {
			return 0, fmt.Errorf("experiment: %d replicas of point %d; there must be at least 2, and as many of each point",
				len(y), i)
		}
		for r, x := range y {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return 0, fmt.Errorf("experiment: replica %d of point %d is %g; it must be finite", r, i, x)
			}
		}
	}
	if !(level > 0 && level < 1) {
		return 0, fmt.Errorf("experiment: a level of %g; it is a probability, such as 0.95", level)
	}
	return n, nil
}

// interval is a confidence interval by Student's t.
func interval(x []float64, level float64) Interval {
	mean, variance := moments(x)
	n := float64(len(x))
	t := detmath.StudentQuantile(n-1, (1+level)/2)
	return Interval{mean, t * math.Sqrt(variance/n)}
}

// moments are the mean and the variance of a sample.
func moments(x []float64) (mean, variance float64) {
	for i, y := range x {
		d := y - mean
		mean += d / float64(i+1)
		variance += float64(d * (y - mean))
	}
	return mean, variance / float64(len(x)-1)
}
