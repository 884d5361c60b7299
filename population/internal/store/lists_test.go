package store

import (
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Compares lists with slices, while lists of very different lengths fill up and are taken, also
// while others are added to from the callback.
func TestBucketListsLoseAnID(t *testing.T) {
	const lists = 7
	l := NewBucketLists(lists)
	var want [lists][]uint32
	add := func(k int, id uint32) {
		l.Add(k, id)
		want[k] = append(want[k], id)
	}
	s := random.New(7)
	next, total := uint32(0), 0
	for range 400 {
		k := int(s.Below(lists))
		for range s.Below(1 << s.Below(12)) {
			add(k, next)
			next++
		}
		k = int(s.Below(lists))
		expected := want[k]
		want[k] = nil
		var got []uint32
		if l.Count(k) != len(expected) {
			t.Fatalf("list %d: %d ids, want %d", k, l.Count(k), len(expected))
		}
		l.Take(k, func(ids []uint32) {
			got = append(got, ids...)
			add((k+1)%lists, next)
			next++
		})
		if !slices.Equal(got, expected) {
			t.Fatalf("list %d: other ids than were added", k)
		}
		total = 0
		for k := range want {
			total += len(want[k])
			got = got[:0]
			l.Each(k, func(ids []uint32) { got = append(got, ids...) })
			if !slices.Equal(got, want[k]) {
				t.Fatalf("list %d: other ids than were added", k)
			}
		}
		if l.Len() != total {
			t.Fatalf("%d ids on all lists, want %d", l.Len(), total)
		}
	}
	if next < 10*chunkIDs || total == 0 {
		t.Errorf("only %d ids were added, and %d are left", next, total)
	}
}

// Lists that are filled and taken again and again must use their chunks again.
func TestBucketListsLeakChunks(t *testing.T) {
	l := NewBucketLists(3)
	before := 0
	for round := range 50 {
		for id := range uint32(3 * 2000) {
			l.Add(int(id)%3, id)
		}
		if round == 0 {
			before = len(l.after)
		} else if len(l.after) != before {
			t.Fatalf("round %d: %d chunks, %d before", round, len(l.after), before)
		}
		for k := range 3 {
			l.Take(k, func([]uint32) {})
		}
	}
}
