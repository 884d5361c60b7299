package store

import (
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Compares a free list with a slice, while it grows and then shrinks.
func TestFreeListLosesOrder(t *testing.T) {
	var l FreeList
	var want []uint32
	s := random.New(1)
	for i := range uint32(20_000) {
		if s.Below(uint64(2+i/10_000)) == 0 || len(want) == 0 { // it grows, and then shrinks
			l.Put(i)
			want = append(want, i)
		} else {
			if got := l.Take(); got != want[0] {
				t.Fatalf("step %d: %d, want %d", i, got, want[0])
			}
			want = want[1:]
		}
		if i%1000 == 0 && !slices.Equal(slices.Collect(l.All), want) {
			t.Fatalf("step %d: %v, want %v", i, slices.Collect(l.All), want)
		}
	}
}

// A free list must have room for less than twice as many ids as it ever held at once, however many
// passed through it.
func TestFreeListGrowsWithTraffic(t *testing.T) {
	var l FreeList
	s := random.New(2)
	most := 8
	for i := range uint32(100_000) {
		if l.Len() == 0 || l.Len() < 1000 && s.Below(2) == 0 {
			l.Put(i)
			most = max(most, l.Len())
		} else {
			l.Take()
		}
		if len(l.ring) >= 2*most && len(l.ring) > 8 {
			t.Fatalf("step %d: room for %d ids, of which there were %d at most", i, len(l.ring), most)
		}
	}
}
