package law

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/soak"
)

// A lawCase is a distribution with what is known about it by hand.
type lawCase struct {
	name    string
	law     Law
	mean    float64
	longest float64
	at      [3]float64 // where survival is looked at
	ages    []float64  // beyond which durations are drawn
}

var (
	inf      = math.Inf(1)
	lifeline = Hazard([]float64{0, 1, 5}, []float64{0.5, 0, 0.25})
	lawCases = []lawCase{
		{"exactly", Exactly(5), 5, 5, [3]float64{4.999, 5, 6}, []float64{2}},
		{"exactly 0", Exactly(0), 0, 0, [3]float64{0, 1, 2}, nil},
		{"exponential", Exponential(0.5), 2, inf, [3]float64{0.2, 2, 6}, []float64{1, 10}},
		{"gamma of shape 2", Gamma(5, 2), 5, inf, [3]float64{1, 5, 12}, []float64{0.5, 5, 20}},
		{"gamma of shape 1", Gamma(5, 1), 5, inf, [3]float64{1, 5, 12}, []float64{5}},
		{"gamma of shape 0.5", Gamma(3, 0.5), 3, inf, [3]float64{0.1, 2, 9}, []float64{0.01, 1, 9}},
		{"gamma of shape 0.05", Gamma(3, 0.05), 3, inf, [3]float64{1e-9, 0.1, 20}, []float64{1e-6, 3}},
		{"gamma of shape 40", Gamma(10, 40), 10, inf, [3]float64{8, 10, 12}, []float64{5, 10, 14}},
		{"weibull of shape 6", Weibull(80, 6), 80 * math.Gamma(7.0/6), inf, [3]float64{50, 75, 95}, []float64{30, 80, 100}},
		{"weibull of shape 0.7", Weibull(2, 0.7), 2 * math.Gamma(1+1/0.7), inf, [3]float64{0.1, 2, 7}, []float64{0.1, 5}},
		{"lognormal", Lognormal(5, 2), 5, inf, [3]float64{3, 5, 8}, []float64{2, 5, 9}},
		{"lognormal with a large sd", Lognormal(1, 1.5), 1, inf, [3]float64{0.1, 0.6, 3}, []float64{0.3, 4}},
		{"uniform", Uniform(1, 4), 2.5, 4, [3]float64{0.5, 2, 3.9}, []float64{0.5, 1, 3}},
		{"uniform from 0", Uniform(0, 4), 2, 4, [3]float64{0.1, 2, 4}, []float64{2}},
		{"hazard", lifeline, 2*(1-math.Exp(-0.5)) + 4*math.Exp(-0.5) + 4*math.Exp(-0.5), inf, [3]float64{0.5, 3, 9}, []float64{0.4, 1, 2.5, 5, 7}},
		{"hazard of one step", Hazard([]float64{0}, []float64{0.25}), 4, inf, [3]float64{1, 4, 8}, []float64{3}},
		// The means: exp(θ)·E₁(θ)/b with θ = a/b; e·Γ(−1, 1) = 1 − e·E₁(1) for a = b = c = 1; and, for the one that falls, with u = exp(−t), the
		// integral of u^(−1/2)·exp(2u − 2) from 0 to 1, term by term: exp(−2)·Σ 2ᵏ/k!/(k + 1/2).
		{"gompertz", Gompertz(1, 1, 0), 0.5963473623231941, inf, [3]float64{0.1, 0.5, 1.5}, []float64{0.5, 3}},
		{"gompertz of a life", Gompertz(5e-5, 0.09, 0), 76.91918498346979, inf, [3]float64{40, 75, 95}, []float64{30, 80, 110}},
		{"gompertz and makeham", Gompertz(1, 1, 1), 1 - 0.5963473623231941, inf, [3]float64{0.1, 0.3, 1}, []float64{0.2, 2}},
		{"gompertz that falls", Gompertz(2, -1, 0.5), 0.6399880745654091, inf, [3]float64{0.1, 1, 4}, []float64{0.5, 3}},
		{
			"mixture", Mixture([]float64{0.3, 0.5, 0.2}, []Law{Exactly(2), Exponential(0.2), Uniform(1, 3)}),
			0.3*2 + 0.5*5 + 0.2*2, inf, [3]float64{1.5, 2.5, 6}, []float64{1.5, 2, 2.5, 10},
		},
		{
			"mixture with an end", Mixture([]float64{0.5, 0.5}, []Law{Exactly(2), Mixture([]float64{0.4, 0.6}, []Law{Uniform(1, 3), Exactly(1)})}),
			0.5*2 + 0.5*(0.4*2+0.6*1), 3, [3]float64{0.5, 1.5, 2.5}, []float64{1.2, 2.1},
		},
	}
)

// Draws and standard errors: a share or a mean of 200,000 draws is off by more than 4.5 standard errors once in 150,000
// times, and the seed is fixed.
const (
	draws     = 200_000
	tolerance = 4.5
)

// shareIs compares how often something happened with its probability.
func shareIs(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	got := float64(count) / float64(n)
	if d := math.Abs(got - p); d > tolerance*math.Sqrt(max(0, p*(1-p))/float64(n))+1e-12 || math.IsNaN(p) {
		t.Errorf("%s: share %v, want %v", what, got, p)
	}
}

func TestLaws(t *testing.T) {
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
				shareIs(t, "longer than the point", longer[k], draws, l.Survival(at))
			}
		})
	}
}

// TestDrawBeyond compares what is left at an age with what Bayes says: it is longer than x with the probability of x
// divided by that of the age.
func TestDrawBeyond(t *testing.T) {
	for i, c := range lawCases {
		t.Run(c.name, func(t *testing.T) {
			n := soak.Size(4_000, 20_000)
			if c.law.Family == familyGamma && c.law.A < 0.1 {
				n = soak.Size(1_000, 5_000) // since inverting this tail takes 50 µs; other shapes go through the same lines with more
			}
			for _, age := range c.ages {
				checkBeyond(t, &c.law, age, n, uint64(i))
			}
			// At the beginning of life nothing is known yet.
			a, b := random.New(1, uint64(i)), random.New(1, uint64(i))
			if x, y := c.law.Draw(&a), c.law.DrawBeyond(&b, 0); x != y || a != b {
				t.Errorf("beyond 0 it draws %v in place of %v", y, x)
			}
		})
	}
}

func checkBeyond(t *testing.T, l *Law, age float64, n int, seed uint64) {
	t.Helper()
	s := random.New(2027, seed)
	xs := make([]float64, n)
	for k := range xs {
		// Rounding may bring a draw down to the age itself.
		if xs[k] = l.DrawBeyond(&s, age); !(xs[k] >= age && xs[k] <= l.Longest()) {
			t.Fatalf("beyond %v it draws %v", age, xs[k])
		}
	}
	// Where to look: at some of the draws, which are where the probability is.
	for _, at := range []float64{xs[0], xs[1], xs[2]} {
		count := 0
		for _, x := range xs {
			if x > at {
				count++
			}
		}
		shareIs(t, fmt.Sprintf("longer than %.4g beyond %.4g", at, age), count, n, l.Survival(at)/l.Survival(age))
	}
}

// TestDrawBeyondFar goes where almost nobody comes: the numbers there are as small as 10⁻²⁵⁰, and what is left must be right
// all the same.
func TestDrawBeyondFar(t *testing.T) {
	for i, c := range []struct {
		name string
		Law  Law
		ages []float64
	}{
		{"exponential", Exponential(1), []float64{40, 500}},
		{"gamma", Gamma(1, 2), []float64{20, 50, 150, 280}},
		{"gamma of shape 0.5", Gamma(1, 0.5), []float64{50, 200, 1000}},
		{"gamma of shape 30", Gamma(1, 30), []float64{3, 6, 20}},
		{"weibull", Weibull(1, 3), []float64{3, 8}},
		{"lognormal", Lognormal(1, 0.5), []float64{20, 60, 10_000}},
		{"hazard", lifeline, []float64{200, 2000}},
		{"mixture", Mixture([]float64{0.5, 0.5}, []Law{Gamma(1, 2), Exponential(1.5)}), []float64{30, 200}},
	} {
		for _, age := range c.ages {
			t.Run(c.name, func(t *testing.T) { checkBeyond(t, &c.Law, age, soak.Size(4_000, 20_000), uint64(100+i)) })
		}
	}
	// Beyond all numbers what is left of a gamma is exponential, to one part in b·age.
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

// TestLognormal checks that mean and sd are those of the time, not of its logarithm.
func TestLognormal(t *testing.T) {
	l := Lognormal(5, 2)
	if sd := l.Mean() * math.Sqrt(math.Expm1(l.b*l.b)); math.Abs(sd-2) > 1e-12 {
		t.Errorf("sd %v, want 2", sd)
	}
	if want := math.Log(25 / math.Sqrt(29)); math.Abs(l.A-want) > 1e-12 {
		t.Errorf("the logarithm has mean %v, want %v", l.A, want)
	}
	if want := math.Sqrt(math.Log(1.16)); math.Abs(l.b-want) > 1e-12 {
		t.Errorf("the logarithm has sd %v, want %v", l.b, want)
	}
	s := random.New(2029)
	var squares, fourths float64
	for range draws {
		d := l.Draw(&s) - 5
		squares += d * d
		fourths += d * d * d * d
	}
	variance := squares / draws
	se := math.Sqrt((fourths/draws - variance*variance) / draws)
	if math.Abs(variance-4) > tolerance*se {
		t.Errorf("the variance of the draws is %v, want 4 ± %v", variance, se)
	}
}

// TestHazardByHand takes a table of 0.5 up to 1, nothing up to 5, and 0.25 from then on.
func TestHazardByHand(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 1, 0.5: math.Exp(-0.25), 1: math.Exp(-0.5), 3: math.Exp(-0.5), 5: math.Exp(-0.5), 9: math.Exp(-1.5), 21: math.Exp(-4.5),
	} {
		if p := lifeline.Survival(x); math.Abs(p-want) > 1e-15 {
			t.Errorf("survival of %v is %v, want %v", x, p, want)
		}
	}
	for h, want := range map[float64]float64{0.25: 0.5, 0.49: 0.98, 0.75: 6, 1.5: 9} {
		if x := (*hazard)(&lifeline).inverse(h); math.Abs(x-want) > 1e-15 {
			t.Errorf("the hazard is %v at %v, want %v", h, x, want)
		}
	}
	for x, want := range map[float64]int{0: 0, 0.99: 0, 1: 1, 4.99: 1, 5: 2, 100: 2} {
		if i := lifeline.byAge.Find(x); i != want {
			t.Errorf("%v is in step %d, want %d", x, i, want)
		}
	}
	// A table that ends with 0 lets a share of all live for ever.
	mortal := Hazard([]float64{0, 2}, []float64{0.5, 0})
	if m := mortal.Mean(); m != inf {
		t.Errorf("mean %v of what may never end", m)
	}
	s := random.New(2030)
	forever, beyond := 0, 0
	for range draws {
		if x := mortal.Draw(&s); x == inf {
			forever++
		} else if x > 2 {
			t.Fatalf("a draw of %v", x)
		}
		if mortal.DrawBeyond(&s, 1) == inf {
			beyond++
		}
	}
	shareIs(t, "for ever", forever, draws, math.Exp(-1))
	shareIs(t, "for ever beyond 1", beyond, draws, math.Exp(-0.5))
	if x := mortal.DrawBeyond(&s, 3); x != inf {
		t.Errorf("who is past the table lives to %v", x)
	}
}

// TestNever is about what has no chance to happen.
func TestNever(t *testing.T) {
	s := random.New(2031)
	never := Exponential(0)
	if x, y, m, p := never.Draw(&s), never.DrawBeyond(&s, 3), never.Mean(), never.Survival(1e9); x != inf || y != inf || m != inf || p != 1 {
		t.Errorf("a rate of 0: draws %v and %v, mean %v, survival %v", x, y, m, p)
	}
	// A part without a share is not drawn, and counts for nothing.
	l := Mixture([]float64{0, 1, 0}, []Law{never, Exactly(2), Hazard([]float64{0}, []float64{0})})
	for range 1000 {
		if x := l.Draw(&s); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
		if x := l.DrawBeyond(&s, 1); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
	}
	if m := l.Mean(); m != 2 {
		t.Errorf("mean %v, want 2", m)
	}
	if x := l.Longest(); x != 2 {
		t.Errorf("longest %v, want 2", x)
	}
}
