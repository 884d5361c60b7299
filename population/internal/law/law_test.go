package law

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/function"
)

// A lawCase is a law with properties that are worked out by hand.
type lawCase struct {
	name    string
	law     Law
	mean    float64
	longest float64
	at      [3]float64 // points at which draws are compared with the survival function
	ages    []float64  // ages for DrawBeyond
}

var (
	inf = math.Inf(1)

	lifeTable    = Hazard([]float64{0, 1, 5}, []float64{0.5, 0, 0.25})
	threeParts   = Mixture([]float64{0.3, 0.5, 0.2}, []Law{Exactly(2), Exponential(0.2), Uniform(1, 3)})
	boundedParts = Mixture([]float64{0.4, 0.6}, []Law{Uniform(1, 3), Exactly(1)})
	nested       = Mixture([]float64{0.5, 0.5}, []Law{Exactly(2), boundedParts})

	uniformInGo, _ = Supplied(&function.Duration{Survival: func(x float64) float64 { return max(0, 1-x/2) }})

	lawCases = []lawCase{
		{"exactly", Exactly(5), 5, 5, [3]float64{4.999, 5, 6}, []float64{2}},
		{"exactly 0", Exactly(0), 0, 0, [3]float64{0, 1, 2}, nil},
		{"exponential", Exponential(0.5), 2, inf, [3]float64{0.2, 2, 6}, []float64{1, 10}},
		{"gamma of shape 2", Gamma(5, 2), 5, inf, [3]float64{1, 5, 12}, []float64{0.5, 5, 20}},
		{"gamma of shape 1", Gamma(5, 1), 5, inf, [3]float64{1, 5, 12}, []float64{5}},
		{"gamma of shape 0.5", Gamma(3, 0.5), 3, inf, [3]float64{0.1, 2, 9}, []float64{0.01, 1, 9}},
		{"gamma of shape 0.05", Gamma(3, 0.05), 3, inf, [3]float64{1e-9, 0.1, 20}, []float64{1e-6, 3}},
		{"gamma of shape 40", Gamma(10, 40), 10, inf, [3]float64{8, 10, 12}, []float64{5, 10, 14}},
		{
			"weibull of shape 6", Weibull(80, 6), 80 * math.Gamma(7.0/6), inf,
			[3]float64{50, 75, 95}, []float64{30, 80, 100},
		},
		{
			"weibull of shape 0.7", Weibull(2, 0.7), 2 * math.Gamma(1+1/0.7), inf,
			[3]float64{0.1, 2, 7}, []float64{0.1, 5},
		},
		{"lognormal", Lognormal(5, 2), 5, inf, [3]float64{3, 5, 8}, []float64{2, 5, 9}},
		{"lognormal with a large sd", Lognormal(1, 1.5), 1, inf, [3]float64{0.1, 0.6, 3}, []float64{0.3, 4}},
		{"uniform", Uniform(1, 4), 2.5, 4, [3]float64{0.5, 2, 3.9}, []float64{0.5, 1, 3}},
		{"uniform from 0", Uniform(0, 4), 2, 4, [3]float64{0.1, 2, 4}, []float64{2}},
		{
			"hazard", lifeTable, 2*(1-math.Exp(-0.5)) + 4*math.Exp(-0.5) + 4*math.Exp(-0.5), inf,
			[3]float64{0.5, 3, 9}, []float64{0.4, 1, 2.5, 5, 7},
		},
		{"hazard of one step", Hazard([]float64{0}, []float64{0.25}), 4, inf, [3]float64{1, 4, 8}, []float64{3}},
		// The means of Gompertz: exp(θ)·E₁(θ)/b with θ = a/b; e·Γ(−1, 1) = 1 − e·E₁(1) for
		// a = b = c = 1; and for the falling hazard, with u = exp(−t), the integral of
		// u^(−1/2)·exp(2u − 2) from 0 to 1, term by term: exp(−2)·Σ 2ᵏ/k!/(k + 1/2).
		{"gompertz", Gompertz(1, 1, 0), 0.5963473623231941, inf, [3]float64{0.1, 0.5, 1.5}, []float64{0.5, 3}},
		{
			"gompertz of a life", Gompertz(5e-5, 0.09, 0), 76.91918498346979, inf,
			[3]float64{40, 75, 95}, []float64{30, 80, 110},
		},
		{
			"gompertz and makeham", Gompertz(1, 1, 1), 1 - 0.5963473623231941, inf,
			[3]float64{0.1, 0.3, 1}, []float64{0.2, 2},
		},
		{
			"gompertz with a falling hazard", Gompertz(2, -1, 0.5), 0.6399880745654091, inf,
			[3]float64{0.1, 1, 4}, []float64{0.5, 3},
		},
		{
			"mixture", threeParts, 0.3*2 + 0.5*5 + 0.2*2, inf,
			[3]float64{1.5, 2.5, 6}, []float64{1.5, 2, 2.5, 10},
		},
		{
			"mixture with an upper bound", nested, 0.5*2 + 0.5*(0.4*2+0.6*1), 3,
			[3]float64{0.5, 1.5, 2.5}, []float64{1.2, 2.1},
		},
		{
			"a function in Go", uniformInGo, 1, 2,
			[3]float64{0.5, 1, 1.5}, []float64{0.5, 1.9},
		},
	}
)

// A share or a mean of so many draws is off by more than the tolerance, in standard errors, once in
// 150,000 times. The seeds are fixed.
const (
	draws     = 200_000
	tolerance = 4.5
)

// checkShare compares a relative frequency with its probability.
func checkShare(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	got := float64(count) / float64(n)
	if d := math.Abs(got - p); d > tolerance*math.Sqrt(max(0, p*(1-p))/float64(n))+1e-12 || math.IsNaN(p) {
		t.Errorf("%s: share %v, want %v", what, got, p)
	}
}

// TestDrawsOfTheWrongFamily compares the switches of Draw, DrawBeyond and DrawAll with the methods
// of the family that distribution returns.
func TestDrawsOfTheWrongFamily(t *testing.T) {
	tested := map[family]bool{}
	for i, c := range lawCases {
		l := &c.law
		tested[l.family] = true
		for k := range uint64(20) {
			one := random.New(2025, uint64(i), k)
			two, many := one, []random.Stream{one}
			out := []float64{0}
			l.DrawAll(many, out)
			x, y := l.Draw(&one), l.distribution().draw(&two)
			if x != y || one != two || out[0] != y || many[0] != two {
				t.Fatalf("%s: Draw %v, DrawAll %v, want %v", c.name, x, out[0], y)
			}
			for _, age := range c.ages {
				many[0] = one
				l.DrawAllBeyond(many, []float64{age}, out)
				x, y := l.DrawBeyond(&one, age), l.distribution().drawBeyond(&two, age)
				if x != y || one != two || out[0] != y || many[0] != two {
					t.Fatalf("%s beyond %v: DrawBeyond %v, DrawAllBeyond %v, want %v", c.name, age, x, out[0], y)
				}
			}
		}
	}
	if len(tested) != int(families) {
		t.Errorf("%d families are tested, want %d", len(tested), families)
	}
}

// TestDrawsOffMeanOrSurvival compares means and survival functions with draws, and with results by
// hand.
func TestDrawsOffMeanOrSurvival(t *testing.T) {
	for i, c := range lawCases {
		t.Run(c.name, func(t *testing.T) {
			l := &c.law
			if m := l.Mean(); math.Abs(m-c.mean) > 1e-12*c.mean {
				t.Errorf("mean %v, want %v", m, c.mean)
			}
			if x := l.Longest(); x != c.longest {
				t.Errorf("longest %v, want %v", x, c.longest)
			}
			s := random.New(2026, uint64(i))
			var sum, squares float64
			var longer [3]int
			for range draws {
				x := l.Draw(&s)
				if !(x >= 0 && x <= c.longest) {
					t.Fatalf("a draw of %v", x)
				}
				d := x - c.mean
				sum += d
				squares += d * d
				for k, at := range c.at {
					if x > at {
						longer[k]++
					}
				}
			}
			se := math.Sqrt(squares / draws / draws)
			if off := sum / draws; math.Abs(off) > tolerance*se+1e-12*c.mean {
				t.Errorf("the mean of the draws is %v, want %v ± %v", c.mean+off, c.mean, se)
			}
			for k, at := range c.at {
				checkShare(t, fmt.Sprintf("longer than %v", at), longer[k], draws, l.Survival(at))
			}
		})
	}
}

// TestDrawBeyondOffBayes compares durations beyond an age with Bayes' rule: they are longer than x
// with probability Survival(x)/Survival(age).
func TestDrawBeyondOffBayes(t *testing.T) {
	for i, c := range lawCases {
		t.Run(c.name, func(t *testing.T) {
			n := testscale.Size(4_000, 20_000)
			if c.law.family == familyGamma && c.law.a < 0.1 {
				// Inverting this tail takes 50 µs; other shapes test the same lines with more
				// draws.
				n = testscale.Size(1_000, 5_000)
			}
			for _, age := range c.ages {
				checkBeyond(t, &c.law, age, n, uint64(i))
			}
			// Beyond age 0 it is Draw, to the bit.
			a, b := random.New(1, uint64(i)), random.New(1, uint64(i))
			if x, y := c.law.Draw(&a), c.law.DrawBeyond(&b, 0); x != y || a != b {
				t.Errorf("beyond 0 it draws %v instead of %v", y, x)
			}
		})
	}
}

func checkBeyond(t *testing.T, l *Law, age float64, n int, seed uint64) {
	t.Helper()
	s := random.New(2027, seed)
	xs := make([]float64, n)
	for k := range xs {
		// Rounding may make a draw equal to the age.
		if xs[k] = l.DrawBeyond(&s, age); !(xs[k] >= age && xs[k] <= l.Longest()) {
			t.Fatalf("beyond %v it draws %v", age, xs[k])
		}
	}
	// The points to compare at are draws themselves: that is where the probability is.
	for _, at := range []float64{xs[0], xs[1], xs[2]} {
		count := 0
		for _, x := range xs {
			if x > at {
				count++
			}
		}
		what := fmt.Sprintf("longer than %.4g beyond %.4g", at, age)
		checkShare(t, what, count, n, l.Survival(at)/l.Survival(age))
	}
}

// TestDrawBeyondOffInFarTail is TestDrawBeyondOffBayes at ages with survival as small as 10⁻²⁵⁰.
func TestDrawBeyondOffInFarTail(t *testing.T) {
	for i, c := range []struct {
		name string
		law  Law
		ages []float64
	}{
		{"exponential", Exponential(1), []float64{40, 500}},
		{"gamma", Gamma(1, 2), []float64{20, 50, 150, 280}},
		{"gamma of shape 0.5", Gamma(1, 0.5), []float64{50, 200, 1000}},
		{"gamma of shape 30", Gamma(1, 30), []float64{3, 6, 20}},
		{"weibull", Weibull(1, 3), []float64{3, 8}},
		{"lognormal", Lognormal(1, 0.5), []float64{20, 60, 10_000}},
		{"hazard", lifeTable, []float64{200, 2000}},
		{"mixture", Mixture([]float64{0.5, 0.5}, []Law{Gamma(1, 2), Exponential(1.5)}), []float64{30, 200}},
	} {
		for _, age := range c.ages {
			t.Run(c.name, func(t *testing.T) {
				checkBeyond(t, &c.law, age, testscale.Size(4_000, 20_000), uint64(100+i))
			})
		}
	}
}

// TestLogSurvivalOff compares LogSurvival with the logarithm of Survival, and each logTail with it
// far out, but where Survival does not underflow yet.
func TestLogSurvivalOff(t *testing.T) {
	for _, c := range lawCases {
		for _, x := range append(slices.Clone(c.ages), c.at[:]...) {
			got, want := c.law.LogSurvival(x), math.Log(c.law.Survival(x))
			if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%s: %v at %v, want %v", c.name, got, x, want)
			}
		}
	}
	mixed := Mixture([]float64{0.25, 0, 0.5, 0.25}, []Law{Gamma(1, 2), Exponential(0.1), Weibull(1, 1.2), Exactly(3)})
	for _, c := range []struct {
		law Law
		at  float64
	}{
		{Gamma(1, 2), 250}, {Gamma(1, 0.5), 1000}, {Gamma(1, 7.3), 80},
		{Lognormal(1, 0.5), 1e6}, {Lognormal(1, 3), 1e16}, {mixed, 160},
	} {
		tailed := c.law.distribution().(interface{ logTail(x float64) float64 })
		got, want := tailed.logTail(c.at), math.Log(c.law.Survival(c.at))
		if !(want < -300) || math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("family %d at %v: %v, want %v", c.law.family, c.at, got, want)
		}
		// Where Survival underflows it still falls.
		far, farther := c.law.LogSurvival(100*c.at), c.law.LogSurvival(101*c.at)
		if math.IsInf(far, 0) || !(farther < far) {
			t.Errorf("family %d: %v at %v, and then %v", c.law.family, far, 100*c.at, farther)
		}
	}
}

// TestRateZeroIsNaN draws from laws with a rate of 0, which never end.
func TestRateZeroIsNaN(t *testing.T) {
	s := random.New(2031)
	never := Exponential(0)
	x, y, m, p := never.Draw(&s), never.DrawBeyond(&s, 3), never.Mean(), never.Survival(1e9)
	if x != inf || y != inf || m != inf || p != 1 {
		t.Errorf("a rate of 0: draws %v and %v, mean %v, survival %v", x, y, m, p)
	}
}
