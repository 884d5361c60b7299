package owner

import "testing"

func TestNumbersDiffer(t *testing.T) {
	owners.Store(^uint32(0) - 1)
	seen := map[uint32]bool{0: true}
	for range 4 {
		if n := New(); seen[n] {
			t.Errorf("number %d twice, or 0", n)
		} else {
			seen[n] = true
		}
	}
}
