package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// MissingPairs says how many of all pairs of runs a difference is of, and why the others have none.
// It is empty if it is of all, or if the number of pairs is not known.
func (o *Output) MissingPairs(all int) string {
	switch {
	case o.N < 0 || o.N >= all:
		return ""
	case o.N == 0:
		return fmt.Sprintf("%s: no pair of %s counts; in each of them %s", o.Name, format.Count(all, "replica"), o.why())
	}
	return fmt.Sprintf("%s: only %s of %s; in each of the others %s", o.Name, format.Count(o.N, "pair"),
		format.Count(all, "replica"), o.why())
}

// why says why a run has no number.
func (o *Output) why() string {
	is := func(function string) bool { return strings.Contains(o.Name, function) }
	if slices.ContainsFunc([]string{"first time(", "last time(", "time of peak("}, is) {
		return "a run never gets there"
	}
	return "a run has no number, as after a division by 0"
}

// missing says of how many replicas each output has no number.
func (s *Sweep) missing() (notes []string) {
	for i, name := range s.Outputs() {
		runs, without, o := 0, 0, Output{Name: name}
		for _, p := range s.points {
			runs, without = runs+p.Replicas, without+max(0, p.Replicas-p.Outputs[i].N)
		}
		if without > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s of %s left out: %s", name, format.Thousands(float64(without)),
				format.Count(runs, "replica"), strings.Replace(o.why(), "a run", "such a run", 1)))
		}
	}
	return notes
}
