package quantile

import (
	"math"
	"testing"
)

// The rank of a share in hundredths is what whole numbers say, although the share is not what it
// should be as a float.
func TestRankOfHundredths(t *testing.T) {
	for percent := range 101 {
		p := float64(percent) / 100
		for _, n := range []int{1, 2, 7, 19, 20, 100, 200, 999, 1000, 123_456, 100_000_000,
			min(100_000_000_000, math.MaxInt)} {
			want := (int64(percent)*int64(n) + 99) / 100
			if got := int64(Rank(n, p)); got != want {
				t.Errorf("%g of %d: rank %d, want %d", p, n, got, want)
			}
		}
	}
}

func TestRankBeyond(t *testing.T) {
	for p, want := range map[float64]int{math.Inf(-1): 0, -0.1: 0, 0: 0, 1: 100, 1.001: 101, 7: 101, math.Inf(1): 101} {
		if got := Rank(100, p); got != want {
			t.Errorf("%g of 100: rank %d, want %d", p, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	x := make([]float64, 100)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for p, want := range map[float64]float64{-1: 1, 0: 1, 0.001: 1, 0.01: 1, 0.0100001: 2, 0.07: 7, 0.5: 50, 0.57: 57,
		0.95: 95, 0.991: 100, 1: 100, 2: 100} {
		if got := Of(x, p); got != want {
			t.Errorf("%g of 1 to 100: %g, want %g", p, got, want)
		}
	}
	if got := Of(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("of nothing: %g", got)
	}
	if got := Of([]float64{3}, 0.5); got != 3 {
		t.Errorf("of one: %g", got)
	}
}
