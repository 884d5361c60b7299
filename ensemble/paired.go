package ensemble

import (
	"context"
	"fmt"
	"slices"
)

// Paired runs each replica with several runners, with the same luck, and gives the numbers of all
// and how they differ from the first, replica by replica: a comparison with common random numbers.
// [PointResult.Scenario] and [PointResult.Difference] find them in what comes of it. An output that
// a replica lacks, in either of two, has no difference. Series are left out.
func Paired(runners ...Runner) Runner {
	var seen, names []string // the names that the runners gave, and those that were made of them
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
			given[i] = v
			all.Events += v.Events
			all.Numbers = append(all.Numbers, v.Numbers...)
		}
		for _, v := range given[1:] {
			for k := range v.Numbers {
				all.Numbers = append(all.Numbers, v.Numbers[k]-given[0].Numbers[k]) // NaN if either is
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

// Scenario is what the runner of a number gave for an output, of those that [Paired] ran.
func (r *PointResult) Scenario(number int, output string) (Summary, bool) {
	return r.Output(inScenario(number, output))
}

// Difference is how the runner of a number, from 1 on, differed from the first.
func (r *PointResult) Difference(number int, output string) (Summary, bool) {
	return r.Output(difference(number, output))
}
