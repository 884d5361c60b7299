package li

import (
	"math"
	"reflect"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// What sprays take and what fails, by hand.
func TestCompete(t *testing.T) {
	// Two sprays of one step: both end at the first element, and one has to try again.
	c := newCollisionPoint(little(), 1, 2)
	r := random.New(7)
	list := randomSkiplist(c.walk, 10, &r)
	if got := c.expected(list.landing(c.walk)); math.Abs(got-0.5) > 1e-12 || math.Abs(c.uniform-0.5) > 1e-12 {
		t.Errorf("%v and %v fail, want a half", got, c.uniform)
	}
	if failed, rounds := c.compete(list, &r); failed != 0.5 || rounds != 2 {
		t.Errorf("%v fail, and it takes %d rounds", failed, rounds)
	}
	// A padding that no spray gets over.
	full := newCollisionPoint(little(), 2, 2)
	if !full.never() || full.place(2) != 0 || full.place(3) != 1 {
		t.Errorf("%+v", full)
	}
	if got := full.expected(list.landing(full.walk)); got != 1 {
		t.Errorf("%v fail, want all", got)
	}
	if _, rounds := full.compete(list, &r); rounds <= collisionPatience {
		t.Errorf("all have an element after %d rounds", rounds)
	}
}

// Groups of those that wait for one another, by hand.
func TestGrouping(t *testing.T) {
	var g grouping
	for range 6 {
		g.add()
	}
	g.join(0, 1)
	g.join(2, 3)
	g.join(3, 0)
	if mean, largest := g.sizes(); largest != 4 || math.Abs(mean-(4*4+1+1)/6.0) > 1e-12 || g.joined != 3 {
		t.Errorf("%v on average, %d at most, %d pairs", mean, largest, g.joined)
	}
}

// The order in which groups are joined does not change their sizes in the last bit: a run of
// spray-delete-insert is the same every time.
func TestGroupingOrder(t *testing.T) {
	r := random.New(11)
	var pairs [][2]int
	for range 40 {
		pairs = append(pairs, [2]int{int(r.Below(90)), int(r.Below(90))})
	}
	means := map[float64]bool{}
	for range 20 {
		var g grouping
		for range 90 {
			g.add()
		}
		for i := range pairs { // shuffled
			k := i + int(r.Below(uint64(len(pairs)-i)))
			pairs[i], pairs[k] = pairs[k], pairs[i]
			g.join(pairs[i][0], pairs[i][1])
		}
		mean, _ := g.sizes()
		means[mean] = true
	}
	if len(means) != 1 {
		t.Errorf("the mean size depends on the order: %v", means)
	}
}

func TestDeleteInsertSeeded(t *testing.T) {
	c := reproducetest.Named(t, claims(little()), "spray-delete-insert")
	var first []reproduce.Table
	for range 3 {
		f := reproducetest.Run(t, c, reproduce.Options{Seed: 5}).Finding
		if first == nil {
			first = f.Tables
		} else if !reflect.DeepEqual(f.Tables, first) {
			t.Fatalf("tables differ: %v, %v", f.Tables, first)
		}
	}
}
