package law

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestGompertzOffByFourPercent compares draws with the whole survival function, by Kolmogorov and
// Smirnov: with n draws the largest distance exceeds 2.1/√n with probability 2·exp(−2·2.1²) =
// 3·10⁻⁴, and one of forty seeds may. A rate or a growth that is 4 % off is noticed.
func TestGompertzOffByFourPercent(t *testing.T) {
	const n, seeds = 20_000, 40
	distance := func(seed uint64, l, against *Law, age float64) float64 {
		s := random.New(2040, seed)
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = l.DrawBeyond(&s, age)
		}
		slices.Sort(xs)
		far := 0.0
		for i, x := range xs {
			if math.IsInf(x, 1) {
				break // all others are endless, too
			}
			p := 1 - against.Survival(x)/against.Survival(age)
			far = max(far, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
		}
		return far * math.Sqrt(n)
	}
	laws := []Law{
		Gompertz(5e-5, 0.09, 0), Gompertz(5e-5, 0.09, 0.0005), Gompertz(1, 1, 1),
		Gompertz(2, -1, 0), Gompertz(2, -1, 0.5),
	}
	ages := []float64{0, 1, 60}
	beyond := 0
	for seed := range uint64(seeds) {
		l := &laws[seed%5]
		age := ages[seed/5%3]
		if l.a >= 1 {
			age /= 30
		}
		if d := distance(seed, l, l, age); d > 2.1 {
			beyond++
			t.Logf("seed %d, %+v beyond %v: distance %.2f/√n", seed, l, age, d)
		}
	}
	if beyond > 1 {
		t.Errorf("%d of %d seeds are beyond the limit", beyond, seeds)
	}
	for _, wrong := range []Law{Gompertz(5.2e-5, 0.09, 0), Gompertz(5e-5, 0.0936, 0), Gompertz(5e-5, 0.09, 0.0008)} {
		if d := distance(1, &laws[0], &wrong, 0); d < 2.1 {
			t.Errorf("a law with %v, %v and %v would not be noticed: distance %.2f/√n", wrong.a, wrong.b, wrong.c, d)
		}
	}
}

// TestGompertzMeanOff compares the quadrature with closed forms (DLMF 6.2.1, by series to 12
// digits) and with laws that are nearly exponential.
func TestGompertzMeanOff(t *testing.T) {
	for _, c := range []struct{ rate, growth, makeham, want, within float64 }{
		{1, 1, 0, 0.596347362323194, 1e-13},
		{1, 1, 1, 1 - 0.596347362323194, 1e-13},
		{0.5, 1e-9, 0, 2, 1e-8},
		{0.5, 1e-9, 0.5, 1, 1e-8},
		{1e-9, -1, 0.25, 4, 1e-8},
		{3e6, 2e-3, 0, 1 / 3e6, 1e-8},
		{1e-200, 1, 0, 200*math.Ln10 - 0.5772156649015329, 1e-9}, // −log θ − γ for a small θ
	} {
		l := Gompertz(c.rate, c.growth, c.makeham)
		if m := l.Mean(); math.Abs(m-c.want) > c.within*c.want {
			t.Errorf("%+v: mean %.15g", c, m)
		}
	}
	l := Gompertz(2, -1, 0)
	if m := l.Mean(); m != inf || !l.Endless() {
		t.Errorf("mean %v of an endless duration", m)
	}
	if l := Gompertz(0.25, 0, 0.5); l.family != familyExponential || l.a != 0.75 {
		t.Errorf("without growth it is %+v", l)
	}
}

// TestGompertzOverflows has extreme arguments, which must be refused by Sound or give numbers.
func TestGompertzOverflows(t *testing.T) {
	s := random.New(2041)
	for _, c := range []struct{ rate, growth, makeham float64 }{
		{1e-299, 1e-5, 0}, {1e-100, 1e100, 0}, {1e100, 1e-100, 0}, {1e250, 1e250, 1e250}, {1, -1e-200, 0},
		{1e-250, -1e30, 1e-200}, {5e-324, 1, 0}, {1, 5e-324, 0}, {1, 1, 5e-324},
	} {
		l := Gompertz(c.rate, c.growth, c.makeham)
		if !l.Valid() {
			continue
		}
		for range 100 {
			for _, age := range []float64{0, 1e-300, 1, 1e5, 1e300} {
				if x := l.DrawBeyond(&s, age); !(x >= age) {
					t.Fatalf("%+v beyond %v draws %v", c, age, x)
				}
				if p := l.Survival(age); !(p >= 0 && p <= 1) {
					t.Fatalf("%+v survival of %v is %v", c, age, p)
				}
			}
		}
	}
	for _, l := range []Law{
		Gompertz(5e-324, 1, 0), Gompertz(1, 5e-324, 0), Gompertz(1, 1, 5e-324),
		Gompertz(1e-200, 1e200, 0), Gompertz(1, 1, inf),
	} {
		if l.Valid() {
			t.Errorf("%v, %v and %v are accepted", l.a, l.b, l.c)
		}
	}
}
