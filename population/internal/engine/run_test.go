//go:build !race

package engine

import (
	"reflect"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// The invariants hold at all times, in a replica that is used again and again.
func TestInvariants(t *testing.T) {
	m := programOf(t, everything)
	r := Run{sparseRule: usualSparse}
	thinned, flows := 0, make([]uint64, len(m.Flows))
	for seed := range testscale.Size[uint64](5, 20) {
		walk(t, &r, m, seed, 0.05)
		if r.living != nil {
			thinned++
		}
		for k, n := range r.Flows {
			flows[k] += n
		}
	}
	for k, n := range flows {
		if n == 0 {
			t.Errorf("nobody ever went %v", m.Flows[k])
		}
	}
	if thinned == 0 {
		t.Error("no population became thin")
	}
}

// A population that outgrows its arrays keeps everybody.
func TestGrowth(t *testing.T) {
	m := programOf(t, `
name: growth
time: {unit: day, start: 0, end: 12}
population: {size: 10, start: {a: rest}}
states: {a: {race: [{after: 2 days, to: b}]}, b: {split: [{otherwise: true, after: 1 day, to: a}]}}
attributes: {group: {x: 50%, y: 50%}}
transmission: [{from: a, rate: 0.1 per day, to: {b: a}, mixing: {by: group, matrix: [[1, 0], [0, 1]]}}]
births: {rate: 0.8 per day, enter: a}
`)
	r := Run{sparseRule: usualSparse}
	walk(t, &r, m, 1, 0.5)
	if r.Alive < 10_000 {
		t.Errorf("%d are alive, expected about 10·e^9.6", r.Alive)
	}
}

// Where timers lie changes nothing: not if they are sparse, and not if they are moved into the
// words in the middle of a run.
func TestSparseTimersChangeEvents(t *testing.T) {
	m := programOf(t, everything)
	events := func(r *Run, seed uint64) []seen {
		var all []seen
		r.OnEvent = func(h *Event) { all = append(all, seenIn(m, h)) }
		walk(t, r, m, seed, 1)
		return all
	}
	sparse := [2]int{}
	for seed := range testscale.Size[uint64](3, 10) {
		want := events(&Run{sparseRule: usualSparse}, seed)
		for i, rule := range []sparseRule{{1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			if got := events(&r, seed); !alike(got, want) {
				t.Fatalf("seed %d: other events if timers are sparse, or share a word: %v", seed, rule)
			}
			if r.shared != (i == 1) {
				t.Fatalf("%v: columns share a word: %v", rule, r.shared)
			}
			sparse[i] += r.sparseTimers.Count()
		}
	}
	if sparse[0] == 0 || sparse[1] == 0 || sparse[1] >= sparse[0] {
		t.Errorf("%v timers were sparse", sparse)
	}

	// All begin without timers and get them at once.
	sudden := programOf(t, `
name: sudden
time: {unit: day, start: 0, end: 30}
population: {size: 40_000, start: {b: 10, a: rest}}
states:
  a: {}
  b: {race: [{after: {gamma: {mean: 9 days, shape: 2}}, to: a}],
    split: [{chance: 50%, after: 8 days, to: a}, {otherwise: true, after: 1 day, to: b}]}
transmission: [{from: b, rate: 2 per day, to: {a: b}}]
`)
	var counts [2][]int
	for i, rule := range []sparseRule{{1, 0.125, 0}, usualSparse} {
		r := Run{sparseRule: rule}
		walk(t, &r, sudden, 1, 5)
		counts[i] = r.Counts
		if r.sparseTimers != nil {
			t.Error("the timers still are sparse")
		}
	}
	if !slices.Equal(counts[0], counts[1]) {
		t.Errorf("%v if timers are moved, %v if they lie in the words from the start", counts[0], counts[1])
	}
}

// People of a file keep all invariants between any two events.
func TestInvariantsOfPeople(t *testing.T) {
	m := filedProgram(t, 300)
	for seed := range uint64(3) {
		var all [3][]seen
		for i, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
			walk(t, &r, m, seed, 0.2)
		}
		if !reflect.DeepEqual(all[1], all[0]) || !reflect.DeepEqual(all[2], all[0]) {
			t.Fatalf("seed %d: other events if timers are sparse, or share a word", seed)
		}
	}
}
