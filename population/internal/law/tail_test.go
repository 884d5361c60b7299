package law

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestGammaOffWhereSurvivalUnderflows compares the mean of what is left of a gamma with that of its
// tail, which is 1 + (a−1)/x·(1 − 2/x…) divided by the rate.
func TestGammaOffWhereSurvivalUnderflows(t *testing.T) {
	const n = 100_000
	for i, c := range []struct{ shape, x float64 }{{0.3, 800}, {1, 800}, {6, 800}, {60, 1000}, {250, 1500}} {
		shape, x := c.shape, c.x
		l := Law{family: familyGamma, a: shape, b: 1}
		s := random.New(2042, uint64(i))
		sum, squares := 0.0, 0.0
		if l.Survival(x) > faint {
			t.Fatal("survival does not underflow")
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
	// Far enough out the rest is exponential, to one part in b·age.
	l := Gamma(1, 2)
	s := random.New(2028)
	sum := 0.0
	for range draws {
		sum += l.DrawBeyond(&s, 500) - 500
	}
	if mean, se := sum/draws, 0.5/math.Sqrt(draws); math.Abs(mean-0.5*(1+1.0/1001)) > tolerance*se {
		t.Errorf("beyond 500 there is %v left of a gamma, want 0.5005 ± %v", mean, se)
	}
}

// TestLognormalOffWhereSurvivalUnderflows looks at the logarithm beyond z = 50: its mean excess is
// 1/z − 2/z³ + ….
func TestLognormalOffWhereSurvivalUnderflows(t *testing.T) {
	const n = 100_000
	l := Law{family: familyLognormal, a: 0, b: 1}
	s := random.New(2043)
	sum, z := 0.0, 50.0
	for range n {
		sum += math.Log(l.DrawBeyond(&s, math.Exp(z))) - z
	}
	if want, se := 1/z-2/(z*z*z), 1/z/math.Sqrt(n); math.Abs(sum/n-want) > tolerance*se+1e-7 {
		t.Errorf("%v is left, want %v ± %v", sum/n, want, se)
	}
}

// TestMixtureOffWhereSurvivalUnderflows has two parts of which each must be drawn in proportion to
// its weight.
func TestMixtureOffWhereSurvivalUnderflows(t *testing.T) {
	const n = 100_000
	l := Mixture([]float64{0.5, 0.5}, []Law{Exponential(1), Gompertz(0.66, 0.001, 0)})
	age := 783.5
	logs := (*mixture)(&l).logWeights(age)
	first := 1 / (1 + math.Exp(logs[1]-logs[0]))
	if l.Survival(age) > faint || !(first > 0.05 && first < 0.95) {
		t.Fatalf("the weights of the parts are not alike: %v, survival %v", first, l.Survival(age))
	}
	s := random.New(2044)
	sum := 0.0
	for range n {
		sum += l.DrawBeyond(&s, age) - age
	}
	second := Gompertz(0.66*math.Exp(0.001*age), 0.001, 0)
	mean := first + (1-first)*second.Mean()
	if se := 1.2 / math.Sqrt(n); math.Abs(sum/n-mean) > tolerance*se {
		t.Errorf("%v is left of a mixture, want %v ± %v", sum/n, mean, se)
	}
}

// TestRejectionOffNearTheCentre draws tails where the rejections, which are exact anywhere, reject
// often, so that a mistake shows. The mean excess of a normal number over 1 is φ(1)/Q(1) − 1, and
// that of a gamma number of shape a over x is a·Q(a+1, x)/Q(a, x) − x.
func TestRejectionOffNearTheCentre(t *testing.T) {
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
	density, above := math.Exp(-0.5)/math.Sqrt(2*math.Pi), math.Erfc(1/math.Sqrt2)/2
	check("normal", func(s *random.Stream) float64 { return normalTail(s, 1) - 1 }, density/above-1)
	for _, c := range []struct{ shape, x float64 }{{0.3, 0.5}, {2, 1.5}, {3, 5}, {30, 40}} {
		more, same := Gamma(c.shape+1, c.shape+1), Gamma(c.shape, c.shape) // of rate 1
		want := c.shape*more.Survival(c.x)/same.Survival(c.x) - c.x
		check("gamma", func(s *random.Stream) float64 { return gammaTail(s, c.shape, c.x) }, want)
	}
}
