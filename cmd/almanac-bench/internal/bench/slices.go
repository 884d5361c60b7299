package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Two sets of which one works for seconds on end and the other for milliseconds cannot be compared
// by their best repetitions on a machine whose speed wanders: the short one will find a good
// moment. Nor can queues of which one waits for memory and the other for locks. So the cells of a
// plan that are in slices take turns by slices of the same duration, until each has made as many
// operations as it has events. What is compared are the means of all slices together, and the
// median over the rounds of the ratios to the first that has as many goroutines.

// slicesPer is how many slices each cell has for a repetition, at least.
const slicesPer = 20

// A sliced subject can be timed in slices.
type sliced interface {
	// slice works for about as long as the options want at least, and notes in the result what is
	// particular to its kind.
	slice(o Options, r *Result) (ops int, took time.Duration, err error)
}

// inSlices times the cells of a plan by turns. It ends when the context is done.
func inSlices(ctx context.Context, subjects []subject, o Options, results []Result,
	progress func(done float64, next string)) error {
	took := make([]time.Duration, len(subjects))
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
			ops, t, err := s.(sliced).slice(o, &results[i])
			if err != nil {
				return fmt.Errorf("%v: %w", results[i].Cell, err)
			}
			r := &results[i]
			took[i] += t
			r.Ops += ops
			r.Each = append(r.Each, r.speed(ops, t))
		}
	}
	for i := range results {
		r := &results[i]
		r.Mean = r.speed(r.Ops, took[i])
		first := slices.IndexFunc(results, func(f Result) bool { return f.Goroutines == r.Goroutines })
		r.Median = medianRatio(r.Each, results[first].Each)
		r.Cut = r.Cut || r.Ops < r.N
	}
	return nil
}

// speed is that of some operations, in the unit of the kind.
func (r *Result) speed(ops int, took time.Duration) float64 {
	if r.Kind.family().rates {
		return float64(ops) / took.Seconds()
	}
	return float64(took.Nanoseconds()) / float64(ops)
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
