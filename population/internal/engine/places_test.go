//go:build !race

package engine

import (
	"testing"
)

// Places of all kinds keep their invariants between any two events, whatever happens to their
// members.
func TestInvariantsOfPlaces(t *testing.T) {
	m := programOf(t, placed)
	away := uint64(0)
	for seed := range uint64(5) {
		var all [3][]seen
		for i, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
			walk(t, &r, m, seed, 0.2)
			away += r.places.turnedAway[3]
			for k := range m.Places {
				if c := r.CountPlaces(k); c.Members == 0 || c.Number == 0 {
					t.Errorf("nobody is in a %s", m.Places[k].Name)
				}
			}
		}
		if !alike(all[0], all[1]) || !alike(all[0], all[2]) {
			t.Fatalf("seed %d: other events if timers are sparse, or share a word", seed)
		}
	}
	if away == 0 {
		t.Error("nobody was turned away")
	}
}

// A run that is set up in blocks is that of admitting one after the other.
func TestPlacesDependOnSetup(t *testing.T) {
	m := sized(t, placed, 3000)
	var all [2][]seen
	for i, from := range []int{1, 1 << 20} {
		r := Run{sparseRule: usualSparse, setupFrom: from}
		r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
		if err := r.Start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(t.Context(), 5, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !alike(all[0], all[1]) {
		t.Error("other events if individuals are set up in blocks")
	}
}
