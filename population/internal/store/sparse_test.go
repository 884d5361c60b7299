package store

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Compares a table with a map.
func TestSparseTableDiffersFromMap(t *testing.T) {
	a := NewSparseTable()
	want := map[uint64]uint64{}
	s := random.New(1)
	for i := range 300_000 {
		// Ids from a growing and then shrinking range, so that chains form, wrap round and break.
		id, column := uint32(s.Below(uint64(1+i%50_000))), int(s.Below(3))
		key := sparseKey(id, column)
		switch s.Below(3) {
		case 0:
			a.remove(id, column)
			delete(want, key)
		default:
			word := s.Uint64()
			a.set(id, column, word)
			want[key] = word
		}
		got := a.entries[a.find(key)]
		if got.key != 0 != (want[key] != 0) || got.key != 0 && a.get(id, column) != want[key] {
			t.Fatalf("step %d: %v, want %v", i, got, want[key])
		}
	}
	if a.Count != len(want) {
		t.Fatalf("%d entries, want %d", a.Count, len(want))
	}
	for key, word := range want {
		if got := a.get(uint32(key>>8), int(key&255)-1); got != word {
			t.Fatalf("key %d: %v, want %v", key, got, word)
		}
	}
}

// A table must have room for at most three times as many pairs as it ever held at once, however
// many came and went: a removal leaves its entry unused.
func TestSparseTableLeaksEntries(t *testing.T) {
	a := NewSparseTable()
	s := random.New(3)
	const ids = 5000
	here := make([]bool, ids)
	most := 0
	for i := range 200_000 {
		id := uint32(s.Below(ids))
		if here[id] {
			a.remove(id, 0)
		} else {
			a.set(id, 0, uint64(i))
		}
		here[id] = !here[id]
		most = max(most, a.Count)
		if len(a.entries) > max(1<<10, 3*most) {
			t.Fatalf("step %d: room for %d pairs, of which there were %d at most", i, len(a.entries), most)
		}
	}
	used, want := 0, 0
	for _, e := range a.entries {
		if e.key != 0 {
			used++
		}
	}
	for _, h := range here {
		if h {
			want++
		}
	}
	if used != want || a.Count != want {
		t.Errorf("%d entries are in use, by %d pairs, want %d", used, a.Count, want)
	}
}
