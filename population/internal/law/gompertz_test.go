package law

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Draws against the whole survival function, by Kolmogorov and Smirnov: with n draws the largest distance exceeds 2.1/√n with a
// probability of 2·exp(−2·2.1²) = 3·10⁻⁴, and of forty seeds one may. A rate or a growth that is 4 % off is noticed.
func TestGompertzWhole(t *testing.T) {
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
				break // the rest live for ever
			}
			p := 1 - against.Survival(x)/against.Survival(age)
			far = max(far, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
		}
		return far * math.Sqrt(n)
	}
	laws := []Law{Gompertz(5e-5, 0.09, 0), Gompertz(5e-5, 0.09, 0.0005), Gompertz(1, 1, 1), Gompertz(2, -1, 0), Gompertz(2, -1, 0.5)}
	ages := []float64{0, 1, 60}
	beyond := 0
	for seed := range uint64(seeds) {
		l := &laws[seed%5]
		age := ages[seed/5%3]
		if l.A >= 1 {
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
			t.Errorf("a law with %v, %v and %v would not be noticed: distance %.2f/√n", wrong.A, wrong.b, wrong.c, d)
		}
	}
}

// The mean by quadrature: against closed forms (DLMF 6.2.1, by series to 12 digits), and against what nearly is exponential.
func TestGompertzMean(t *testing.T) {
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
		t.Errorf("mean %v of what may never end", m)
	}
	if l := Gompertz(0.25, 0, 0.5); l.Family != familyExponential || l.A != 0.75 {
		t.Errorf("without growth it is %+v", l)
	}
}

// Extreme arguments are refused, or give numbers.
func TestGompertzExtremes(t *testing.T) {
	s := random.New(2041)
	for _, c := range []struct{ rate, growth, makeham float64 }{
		{1e-299, 1e-5, 0}, {1e-100, 1e100, 0}, {1e100, 1e-100, 0}, {1e250, 1e250, 1e250}, {1, -1e-200, 0}, {1e-250, -1e30, 1e-200}, {5e-324, 1, 0}, {1, 5e-324, 0}, {1, 1, 5e-324},
	} {
		l := Gompertz(c.rate, c.growth, c.makeham)
		if !l.Sound() {
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
	for _, l := range []Law{Gompertz(5e-324, 1, 0), Gompertz(1, 5e-324, 0), Gompertz(1, 1, 5e-324), Gompertz(1e-200, 1e200, 0), Gompertz(1, 1, inf)} {
		if l.Sound() {
			t.Errorf("%v, %v and %v are taken", l.A, l.b, l.c)
		}
	}
}

// Where survival is no number any more its logarithm is, and goes on from where it was one.
func TestLogSurvival(t *testing.T) {
	for _, c := range lawCases {
		for _, x := range append(slices.Clone(c.ages), c.at[:]...) {
			if got, want := c.law.LogSurvival(x), math.Log(c.law.Survival(x)); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%s: %v at %v, want %v", c.name, got, x, want)
			}
		}
	}
	mixed := Mixture([]float64{0.25, 0, 0.5, 0.25}, []Law{Gamma(1, 2), Exponential(0.1), Weibull(1, 1.2), Exactly(3)})
	for _, c := range []struct {
		Law Law
		at  float64
	}{{Gamma(1, 2), 250}, {Gamma(1, 0.5), 1000}, {Gamma(1, 7.3), 80}, {Lognormal(1, 0.5), 1e6}, {Lognormal(1, 3), 1e16}, {mixed, 160}} {
		got, want := c.Law.distribution().(interface{ logTail(x float64) float64 }).logTail(c.at), math.Log(c.Law.Survival(c.at))
		if !(want < -300) || math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("family %d at %v: %v, want %v", c.Law.Family, c.at, got, want)
		}
		// Further out it falls as the density does.
		far, farther := c.Law.LogSurvival(100*c.at), c.Law.LogSurvival(101*c.at)
		if math.IsInf(far, 0) || !(farther < far) {
			t.Errorf("family %d: %v at %v, and then %v", c.Law.Family, far, 100*c.at, farther)
		}
	}
}

// Beyond all numbers draws are still exact: the mean of what is left of a gamma is that of its tail, 1 + (a−1)/x·(1 − 2/x…) over the rate, and of
// two parts of a mixture the one that lasts longer is drawn as often as it weighs.
func TestDrawBeyondAllNumbers(t *testing.T) {
	const n = 100_000
	for i, c := range []struct{ shape, x float64 }{{0.3, 800}, {1, 800}, {6, 800}, {60, 1000}, {250, 1500}} {
		shape, x := c.shape, c.x
		l := Law{Family: familyGamma, A: shape, b: 1}
		s := random.New(2042, uint64(i))
		sum, squares := 0.0, 0.0
		if l.Survival(x) > faint {
			t.Fatal("not far enough")
		}
		for range n {
			y := l.DrawBeyond(&s, x) - x
			sum += y
			squares += y * y
		}
		// E[X − x | X > x] = Γ(a+1, x)/Γ(a, x) − x = a − x + x/(1 + (a−1)/x + …).
		series := asymptotic(func(k float64) float64 { return (shape - k) / x })
		want := shape - x + x/series
		mean := sum / n
		if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want) > tolerance*se {
			t.Errorf("shape %v: %v is left, want %v ± %v", shape, mean, want, se)
		}
	}
	// log of a lognormal beyond z = 50: its mean excess is 1/z − 2/z³ + ….
	l := Law{Family: familyLognormal, A: 0, b: 1}
	s := random.New(2043)
	sum, z := 0.0, 50.0
	for range n {
		sum += math.Log(l.DrawBeyond(&s, math.Exp(z))) - z
	}
	if want, se := 1/z-2/(z*z*z), 1/z/math.Sqrt(n); math.Abs(sum/n-want) > tolerance*se+1e-7 {
		t.Errorf("%v is left, want %v ± %v", sum/n, want, se)
	}
	both := Mixture([]float64{0.5, 0.5}, []Law{Exponential(1), Gompertz(0.66, 0.001, 0)})
	age := 783.5
	logs := (*mixture)(&both).logWeights(age)
	want := 1 / (1 + math.Exp(logs[1]-logs[0]))
	if both.Survival(age) > faint || !(want > 0.05 && want < 0.95) {
		t.Fatalf("the parts are not alike: %v, %v", want, both.Survival(age))
	}
	s = random.New(2044)
	sum = 0
	for range n {
		sum += both.DrawBeyond(&s, age) - age
	}
	left := Gompertz(0.66*math.Exp(0.001*age), 0.001, 0)
	mean := want + (1-want)*left.Mean()
	if se := 1.2 / math.Sqrt(n); math.Abs(sum/n-mean) > tolerance*se {
		t.Errorf("%v is left of a mixture, want %v ± %v", sum/n, mean, se)
	}
}

// Both rejections are exact anywhere, and where they reject often a mistake shows: the mean excess of a normal number over 1 is φ(1)/Q(1) − 1, and that of
// a gamma number of shape a over x is aQ(a+1, x)/Q(a, x) − x.
func TestTailsNear(t *testing.T) {
	const n = 100_000
	check := func(what string, draw func(s *random.Stream) float64, want float64) {
		s := random.New(2045)
		sum, squares := 0.0, 0.0
		for range n {
			x := draw(&s)
			sum += x
			squares += x * x
		}
		mean := sum / n
		if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want) > tolerance*se {
			t.Errorf("%s: %v, want %v ± %v", what, mean, want, se)
		}
	}
	check("normal", func(s *random.Stream) float64 { return normalTail(s, 1) - 1 }, math.Exp(-0.5)/math.Sqrt(2*math.Pi)/(math.Erfc(1/math.Sqrt2)/2)-1)
	for _, c := range []struct{ shape, x float64 }{{0.3, 0.5}, {2, 1.5}, {3, 5}, {30, 40}} {
		above, at := Gamma(c.shape+1, c.shape+1), Gamma(c.shape, c.shape) // of rate 1
		check("gamma", func(s *random.Stream) float64 { return gammaTail(s, c.shape, c.x) }, c.shape*above.Survival(c.x)/at.Survival(c.x)-c.x)
	}
}
