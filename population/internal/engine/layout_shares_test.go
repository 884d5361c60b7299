//go:build !race

package engine

import (
	"context"
	"reflect"
	"testing"
)

// The sample by which timers are laid out has those who are there at the start, by their shares: a
// clock that runs in one region of ten has a timer for all but a few if nearly everybody lives
// there, and next to none if nobody does.
func TestLayoutByShares(t *testing.T) {
	r := Run{sparseRule: sparseRule{1, 0.2, 0}}
	if err := r.Start(context.Background(), sized(t, unequal, 20_000), 1, 0); err != nil {
		t.Fatal(err)
	}
	if want := []bool{false, true}; !reflect.DeepEqual(r.sparse, want) {
		t.Errorf("sparse %v, want %v", r.sparse, want)
	}
}

// Which timers are sparse does not depend on the seed, so that what was estimated for the memory of
// a run holds for all of them. Here just the share has a timer that may are sparse, so that samples
// would differ.
func TestLayoutWithoutSeed(t *testing.T) {
	m := sized(t, `
name: borderline
time: {unit: year, end: 2}
population: {size: 20_000, start: {well: rest}}
states: {well: {}, ill: {}}
always: [{after: {uniform: {low: 0 years, high: 100 years}}, to: ill}]
`, 20_000)
	var want []bool
	for seed := range uint64(20) {
		r := Run{sparseRule: sparseRule{1, 0.02, 0.5}}
		if err := r.Start(context.Background(), m, seed, int(seed)); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = r.sparse
		}
		if !reflect.DeepEqual(r.sparse, want) {
			t.Fatalf("seed %d: sparse %v, others %v", seed, r.sparse, want)
		}
	}
}
