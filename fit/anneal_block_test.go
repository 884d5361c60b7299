package fit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// A level is what its only unknown says, without noise.
type level struct{}

func (level) Simulate(_ context.Context, x []float64, _ uint64) (Course, error) {
	return Course{Columns: []Reports{{Mean: []float64{x[0]}, Law: Law{Family: Gaussian, Arg: 0.5}}}}, nil
}

// Chains at a temperature T sample the prior times exp(−misfit/T). For a level with a standard
// normal prior that is seen as 2 with a standard deviation of 0.5, that is normal with precision 1
// + 4/T and mean (8/T)/(1 + 4/T). The points that are tried are those states and a step whose
// variance is 0.8·s² + 0.2·s²/25. Mean and variance are over 400 chains that begin at the mean, and
// within 4.5 standard errors of what the last point of each must have. Chains that accept what they
// should refuse are elsewhere.
func TestChainsSampleTheirTemperature(t *testing.T) {
	const chains, step = 400, 0.8
	o := opened{oneColumn([]float64{2}, Unknown{Name: "level", Prior: Normal(0, 1)}), level{}}
	for _, temperature := range []float64{1, 8} {
		precision := 1 + 4/temperature
		want := 8 / temperature / precision
		s := annealStage{Temperature: temperature, Runs: 60, Most: 2, Noise: 1e-9, Kernel: kernel{Lower: []float64{1},
			Scale: step}, Seed: 5}
		for range chains {
			s.States = append(s.States, []float64{want})
		}
		args, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		work, err := sorts["anneal"](o, args)
		if err != nil {
			t.Fatal(err)
		}
		var last []float64
		for k := range chains {
			a, err := work(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if a.runs > s.Runs {
				t.Fatalf("a chain made %d runs of %d", a.runs, s.Runs)
			}
			last = append(last, a.numbers[len(a.numbers)-3])
		}
		mean, se := meanAndError(last)
		variance := 1/precision + step*step*(0.8+0.2/25)
		t.Logf("T = %g: mean %.3f ± %.3f, want %.3f; variance %.3f, want %.3f", temperature, mean, se, want,
			varianceOf(last), variance)
		if !(math.Abs(mean-want) < 4.5*se) {
			t.Errorf("T = %g: the mean is %.3f ± %.3f, want %.3f", temperature, mean, se, want)
		}
		if e := variance * math.Sqrt(2.0/(chains-1)); !(math.Abs(varianceOf(last)-variance) < 4.5*e) {
			t.Errorf("T = %g: the variance is %.3f, want %.3f ± %.3f", temperature, varianceOf(last), variance, e)
		}
	}
}

// The misfit's derivatives are those of −log p, and the saturated value its least.
func TestBends(t *testing.T) {
	for _, l := range []Law{{}, {Family: NegativeBinomial, Arg: 3}, {Family: Gaussian, Arg: 0.5},
		{Family: Gaussian, Arg: 0.3, Share: true}} {
		least := math.Inf(1)
		for mean := 0.5; mean < 20; mean += 0.01 {
			f := func(m float64) float64 { return -l.LogDensity(4, m) }
			const h = 1e-3
			first, second := bends(l, 4, mean)
			a, b := (f(mean+h)-f(mean-h))/(2*h), (f(mean+h)-2*f(mean)+f(mean-h))/(h*h)
			if math.Abs(first-a) > 1e-3*(1+math.Abs(a)) || math.Abs(second-b) > 1e-3*(1+math.Abs(b)) {
				t.Fatalf("%+v at %.2f: %g and %g, by differences %g and %g", l, mean, first, second, a, b)
			}
			least = min(least, f(mean))
		}
		if s := saturated(l, 4); s > least+1e-12 || s < least-1e-4 {
			t.Errorf("%+v: the saturated value is %g, the least on a grid %g", l, s, least)
		}
	}
}

// Few runs with means near 0 give no misfit below that of the saturated model, nor does the
// correction take off more than half of what was counted.
func TestMisfitOfFewRunsIsBounded(t *testing.T) {
	p := villageOf(t, 11)
	least, counted := 0.0, 0.0
	for _, y := range p.Columns[0].Data {
		least += saturated(Law{}, y)
		counted += y
	}
	for i := range uint64(500) {
		var tried trial
		for k := range 4 {
			c, err := village{}.Simulate(t.Context(), []float64{0.3, 2, 0.5}, runSeed(i, k))
			if err != nil {
				t.Fatal(err)
			}
			tried.add(p, c)
			m, _ := tried.misfit(p)
			if m < least-1e-9 {
				t.Fatalf("%d runs have a misfit of %g, the saturated model has %g", k+1, m, least)
			}
			if b := tried.bias(p); b > counted/2+1e-9 {
				t.Fatalf("%d runs: a correction by %g, where %g were counted", k+1, b, counted)
			}
		}
	}
}

// A budget is kept, from the least that is not refused on.
func TestBudgetsAreKept(t *testing.T) {
	p := villageOf(t, 11)
	for method, least := range map[string]int{"anneal": 128, "search": 88, "random": 10} {
		for _, budget := range []int{1, least - 1} {
			if _, err := fitDirectly(p, village{}, Options{Method: method, Seed: 1, Budget: budget}); !errors.Is(err,
				ErrBudget) || !strings.Contains(err.Error(), "at least") {
				t.Errorf("%s with a budget of %d: %v", method, budget, err)
			}
		}
		for budget := least; budget < 4*least; budget += 1 + least/3 {
			r, err := fitDirectly(p, village{}, Options{Method: method, Seed: 1, Budget: budget})
			if err != nil {
				t.Errorf("%s with a budget of %d: %v", method, budget, err)
			} else if r.Runs > budget || r.Runs < budget/2 {
				t.Errorf("%s with a budget of %d made %d runs", method, budget, r.Runs)
			}
		}
	}
}
