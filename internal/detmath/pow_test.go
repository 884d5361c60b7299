package detmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// The table is that of its comment: −log c in two numbers, and every number of an interval comes
// close to 1.
func TestLogTable(t *testing.T) {
	for i, e := range logTable {
		c := float64(e.factor) / 512
		want := bigLog(bigFloat(c))
		want.Neg(want)
		want.Sub(want, bigFloat(e.high))
		if low, _ := want.Float64(); low != e.low || e.high != math.Round(e.high*0x1p42)*0x1p-42 {
			t.Errorf("%d: −log(%v) is %v + %v, want %v for the second", i, c, e.high, e.low, low)
		}
		from := math.Float64frombits(logOffset + uint64(i)<<(mantissa-tableBits))
		to := math.Float64frombits(logOffset + uint64(i+1)<<(mantissa-tableBits))
		if from <= 1 && 1 < to && c != 1 || !(math.Abs(from*c-1) < 0x1p-7 && math.Abs(to*c-1) < 0x1p-7) {
			t.Errorf("%d: the factor %v takes [%v, %v) too far from 1", i, c, from, to)
		}
	}
}

// Powers are within 0.95 ulp of a reference with 240 bits.
func TestPow(t *testing.T) {
	tries := testscale.Size(800, 2000)
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name string
		x, y func(*rand.Rand) float64
	}{
		{"middle", between(0.1, 10), between(-5, 5)},
		{"near 1", func(r *rand.Rand) float64 { return 1 + magnitudes(-40, -4)(r) }, magnitudes(0, 14)},
		{"large results", positive(magnitudes(-60, 60)), between(-16, 16)},
		{"roots", positive(magnitudes(-1000, 1000)), between(-1, 1)},
	} {
		worst := 0.0
		for range tries {
			x, y := c.x(r), c.y(r)
			want := bigPow(x, y)
			if e := want.MantExp(nil); e > 1023 || e < -1020 {
				continue
			}
			worst = max(worst, ulps(Pow(x, y), want))
		}
		t.Logf("%s: off by up to %.2f ulp", c.name, worst)
		if !(worst <= 0.95) {
			t.Errorf("%s: off by %v ulp", c.name, worst)
		}
	}
	for n := range 23 {
		if got := Pow(10, float64(n)); got != math.Pow10(n) {
			t.Errorf("Pow(10, %d) is %v", n, got)
		}
	}
	for n := -307; n <= 308; n++ {
		if got := Log10(math.Pow10(n)); got != float64(n) {
			t.Errorf("Log10(1e%d) is %v", n, got)
		}
		if got := Log2(math.Ldexp(1, n)); got != float64(n) {
			t.Errorf("Log2 of 2 to the power of %d is %v", n, got)
		}
	}
	for i := range 100 {
		x := float64(i)
		if Pow(x, 2) != x*x || Pow(x, 3) != x*x*x || Cbrt(-x*x*x) != -x {
			t.Errorf("powers of %v are not exact", x)
		}
	}
}

// The special cases are those of package math.
func TestPowSpecialCases(t *testing.T) {
	inf := math.Inf(1)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, inf, -inf, math.NaN(), 5e-324, -5e-324,
		1e300, -1e300, 1e-310, 709, 1e18,
		-1e18, 0x1p53 + 2, math.MaxFloat64}
	for _, x := range special {
		for _, y := range special {
			got, want := Pow(x, y), math.Pow(x, y)
			same := math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want)
			if !same && !(math.Abs(got/want-1) < 1e-13) {
				t.Errorf("Pow(%v, %v) is %v, want %v", x, y, got, want)
			}
		}
	}
	// package math is wrong there on amd64
	if got, want := Log10(5e-324), -323.3062153431158; got != want || Log2(5e-324) != -1074 {
		t.Errorf("Log10 of the smallest number is %v, want %v", got, want)
	}
	for _, x := range []float64{0, -1, inf, math.NaN()} {
		for _, f := range []struct {
			name      string
			got, want float64
		}{{"Log2", Log2(x), math.Log2(x)}, {"Log10", Log10(x), math.Log10(x)}, {"Cbrt", Cbrt(x), math.Cbrt(x)}} {
			if !(f.got == f.want || math.IsNaN(f.got) && math.IsNaN(f.want) || math.Abs(f.got/f.want-1) < 1e-15) {
				t.Errorf("%s(%v) is %v, want %v", f.name, x, f.got, f.want)
			}
		}
	}
	for _, x := range []float64{0, 0.25, 0.5, 0.75, 1, 7.5, -0.25, 1e300} {
		want := []float64{1, 0, -1, 0}[int(math.Mod(math.Abs(x), 1)*4)]
		if got := CosTurns(x); got != want {
			t.Errorf("CosTurns(%v) is %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(CosTurns(inf)) || !math.IsNaN(CosTurns(math.NaN())) {
		t.Error("CosTurns of what is no number is one")
	}
}
