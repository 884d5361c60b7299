//go:build soak

package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Compares many more random models.
func TestSoakWindowsDifferFromCalendar(t *testing.T) {
	for seed := range uint64(4) {
		compareWindows(t, 100, 1000+seed)
	}
}

// Compares the tuberculosis example with a million individuals over thirty years, by windows with
// several numbers of shards, with its run by the calendar.
func TestSoakTuberculosisDiffersByWindows(t *testing.T) {
	size, until := 1_000_000, "2011"
	m := modelOf(t, text("../examples/tuberculosis"), syntax.Changes{Size: &size, Until: &until}).Program
	simulated := func(rule windowRule, cores int) (*Recording, *Run) {
		r := &Run{sparseRule: usualSparse, windowRule: rule, cores: cores}
		rec := NewRecording(m)
		if err := r.Simulate(context.Background(), m, 8, 0, nil, &rec, quiet); err != nil {
			t.Fatal(err)
		}
		return &rec, r
	}
	want, wanted := simulated(windowRule{}, 2)
	for _, shards := range []int{1, 2, 8} {
		for _, count := range []int{1, 100, 1500} {
			rule := usualWindows
			rule.minSize, rule.shards, rule.count = 1, shards, count
			got, r := simulated(rule, shards)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(r.Peaks, wanted.Peaks) ||
				r.Events != wanted.Events || r.PersonTime() != wanted.PersonTime() {
				t.Errorf("%d shards, %d windows: another result", shards, count)
			}
			// Each row ends a window, of which there are 121; the first is that of the start.
			if r.Windows < max(100, count*9/10) {
				t.Errorf("%d shards, %d windows: only %d were run in parallel", shards, count, r.Windows)
			}
		}
	}
}
