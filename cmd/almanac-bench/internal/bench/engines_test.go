package bench

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// The engines run the same process, with the pool of the limit, and the literal one is what others
// are compared with.
func TestRunEngines(t *testing.T) {
	var cells []Cell
	for _, e := range Engines() {
		cells = append(cells, Cell{Kind: CappedEngines, Structure: e.Name, N: 1000, Capacity: 2, Rate: 0.9})
	}
	results, err := Run(context.Background(), cells, quick)
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := capped.MeanField(2, 0.9)
	for i, r := range results {
		if r.Cell != cells[i] || len(r.Each) != 2 || r.Ops == 0 || r.Rounds == 0 || !(r.RoundsSpeed > 0) || !(r.Over > 0) ||
			!(r.Bytes > 0) {
			t.Errorf("%+v", r)
		}
		// The pool of a single round has a standard deviation of 0.0153 per bin (100,000 rounds of
		// this process), and a mean of rounds, however many there were time for, no larger one.
		// With a capacity of 1 or 3 the limit is further away than five of those.
		if math.Abs(r.Pool-pool) > 5*0.0153 {
			t.Errorf("%s: a pool of %v per bin, want %v", r.Structure, r.Pool, pool)
		}
		if r.Structure == "literal" && r.Over != 1 {
			t.Errorf("the literal engine is %v times as fast as itself", r.Over)
		}
	}
	for _, c := range []int{1, 3} {
		if other, _ := capped.MeanField(c, 0.9); math.Abs(other-pool) < 2*5*0.0153 {
			t.Errorf("with a capacity of %d the pool is %v, too near to %v", c, other, pool)
		}
	}
	if targets := Judge(results); len(targets) != 0 || TargetPlans(CappedEngines) != nil {
		t.Errorf("%v", targets)
	}
}

// Results go by the names that their kind has in JSON, and by no others.
func TestResultJSON(t *testing.T) {
	name := regexp.MustCompile(`"([a-z_0-9]+)":`)
	for _, test := range []struct {
		r    Result
		want string
	}{
		{Result{Cell: Cell{Kind: EventSets}}, "structure workload distribution n plan fill_ns best_ns spread each_ns ops " +
			"bytes_per_event allocs_per_op"},
		{Result{Cell: Cell{Kind: EventSets}, Cut: true}, "structure workload distribution n plan fill_ns best_ns spread " +
			"each_ns ops bytes_per_event allocs_per_op cut"},
		{Result{Cell: Cell{Kind: SharedQueues}},
			"structure workload n goroutines plan best_per_second spread each_per_second ops failed bytes_per_element " +
				"allocs_per_op gc_share"},
		{Result{Cell: Cell{Kind: SimKernels}},
			"workload kernel events best_per_second each_per_second allocations_an_event times_channels rounds " +
				"rounds_per_second round"},
		{Result{Cell: Cell{Kind: CappedEngines}, RoundsSpeed: 1},
			"engine bins capacity rate thrown rounds best_per_second each_per_second pool_per_bin bytes times_literal " +
				"microseconds_round"},
	} {
		text, err := json.Marshal([]Result{test.r})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, found := range name.FindAllStringSubmatch(string(text), -1) {
			got = append(got, found[1])
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("got %s, want %s", strings.Join(got, " "), test.want)
		}
	}
	if text, err := json.Marshal(Result{Cell: Cell{Kind: SharedQueues}, Meter: &relaxedtest.Report{}}); err != nil ||
		!strings.Contains(string(text), `,"meter":{`) {
		t.Errorf("%s, %v", text, err)
	}
}
