//go:build !race

package engine

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Networks keep their invariants between any two events, whatever happens to those who are linked.
func TestInvariantsOfNetworks(t *testing.T) {
	m := programOf(t, networked)
	formed, ended := make([]uint64, len(m.Networks)), make([]uint64, len(m.Networks))
	for seed := range testscale.Size[uint64](2, 3) {
		var all [3][]seen
		for i, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
			walk(t, &r, m, seed, testscale.Size(0.2, 0.1))
			for k := range m.Networks {
				c := r.CountNetwork(k)
				formed[k] += c.Formed
				ended[k] += c.Ended
			}
		}
		if !alike(all[0], all[1]) || !alike(all[0], all[2]) {
			t.Fatalf("seed %d: other events if timers are sparse, or share a word", seed)
		}
	}
	for k := range m.Networks {
		if ended[k] == 0 || (formed[k] > 0) != m.Networks[k].Grows {
			t.Errorf("%s: %d links formed, %d ended", m.Networks[k].Name, formed[k], ended[k])
		}
	}
}

// A run that is set up in blocks is that of admitting one after the other.
func TestNetworksDependOnSetup(t *testing.T) {
	m := sized(t, networked, testscale.Size(1000, 3000))
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
		if err := r.Advance(t.Context(), 0.1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !alike(all[0], all[1]) {
		t.Error("other events if individuals are set up in blocks")
	}
}

// What was recorded of links agrees with the events, which say of each link when it began and
// ended.
func TestEventsOfLinks(t *testing.T) {
	m := programOf(t, networked)
	type link struct {
		network int
		a, b    uint64
	}
	there := map[link]bool{}
	r := Run{sparseRule: usualSparse}
	r.OnEvent = func(h *Event) {
		if h.Kind == Linked || h.Kind == Unlinked {
			l := link{h.Name, min(h.Individual, h.By), max(h.Individual, h.By)}
			if there[l] == (h.Kind == Linked) || l.a == 0 || l.a == l.b {
				t.Fatalf("event %+v, and linked %v", h, there[l])
			}
			if there[l] = true; h.Kind == Unlinked {
				delete(there, l)
			}
		}
	}
	if err := r.Start(t.Context(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	for at := 0.0; at <= 6; at++ {
		if err := r.Advance(t.Context(), at, nil); err != nil {
			t.Fatal(err)
		}
		counts := make([]int, len(m.Networks))
		for l := range there {
			counts[l.network]++
		}
		for k, n := range counts {
			if c := r.CountNetwork(k); c.Links != n {
				t.Fatalf("at %v %d links of %s by events, and %d", at, n, m.Networks[k].Name, c.Links)
			}
		}
	}
}

// A fork draws the ends of links again, given that they have not ended: forks of one past differ,
// and together they have the law of what is left.
func TestForksDrawEndsOfLinks(t *testing.T) {
	m := programOf(t, `
name: ends
time: {unit: year, end: 4}
population: {size: 100, start: {a: rest}}
networks: {n: {random: {mean: 99}, ends: {after: {gamma: {mean: 2 years, shape: 2}}}}}
states: {a: {}}
record: {every: 4 years}
`)
	r, err := Begin(t.Context(), m, &Options{Seed: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	there := r.CountNetwork(0).Links
	counts := map[int]bool{}
	sum, forks := 0, 20
	for luck := range forks {
		f, err := r.Fork()
		if err != nil {
			t.Fatal(err)
		}
		f.Redraw(uint64(luck))
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		if err := f.Advance(t.Context(), 3, nil); err != nil {
			t.Fatal(err)
		}
		left := f.CountNetwork(0).Links
		counts[left], sum = true, sum+left
	}
	survival := func(t float64) float64 { return (1 + t) * math.Exp(-t) } // of a gamma with mean 2 and shape 2
	p := survival(3) / survival(1)
	n := float64(there * forks)
	if z := (float64(sum) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 4 || len(counts) < forks/2 {
		t.Errorf("of %v links %d are left, want %v: z = %.1f; %d different numbers", n, sum, n*p, z, len(counts))
	}
}
