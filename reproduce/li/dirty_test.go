package li

import (
	"testing"

	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// A removal like the naive one of section 3.2, often of the first element of height log p, must be
// seen to make a list dirty; and that of the first element not to.
func TestDirtyControl(t *testing.T) {
	for _, test := range []struct {
		name  string
		walk  spray.Walk
		dirty bool
	}{
		{"often the first of height 4", spray.Walk{Heights: []int{4, 1}, Least: 0, Most: 1}, true},
		{"the first", spray.Walk{Heights: []int{1}, Least: 1, Most: 1}, false},
	} {
		w := test.walk
		d := newDirtyRun(16, w, false, 0, 30, 800)
		r := &runner{Runner: reproduce.NewRunner(t.Context(), reproduce.Options{Seed: 8}, test.name, d.replicas)}
		r.soil(d, 0)
		height, _, _ := d.off()
		if (height > dirtySigmas) != test.dirty {
			t.Errorf("%s: the mean height is %+v of a clean list's", test.name, d.late(d.height))
		}
	}
}
