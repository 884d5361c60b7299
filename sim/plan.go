package sim

import (
	"fmt"
	"slices"
)

// A ReplicateOption says how [Replicate] goes about it.
type ReplicateOption func(*plan)

// A plan is what the options of [Replicate] say.
type plan struct {
	seed    uint64
	workers int
	level   float64
	goals   []goal
}

// ExperimentSeed is what all random numbers of an experiment come from; 0 unless told. Two scenarios with the same seed have
// common random numbers.
func ExperimentSeed(seed uint64) ReplicateOption { return func(p *plan) { p.seed = seed } }

// Workers is the number of replications that run at once; as many as Go uses cores unless told. It panics if k is below 1.
func Workers(k int) ReplicateOption {
	if k < 1 {
		panic(fmt.Sprintf("sim: Workers(%d): there must be at least 1", k))
	}
	return func(p *plan) { p.workers = k }
}

// Confidence is the level of the intervals; 0.95 unless told. It panics if the level is not between 0 and 1.
func Confidence(level float64) ReplicateOption {
	checkLevel(level)
	return func(p *plan) { p.level = level }
}

// ToHalfWidth makes [Replicate] go on after n replications, until the half-width of the confidence interval of a metric's mean is not
// above the wanted one, or until there are most replications. With several such options it goes on until each is content.
//
// An experiment that stops as soon as its interval is narrow stops a little too readily where the variance looks small by chance. Its
// intervals cover the mean somewhat more rarely than they say, the more so the smaller n is; take 10 or more for n.
func ToHalfWidth(metric string, halfWidth float64, most int) ReplicateOption {
	return stopAfter(goal{metric: metric, halfWidth: halfWidth, most: most})
}

// ToRelativeHalfWidth is [ToHalfWidth] with a half-width that is a share of the mean: 0.01 is one part in a hundred.
func ToRelativeHalfWidth(metric string, share float64, most int) ReplicateOption {
	return stopAfter(goal{metric: metric, halfWidth: share, relative: true, most: most})
}

func stopAfter(g goal) ReplicateOption {
	if !(g.halfWidth > 0) {
		panic(fmt.Sprintf("sim: a half-width of %v is wanted for %q; it must be above 0", g.halfWidth, g.metric))
	}
	return func(p *plan) { p.goals = append(p.goals, g) }
}

// A goal is the half-width that the interval of a metric should reach, and the number of replications after which it need not.
type goal struct {
	metric    string
	halfWidth float64
	relative  bool
	most      int
}

func (g goal) reached(i Interval) bool {
	if g.relative {
		return i.HalfWidth <= g.halfWidth*max(i.Mean, -i.Mean)
	}
	return i.HalfWidth <= g.halfWidth
}

// most is the largest number of replications that a goal may need.
func (p *plan) most() int {
	most := 0
	for _, g := range p.goals {
		most = max(most, g.most)
	}
	return most
}

// decidable is an error if a metric that should decide is not among those that are recorded.
func (p *plan) decidable(metrics []string) error {
	for _, g := range p.goals {
		if !slices.Contains(metrics, g.metric) {
			return fmt.Errorf("metric %q should decide when to stop, but only %s is recorded", g.metric, quoted(metrics))
		}
	}
	return nil
}

// content tells whether the goals are reached, and whether those that are not have had their most replications.
func (p *plan) content(r *Results) (reached, enough bool) {
	reached, enough = true, true
	for _, g := range p.goals {
		if !g.reached(r.Interval(g.metric)) {
			reached = false
			enough = enough && r.N() >= g.most
		}
	}
	return reached, enough
}
