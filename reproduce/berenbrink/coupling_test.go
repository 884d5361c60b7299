package berenbrink

import (
	"testing"

	"github.com/almanac-sim/almanac/capped"
)

// The order of two processes is seen bin by bin: one that is alike is in order, and one that is
// ahead is not.
func TestOrder(t *testing.T) {
	config := capped.Config{Bins: 200, Capacity: 3, Rate: 0.9, ByBin: true, Seed: 1}
	more := config
	more.Rate = 0.95
	for _, test := range []struct {
		name      string
		low, high capped.Config
		wrong     bool
	}{{"alike", config, config, false}, {"more balls", config, more, false}, {"fewer balls", more, config, true}} {
		low, err := capped.NewProcess(test.low)
		if err != nil {
			t.Fatal(err)
		}
		high, err := capped.NewProcess(test.high)
		if err != nil {
			t.Fatal(err)
		}
		var o order
		for range 50 {
			o.see(low, high, low.Round(), high.Round())
		}
		if wrong := o.pools > 0 && o.thrown > 0 && o.bins > 0; wrong != test.wrong || !wrong && o.wrong() > 0 {
			t.Errorf("%s: %+v", test.name, o)
		}
		if o.rounds != 50 || o.binRounds != 50*200 {
			t.Errorf("%s: %d rounds and %d bins were compared", test.name, o.rounds, o.binRounds)
		}
	}
}
