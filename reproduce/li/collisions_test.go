package li

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
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
