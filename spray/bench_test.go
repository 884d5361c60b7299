package spray

import (
	"math/rand/v2"
	"testing"
)

// The hold model: remove, and insert an exponential increment later.
func BenchmarkListHold(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		l := New[float64, uint64](Processes(2))
		for range n {
			l.Insert(rand.ExpFloat64(), 1)
		}
		b.Run(sizes[n], func(b *testing.B) {
			for b.Loop() {
				k, v, _ := l.Spray()
				l.Insert(k+rand.ExpFloat64(), v)
			}
		})
	}
}

var sizes = map[int]string{1000: "1e3", 100_000: "1e5", 1_000_000: "1e6"}
