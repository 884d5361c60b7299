package capped

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/cappedmath"
)

// wantClose allows a relative error.
func wantClose(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v: the relative error is %.1e", what, got, want, got/want-1)
	}
}

// short is the rate that falls short of 1 by 2^(−i), as in the figures.
func short(i int) float64 { return 1 - math.Ldexp(1, -i) }

func TestBoundsByHand(t *testing.T) {
	// ln(1/(1−λ)) = 2, and 1/(1−1/e) = e/(e−1) = 1.5819767….
	lambda := 1 - math.Exp(-2)
	const slow = 1.5819767068693265
	for _, test := range []struct {
		what string
		got  float64
		want float64
	}{
		{"the pool, c = 1", PoolBound(1000, 1, lambda), 8000},          // 2·2 + 4
		{"the pool, c = 2", PoolBound(1000, 2, lambda), 28000},         // 4/2·2 + 12·2
		{"the pool, c = 4", PoolBound(10, 4, lambda), 500},             // 4/4·2 + 12·4
		{"the wait, c = 1", WaitBound(65536, 1, lambda), 8*slow + 23},  // 19 + log₂16
		{"the wait, c = 2", WaitBound(65536, 2, lambda), 28*slow + 24}, // and one before it in the bin
		{"the wait, c = 4", WaitBound(16, 4, lambda), 50*slow + 24},    // 19 + log₂4 + 3
		{"the wait, two bins", WaitBound(2, 1, lambda), 8*slow + 19},
		{"the wait, one bin", WaitBound(1, 1, lambda), 8*slow + 19},
		// At the authors' size: log₂15, ln 2¹⁰ = 6.931471805599453.
		{"the wait, 2¹⁵ bins", WaitBound(1<<15, 1, short(10)), (2*6.931471805599453+4)*slow + 19 + 3.9068905956085187},
		{"the wait, 2¹⁵ bins, c = 3", WaitBound(1<<15, 3, short(10)),
			(4./3*6.931471805599453+36)*slow + 19 + 3.9068905956085187 + 2},
	} {
		wantClose(t, test.what, test.got, test.want, 1e-14)
	}
}

// The bounds are far above the limit, and the estimates of section V are above its mean.
func TestBoundsHoldInTheLimit(t *testing.T) {
	for i := 1; i <= 14; i++ {
		for c := 1; c <= 12; c++ {
			const n = 1 << 15
			l := NewLimit(c, short(i))
			name := fmt.Sprintf("λ = 1−2^−%d, c = %d: ", i, c)
			if bound := PoolBound(n, c, l.Rate) / n; !(l.Pool < bound) {
				t.Errorf("%sthe pool is %v, the bound %v", name, l.Pool, bound)
			}
			if estimate := cappedmath.PoolEstimate(n, c, l.Rate) / n; !(l.Pool < estimate) {
				t.Errorf("%sthe pool is %v, the estimate %v", name, l.Pool, estimate)
			}
			if bound := WaitBound(n, c, l.Rate); !(float64(l.MaxWait(n)) < bound) {
				t.Errorf("%sthe longest wait is %v, the bound %v", name, l.MaxWait(n), bound)
			}
			if estimate := cappedmath.WaitEstimate(n, c, l.Rate); !(l.Wait < estimate) {
				t.Errorf("%sthe mean wait is %v, the estimate %v", name, l.Wait, estimate)
			}
		}
	}
}

func TestSweetSpot(t *testing.T) {
	// Section V sees a minimum around 2 and 3 for 1−2⁻² to 1−2⁻¹³.
	for i, want := range []int{1: 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4} {
		if i == 0 {
			continue
		}
		if got := SweetSpot(short(i)); got != want {
			t.Errorf("λ = 1−2^−%d: the best capacity is %d, want %d", i, got, want)
		}
	}
	for lambda, want := range map[float64]int{
		1e-15: 1, 1e-6: 1, // all are alike
		0.01: 2, 1 - 1e-9: 5, 1 - 1e-15: 6,
		// Where it changes.
		0.99759: 2, 0.99761: 3, 0.9999958: 3, 0.9999959: 4,
	} {
		if got := SweetSpot(lambda); got != want {
			t.Errorf("λ = %v: the best capacity is %d, want %d", lambda, got, want)
		}
	}
	// By brute force; and the search ends long before its limit, because E[L]/λ grows with c beyond
	// the least wait.
	for _, lambda := range []float64{0.001, 0.1, 0.5, 0.75, 0.9, 0.99, short(10), short(13), 1 - 1e-6, 1 - 1e-9,
		1 - 1e-12, 1 - 1e-15} {
		best, least, held, ended := 0, math.Inf(1), -1.0, false
		for c := 1; c <= 60; c++ {
			l := NewLimit(c, lambda)
			if l.Wait < least {
				if ended {
					t.Errorf("λ = %v: the search ended before the best", lambda)
				}
				best, least = c, l.Wait
			}
			load := meanLoad(l.Loads) / lambda
			if load < held*(1-1e-13) {
				t.Errorf("λ = %v: loads fall from %v to %v at c = %d", lambda, held, load, c)
			}
			held = load
			ended = ended || load >= least
		}
		if got := SweetSpot(lambda); got != best || !ended {
			t.Errorf("λ = %v: the best capacity is %d, want %d", lambda, got, best)
		}
	}
}

// wantPanic calls a function with a bad argument.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "capped: ") || !strings.Contains(got, want) {
			t.Errorf("the panic is %q, want %q", got, want)
		}
	}()
	f()
}

func TestBadArguments(t *testing.T) {
	const bins, capacity, rate = "the number of bins must be 1 or more, not ",
		"the capacity of a bin must be 1 or more, not ",
		"the rate must be above 0 and below 1, not "
	const table = "the capacity of a bin must be from 1 to 2²⁰, not "
	for _, f := range []func(n, c int, lambda float64) float64{PoolBound, WaitBound} {
		wantPanic(t, bins+"0", func() { f(0, 1, 0.5) })
		wantPanic(t, capacity+"-1", func() { f(1, -1, 0.5) })
	}
	for lambda, shown := range map[float64]string{0: "0", 1: "1", -0.5: "-0.5", math.Inf(1): "+Inf", math.NaN(): "NaN"} {
		for _, f := range []func(){
			func() { PoolBound(10, 1, lambda) }, func() { WaitBound(10, 2, lambda) },
			func() { SweetSpot(lambda) },
			func() { NewLimit(1, lambda) }, func() { MeanField(1, lambda) }, func() { GreedyLimit(2, lambda) },
		} {
			wantPanic(t, rate+shown, f)
		}
	}
	wantPanic(t, table+"0", func() { NewLimit(0, 0.5) })
	wantPanic(t, table+"0", func() { MeanField(0, 0.5) })
	wantPanic(t, "the number of choices of a ball must be from 1 to 2²⁰, not 0", func() { GreedyLimit(0, 0.5) })
	for _, l := range []*Limit{NewLimit(2, 0.5), GreedyLimit(2, 0.5)} {
		wantPanic(t, bins+"0", func() { l.MaxWait(0) })
		wantPanic(t, "the number of rounds must be from 0 to 20000000, not -1", func() { l.FromEmpty(-1) })
	}
}
