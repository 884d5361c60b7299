package detmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// The precision of the reference, in bits: enough for e^x − 1 of x = 2⁻¹⁰⁰.
const precision = 240

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp is eˣ: the Taylor series of x over a power of 2, squared again as often as that.
func bigExp(x float64) *big.Float { return bigExpOf(bigFloat(x)) }

func bigExpOf(x *big.Float) *big.Float {
	const halvings, terms = 20, 24
	r := new(big.Float).SetMantExp(x, -halvings)
	sum, term := bigFloat(1), bigFloat(1)
	for i := 1; i < terms; i++ {
		term.Mul(term, r)
		term.Quo(term, bigFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func bigExpm1(x float64) *big.Float {
	y := bigExp(x)
	return y.Sub(y, bigFloat(1))
}

// bigLog is log x: from y, which is right to some 15 digits, one step of third order.
func bigLog(x *big.Float) *big.Float {
	// The exponent by itself, because math.Log of a denormal number is wrong on amd64.
	f, _ := x.Float64()
	f, e := math.Frexp(f)
	guess := math.Log(f) + float64(e)*math.Ln2
	y := bigFloat(guess)
	t := bigExp(-guess)
	t.Mul(t, x)
	t.Sub(t, bigFloat(1))
	y.Add(y, t)
	t.Mul(t, t)
	t.SetMantExp(t, -1)
	return y.Sub(y, t)
}

func bigLog1p(x float64) *big.Float {
	y := bigFloat(x)
	return bigLog(y.Add(y, bigFloat(1)))
}

// bigLogTo is the logarithm of x to a base.
func bigLogTo(base float64) func(x float64) *big.Float {
	return func(x float64) *big.Float {
		y := bigLog(bigFloat(x))
		return y.Quo(y, bigLog(bigFloat(base)))
	}
}

// bigCbrt is by Newton's iteration.
func bigCbrt(x float64) *big.Float {
	y := bigFloat(math.Cbrt(x))
	for range 3 {
		t := new(big.Float).Mul(y, y)
		t.Quo(bigFloat(x), t)
		t.Sub(t, y)
		y.Add(y, t.Quo(t, bigFloat(3)))
	}
	return y
}

// bigCosTurns is cos(2πx) for |x| ≤ 1, by its Taylor series.
func bigCosTurns(x float64) *big.Float {
	const twoPi = "6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725606965068423"
	z, _ := new(big.Float).SetPrec(precision).SetString(twoPi)
	z.Mul(z, bigFloat(x))
	z.Mul(z, z)
	sum, term := bigFloat(1), bigFloat(1)
	for i := 1.0; i < 60; i++ {
		term.Mul(term, z)
		term.Quo(term, bigFloat(-2*i*(2*i-1)))
		sum.Add(sum, term)
	}
	return sum
}

// bigPow is x to the power of y.
func bigPow(x, y float64) *big.Float {
	z := bigLog(bigFloat(x))
	return bigExpOf(z.Mul(z, bigFloat(y)))
}

// ulps is the distance of got from want in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) || math.IsNaN(got) {
		return math.Inf(1)
	}
	d := bigFloat(got)
	d.Sub(d, want)
	unit := max(want.MantExp(nil)-53, -1074)
	u, _ := d.SetMantExp(d, -unit).Float64()
	return math.Abs(u)
}

// arguments are ranges from which to take arguments, and those that lie at the ends of a case in
// the code.
type arguments struct {
	name string
	next func(r *rand.Rand) float64
}

func between(low, high float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return low + (high-low)*r.Float64() }
}

// magnitudes has both signs, and magnitudes from 2^low to 2^high.
func magnitudes(low, high float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		x := math.Exp2(low + (high-low)*r.Float64())
		if r.Uint64()&1 != 0 {
			return -x
		}
		return x
	}
}

func positive(f func(r *rand.Rand) float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return math.Abs(f(r)) }
}

// about has numbers within 20 units in the last place of one of xs.
func about(xs ...float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		x := xs[r.IntN(len(xs))]
		towards := math.Inf(1 - 2*r.IntN(2))
		for range r.IntN(20) {
			x = math.Nextafter(x, towards)
		}
		return x
	}
}

var functions = []struct {
	name      string
	function  func(float64) float64
	ofMath    func(float64) float64
	reference func(float64) *big.Float
	arguments []arguments
}{
	{"Log", Log, math.Log, func(x float64) *big.Float { return bigLog(bigFloat(x)) }, []arguments{
		{"near 1", between(0.4, 2.5)},
		{"very near 1", func(r *rand.Rand) float64 { return 1 + magnitudes(-52, -1)(r) }},
		{"all normal", positive(magnitudes(-1022, 1023.9))},
		{"ends", about(math.Sqrt2, math.Sqrt2/2, 2*math.Sqrt2, 1, 2, 0.5, 0x1p-1020, 0x1p1023)},
	}},
	{"Log1p", Log1p, math.Log1p, bigLog1p, []arguments{
		{"middle", between(-0.999, 3)},
		{"small", magnitudes(-100, -0.0001)},
		{"large", positive(magnitudes(-1, 1023.9))},
		{"near -1", func(r *rand.Rand) float64 { return math.Abs(magnitudes(-52, -1)(r)) - 1 }},
		{"ends", about(-1.0/64, 1.0/64, -0.29, 0.41, math.Sqrt2-1, math.Sqrt2/2-1, 1, 0x1p52, 0x1p53, 0x1p54)},
	}},
	{"Exp", Exp, math.Exp, bigExp, []arguments{
		{"middle", between(-3, 3)},
		{"small", magnitudes(-60, -1)},
		{"all", between(-707, 709.4)},
		{"ends", about(math.Ln2/2, -math.Ln2/2, math.Ln2, 100.5*math.Ln2, -707.9, 709)},
	}},
	{"Expm1", Expm1, math.Expm1, bigExpm1, []arguments{
		{"middle", between(-3, 3)},
		{"small", magnitudes(-100, -1)},
		{"all", between(-60, 709.4)},
		{"ends", about(0.34, -0.34, 0x1p-54, -0x1p-54, 40, -40, 1.5*math.Ln2, -1.5*math.Ln2, 53.5*math.Ln2, 709)},
	}},
	{"Log2", Log2, math.Log2, bigLogTo(2), []arguments{
		{"near 1", between(0.4, 2.5)},
		{"very near 1", func(r *rand.Rand) float64 { return 1 + magnitudes(-40, -1)(r) }},
		{"all normal", positive(magnitudes(-1022, 1023.9))},
	}},
	{"Log10", Log10, math.Log10, bigLogTo(10), []arguments{
		{"near 1", between(0.4, 2.5)},
		{"very near 1", func(r *rand.Rand) float64 { return 1 + magnitudes(-40, -1)(r) }},
		{"all normal", positive(magnitudes(-1022, 1023.9))},
	}},
	{"Cbrt", Cbrt, math.Cbrt, bigCbrt, []arguments{
		{"middle", between(-10, 10)},
		{"all normal", magnitudes(-1022, 1023.9)},
	}},
	{"CosTurns", CosTurns, func(x float64) float64 { y, _ := bigCosTurns(x).Float64(); return y }, bigCosTurns,
		[]arguments{
			{"a turn", between(0, 1)},
			{"small", magnitudes(-30, -3)},
			{"near a quarter", func(r *rand.Rand) float64 { return 0.25 + magnitudes(-50, -4)(r) }},
			{"ends", about(0.125, 0.375, 0.5, 0.625, 1)},
		}},
}

// The errors are below 0.95 ulp against a reference with 240 bits.
func TestAccuracy(t *testing.T) {
	tries := testscale.Size(500, 1000)
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range functions {
		for _, a := range f.arguments {
			worst, at := 0.0, 0.0
			for range tries {
				x := a.next(r)
				if d := ulps(f.function(x), f.reference(x)); !(d <= worst) {
					worst, at = d, x
				}
			}
			t.Logf("%s, %s: off by up to %.2f ulp, at %v", f.name, a.name, worst, at)
			if !(worst <= 0.95) {
				t.Errorf("%s, %s: off by %v ulp at %v", f.name, a.name, worst, at)
			}
		}
	}
	// Denormal numbers, as arguments and as results, and the largest results, for which math.Exp is
	// infinite on amd64.
	for range tries {
		x := math.Float64frombits(r.Uint64N(1 << 52))
		if d := ulps(Log(x), bigLog(bigFloat(x))); x > 0 && !(d <= 0.95) {
			t.Errorf("Log of the denormal %v: off by %v ulp", x, d)
		}
		x = between(-745.5, -708)(r)
		if d := ulps(Exp(x), bigExp(x)); !(d <= 1) {
			t.Errorf("Exp(%v), denormal: off by %v ulp", x, d)
		}
		x = between(709, 709.782712893384)(r)
		if d := max(ulps(Exp(x), bigExp(x)), ulps(Expm1(x), bigExp(x))); !(d <= 0.95) {
			t.Errorf("Exp(%v): off by %v ulp", x, d)
		}
	}
}

// Far more arguments than can be looked at with 240 bits: within 2 ulp of package math, which is
// off by up to 1 itself.
func TestLikeMath(t *testing.T) {
	const tries = 60_000
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range functions[:4] { // package math is off by more in the others
		for _, a := range f.arguments {
			for range tries {
				x := a.next(r)
				got, want := f.function(x), f.ofMath(x)
				_, e := math.Frexp(want)
				if d := math.Abs(got-want) / math.Ldexp(1, max(e-53, -1074)); !(d <= 2) {
					t.Fatalf("%s(%v) is %v, %v in package math", f.name, x, got, want)
				}
			}
		}
	}
}

// special is what a function is where the reference has no number: at 0, infinities and NaN, and
// beyond its domain. At 0 it keeps the sign, where it is 0 there.
func special(name string, x float64) (want float64, ok bool) {
	inf, exp := math.Inf(1), name == "Exp" || name == "Expm1"
	switch {
	case math.IsNaN(x):
		return x, true
	case x == 0:
		return map[string]float64{"Log": -inf, "Log1p": x, "Exp": 1, "Expm1": x}[name], true
	case exp && x > 709.782712893384: // log of the largest number is 709.78271289338397…
		return inf, true
	case name == "Exp" && x < -1000:
		return 0, true
	case name == "Expm1" && x < -1000:
		return -1, true
	case exp:
		return 0, false
	case x == inf:
		return inf, true
	case name == "Log1p" && x == -1:
		return -inf, true
	case name == "Log" && x < 0 || x < -1:
		return math.NaN(), true
	case name == "Log" && x == 1:
		return 0, true
	}
	return 0, false
}

// What is not special is the reference, rounded once. Package math is no reference: its Log of
// denormal numbers is wrong on amd64, and its Exp is 0 on arm64 where it should be the smallest of
// them.
func TestSpecialCases(t *testing.T) {
	minusZero := math.Copysign(0, -1)
	for _, f := range functions[:4] {
		for _, x := range []float64{
			0, minusZero, math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.Nextafter(-1, -2), -2, -1e300, -math.MaxFloat64,
			math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, 1e-300, -1e-300,
			709.782712893384, 709.7827128933841, 710, 1e300, math.MaxFloat64, -745.1332191019411, -745.1332191019412, -746, -1e5,
		} {
			got := f.function(x)
			want, ok := special(f.name, x)
			switch {
			case ok:
			case math.Abs(x) < 0x1p-200: // beyond what the reference has digits for, and what is left out is nothing
				want = map[string]float64{"Log1p": x, "Exp": 1, "Expm1": x}[f.name]
				if f.name == "Log" {
					want, _ = f.reference(x).Float64()
				}
			default:
				want, _ = f.reference(x).Float64()
			}
			if math.IsNaN(got) && math.IsNaN(want) {
				continue
			}
			exact := want == 0 || math.IsInf(want, 0) || want == 1 || want == -1
			if exact && math.Float64bits(got) != math.Float64bits(want) || !exact && !(math.Abs(got/want-1) < 1e-15) {
				t.Errorf("%s(%v) is %v, want %v", f.name, x, got, want)
			}
		}
	}
}

// The bits of some results, which must be the same everywhere.
func TestKnownBits(t *testing.T) {
	for _, c := range []struct {
		name     string
		function func(float64) float64
		x        float64
		want     uint64
	}{
		{"Log", Log, 0.1, 0xc0026bb1bbb55515},
		{"Log", Log, 0.7, 0xbfd6d3c324e13f50},
		{"Log", Log, 3, 0x3ff193ea7aad030b},
		{"Log", Log, 1e-300, 0xc085963447f87fb5},
		{"Log", Log, 5e-324, 0xc0874385446d71c3},
		{"Log", Log, 1e300, 0x4085963447f87fb5},
		{"Log1p", Log1p, -0.9, 0xc0026bb1bbb55516},
		{"Log1p", Log1p, -0.3, 0xbfd6d3c324e13f4e},
		{"Log1p", Log1p, -1e-3, 0xbf5064670d979b6f},
		{"Log1p", Log1p, 1e-17, 0x3c670ef54646d497},
		{"Log1p", Log1p, 0.01, 0x3f8460d6ccca3677},
		{"Log1p", Log1p, 0.5, 0x3fd9f323ecbf984c},
		{"Log1p", Log1p, 1e10, 0x4037069e2aa3184e},
		{"Exp", Exp, -745, 0x1},
		{"Exp", Exp, -708.5, 0xe6cf6d08897ac},
		{"Exp", Exp, -30.25, 0x3d34835bd010a41b},
		{"Exp", Exp, -0.4, 0x3fe57343067270ee},
		{"Exp", Exp, 1e-5, 0x3ff0000a7c5e340e},
		{"Exp", Exp, 2, 0x401d8e64b8d4ddae},
		{"Exp", Exp, 709.7, 0x7fed75ae7a50ee14},
		{"Expm1", Expm1, -20.5, 0xbfefffffff542e28},
		{"Expm1", Expm1, -0.7, 0xbfe01bf92311555f},
		{"Expm1", Expm1, -0.1, 0xbfb85c933156a62c},
		{"Expm1", Expm1, 1e-20, 0x3bc79ca10c924223},
		{"Expm1", Expm1, 0.5, 0x3fe4c2531c3c0d38},
		{"Expm1", Expm1, 3, 0x403315e5bf6fb106},
		{"Expm1", Expm1, 600, 0x76088a122d234b39},
	} {
		if got := math.Float64bits(c.function(c.x)); got != c.want {
			t.Errorf("%s(%v) has the bits %#x, want %#x", c.name, c.x, got, c.want)
		}
	}
	// And a hash of many.
	r := rand.New(rand.NewPCG(5, 6))
	hash := uint64(0)
	for range 100_000 {
		x := float64(r.Float64()*100) - 50
		for _, y := range []float64{Log(math.Abs(x)), Log1p(math.Abs(x) - 0.99), Log1p(x / 256), Exp(x), Expm1(x / 16)} {
			hash = (hash ^ math.Float64bits(y)) * 0x100000001b3
			hash ^= hash >> 29
		}
	}
	if want := uint64(0x52cf5a83f3c943d8); hash != want {
		t.Errorf("the hash of many results is %#x, want %#x", hash, want)
	}
}

func Benchmark(b *testing.B) {
	for _, f := range functions {
		var xs [1024]float64
		r := rand.New(rand.NewPCG(7, 8))
		for i := range xs {
			xs[i] = f.arguments[0].next(r)
		}
		b.Run(f.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				f.function(xs[i%len(xs)])
			}
		})
	}
}
