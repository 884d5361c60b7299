package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// SelectOptions configure [Select].
type SelectOptions struct {
	// Delta is the indifference zone: the best is found with probability 1 − Alpha if all others are
	// worse by Delta or more.
	Delta float64
	Alpha float64 // 0 means 0.05

	Largest bool // the best has the largest mean, not the smallest
	First   int  // replicas of each system before any is eliminated, at least 2; 0 means 20
	Batch   int  // replicas per call of the source after that; 0 means 10. It does not affect the result
	Most    int  // replicas of each system before ErrUndecided; 0 means no limit
}

// ErrUndecided means that there were too few replicas to find the best.
var ErrUndecided = errors.New("experiment: there is no best yet, and no more replicas are allowed")

// A Selection is the result of [Select].
type Selection struct {
	Best     int     // index of the best system
	Systems  []Rival // all of them
	Replicas int     // of all systems
}

// A Rival is one of the systems that were compared.
type Rival struct {
	Mean     float64 // of its replicas
	Replicas int     // used in comparisons
	By       int     // the system that eliminated it; −1 for the best
}

// Select finds the best of several systems by the fully sequential procedure KN of Kim and Nelson
// ([KN01]): after each replica, systems that are behind another by more than chance allows are
// eliminated, until one is left. If all other means are worse by Delta or more, the best is found
// with probability at least 1 − Alpha. Otherwise the result is within Delta of the best with that
// probability; this is proved for the first case only.
//
// The proof is for normal observations with any dependence between systems: common random numbers
// reduce the number of replicas. Means over a run are close to normal; see TestSelectMeansOfQueues
// for observations that are not.
//
// [KN01]: https://doi.org/10.1145/502109.502111
func Select(ctx context.Context, source Source, systems []ensemble.Params, o SelectOptions) (Selection, error) {
	if err := o.defaults(len(systems)); err != nil {
		return Selection{}, err
	}
	k := &knRace{o: o, source: source, systems: systems, data: make([][]float64, len(systems))}
	for i := range systems {
		k.left = append(k.left, i)
		k.result.Systems = append(k.result.Systems, Rival{By: -1})
	}
	if err := k.observe(ctx, o.First); err != nil {
		return k.result, err
	}
	k.begin()
	for r := o.First; ; r++ {
		if k.screen(r) {
			k.result.Best = k.left[0]
			return k.result, nil
		}
		if r < len(k.data[k.left[0]]) {
			continue
		}
		n := o.Batch
		if o.Most > 0 {
			n = min(n, o.Most-r)
		}
		if n == 0 {
			return k.result, ErrUndecided
		}
		if err := k.observe(ctx, n); err != nil {
			return k.result, err
		}
	}
}

func (o *SelectOptions) defaults(k int) error {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.First == 0 {
		o.First = 20
	}
	if o.Batch == 0 {
		o.Batch = 10
	}
	switch {
	case k < 1:
		return errors.New("experiment: there is nothing to select from")
	case !(o.Delta > 0) || math.IsInf(o.Delta, 1):
		return fmt.Errorf("experiment: a difference of %g that matters; it must be above 0 and finite", o.Delta)
	case !(o.Alpha > 0 && o.Alpha < 1-1/float64(max(k, 2))):
		return fmt.Errorf("experiment: a probability of %g to be wrong; it must be above 0, and below that of guessing",
			o.Alpha)
	case o.First < 2 || o.Batch < 1 || o.Most < 0 || o.Most > 0 && o.Most < o.First:
		return fmt.Errorf("experiment: %d replicas first, then %d at once, at most %d; it must be 2 or more, 1 or more, "+
			"and not below the first", o.First, o.Batch, o.Most)
	}
	return nil
}

// A knRace is a selection in progress. Smaller is better.
type knRace struct {
	o       SelectOptions
	source  Source
	systems []ensemble.Params
	data    [][]float64 // of each system
	sums    []float64   // of the replicas compared so far
	left    []int       // systems that may be the best
	limits  [][]float64 // h²S² of each pair, where S² is the variance of their difference in the first replicas
	counted int
	result  Selection
}

// observe observes n more replicas of the remaining systems.
func (k *knRace) observe(ctx context.Context, n int) error {
	points := make([]ensemble.Params, len(k.left))
	for i, system := range k.left {
		points[i] = k.systems[system]
	}
	values, err := k.source.observe(ctx, points, len(k.data[k.left[0]]), n)
	if err != nil {
		return err
	}
	for i, system := range k.left {
		for _, y := range values[i] {
			if k.o.Largest {
				y = -y
			}
			k.data[system] = append(k.data[system], y)
		}
	}
	k.result.Replicas += n * len(k.left)
	return nil
}

// begin computes the limits from the first replicas. With c = 1 in the paper's terms, η solves
// ½(1+2η)^−(n−1)/2 = α/(k−1), which holds for any dependence between systems, and h² = 2η(n−1).
func (k *knRace) begin() {
	n := float64(k.o.First)
	rivals := float64(max(1, len(k.systems)-1))
	eta := float64((detmath.Pow(2*k.o.Alpha/rivals, -2/(n-1)) - 1) / 2)
	k.limits = make([][]float64, len(k.systems))
	difference := make([]float64, k.o.First)
	for i := range k.systems {
		k.limits[i] = make([]float64, len(k.systems))
		for j := range i {
			for r := range difference {
				difference[r] = k.data[i][r] - k.data[j][r]
			}
			_, variance := moments(difference)
			k.limits[i][j] = 2 * eta * (n - 1) * variance
			k.limits[j][i] = k.limits[i][j]
		}
	}
	k.sums = make([]float64, len(k.systems))
}

// screen eliminates systems that are too far behind after r replicas, and reports whether one is
// left. A system is compared with all that remained before this replica, as in the paper.
func (k *knRace) screen(r int) bool {
	for _, i := range k.left {
		for _, y := range k.data[i][k.counted:r] {
			k.sums[i] += y
		}
		k.result.Systems[i].Mean, k.result.Systems[i].Replicas = k.sums[i]/float64(r), r
		if k.o.Largest {
			k.result.Systems[i].Mean *= -1
		}
	}
	k.counted = r
	var left []int
	for _, i := range k.left {
		by := -1
		for _, j := range k.left {
			lead := max(0, k.limits[i][j]/k.o.Delta-float64(k.o.Delta*float64(r))) / 2
			if i != j && (k.sums[i]-k.sums[j] > lead || lead == 0 && k.sums[i] == k.sums[j] && j < i) {
				by = j
				break
			}
		}
		if by < 0 {
			left = append(left, i)
		}
		k.result.Systems[i].By = by
	}
	k.left = left
	return len(left) == 1
}
