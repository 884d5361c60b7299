package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// The best point of the chains is where the posterior is densest, as estimated. The estimates that
// the chains have are no guide to it: a state stays because its estimate was a lucky one, and the
// highest of thousands is far above the likelihood there. So the states that seem densest are
// candidates and no more. They are estimated again; a quarter of them, the best by that, once more;
// and what the likelihood of the best by all of these is, estimates say that had no part in the
// choice, as [optimum.finish] does.
const (
	bestOf    = 16 // states that are looked at again
	bestTimes = 2  // estimates at each
	bestLast  = 4  // of them, that are looked at for a second time
	bestMore  = 8  // estimates at each
	bestSaid  = 16 // at the best of them

	bestEstimates = bestOf*bestTimes + bestLast*bestMore + bestSaid
)

// A candidate is a state of the chains that may be the best point.
type candidate struct {
	z     []float64
	prior float64   // the logarithm of its density there
	seems float64   // of the posterior's, by the estimate that the chain stayed with
	logs  []float64 // estimates since
}

// density is the logarithm of the posterior's density, but for a constant, by the estimates since.
func (c *candidate) density() float64 {
	mean, _ := logMean(c.logs)
	return mean + c.prior
}

// best chooses among candidates; the log likelihood of the chosen one comes with its standard
// error.
func (f *pmmhFit) best(ctx context.Context, all []*candidate) (z []float64, log, se float64, err error) {
	slices.SortStableFunc(all, func(a, b *candidate) int { return lessFirst(b.seems, a.seems) })
	for _, round := range []struct {
		what              string
		candidates, times int
	}{{"the best points again", bestOf, bestTimes}, {"the best of these", bestLast, bestMore}} {
		all = all[:min(round.candidates, len(all))]
		if err := f.again(ctx, round.what, all, round.times); err != nil {
			return nil, 0, 0, err
		}
		slices.SortStableFunc(all, func(a, b *candidate) int { return lessFirst(b.density(), a.density()) })
	}
	said := &candidate{z: all[0].z}
	if err := f.again(ctx, "the best point", []*candidate{said}, bestSaid); err != nil {
		return nil, 0, 0, err
	}
	log, size := logMean(said.logs)
	// The relative variance of the mean of n weights is (n/size − 1)/(n − 1), size being their
	// effective number.
	if size == 0 { // all of them impossible
		return said.z, log, 0, nil
	}
	return said.z, log, math.Sqrt(max(0, bestSaid/size-1) / (bestSaid - 1)), nil
}

// again adds estimates to candidates.
func (f *pmmhFit) again(ctx context.Context, what string, all []*candidate, times int) error {
	points := make([][]float64, len(all))
	for k, c := range all {
		points[k] = c.z
	}
	logs, err := f.likelihoods(ctx, fmt.Sprintf("%s, %d estimates at each", what, times), points, times)
	for i, l := range logs {
		c := all[i%len(all)]
		c.logs = append(c.logs, l)
	}
	return err
}
