package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// Every distribution has the mean, the standard deviation and the median that it should, to within
// four standard errors. That of the variance comes from the fourth moment of what was drawn, that
// of the share below the median is ½/√n.
func TestDistributions(t *testing.T) {
	data := []float64{1, 2, 2, 7, 30}
	rayleigh := 0.5 * math.Sqrt(math.Pi) // the mean of a Weibull law of shape 2 and scale 1
	for _, x := range []struct {
		name           string
		d              sim.Distribution
		mean, sd, half float64 // half is the median
	}{
		{"exponential(3)", sim.Exponential(3), 3, 3, 3 * math.Ln2},
		{"normal(-1, 2)", sim.Normal(-1, 2), -1, 2, -1},
		{"uniform(2, 5)", sim.Uniform(2, 5), 3.5, 3 / math.Sqrt(12), 3.5},
		{"triangular(0, 0, 2)", sim.Triangular(0, 0, 2), 2. / 3, math.Sqrt(4. / 18), 2 - math.Sqrt2},
		{"gamma(3, 3)", sim.Gamma(3, 3), 3, 3, 3 * math.Ln2},
		{"gamma(4, 2)", sim.Gamma(4, 2), 4, 2, 3.6720607489}, // shape 4
		{"erlang(4, 4)", sim.Erlang(4, 4), 4, 2, 3.6720607489},
		{"lognormal(5, 2)", sim.Lognormal(5, 2), 5, 2, 5 / math.Sqrt(1.16)},
		{"weibull(3, 3)", sim.Weibull(3, 3), 3, 3, 3 * math.Ln2},
		{"", sim.Weibull(rayleigh, math.Sqrt(1-rayleigh*rayleigh)), rayleigh, math.Sqrt(1 - rayleigh*rayleigh),
			math.Sqrt(math.Ln2)},
		{"hyperexponential(1, 2)", sim.Hyperexponential(1, 2), 1, 2, math.NaN()},
		{"empirical(5 values)", sim.Empirical(data), 8.4, math.Sqrt((1+4+4+49+900)/5. - 8.4*8.4), math.NaN()},
		// A quarter each between 1 and 2, at 2, from 2 to 7, from 7 to 30.
		{"interpolated(5 values)", sim.Interpolated(data), (1.5 + 2 + 4.5 + 18.5) / 4,
			math.Sqrt((7./3+4+67./3+(49.+210+900)/3)/4 - math.Pow(26.5/4, 2)), math.NaN()},
	} {
		const n = 40_000
		s := sim.New(sim.Seed(1))
		draw := s.Sampler(x.name, x.d)
		var all, squares sim.Tally
		below := 0.0
		for range n {
			v := draw()
			all.Add(v)
			squares.Add((v - x.mean) * (v - x.mean))
			below += share(v < x.half)
		}
		if math.Abs(x.d.Mean()-x.mean) > 1e-12*math.Abs(x.mean) || math.Abs(x.d.StdDev()-x.sd) > 1e-9*x.sd {
			t.Errorf("%v says that its mean is %v and its standard deviation %v, want %v and %v", x.d, x.d.Mean(), x.d.StdDev(),
				x.mean, x.sd)
		}
		if math.Abs(all.Mean()-x.mean) > 4*x.sd/math.Sqrt(n) {
			t.Errorf("%v: the mean is %v, want %v", x.d, all.Mean(), x.mean)
		}
		if math.Abs(squares.Mean()-x.sd*x.sd) > 4*squares.StdDev()/math.Sqrt(n) {
			t.Errorf("%v: the variance is %v, want %v", x.d, squares.Mean(), x.sd*x.sd)
		}
		if !math.IsNaN(x.half) && math.Abs(below/n-0.5) > 2/math.Sqrt(n) {
			t.Errorf("%v: %v are below %v", x.d, below/n, x.half)
		}
		if x.name != "" && x.d.String() != x.name {
			t.Errorf("%v is called that, not %s", x.d, x.name)
		}
	}
	if c := sim.Constant(4); c.Draw(nil) != 4 || c.Mean() != 4 || c.StdDev() != 0 {
		t.Error(c)
	}
}

func TestDistributionNamed(t *testing.T) {
	for _, name := range []string{"gamma", "hyperexponential", "lognormal", "normal", "uniform", "weibull"} {
		d, err := sim.DistributionNamed(name, 2, 3)
		if err != nil || math.Abs(d.Mean()-2) > 1e-12 || math.Abs(d.StdDev()-3) > 1e-12 || !strings.HasPrefix(d.String(),
			name+"(") {
			t.Errorf("%v: %v", d, err)
		}
	}
	for name, want := range map[string]string{"gamma": "above 0", "normal": "not negative",
		"cauchy": "there are gamma, hyperexponential"} {
		if _, err := sim.DistributionNamed(name, 2, -1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for what, f := range map[string]func(){
		"exponential(0): the mean": func() { sim.Exponential(0) },
		"lognormal(NaN, 1)":        func() { sim.Lognormal(math.NaN(), 1) },
		"weibull(1, 2000)":         func() { sim.Weibull(1, 2000) },
		"not be below the mean":    func() { sim.Hyperexponential(2, 1) },
		"the mode must be":         func() { sim.Triangular(0, 3, 2) },
		"there must be a phase":    func() { sim.Erlang(0, 1) },
		"from a number to one":     func() { sim.Uniform(2, 1) },
		"constant(+Inf)":           func() { sim.Constant(math.Inf(1)) },
		"empirical(0 values)":      func() { sim.Empirical(nil) },
		"interpolated(1 values)":   func() { sim.Interpolated([]float64{1}) },
		"NaN is among the values":  func() { sim.Empirical([]float64{math.NaN()}) },
		"normal(0, -1)":            func() { sim.Normal(0, -1) },
	} {
		expectPanic(t, what, f)
	}
}

func TestReadColumn(t *testing.T) {
	got, err := sim.ReadColumn(strings.NewReader("\ufeffwho, at,service\nann,1.5,3\nbob, 2e0 ,4\n"), "at")
	if err != nil || !slices.Equal(got, []float64{1.5, 2}) || !slices.Equal(sim.Gaps(got), []float64{0.5}) {
		t.Errorf("%v, %v", got, err)
	}
	for table, want := range map[string]string{
		"":                     "the table is empty",
		"at\n1\nsoon\n":        `line 3, column 1: "soon" should be a finite number`,
		"at\nInf\n":            "line 2, column 1",
		"when\n1\n":            `line 1: there is no column "at"; there is "when"`,
		"who,at\nann,1\nbob\n": "line 3",
		"at\n\"1\n":            "line 2",
	} {
		if _, err := sim.ReadColumn(strings.NewReader(table), "at"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", table, err, want)
		}
	}
}

// Laws that the package does not have can be made of a function, and used wherever a distribution
// is.
func TestNewDistribution(t *testing.T) {
	// Pareto by its quantile function: P(X > x) = (1/x)³, with mean 3/2 and variance 3/4.
	pareto := sim.NewDistribution("pareto(3)", 1.5, math.Sqrt(0.75), func(r *rand.Rand) float64 {
		return 1 / math.Cbrt(1-r.Float64())
	})
	s := sim.New(sim.Seed(1))
	var drawn sim.Tally
	draw := s.Sampler("service", pareto)
	for range 100_000 {
		drawn.Add(draw())
	}
	if e := drawn.StdDev() / math.Sqrt(100_000); math.Abs(drawn.Mean()-pareto.Mean()) > 4*e || drawn.Min() < 1 {
		t.Errorf("%v: %v, want a mean of %v ± %v", pareto, &drawn, pareto.Mean(), 4*e)
	}
	if pareto.String() != "pareto(3)" || pareto.StdDev() != math.Sqrt(0.75) {
		t.Errorf("%v has a standard deviation of %v", pareto, pareto.StdDev())
	}
	arrivals := sim.Renewal(s.Stream("arrivals"), pareto)
	if at, ok := arrivals.Next(0); !ok || at < 1 {
		t.Errorf("the first comes at %v", at)
	}
	for name, make := range map[string]func(){
		"a function": func() { sim.NewDistribution("odd", 1, 1, nil) },
		"negative":   func() { sim.NewDistribution("odd", 1, -1, func(*rand.Rand) float64 { return 1 }) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "sim: odd: ") || !strings.Contains(text, name) {
					t.Errorf("%s: %s", name, text)
				}
			}()
			make()
		}()
	}
}
