package store

import (
	"cmp"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Compares a heap with a sorted slice, with many equal times.
func TestDueHeapPopsOutOfOrder(t *testing.T) {
	var q DueHeap
	var want []Due
	s := random.New(6)
	for step := range uint32(20_000) {
		if len(want) == 0 || s.Below(uint64(2+step/10_000)) == 0 { // it grows, and then shrinks
			d := Due{At: float64(s.Below(50)), ID: step}
			q.Push(d)
			i, _ := slices.BinarySearchFunc(want, d, func(a, b Due) int {
				return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
			})
			want = slices.Insert(want, i, d)
		} else {
			if got := q.Pop(); got != want[0] {
				t.Fatalf("step %d: %v, want %v", step, got, want[0])
			}
			want = want[1:]
		}
	}
}
