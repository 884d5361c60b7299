//go:build !race

package engine

import (
	"context"
	"testing"
)

// A contact among neighbours allocates nothing.
func TestNeighboursAllocateNothing(t *testing.T) {
	m := programOf(t, `
name: neighbours
time: {unit: day, end: 60}
population: {size: 500, start: {i: 100, s: rest}}
places: {household: {size: {1: 50%, 4: 50%}}}
networks: {friends: {degrees: {poisson: {mean: 3}}}}
states: {s: {}, i: {}}
transmission:
  - {from: i, among: household, rate each: 0.2 per day, to: {s: i}}
  - {from: i, among: friends, rate each: 0.1 per day, to: {s: i}}
`)
	var r Run
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	seed := contactSeed(0)
	for k := range r.phase.Contacts {
		n := testing.AllocsPerRun(100, func() {
			r.chooseNear(r.firstID+uint32(seed)%500, &r.phase.Contacts[k], seed)
			seed++
		})
		if n != 0 {
			t.Errorf("contact %d: %g allocations", k, n)
		}
	}
}
