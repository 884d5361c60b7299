package cappedmath

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func close(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestEstimatesByHand(t *testing.T) {
	lambda := 1 - math.Exp(-2) // ln(1/(1−λ)) = 2
	for _, test := range []struct {
		what string
		got  float64
		want float64
	}{
		{"the pool of Figure 4, c = 1", PoolEstimate(1000, 1, lambda), 3000},
		{"the pool of Figure 4, c = 4", PoolEstimate(1000, 4, lambda), 1500},
		{"the wait of Figure 5, c = 1", WaitEstimate(65536, 1, lambda), 7}, // 2 + 4 + 1
		{"the wait of Figure 5, c = 4", WaitEstimate(256, 4, lambda), 7.5}, // 2/4 + 3 + 4
		{"the wait of Figure 5, one bin", WaitEstimate(1, 4, lambda), 4.5},
		{"√2", SweetSpotScale(lambda), math.Sqrt2},
	} {
		close(t, test.what, test.got, test.want, 1e-14)
	}
	// Small λ: ln(1/(1−λ)) = λ + λ²/2 + …, which 1−λ does not have.
	close(t, "√λ", SweetSpotScale(1e-20), 1e-10, 1e-15)
}

// m* by hand: for c = 1 section III's, beyond section IV's, and always even.
func TestMinThrownByHand(t *testing.T) {
	for _, c := range []struct {
		capacity int
		rate     float64
		want     float64
	}{
		{1, 0.75, math.Log(4)*1000 + 2*1000},
		{2, 0.75, math.Log(4)*1000 + 12*1000},
		{3, 0.99, 2*math.Log(100)*1000/3 + 18*1000},
	} {
		got := MinThrown(1000, c.capacity, c.rate)
		if math.Mod(got, 2) != 0 || got < c.want || got >= c.want+2 {
			t.Errorf("c = %d, λ = %v: m* = %v, want %v", c.capacity, c.rate, got, c.want)
		}
	}
}

func TestFiniteAtExtremes(t *testing.T) {
	number := func(what string, x float64) {
		t.Helper()
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			t.Errorf("%s is %v", what, x)
		}
	}
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-300, 1e-30, 0.5, 0.999, 1 - 0x1p-53} {
		for _, n := range []int{1, 2, math.MaxInt} {
			for _, c := range []int{1, 2, math.MaxInt} {
				number("PoolEstimate", PoolEstimate(n, c, rate))
				number("WaitEstimate", WaitEstimate(n, c, rate))
				number("MinThrown", MinThrown(n, c, rate))
			}
		}
		number("SweetSpotScale", SweetSpotScale(rate))
	}
}

func TestBadArguments(t *testing.T) {
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "cappedmath: ") || !strings.Contains(got, want) {
				t.Errorf("the panic is %q, want %q", got, want)
			}
		}()
		f()
	}
	const rate = "the rate must be above 0 and below 1, not "
	for _, f := range []func(n, c int, lambda float64) float64{PoolEstimate, WaitEstimate, MinThrown} {
		panics("the number of bins must be 1 or more, not 0", func() { f(0, 1, 0.5) })
		panics("the number of bins must be 1 or more, not "+fmt.Sprint(math.MinInt), func() { f(math.MinInt, 1, 0.5) })
		panics("the capacity of a bin must be 1 or more, not -1", func() { f(1, -1, 0.5) })
		for lambda, shown := range map[float64]string{0: "0", 1: "1", -0.5: "-0.5", math.Inf(1): "+Inf", math.NaN(): "NaN"} {
			panics(rate+shown, func() { f(10, 2, lambda) })
			panics(rate+shown, func() { SweetSpotScale(lambda) })
		}
	}
}
