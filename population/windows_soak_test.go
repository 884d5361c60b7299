//go:build soak

package population

import (
	"context"
	"reflect"
	"testing"
)

// Many more models, by windows and one event after the other.
func TestSoakWindows(t *testing.T) {
	for seed := range uint64(4) {
		compareWindows(t, 100, 1000+seed)
	}
}

// A million people of tuberculosis over thirty years, by windows on several numbers of shards and with the calendar.
func TestSoakWindowsOfTuberculosis(t *testing.T) {
	m, err := Load("../examples/tuberculosis.yaml", Size(1_000_000), Until("2011"))
	if err != nil {
		t.Fatal(err)
	}
	simulated := func(rule windowRule, cores int) *Run {
		r := &replica{rule: usualAside, windowRule: rule, cores: cores}
		var tr track
		run, err := r.simulate(context.Background(), m, &Options{Seed: 8}, 0, &tr)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	want := simulated(windowRule{}, 2)
	for _, shards := range []int{1, 2, 8} {
		for _, count := range []int{1, 100, 1500} {
			rule := usualWindows
			rule.least, rule.shards, rule.count = 1, shards, count
			got := simulated(rule, shards)
			if !reflect.DeepEqual(got.tallied, want.tallied) || !reflect.DeepEqual(got.Peaks, want.Peaks) || got.Events != want.Events || got.PersonYears != want.PersonYears {
				t.Errorf("%d shards, %d windows: another result", shards, count)
			}
			// Each row ends a window, of which there are 121; the first is that of the start.
			if got.Windows < max(100, count*9/10) {
				t.Errorf("%d shards, %d windows: only %d were carried out at once", shards, count, got.Windows)
			}
		}
	}
}
