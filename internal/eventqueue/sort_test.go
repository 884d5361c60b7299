package eventqueue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every length that is sorted at once, with ties and without, for keys that differ in few bits and
// in many.
func TestSortRun(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	for round := range 200 {
		shift := uint8(1 + r.IntN(64))
		for n := 1; n <= chunkLen; n++ {
			es := make([]entry, n)
			for i := range es {
				es[i] = entry{key: r.Uint64() >> (64 - shift), id: ID(i)}
				if round%2 == 0 {
					es[i].key %= 7
				}
				if shift < 64 {
					es[i].key |= 5 << shift
				}
			}
			want := slices.Clone(es)
			slices.SortStableFunc(want, func(a, b entry) int {
				switch {
				case a.key < b.key:
					return -1
				case a.key > b.key:
					return 1
				}
				return 0
			})
			got := make([]entry, n)
			sortRun(got, es, shift)
			if !slices.Equal(got, want) {
				t.Fatalf("%d entries that differ in %d bits: %v, want %v", n, shift, got, want)
			}
		}
	}
}

// Runs are merged with their equals in order.
func TestMergeRun(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 0))
	for range 2000 {
		es := make([]entry, 1+r.IntN(loadMax))
		n := max(len(es)-1-r.IntN(chunkLen), 0)
		for i := range es {
			es[i] = entry{key: r.Uint64N(20)}
		}
		byKey := func(a, b entry) int { return int(a.key) - int(b.key) }
		slices.SortFunc(es[:n], byKey)
		slices.SortFunc(es[n:], byKey)
		for i := range es {
			es[i].id = ID(i)
		}
		want := slices.Clone(es)
		slices.SortStableFunc(want, byKey)
		mergeRun(es, n)
		if !slices.Equal(es, want) {
			t.Fatalf("%d and %d: %v, want %v", n, len(es)-n, es, want)
		}
	}
}
