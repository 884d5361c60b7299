package ensemble

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Merge summarises replicas of one point as a job does, so that the same numbers come of the same
// replicas: in the order in which they come, which sums depend on, with intervals after Student.
// Without quantiles those of a job are given. Replicas with different outputs are an error.
func Merge(replicas iter.Seq[Values], quantiles ...float64) (PointResult, error) {
	quantiles = (&Job{Quantiles: quantiles}).quantiles()
	var t *tally
	for v := range replicas {
		switch {
		case len(v.Names) != len(v.Numbers):
			return PointResult{}, fmt.Errorf("ensemble: a replica with %d names and %d numbers", len(v.Names), len(v.Numbers))
		case t == nil:
			t = newTally(v.Names, len(v.Series))
		case !slices.Equal(t.names, v.Names) || len(t.columns) != len(v.Names)+len(v.Series):
			return PointResult{}, fmt.Errorf("ensemble: replicas with different outputs: %v and %v", t.names, v.Names)
		}
		for i, x := range slices.Concat(v.Numbers, v.Series) {
			if !(math.Abs(x) > maxNumber) { // infinite ones are, too
				continue
			}
			name := "a number of its series"
			if i < len(v.Names) {
				name = v.Names[i]
			}
			return PointResult{}, fmt.Errorf("ensemble: %s is %v, which is too large to summarise", name, x)
		}
		t.add(slices.Concat([]float64{float64(v.Events)}, v.Numbers, v.Series))
	}
	if t == nil {
		return PointResult{}, errors.New("ensemble: there are no replicas to merge")
	}
	return t.result(quantiles), nil
}
