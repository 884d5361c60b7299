package fit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// A wavering model has a known expected course, level + slope·t + bend·t², and runs that waver
// about it the more the higher the level is: the expectation of −log p(y | course) has its minimum
// where the level is low, the misfit at the truth.
type wavering struct{ rows int }

const waverError = 0.2 // with which the data are seen

func (m wavering) mean(x []float64, row int) float64 {
	t := float64(row+1) / float64(m.rows)
	sum, power := 0.0, 1.0
	for _, c := range x {
		sum += c * power
		power *= t
	}
	return sum
}

func (m wavering) Simulate(_ context.Context, x []float64, seed uint64) (Trajectory, error) {
	stream := random.New(seed)
	waver := 0.06 * math.Abs(x[0])
	c := Trajectory{Events: 1, Columns: []Reports{{Law: Law{Family: Gaussian, Arg: waverError}}}}
	for row := range m.rows {
		c.Columns[0].Mean = append(c.Columns[0].Mean, m.mean(x, row)+waver*standardNormal(&stream))
	}
	return c, nil
}

// excess is how far the misfit is above that of the truth, without noise: data are the truth's
// expected course.
func (m wavering) excess(x, truth []float64) float64 {
	sum := 0.0
	for row := range m.rows {
		gap := m.mean(x, row) - m.mean(truth, row)
		sum += gap * gap / (2 * waverError * waverError)
	}
	return sum
}

func (m wavering) problem(truth []float64) *Problem {
	var data []float64
	for row := range m.rows {
		data = append(data, m.mean(truth, row))
	}
	names := []string{"level", "slope", "bend", "twist"}
	var unknowns []Unknown
	for i := range truth {
		unknowns = append(unknowns, Unknown{Name: names[i], Prior: Uniform(-20, 20)})
	}
	return oneColumn(data, unknowns...)
}

// The estimate of the misfit is that of the expected course, without bias: its mean over many
// trials of K runs is within 4.5 standard errors, for few runs as for many, and its own standard
// error is right. The mean over runs of −log p is not.
func TestMisfitIsOfTheExpectedCourse(t *testing.T) {
	m := wavering{12}
	truth := []float64{5, -3, 2}
	p := m.problem(truth)
	x := []float64{6, -3, 1}
	want := m.excess(x, truth) + float64(m.rows)*math.Log(2*math.Pi*waverError*waverError)/2
	for _, k := range []int{2, 8} {
		const times = 4000
		var values, errors []float64
		naive := 0.0
		for i := range times {
			trial := &trial{}
			for r := range k {
				c, err := m.Simulate(context.Background(), x, runSeed(uint64(i), r))
				if err != nil {
					t.Fatal(err)
				}
				trial.add(p, c)
				naive -= p.LogLikelihood(c) / float64(times*k)
			}
			v, e := trial.misfit(p)
			values, errors = append(values, v), append(errors, e*e)
		}
		mean, se := meanAndError(values)
		t.Logf("%d runs: misfit %.3f ± %.3f, exactly %.3f; the mean of −log p is %.3f", k, mean, se, want, naive)
		if math.Abs(mean-want) > 4.5*se {
			t.Errorf("%d runs: the misfit is %.3f ± %.3f on average, and exactly %.3f", k, mean, se, want)
		}
		if math.Abs(naive-want) < 10*se {
			t.Errorf("%d runs: the mean of −log p is %.3f: the model shows nothing", k, naive)
		}
		// The jackknife's variance is too large rather than too small [ES81]; of two runs it is
		// known badly.
		//
		// [ES81]: https://doi.org/10.1214/aos/1176345462
		if squared, e := meanAndError(errors); k > 2 && (squared < 0.9*varianceOf(values) ||
			squared > 1.5*varianceOf(values)) {
			t.Errorf("%d runs: the variance of the misfit is %.3f, and said to be %.3f ± %.3f", k, varianceOf(values), squared,
				e)
		}
	}
}

// What annealing and CMA-ES find, against as many runs at random, for four unknowns and noise that
// hides differences of 1: the misfit above the least possible one, without noise, at the median of
// 5 seeds. Both must be below a tenth of what random search is left with.
func TestAgainstRandomSearch(t *testing.T) {
	t.Parallel()
	m := wavering{20}
	truth := []float64{5, -6, 3, 4}
	p := m.problem(truth)
	medians := map[string]float64{}
	for _, method := range []string{"random", "anneal", "search"} {
		var all []float64
		var ratios []float64 // of the variances' ratio, as the notes say it, to the exact one
		for seed := range uint64(5) {
			r, err := fitDirectly(p, m, Options{Method: method, Seed: seed, Budget: 4000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Runs > 4000 {
				t.Errorf("%s made %d runs with a budget of 4000", method, r.Runs)
			}
			exact := m.excess(r.Best, truth) + float64(m.rows)*math.Log(2*math.Pi*waverError*waverError)/2
			if method != "random" && math.Abs(r.BestScore-exact) > 5*r.BestError {
				t.Errorf("%s, seed %d: the best misfit is said to be %.2f ± %.2f, and is %.2f", method, seed, r.BestScore,
					r.BestError, exact)
			}
			all = append(all, m.excess(r.Best, truth))
			ratio := 0.0
			if _, rest, ok := strings.Cut(strings.Join(r.Notes, ""), "here with "); !ok {
				t.Errorf("%s does not say what a best point is: %q", method, r.Notes)
			} else if _, err := fmt.Sscan(rest, &ratio); err != nil {
				t.Errorf("%s: %v: %s", method, err, rest)
			}
			ratios = append(ratios, ratio/math.Pow(0.06*r.Best[0]/waverError, 2))
		}
		slices.Sort(all)
		slices.Sort(ratios)
		// One of them has a standard deviation of 0.04, and the median of five one of about 0.02.
		if math.Abs(ratios[2]-1) > 0.08 {
			t.Errorf("%s: that runs differ with so many times the variance of reports is off by factors of %.2f", method, ratios)
		}
		medians[method] = all[len(all)/2]
		t.Logf("%s: %.3g", method, all)
	}
	for _, method := range []string{"anneal", "search"} {
		if !(medians[method] < medians["random"]/10) {
			t.Errorf("%s is left with %.3g above the least misfit, random search with %.3g", method, medians[method],
				medians["random"])
		}
	}
}

// A comparison costs as many runs as it must: few where the answer is plain or it is hot, one at
// each point if the noise is known to be small, many where it is close and cold. The close ones are
// 3 from the bar, where a run has a standard deviation of 5.2 (√12·0.2·0.3/0.2², by the noise
// 0.06·5 of the level alone): 4.6 standard errors with 64 runs.
func TestComparisonsCostWhatTheyMust(t *testing.T) {
	m := wavering{12}
	truth := []float64{5, -3, 2}
	o := model{m.problem(truth), m}
	at := func(x ...float64) *trial {
		z := make([]float64, len(x))
		for i, u := range o.problem.Unknowns {
			z[i] = detmath.NormalQuantile(u.Prior.CDF(x[i]))
		}
		return &trial{z: z}
	}
	far, near, best := []float64{10, -3, 2}, []float64{5.2, -3, 2}, truth
	gap := m.excess(near, truth)
	for _, c := range []struct {
		name             string
		next, now        []float64
		bar, temperature float64
		noise            float64
		want             bool
		least, most      int // runs of all comparisons at both points, on average
	}{
		{"far worse", far, best, 0, 0.1, 0, false, 4, 8},
		{"far better", best, far, 0, 0.1, 0, true, 4, 8},
		{"far worse, and very hot", far, best, 1e6, 1e6, 0, true, 4, 4},
		{"very hot, and known to be", near, best, 1e6, 1e6, 1, true, 2, 2},
		{"close and cold", near, best, gap / 2, 1e-9, 0, false, 12, 128},
		{"close and cold, the other way", best, near, -gap / 2, 1e-9, 0, true, 12, 128},
	} {
		runs, right := 0, 0
		const times = 100
		for i := range times {
			b := &comparer{o: o, seed: uint64(i), noise: c.noise}
			got, err := b.accepts(t.Context(), at(c.next...), at(c.now...), c.bar, c.temperature, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got == c.want {
				right++
			}
			runs += b.runs
		}
		t.Logf("%s: right %d times of %d, with %.1f runs", c.name, right, times, float64(runs)/times)
		if right < 90 {
			t.Errorf("%s: right %d times of %d", c.name, right, times)
		}
		if runs < c.least*times || runs > c.most*times {
			t.Errorf("%s: %.1f runs, want from %d to %d", c.name, float64(runs)/times, c.least, c.most)
		}
	}
}

// villageMedians fits the village with the seeds from 0 on, and gives the median of the misfit at the
// best point for each method.
func villageMedians(t *testing.T, seeds, budget int, methods ...string) map[string]float64 {
	p := villageOf(t, 11) // whatever they are
	t.Logf("data: %v", p.Columns[0].Data)
	least := 0.0
	for _, y := range p.Columns[0].Data {
		least += saturated(Law{}, y)
	}
	medians := map[string]float64{}
	for _, method := range methods {
		var all []float64
		for seed := range uint64(seeds) {
			r, err := fitDirectly(p, village{}, Options{Method: method, Seed: seed, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			if r.Runs > budget {
				t.Errorf("%s, seed %d: %d runs were made with a budget of %d", method, seed, r.Runs, budget)
			}
			column := slices.Index(r.Trace.Names, "least misfit")
			for _, row := range r.Trace.Rows {
				if row[column] < least-1e-9 {
					t.Errorf("%s, seed %d: the least misfit is said to be %.2f, and that of the saturated model is %.2f", method, seed,
						row[column], least)
				}
			}
			m := misfitAt(t, p, r.Best, 400)
			t.Logf("%s %d: %.3f, said to be %.3f ± %.3f, at %.3g", method, seed, m, r.BestScore, r.BestError, r.Best)
			all = append(all, m)
		}
		slices.Sort(all)
		medians[method] = (all[(seeds-1)/2] + all[seeds/2]) / 2
		t.Logf("%s: median %.3f of %.3f", method, medians[method], all)
	}
	return medians
}

// On a small model with much noise annealing is at least as good as random search with as many
// runs.
func TestAnnealingOfAVillage(t *testing.T) {
	medians := villageMedians(t, 5, 3000, "random", "anneal")
	if !(medians["anneal"] <= medians["random"]) {
		t.Errorf("annealing is left with a misfit of %.3f, random search with %.3f", medians["anneal"], medians["random"])
	}
}

// A level is what its only unknown says, without noise.
type level struct{}

func (level) Simulate(_ context.Context, x []float64, _ uint64) (Trajectory, error) {
	return Trajectory{Columns: []Reports{{Mean: []float64{x[0]}, Law: Law{Family: Gaussian, Arg: 0.5}}}}, nil
}

// Chains at a temperature T sample the prior times exp(−misfit/T). For a level with a standard
// normal prior that is seen as 2 with a standard deviation of 0.5, that is normal with precision 1
// + 4/T and mean (8/T)/(1 + 4/T). The points that are tried are those states and a step whose
// variance is 0.8·s² + 0.2·s²/25. Mean and variance are over 400 chains that begin at the mean, and
// within 4.5 standard errors of what the last point of each must have. Chains that accept what they
// should refuse are elsewhere.
func TestChainsSampleTheirTemperature(t *testing.T) {
	const chains, step = 400, 0.8
	o := model{oneColumn([]float64{2}, Unknown{Name: "level", Prior: Normal(0, 1)}), level{}}
	for _, temperature := range []float64{1, 8} {
		precision := 1 + 4/temperature
		want := 8 / temperature / precision
		s := annealStage{Temperature: temperature, Runs: 60, Most: 2, Noise: 1e-9, Kernel: proposal.Walk{Lower: []float64{1},
			Scale: step}, Seed: 5}
		for range chains {
			s.States = append(s.States, []float64{want})
		}
		args, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		work, err := stageKinds["anneal"](o, args)
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
		{Family: Gaussian, Arg: 0.3, Relative: true}} {
		least := math.Inf(1)
		for mean := 0.5; mean < 20; mean += 0.01 {
			f := func(m float64) float64 { return -l.LogDensity(4, m) }
			const h = 1e-3
			first, second := derivatives(l, 4, mean)
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
			if b := tried.correction(p); b > counted/2+1e-9 {
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
