package ensemble

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Merge summarises replicas of one point as a job does, so that the same numbers come of the same replicas: in the order in which they come,
// which sums depend on, with intervals after Student. Without quantiles those of a job are given. Replicas with different outputs are an error.
func Merge(replicas iter.Seq[Values], quantiles ...float64) (PointResult, error) {
	quantiles = (&Job{Quantiles: quantiles}).quantiles()
	var t *tally
	for v := range replicas {
		switch {
		case len(v.Names) != len(v.Numbers):
			return PointResult{}, fmt.Errorf("ensemble: a replica with %d names and %d numbers", len(v.Names), len(v.Numbers))
		case t == nil:
			t = newTally(v.Names)
		case !slices.Equal(t.names, v.Names):
			return PointResult{}, fmt.Errorf("ensemble: replicas with different outputs: %v and %v", t.names, v.Names)
		}
		for i, x := range v.Numbers {
			if math.Abs(x) > maxNumber { // infinite ones, too
				return PointResult{}, fmt.Errorf("ensemble: %s is %v, which is too large to summarise", v.Names[i], x)
			}
		}
		t.add(append([]float64{float64(v.Events)}, v.Numbers...))
	}
	if t == nil {
		return PointResult{}, errors.New("ensemble: there are no replicas to merge")
	}
	return t.result(quantiles), nil
}
