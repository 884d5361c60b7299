package ladder

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every length that is sorted at once, with ties and without, for keys that differ in few bits and
// in many.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	for round := range 200 {
		shift := uint8(1 + r.IntN(64))
		for n := 1; n <= SortLen; n++ {
			es := make([]Entry, n)
			for i := range es {
				es[i] = Entry{Key: r.Uint64() >> (64 - shift), ID: uint32(i)}
				if round%2 == 0 {
					es[i].Key %= 7
				}
				if shift < 64 {
					es[i].Key |= 5 << shift
				}
			}
			want := slices.Clone(es)
			slices.SortStableFunc(want, func(a, b Entry) int {
				switch {
				case a.Key < b.Key:
					return -1
				case a.Key > b.Key:
					return 1
				}
				return 0
			})
			got := make([]Entry, n)
			Sort(got, es, shift)
			if !slices.Equal(got, want) {
				t.Fatalf("%d entries that differ in %d bits: %v, want %v", n, shift, got, want)
			}
		}
	}
}

// Runs are merged with their equals in order.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 0))
	for range 2000 {
		es := make([]Entry, 1+r.IntN(2*SortLen))
		n := max(len(es)-1-r.IntN(SortLen-1), 0)
		for i := range es {
			es[i] = Entry{Key: r.Uint64N(20)}
		}
		byKey := func(a, b Entry) int { return int(a.Key) - int(b.Key) }
		slices.SortFunc(es[:n], byKey)
		slices.SortFunc(es[n:], byKey)
		for i := range es {
			es[i].ID = uint32(i)
		}
		want := slices.Clone(es)
		slices.SortStableFunc(want, byKey)
		Merge(es, n)
		if !slices.Equal(es, want) {
			t.Fatalf("%d and %d: %v, want %v", n, len(es)-n, es, want)
		}
	}
}
