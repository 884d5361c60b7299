package lookup

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestAmongDrawsNoShareOfZero also compares with a scan, at the sums and a hair beside them.
func TestAmongDrawsNoShareOfZero(t *testing.T) {
	s := random.New(1)
	for n := 1; n < 200; n += 1 + n/7 {
		shares := make([]float64, n)
		for i := range shares {
			if s.Below(3) > 0 {
				shares[i] = s.Exp()
			}
		}
		shares[s.Below(uint64(n))] = 0.1 // at least one that can be drawn
		sums := CumulativeShares(shares)
		check := func(u float64) {
			if u < 0 || u > 1 {
				return
			}
			want := 0
			for u >= sums[want] {
				want++
			}
			if got := SearchCumulative(sums, u); got != want || shares[got] == 0 {
				t.Fatalf("%d shares: %v is in interval %d, want %d; its share is %v", n, u, got, want, shares[got])
			}
		}
		check(0)
		check(1)
		for _, x := range sums {
			for _, u := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, 2)} {
				check(u)
			}
		}
		for range 1000 {
			check(s.Float64())
		}
	}
}
