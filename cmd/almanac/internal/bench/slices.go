package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Two sets of which one works for seconds on end and the other for milliseconds cannot be compared by their best repetitions on a machine whose speed
// wanders: the short one will find a good moment. So the cells of a plan that are in slices take turns by slices of the same duration, until each has
// made as many operations as it has events. What is compared are the times of all slices together, and the median over the rounds of
// how many times as long each took as the first.

// slicesPer is how many slices each cell has for a repetition, at least.
const slicesPer = 20

// inSlices times the cells of a plan by turns, all of them event sets. It ends when the context is done.
func inSlices(ctx context.Context, subjects []subject, o Options, results []Result, progress func(done float64, next string)) error {
	took, before := make([]time.Duration, len(subjects)), mallocs()
	most := time.Duration(o.Repetitions) * o.Most
	going := func(i, round int) bool {
		return round == 0 || (round < slicesPer*o.Repetitions || results[i].Ops < results[i].N) && took[i] < most
	}
	for round := 0; ; round++ {
		share, on := 1.0, false
		for i := range subjects {
			if going(i, round) {
				on = true
				share = min(share, float64(results[i].Ops)/float64(results[i].N), float64(round)/float64(slicesPer*o.Repetitions))
			}
		}
		if !on {
			break
		}
		progress(share, fmt.Sprintf("slice %d", round+1))
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, s := range subjects {
			ops, t, err := s.(*setSubject).work(1, o.Least, o.Most)
			if err != nil {
				return fmt.Errorf("%v: %w", results[i].Cell, err)
			}
			r := &results[i]
			took[i] += t
			r.Ops += ops
			r.Each = append(r.Each, float64(t.Nanoseconds())/float64(ops))
		}
	}
	total, allocs := 0, mallocs()-before
	for _, r := range results {
		total += r.Ops
	}
	for i := range results {
		r := &results[i]
		r.Mean = float64(took[i].Nanoseconds()) / float64(r.Ops)
		r.Median = medianRatio(r.Each, results[0].Each)
		r.Cut = r.Cut || r.Ops < r.N
		// Whose they are is not known, and none are wanted of any.
		r.Allocs = allocs * float64(r.Ops) / float64(total)
	}
	return nil
}

// medianRatio is the median of the ratios of numbers at the same place.
func medianRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	slices.Sort(ratios)
	return (ratios[(len(ratios)-1)/2] + ratios[len(ratios)/2]) / 2
}
