package timekey_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// Keys are in the order of times, the least step apart or the greatest, and lead back to them.
func TestOrder(t *testing.T) {
	const tiny, normal = math.SmallestNonzeroFloat64, 0x1p-1022
	times := []float64{-math.MaxFloat64, -1e300, -2, -1, -normal, -normal + tiny, -2 * tiny, -tiny, 0,
		tiny, 2 * tiny, normal - tiny, normal, 0.5, math.Nextafter(1, 0), 1, math.Nextafter(1, 2), 2, 1e300, math.MaxFloat64,
		math.Inf(1)}
	r := rand.New(rand.NewPCG(1, 0))
	for range 10_000 {
		if x := math.Float64frombits(r.Uint64()); x == x {
			times = append(times, x, math.Nextafter(x, 0))
		}
	}
	slices.Sort(times)
	for i, x := range times {
		k := timekey.Of(x)
		if y := timekey.Time(k); y != x || math.Signbit(y) != (x < 0) {
			t.Errorf("%g is %#x, which is %g", x, k, y)
		}
		if i > 0 && (timekey.Of(times[i-1]) < k) != (times[i-1] < x) {
			t.Errorf("%g and %g are %#x and %#x", times[i-1], x, timekey.Of(times[i-1]), k)
		}
	}
}

// The keys of neighbours differ by one; only before zero one is left out, that −0 would have.
func TestNeighbours(t *testing.T) {
	const tiny, normal = math.SmallestNonzeroFloat64, 0x1p-1022
	for _, x := range []float64{-math.MaxFloat64, -1, -normal, -tiny, 0, tiny, normal, 1, math.MaxFloat64} {
		want := uint64(1)
		if x == -tiny {
			want = 2
		}
		if d := timekey.Of(math.Nextafter(x, math.Inf(1))) - timekey.Of(x); d != want {
			t.Errorf("%g is %d keys from the next", x, d)
		}
	}
}

func TestConstants(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, c := range []struct {
		time float64
		key  uint64
	}{
		{-math.MaxFloat64, timekey.First}, {0, timekey.Zero}, {negative, timekey.Zero}, {math.MaxFloat64, timekey.Last},
		{math.Inf(1), timekey.Infinity}, {2, timekey.Of(1) + timekey.Octave},
	} {
		if k := timekey.Of(c.time); k != c.key {
			t.Errorf("%g is %#x, not %#x", c.time, k, c.key)
		}
	}
	for _, k := range []uint64{timekey.None, timekey.PastAll} {
		if x := timekey.Time(k); x == x {
			t.Errorf("%#x is %g, a time", k, x)
		}
	}
	if math.Signbit(timekey.Time(timekey.Of(negative))) {
		t.Error("−0 comes back")
	}
}
