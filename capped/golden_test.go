package capped

import (
	"fmt"
	"testing"
)

// The rounds of a seed are the same on every machine and in every version; a change of these
// numbers is a change of results, for the changelog.
func TestRoundsAreTheSameEverywhere(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Bins: 1000, Capacity: 2, Rate: 0.95, Seed: 1}, "950 1461 915 911 546 1100 3 [360 640]"},
		{Config{Bins: 1000, Capacity: 2, Rate: 0.95, Seed: 1, ByBin: true}, "950 1450 910 917 540 1090 3 [374 626]"},
		{Config{Bins: 1 << 27, Capacity: 1, Rate: 0.75, Seed: 2, Warm: true},
			"100663296 186064882 100662080 100662080 85402802 85406883 4 [134217728]"},
		{Config{Bins: 777, Capacity: 3, Rate: 0.9, Seed: 3, Arrivals: Binomial}, "714 834 719 690 115 839 3 [273 254 250]"},
		{Config{Bins: 777, Capacity: 3, Rate: 0.9, Seed: 3, Kind: ModCapped}, "777 15180 777 777 14403 6988 9 [0 0 777]"},
		{Config{Bins: 1000, Kind: Greedy, Choices: 2, Rate: 0.9, Seed: 4, Arrivals: Poisson},
			"875 875 875 874 0 734 4 [477 337 145 32 8 1]"},
		{Config{Bins: 1 << 20, Kind: Threshold, Capacity: 1, Rate: 1, Seed: 5},
			"0 0 0 0 0 0 0 [250953 558962 226392 12246 23]"},
	} {
		if int64(c.config.Bins) > mostBins {
			continue // an int has 32 bits
		}
		p := start(t, c.config)
		for range 9 {
			p.Round()
		}
		r := p.Round()
		if got := fmt.Sprint(r.Arrived, r.Thrown, r.Accepted, r.Served, r.Pool, r.WaitSum, r.WaitMax,
			p.Loads()); got != c.want {
			t.Errorf("%s: %q, want %q", c.config.name(), got, c.want)
		}
	}
}
