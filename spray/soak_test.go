//go:build soak

package spray

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
)

var soaking = flag.Duration("soak", 2*time.Minute, "how long the soak test runs")

// Everything at random, for minutes: go test -tags soak -run Soak -timeout 1h ./spray -soak 30m
func TestSoak(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	rounds := 0
	for began := time.Now(); time.Since(began) < *soaking; rounds++ {
		procs, goroutines, p := 1+r.IntN(8), 1+r.IntN(64), 1+r.IntN(64)
		operations, key := 1000+r.IntN(100_000), mapped[r.IntN(len(mapped))]
		if r.IntN(2) == 0 {
			conserve(t, procs, goroutines, p, operations, key)
		} else {
			stress.Jolted(2+r.Uint64N(50), func() { conserve(t, procs, goroutines, p, operations/10, key) })
		}
	}
	t.Logf("%d rounds", rounds)
}

// The matrix with so many elements that whatever is lost of them is noticed, and long idle in
// between.
func TestSoakMatrix(t *testing.T) {
	matrix(t, 1000, 1_000_000, 300*time.Millisecond)
}

// Lists of keys of the kinds that TestKeysOfEveryKind only puts on their axis.
func TestSoakKeysOfEveryKind(t *testing.T) {
	inList(t, float32s)
	inList(t, int64s)
	inList(t, int32s)
	inList(t, int16s)
	inList(t, int8s)
	inList(t, uints)
	inList(t, uint64s)
	inList(t, uint32s)
	inList(t, uint16s)
	inList(t, uintptrs)
}
