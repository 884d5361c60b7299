//go:build soak

package fit

import "testing"

// With the budget of 12,000 runs annealing is better than random search on the village, as well.
func TestAnnealingOfAVillageWithManyRuns(t *testing.T) {
	medians := villageMedians(t, 10, 12_000, "random", "anneal", "search")
	if !(medians["anneal"] <= medians["random"]) {
		t.Errorf("annealing is left with a misfit of %.3f, random search with %.3f", medians["anneal"], medians["random"])
	}
}
