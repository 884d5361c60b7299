package examples_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/population"
)

var updateDraws = flag.Bool("update-draws", false, "write the draws of hiv-therapy.yaml anew")

// The draws of the analysis: effect is log-normal, with 95 % between 0.365 and 0.710; a rate is a
// gamma with as many events as were seen; a cost of care is a gamma with an assumed standard error
// of 20 %.
func TestTherapyDraws(t *testing.T) {
	source := rand.NewPCG(1, 2)
	gamma := func(mean, shape float64) float64 {
		return distuv.Gamma{Alpha: shape, Beta: shape / mean, Src: source}.Rand()
	}
	effect := distuv.LogNormal{Mu: math.Log(0.509), Sigma: math.Log(0.710/0.365) / (2 * 1.96), Src: source}
	var b bytes.Buffer
	b.WriteString("effect,many to few,many to aids,many to death,few to aids,few to death,aids to death,care of many," +
		"care of few,care of aids,weight\n")
	for range 500 {
		fmt.Fprintf(&b, "%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,1\n", effect.Rand(),
			gamma(0.2366, 350), gamma(0.0784, 116), gamma(0.0115, 17), gamma(0.5274, 512), gamma(0.0155, 15),
			gamma(0.2875, 437), gamma(2756, 25), gamma(3052, 25), gamma(9007, 25))
	}
	const file = "hiv-therapy-draws.csv"
	if *updateDraws {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is not what is drawn here: %v", file, err)
	}
}

// therapy integrates the equations for the shares of patients in the three states: the life years
// and the discounted costs of a patient in 20 years, by the method of Runge and Kutta.
func therapy(both float64) (lifeYears, cost float64) {
	flow := func(at float64, y [5]float64) (d [5]float64) {
		on := both
		if at >= 2 {
			on = 0
		}
		h := 1 - on*(1-0.509)
		drugs := 2278 + on*2086.5
		d[0] = -h * (0.2366 + 0.0784 + 0.0115) * y[0]
		d[1] = h * (0.2366*y[0] - (0.5274+0.0155)*y[1])
		d[2] = h * (0.0784*y[0] + 0.5274*y[1] - 0.2875*y[2])
		d[3] = y[0] + y[1] + y[2]
		d[4] = math.Pow(1.06, -at) * ((drugs+2756)*y[0] + (drugs+3052)*y[1] + (drugs+9007)*y[2])
		return d
	}
	y := [5]float64{1}
	const steps = 1000 // in a year; each lies within one phase of the treatment
	for i := range 20 * steps {
		const h = 1.0 / steps
		at := float64(i)*h + 1e-9
		plus := func(k [5]float64, f float64) (z [5]float64) {
			for j := range z {
				z[j] = y[j] + f*k[j]
			}
			return z
		}
		k1 := flow(at, y)
		k2 := flow(at+h/2, plus(k1, h/2))
		k3 := flow(at+h/2, plus(k2, h/2))
		k4 := flow(at+h-2e-9, plus(k3, h))
		for j := range y {
			y[j] += h / 6 * (k1[j] + 2*k2[j] + 2*k3[j] + k4[j])
		}
	}
	return y[3], y[4]
}

// Costs and life years of the two treatments are those of the equations, and so is what a year of
// life costs: each is at most four standard errors off.
func TestTherapyAgainstEquations(t *testing.T) {
	const replicas = 100
	differences := map[string][2][replicas]float64{} // by scenario: costs and life years
	for scenario, both := range map[string]float64{"zidovudine": 0, "with lamivudine": 1} {
		m, err := population.Load("hiv-therapy.yaml", population.Scenario(scenario))
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		lifeYears, cost := therapy(both)
		var of [2][replicas]float64
		for o, want := range []float64{cost, lifeYears} {
			for i := range r.Runs {
				of[o][i] = r.Runs[i].Outcome(r.Rows()-1, o) / 1000
			}
			mean, se := meanAndError(of[o][:])
			if math.Abs(mean-want) > 4*se || se > 0.01*want {
				t.Errorf("%s: %s is %.6g with a standard error of %.2g, expected %.6g", scenario, m.Outcomes()[o], mean, se, want)
			}
		}
		differences[scenario] = of
	}
	usualYears, usualCost := therapy(0)
	years, cost := therapy(1)
	ratio := (cost - usualCost) / (years - usualYears)
	// The difference of costs less the ratio times that of life years has mean 0.
	var off [replicas]float64
	for i := range off {
		with, usual := differences["with lamivudine"], differences["zidovudine"]
		off[i] = with[0][i] - usual[0][i] - ratio*(with[1][i]-usual[1][i])
	}
	if mean, se := meanAndError(off[:]); math.Abs(mean) > 4*se || se > 0.2*(cost-usualCost) {
		t.Errorf("at %.6g a year of life, costs are %.4g off with a standard error of %.2g", ratio, mean, se)
	}
	t.Logf("equations: %.6g and %.6g life years, costs %.6g and %.6g, %.6g a year of life", usualYears, years, usualCost,
		cost, ratio)
}

// meanAndError are the mean and its standard error.
func meanAndError(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, x := range values {
		mean += x / n
	}
	for _, x := range values {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}
