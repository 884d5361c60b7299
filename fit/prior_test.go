package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/almanac-sim/almanac/internal/priors"
	"github.com/almanac-sim/almanac/internal/random"
)

// somePriors are all shapes, each also cut and whole.
func somePriors() (all []Prior) {
	for _, p := range []Prior{Uniform(-1, 3), LogUniform(0.01, 100), Normal(2, 3), Lognormal(5, 4), GammaShape(5, 0.6),
		GammaShape(30, 9), Beta(2, 5), Beta(0.5, 0.5), Exponential(7), WeibullShape(4, 1.5), WeibullShape(4, 0.8)} {
		low, high := p.Quantile(0.1), p.Quantile(0.7)
		all = append(all, p, p.Within(low, high), p.Within(low, math.Inf(1)), p.Within(math.Inf(-1), high))
	}
	return all
}

func wholePriors() []Prior {
	return []Prior{Uniform(1, 6).Whole(), Uniform(0.5, 6.2).Whole(), LogUniform(1, 1000).Whole(),
		Normal(20, 5).Within(0, math.Inf(1)).Whole(),
		GammaShape(3, 1).Whole(), Exponential(2).Whole(), Lognormal(50, 20).Within(10, 60).Whole()}
}

// Quantiles and distribution function are inverses; the density is the slope of the distribution
// function: between quantiles that are 5 % apart, it integrates to 5 % (Gauss–Legendre of 40
// points; 1e-6 is far above its error there).
func TestPriorsAreConsistent(t *testing.T) {
	for _, p := range somePriors() {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		low, high := p.Support()
		for share := 0.05; share < 0.97; share += 0.05 {
			a, b := p.Quantile(share-0.04), p.Quantile(share)
			if got := p.CDF(b); math.Abs(got-share) > 1e-9 {
				t.Errorf("%v: the %.2f-quantile is %v, below which %v lies", p, share, b, got)
			}
			if !(a >= low && b <= high && a < b) {
				t.Errorf("%v: quantiles %v and %v, support %v to %v", p, a, b, low, high)
			}
			if got := quad.Fixed(func(x float64) float64 { return math.Exp(p.LogDensity(x)) }, a, b, 40, nil,
				0); math.Abs(got-0.04) > 1e-6 {
				t.Errorf("%v: the density between %v and %v integrates to %v, not 0.04", p, a, b, got)
			}
		}
		for _, x := range []float64{low - 1, high + 1} {
			if !math.IsInf(x, 0) && (!math.IsInf(p.LogDensity(x), -1) || p.CDF(x) != 0 && p.CDF(x) != 1) {
				t.Errorf("%v: there is something at %v", p, x)
			}
		}
		if p.CDF(high) != 1 {
			t.Errorf("%v: %v lies up to the upper end", p, p.CDF(high))
		}
	}
}

// Means and variances are as the closed forms say: by 20,000 quantiles in the middle of as many
// equal shares, whose error is below 1 % of the standard deviation for these.
func TestPriorMoments(t *testing.T) {
	g := math.Gamma
	for _, c := range []struct {
		p        Prior
		Mean, sd float64
	}{
		{Uniform(-1, 3), 1, 4 / math.Sqrt(12)},
		{LogUniform(1, math.E), math.E - 1, math.Sqrt((math.E*math.E-1)/2 - (math.E-1)*(math.E-1))},
		{Normal(2, 3), 2, 3},
		{Lognormal(5, 4), 5, 4},
		{GammaShape(5, 2), 5, 5 / math.Sqrt2},
		{Beta(2, 5), 2.0 / 7, math.Sqrt(10.0/8) / 7},
		{Exponential(7), 7, 7},
		{WeibullShape(4, 1.5), 4 * g(1+1/1.5), 4 * math.Sqrt(g(1+2/1.5)-g(1+1/1.5)*g(1+1/1.5))},
		{Normal(0, 1).Within(0, math.Inf(1)), math.Sqrt(2 / math.Pi), math.Sqrt(1 - 2/math.Pi)},
		{Uniform(1, 6).Whole(), 3.5, math.Sqrt(35.0 / 12)},
	} {
		const n = 20_000
		sum, squares := 0.0, 0.0
		for i := range n {
			x := c.p.Quantile((float64(i) + 0.5) / n)
			sum += x
			squares += x * x
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean-c.Mean) > 0.01*c.sd || math.Abs(sd-c.sd) > 0.01*c.sd {
			t.Errorf("%v: mean %v and sd %v, not %v and %v", c.p, mean, sd, c.Mean, c.sd)
		}
	}
}

// Of 4,000 draws, the distribution function differs from the prior's by less than 1.95/√n
// (Kolmogorov: 1 in 1000 by chance; there are 44 priors, with a fixed seed).
func TestPriorDraws(t *testing.T) {
	const n = 4000
	for i, p := range somePriors() {
		s := random.New(1, uint64(i))
		x := make([]float64, n)
		for k := range x {
			x[k] = p.Draw(&s)
		}
		slices.Sort(x)
		worst := 0.0
		for k, v := range x {
			f := p.CDF(v)
			worst = math.Max(worst, math.Max(math.Abs(f-float64(k)/n), math.Abs(f-float64(k+1)/n)))
		}
		if worst*math.Sqrt(n) > 1.95 {
			t.Errorf("%v: draws differ from it by %.2f/√n", p, worst*math.Sqrt(n))
		}
	}
}

// Probabilities of whole numbers add up, are those of the distribution function and its inverse,
// and draws have them: each of those above 1 % is met within 4.5 standard errors in 20,000 draws.
func TestWholePriors(t *testing.T) {
	const n = 20_000
	for i, p := range wholePriors() {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		s := random.New(2, uint64(i))
		met := map[float64]int{}
		for range n {
			met[p.Draw(&s)]++
		}
		low, high := p.Support()
		sum := 0.0
		for k := low; k <= math.Min(high, 2000); k++ {
			q := math.Exp(p.LogDensity(k))
			sum += q
			if math.Abs(p.CDF(k)-sum) > 1e-9 || math.Abs(p.CDF(k+0.7)-sum) > 1e-9 && k < high {
				t.Errorf("%v: up to %v there is %v, not %v", p, k, p.CDF(k), sum)
			}
			if q > 1e-6 && (p.Quantile(sum-q/2) != k || !math.IsInf(p.LogDensity(k+0.5), -1)) {
				t.Errorf("%v: the quantile in the middle of %v is %v", p, k, p.Quantile(sum-q/2))
			}
			if z := (float64(met[k]) - n*q) / math.Sqrt(n*q*(1-q)); q > 0.01 && math.Abs(z) > 4.5 {
				t.Errorf("%v: %v was drawn %d times, off by %.1f standard errors", p, k, met[k], z)
			}
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("%v: probabilities add up to %v", p, sum)
		}
	}
	if q := math.Exp(Uniform(1, 6).Whole().LogDensity(6)); math.Abs(q-1.0/6) > 1e-12 {
		t.Errorf("a die shows 6 with probability %v", q)
	}
}

// On the scale of proposals every prior is standard normal, and the way back leads to where it
// began.
func TestNormalScale(t *testing.T) {
	for _, p := range somePriors() {
		for z := -3.0; z <= 3; z += 0.25 {
			if got := p.z(p.fromZ(z)); math.Abs(got-z) > 1e-6 {
				t.Errorf("%v: %v comes back as %v", p, z, got)
			}
		}
		for _, z := range []float64{-40, 40} {
			if x := p.fromZ(z); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%v: %v at %v", p, x, z)
			}
		}
	}
}

func TestPriorsThatAreNone(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, p := range []Prior{{}, Uniform(1, 1), Uniform(2, 1), Uniform(nan, 1), Uniform(0, inf), LogUniform(0, 1),
		LogUniform(-1, 1), Normal(0, 0), Normal(nan, 1), Normal(0, nan),
		Lognormal(-1, 1), Lognormal(1, 0), GammaShape(0, 1), GammaShape(1, -1), Beta(0, 1), Beta(1, nan), Exponential(0),
		Exponential(inf), WeibullShape(1, 0),
		Uniform(0, 1).Within(2, 3), Uniform(0, 1).Within(0.5, 0.5), Beta(1, 1).Within(1, 2), Normal(0, 1).Within(50, 60),
		Uniform(0.2, 0.8).Whole(), Uniform(0, 1).Within(nan, 1)} {
		if p.Check() == nil {
			t.Errorf("%v passes for a prior", p)
		}
	}
}

func TestPriorText(t *testing.T) {
	for want, p := range map[string]Prior{
		"uniform 0.1..1":                          Uniform(0.1, 1),
		"log-uniform 0.01..100":                   LogUniform(0.01, 100),
		"normal mean 3 sd 2 within 0..":           Normal(3, 2).Within(0, math.Inf(1)),
		"gamma mean 5 shape 2 within 0..10 whole": GammaShape(5, 2).Within(0, 10).Whole(),
		"lognormal mean 5 sd 4 within ..9":        Lognormal(5, 4).Within(math.Inf(-1), 9),
		"beta a 2 b 5":                            Beta(2, 5),
		"exponential mean 7":                      Exponential(7),
		"weibull scale 4 shape 1.5":               WeibullShape(4, 1.5),
		"no prior":                                {},
	} {
		if p.String() != want {
			t.Errorf("%q, want %q", p, want)
		}
	}
}

// A prior that is made by the name of its family is the one of its function.
func TestNewPrior(t *testing.T) {
	for i, want := range []Prior{Uniform(1, 2), LogUniform(1, 2), Normal(1, 2), Lognormal(1, 2), GammaShape(1, 2), Beta(1, 2),
		Exponential(1), WeibullShape(1, 2)} {
		f := priors.Families[i]
		if got := NewPrior(f.Name, []float64{1, 2}[:len(f.Args)]...); got != want {
			t.Errorf("%s: got %v, want %v", f.Name, got, want)
		}
	}
	if n := len(priors.Families); n != int(weibull) {
		t.Errorf("there are %d families, and functions of %d", n, weibull)
	}
	for _, wrong := range []func(){func() { NewPrior("cauchy", 1, 2) }, func() { NewPrior("normal", 1) }} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "fit: there is no prior ") {
					t.Error(text)
				}
			}()
			wrong()
		}()
	}
}

// What String writes ParsePrior reads, and refuses what is no prior.
func TestParsePrior(t *testing.T) {
	for _, p := range []Prior{Uniform(0.1, 1), LogUniform(1e-07, 100), Normal(-3, 2).Within(math.Inf(-1), 0),
		Lognormal(5, 1e6), GammaShape(5, 2).Within(0, 10), Beta(2, 2).Within(0.25, math.Inf(1)),
		Exponential(3), WeibullShape(1.5, 0.5), Uniform(1, 30).Whole(), GammaShape(5, 2).Within(1, 10).Whole()} {
		if got, err := ParsePrior(p.String()); err != nil || got != p {
			t.Errorf("%s: %v %v", p, got, err)
		}
	}
	for _, text := range []string{"", "no prior", "uniform", "uniform 1", "uniform 1..", "uniform 2..1", "uniform 1..2 3",
		"gamma mean 5", "gamma shape 5 mean 2", "uniform low 1 high 2", "beta a x b 2", "cauchy mean 1",
		"normal mean NaN sd 1", "normal mean 1 sd Inf", "normal mean 1 sd 1 within x..", "normal mean 1 sd 1 within 3",
		"exponential mean -1"} {
		if p, err := ParsePrior(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}
