package cpu

import "testing"

// Nothing can be relied on but that the memory stays as it is.
func TestAdviseDoesNoHarm(t *testing.T) {
	for _, n := range []int{0, 1, pageSize / 8, pageSize, 1_000_003} {
		s := make([]uint64, n)
		for i := range s {
			s[i] = uint64(i)
		}
		AdviseHuge(s)
		AdviseHugeAround(s)
		for i := range s {
			if s[i] != uint64(i) {
				t.Fatalf("element %d of %d is %d", i, n, s[i])
			}
		}
	}
}
