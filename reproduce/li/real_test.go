package li

import (
	"errors"
	"runtime"
	"testing"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
	"github.com/almanac-sim/almanac/spray"
)

// A trial keeps every element, counts what its goroutines did, and leaves GOMAXPROCS as it was.
func TestTrial(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	w := spray.FullSpray(16, 1)
	for _, test := range []struct {
		name                 string
		trial                trial
		insertions, removals int
	}{
		{"sprays", trial{walk: w, goroutines: 4, fill: 3000, operations: 796, workload: takes}, 0, 800},
		{"exact", trial{walk: w, exact: true, goroutines: 4, fill: 3000, operations: 796, workload: takes}, 0, 800},
		{"insertions", trial{walk: w, goroutines: 4, fill: 3000, operations: 796, workload: adds}, 800, 0},
		{"at one place", trial{walk: w, goroutines: 4, fill: 3000, operations: 796, workload: piles}, 800, 0},
		{"hold", trial{walk: w, goroutines: 4, fill: 3000, operations: 796, workload: relaxedtest.Hold}, 400, 400},
	} {
		for _, procs := range []int{1, 3} {
			o := test.trial.run(procs, 7)
			switch {
			case o.wrong != nil:
				t.Errorf("%s: %v", test.name, o.wrong)
			case o.report.Insertions != test.insertions || o.report.Removals != test.removals:
				t.Errorf("%s: %+v, want %d insertions and %d removals", test.name, o.report, test.insertions, test.removals)
			case len(o.heights) != 3000+test.insertions-test.removals:
				t.Errorf("%s: %d elements are left", test.name, len(o.heights))
			case test.trial.exact != (o.report.Rank.Max == 0) && test.removals > 0:
				t.Errorf("%s: ranks are up to %d", test.name, o.report.Rank.Max)
			}
			if runtime.GOMAXPROCS(0) != before {
				t.Fatalf("GOMAXPROCS is %d, want %d", runtime.GOMAXPROCS(0), before)
			}
		}
	}
}

// Lists that are not as they should be are counted, and so are those that lost an element.
func TestSettings(t *testing.T) {
	all := []outcome{{procs: 1}, {procs: 2}, {procs: 4}, {procs: 4, wrong: errors.New("an element is gone")}}
	for _, test := range []struct {
		good func(*outcome) bool
		want float64
	}{
		{func(*outcome) bool { return true }, 1},
		{func(o *outcome) bool { return o.procs != 2 }, 2},
		{func(*outcome) bool { return false }, 4},
	} {
		var f reproduce.Finding
		settings(&f, reproduce.Printed, "something is wrong", all, test.good, "a test")
		if c := f.Checks[0]; c.Measured != test.want || c.OK {
			t.Errorf("%+v, want %v", c, test.want)
		}
	}
}

// What goroutines do differs from run to run; what a claim says it counted does not, nor do its
// checks.
func TestCountedIsTheSame(t *testing.T) {
	less := little()
	less.scale /= 4 // whatever they find
	for _, name := range []string{"spray-delete-min", "spray-constant-calls", "spray-corollary-4.3"} {
		c := reproducetest.Named(t, claims(less), name)
		a := reproducetest.Run(t, c, reproduce.Options{Seed: 4})
		b := reproducetest.Run(t, c, reproduce.Options{Seed: 4})
		if a.Measured != b.Measured || a.Timed == "" {
			t.Errorf("%s: %q, then %q; timed %q", name, a.Measured, b.Measured, a.Timed)
		}
		for i, k := range a.Checks {
			if k.Measured != b.Checks[i].Measured {
				t.Errorf("%s: %s is %v, then %v", name, k.What, k.Measured, b.Checks[i].Measured)
			}
		}
	}
}
