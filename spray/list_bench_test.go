package spray

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// The hold model: remove an element, and insert one with a key that is an exponential increment
// later. Keys are numbers, and strings of 8 bytes, alone and after a common prefix.
func BenchmarkListHold(b *testing.B) {
	const mean = 1 << 40
	holdKeys(b, "float64", func(k float64) float64 { return k + rand.ExpFloat64() })
	holdKeys(b, "int64", func(k int64) int64 { return k + int64(mean*rand.ExpFloat64()) })
	for name, prefix := range map[string]string{"string": "", "prefixed": "job/"} {
		holdKeys(b, name, func(k string) string {
			key := make([]byte, len(prefix)+8)
			copy(key, prefix)
			copy(key, k)
			t := key[len(prefix):]
			binary.BigEndian.PutUint64(t, binary.BigEndian.Uint64(t)+uint64(mean*rand.ExpFloat64()))
			return string(key)
		})
	}
}

// holdKeys runs the hold model on lists of some sizes. The first key comes after the zero key.
func holdKeys[K cmp.Ordered](b *testing.B, keys string, next func(K) K) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(keys+"/"+sizes[n], func(b *testing.B) {
			l := New[K, uint64](Concurrency(2))
			var zero K
			for range n {
				l.Insert(next(zero), 1)
			}
			for range n { // the keys spread out as they do in the long run
				k, v, _ := l.Spray()
				l.Insert(next(k), v)
			}
			for b.Loop() {
				k, v, _ := l.Spray()
				l.Insert(next(k), v)
			}
		})
	}
}

var sizes = map[int]string{1000: "1e3", 100_000: "1e5", 1_000_000: "1e6"}
