package law

import (
	"math"
	"testing"
)

// TestDensity compares densities with differences of the survival function, and bounds with
// densities at many points.
func TestDensity(t *testing.T) {
	mixed := Mixture([]float64{0.3, 0.5, 0.2}, []Law{Gamma(2, 3), Exponential(0.2), Uniform(1, 3)})
	for name, l := range map[string]Law{
		"exponential": Exponential(0.5), "gamma": Gamma(5, 4), "gamma of shape 1": Gamma(5, 1),
		"weibull": Weibull(8, 3), "weibull of shape 1": Weibull(8, 1), "lognormal": Lognormal(5, 2),
		"uniform": Uniform(1, 4), "hazard": lifeTable, "mixture": mixed,
		"gompertz": Gompertz(0.05, 0.5, 0), "gompertz, falling": Gompertz(2, -1, 0.5),
		"makeham": Gompertz(0.01, 0.8, 0.1), "makeham, falling": Gompertz(1, 1, 1),
	} {
		if why := l.NoDensity(); why != "" {
			t.Fatalf("%s: %s", name, why)
		}
		const step = 1e-4
		for x := 0.0137; x < 20; x += 0.0371 {
			want := (l.Survival(x-step/2) - l.Survival(x+step/2)) / step
			if edge := math.Abs(x-math.Round(x)) < step; !edge && math.Abs(l.Density(x)-want) > 1e-6 {
				t.Fatalf("%s: density %v at %v, want %v", name, l.Density(x), x, want)
			}
		}
		for from := 0.0; from < 12; from += 0.29 {
			for _, width := range []float64{0.01, 0.3, 2, 100} {
				bound, most := l.MaxDensity(from, from+width), 0.0
				for k := range 400 {
					most = max(most, l.Density(from+width*float64(k)/400))
				}
				if !(most <= bound*(1+1e-12)) || name != "mixture" && width < 3 && bound > most*1.02+1e-9 {
					t.Fatalf("%s: bound %v in [%v, %v), where the density reaches %v", name, bound, from, from+width, most)
				}
			}
		}
	}
	for want, l := range map[string]Law{
		"a gamma with shape 0.5 has no largest density, so that nothing can be drawn from it; take a shape of 1 or more, " +
			"or a line": Gamma(5, 0.5),
		"a weibull with shape 0.7 has no largest density, so that nothing can be drawn from it; take a shape of 1 or more, " +
			"or a line": Weibull(5, 0.7),
		"a fixed time has no density; take a distribution, or steps":                      threeParts,
		"the density of a distribution that a program supplies is not known; take a line": uniformInGo,
	} {
		if got := l.NoDensity(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
