package engine

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// Above and below are strict, whatever rounding makes of a share: compared with whole numbers, for
// all percentages of a few hundred.
func TestLimitsAreStrict(t *testing.T) {
	for percent := range 101 {
		for alive := range 300 {
			for _, n := range []int{alive * percent / 100, alive*percent/100 + 1} {
				if n > alive {
					continue
				}
				r := Run{tallies: tallies{Alive: alive, Counts: []int{n}}}
				l := program.Threshold{Window: -1, Members: -1, Watched: -1, Share: true,
					Number: float64(percent) / 100, Above: true}
				if got, want := r.crosses(&l), 100*n > percent*alive; got != want {
					t.Fatalf("%d of %d are above %d%%: %v", n, alive, percent, got)
				}
				l.Above = false
				if got, want := r.crosses(&l), 100*n < percent*alive; got != want {
					t.Fatalf("%d of %d are below %d%%: %v", n, alive, percent, got)
				}
			}
		}
	}
}
