package ensemble

import (
	"context"
	"fmt"
	"slices"
)

// Paired runs each replica with several runners and common random numbers. It returns the values of
// all, and their differences from the first, replica by replica. [PointResult.Scenario] and
// [PointResult.Difference] find them in the summary. If one of two values is NaN, so is their
// difference.
//
// The series are those of all runners, one after the other, and then the differences of all but the
// first from the first: of two runners with three numbers each, nine numbers.
func Paired(runners ...Runner) Runner {
	var seen, names []string // the runners' names, and those derived from them
	return func(ctx context.Context, r Replica) (Values, error) {
		var all Values
		given := make([]Values, len(runners))
		for i, run := range runners {
			v, err := run(ctx, r)
			if err != nil {
				return Values{}, err
			}
			if len(v.Names) != len(v.Numbers) || i > 0 && !slices.Equal(v.Names, given[0].Names) {
				return Values{}, fmt.Errorf("what is compared gives different outputs: %v and %v", given[0].Names, v.Names)
			}
			if i > 0 && len(v.Series) != len(given[0].Series) {
				return Values{}, fmt.Errorf("what is compared gives series of different lengths: %d and %d",
					len(given[0].Series), len(v.Series))
			}
			given[i] = v
			all.Events += v.Events
			all.Numbers = append(all.Numbers, v.Numbers...)
			all.Series = append(all.Series, v.Series...)
		}
		for _, v := range given[1:] {
			for k := range v.Numbers {
				all.Numbers = append(all.Numbers, v.Numbers[k]-given[0].Numbers[k]) // NaN if either is
			}
			for k := range v.Series {
				all.Series = append(all.Series, v.Series[k]-given[0].Series[k])
			}
		}
		if seen == nil || !slices.Equal(seen, given[0].Names) {
			seen, names = slices.Clone(given[0].Names), nil
			for i := range given {
				for _, name := range given[0].Names {
					names = append(names, inScenario(i, name))
				}
			}
			for i := range given[1:] {
				for _, name := range given[0].Names {
					names = append(names, difference(i+1, name))
				}
			}
		}
		all.Names = names
		return all, nil
	}
}

func inScenario(i int, output string) string { return fmt.Sprintf("%d %s", i, output) }
func difference(i int, output string) string { return fmt.Sprintf("%d-0 %s", i, output) }

// Scenario is the summary of an output of a runner of [Paired], counted from 0.
func (r *PointResult) Scenario(number int, output string) (Summary, bool) {
	return r.Output(inScenario(number, output))
}

// Difference is the summary of the difference between a runner, counted from 0, and the first.
func (r *PointResult) Difference(number int, output string) (Summary, bool) {
	return r.Output(difference(number, output))
}
