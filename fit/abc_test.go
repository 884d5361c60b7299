package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit/internal/matrix"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/random"
)

// agree compares a sample with what is exact: mean and standard deviation of the j-th unknown
// within four standard errors for its effective size, for a distribution with a kurtosis of at most
// 4. A formula that is off by more than a tenth of a standard deviation fails.
func agree(t *testing.T, r *Result, j int, mean, sd float64) {
	t.Helper()
	n := r.Posterior.Effective()
	if !r.Exact || r.Power != 1 || n < leastSample {
		t.Errorf("it is not exact: power %v, effective sample %v", r.Power, n)
	}
	m, s := r.Posterior.Mean(j), r.Posterior.SD(j)
	if z := (m - mean) / sd * math.Sqrt(n); math.Abs(z) > 4 {
		t.Errorf("%s: a mean of %v, not %v: off by %.1f standard errors", r.Unknowns[j].Name, m, mean, z)
	}
	if z := (s - sd) / sd * math.Sqrt(4*n/3); math.Abs(z) > 4 {
		t.Errorf("%s: a standard deviation of %v, not %v: off by %.1f standard errors", r.Unknowns[j].Name, s, sd, z)
	}
}

// moments are those of a density on a grid that is not normalised.
func moments(density func(x float64) float64, low, high float64) (mean, sd float64) {
	const n = 300
	var sum, first, second float64
	for i := range n {
		x := low + (high-low)*(float64(i)+0.5)/n
		d := density(x)
		sum += d
		first += d * x
		second += d * x * x
	}
	mean = first / sum
	return mean, math.Sqrt(second/sum - mean*mean)
}

// A Poisson rate with a gamma prior. A row that was not seen has no say.
func TestGammaPoisson(t *testing.T) {
	g, a, b := rateModel([]float64{7, 12, math.NaN(), 9, 11, 14})
	r := g.fit(t, Options{Seed: 1})
	agree(t, r, 0, a/b, math.Sqrt(a)/b)
	exact := distuv.Gamma{Alpha: a, Beta: b}
	for i, share := range MarginalShares() {
		// The standard error of a quantile is √(p(1−p)/n) over the density there.
		q := exact.Quantile(share)
		se := math.Sqrt(share*(1-share)/r.Posterior.Effective()) / exact.Prob(q)
		if z := (r.Marginals()[0].Quantiles[i] - q) / se; math.Abs(z) > 4 {
			t.Errorf("the %v-quantile is %v, not %v: off by %.1f standard errors", share, r.Marginals()[0].Quantiles[i], q, z)
		}
	}
}

// A normal mean with a normal prior, and data that lie two standard deviations from its centre.
func TestNormalMean(t *testing.T) {
	y := []float64{19, 22.5, 17.5, 21, 20, 23}
	g := &goModel{problem: &Problem{Unknowns: []Unknown{{"mean", "", Normal(0, 10)}}, Times: rows(6),
		Columns: []Column{{"y", y}}}, laws: []Law{{Gaussian, 4, false}},
		means: func(x []float64, _ *random.Stream) [][]float64 { return [][]float64{same(x[0], 6)} }}
	precision := 1/100.0 + 6/16.0
	agree(t, g.fit(t, Options{Seed: 1}), 0, 123/16.0/precision, 1/math.Sqrt(precision))
}

// A probability with a beta prior, of which a binomial number was seen as good as exactly: here it
// is the run that scatters.
func TestBetaBinomial(t *testing.T) {
	r := coins(2, 3, 20, 7).fit(t, Options{Seed: 1, Population: 500})
	agree(t, r, 0, 9.0/25, math.Sqrt(9*16/26.0)/25)
}

// An initial number of people, a whole number, by enumeration; seen through negative binomial
// reports of a binomial share.
func TestWholeUnknown(t *testing.T) {
	law := Law{NegativeBinomial, 8, false}
	y := []float64{11, 17, 14}
	g := &goModel{problem: &Problem{Unknowns: []Unknown{{"people", "", Uniform(1, 60).Whole()}}, Times: rows(3),
		Columns: []Column{{"y", y}}}, laws: []Law{law},
		means: func(x []float64, s *random.Stream) [][]float64 {
			return [][]float64{same(distuv.Binomial{N: x[0], P: 0.5, Src: s}.Rand(), 3)}
		}}
	var sum, first, second float64
	for n := 1.0; n <= 60; n++ {
		for k := 1.0; k <= n; k++ {
			q := distuv.Binomial{N: n, P: 0.5}.Prob(k)
			for _, v := range y {
				q *= math.Exp(law.LogDensity(v, k))
			}
			sum += q
			first += q * n
			second += q * n * n
		}
	}
	r := g.fit(t, Options{Seed: 1})
	agree(t, r, 0, first/sum, math.Sqrt(second/sum-first/sum*first/sum))
	for _, row := range r.Posterior.Rows {
		if row[0] != math.Floor(row[0]) || row[0] < 1 || row[0] > 60 {
			t.Fatalf("%v people", row[0])
		}
	}
}

// line is a linear model of four numbers with a posterior that is a hundred thousandth of the
// prior's volume; the posterior is normal but for the prior's ends, which are far.
func line(t *testing.T) (g *goModel, mean, sd []float64) {
	const n, scatter = 40, 30.0
	base := func(i int) [4]float64 {
		u := float64(i) / n
		return [4]float64{100, 100 * u, 100 * math.Sin(6*u), 100 * math.Cos(9*u)}
	}
	g = &goModel{problem: &Problem{Times: rows(n), Columns: []Column{{"y", make([]float64, n)}}},
		laws: []Law{{Gaussian, scatter, false}}}
	g.means = func(x []float64, _ *random.Stream) [][]float64 {
		m := make([]float64, n)
		for i := range m {
			for j, b := range base(i) {
				m[i] += b * x[j]
			}
		}
		return [][]float64{m}
	}
	s := random.New(5)
	for i, m := range g.means([]float64{3, 5, 2, 7}, nil)[0] {
		g.problem.Columns[0].Data[i] = g.laws[0].Draw(m, &s)
	}
	// The normal equations: the covariance is scatter²·(BᵀB)⁻¹.
	var a [4][5]float64
	for i, y := range g.problem.Columns[0].Data {
		for j, b := range base(i) {
			for k, c := range base(i) {
				a[j][k] += b * c / scatter / scatter
			}
			a[j][4] += b * y / scatter / scatter
		}
	}
	var l [][]float64
	for j := range 4 {
		g.problem.Unknowns = append(g.problem.Unknowns, Unknown{fmt.Sprint("a", j), "", Uniform(0, 10)})
		l = append(l, a[j][:4])
	}
	l = matrix.Cholesky(l, 1)
	column := func(right []float64) []float64 { // of the inverse, or the solution
		x := matrix.Solve(l, right)
		for i := 3; i >= 0; i-- {
			for j := i + 1; j < 4; j++ {
				x[i] -= l[j][i] * x[j]
			}
			x[i] /= l[i][i]
		}
		return x
	}
	mean = column([]float64{a[0][4], a[1][4], a[2][4], a[3][4]})
	for j := range 4 {
		unit := make([]float64, 4)
		unit[j] = 1
		sd = append(sd, math.Sqrt(column(unit)[j]))
	}
	return g, mean, sd
}

// Four unknowns at once, also with a budget of 3,000 runs.
func TestFourUnknowns(t *testing.T) {
	g, mean, sd := line(t)
	for _, budget := range []int{0, 3000} {
		r := g.fit(t, Options{Seed: 1, Budget: budget})
		if budget > 0 && r.Runs > budget || r.Runs > 15_000 {
			t.Errorf("%d runs were made of a budget of %d", r.Runs, budget)
		}
		for j := range mean {
			agree(t, r, j, mean[j], sd[j])
			if m := r.Marginals()[j]; !m.Moved || m.Contraction < 0.9 {
				t.Errorf("the data did not move %s", m.Name)
			}
			if math.Abs(r.Best[j]-mean[j]) > 3*sd[j] {
				t.Errorf("the best %s is %v", r.Unknowns[j].Name, r.Best[j])
			}
		}
	}
}

// Two columns with scatters that differ by a factor of a thousand, of which the small one tells one
// unknown and the large one the other; a third unknown is told by nothing, and the result says so.
func TestColumnsOfDifferentScales(t *testing.T) {
	y, z := []float64{3, 5, 4, 4}, []float64{30_000, 50_000, 41_000, 39_000}
	g := &goModel{problem: &Problem{Unknowns: []Unknown{{"a", "", Uniform(0, 20)}, {"b", "", Uniform(0, 200_000)},
		{"c", "", Beta(2, 2)}}, Times: rows(4), Columns: []Column{{"y", y}, {"z", z}}},
		laws:  []Law{{}, {Gaussian, 8000, false}},
		means: func(x []float64, _ *random.Stream) [][]float64 { return [][]float64{same(x[0], 4), same(x[1], 4)} }}
	r := g.fit(t, Options{Seed: 2})
	mean, sd := moments(func(a float64) float64 { return math.Exp(16*math.Log(a) - 4*a) }, 0, 20)
	agree(t, r, 0, mean, sd)
	agree(t, r, 1, 40_000, 4000)
	agree(t, r, 2, 0.5, math.Sqrt(0.05))
	if names := strings.Join(r.Unmoved(), ","); names != "c" {
		t.Errorf("unmoved: %q", names)
	}
	if text := r.Text(); !strings.Contains(text, "did not move c") {
		t.Error(text)
	}
	for j := range 3 {
		for k := range j {
			if c := r.Posterior.Correlation(j, k); math.Abs(c) > 4/math.Sqrt(r.Posterior.Effective()) {
				t.Errorf("a correlation of %v", c)
			}
		}
	}
}

// Where most runs cannot have given the data, because a count was seen that they do not have, the
// region is found by distance. Here people come at a time that is to be found, and on the day
// before there are none.
func TestByDistance(t *testing.T) {
	y := []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 38, 45, 41, 0, 0, 0, 0}
	g := &goModel{problem: &Problem{Unknowns: []Unknown{{"begin", "", Uniform(0, 20)}, {"size", "", LogUniform(1, 1000)}},
		Times: rows(20), Columns: []Column{{"y", y}}}, laws: []Law{{}},
		means: func(x []float64, _ *random.Stream) [][]float64 {
			m := make([]float64, 20)
			for i := range m {
				if d := float64(i) + 1 - x[0]; d >= 0 && d < 4 {
					m[i] = x[1]
				}
			}
			return [][]float64{m}
		}}
	r := g.fit(t, Options{Seed: 1})
	agree(t, r, 0, 12.5, 1/math.Sqrt(12))
	// 164 were seen in four days, with a density ∝ 1/size before.
	agree(t, r, 1, 164/4.0, math.Sqrt(164)/4)
	generations := 0
	for i, row := range r.Trace.Rows {
		if math.IsNaN(row[2]) {
			break
		}
		if generations++; i > 0 && row[2] > r.Trace.Rows[i-1][2] {
			t.Errorf("the threshold grew from %v to %v", r.Trace.Rows[i-1][2], row[2])
		}
	}
	if generations < 2 {
		t.Errorf("%d generations by distance", generations)
	}
}

// With a budget of few runs the sample is of the posterior as far as it goes, and not of the
// proposals; and if there was none left to weigh, that is what is said, and not that the data are
// impossible.
func TestFewRuns(t *testing.T) {
	t.Parallel()
	g, _, _ := rateModel([]float64{7, 12, 9, 11, 14})
	for seed := range uint64(20) {
		r := g.fit(t, Options{Seed: seed, Budget: 100})
		if !r.Exact || r.Power != 1 || r.Runs > 100 {
			t.Errorf("seed %d: %d runs, power %v, effective sample %v: %q", seed, r.Runs, r.Power, r.Effective(), r.Notes)
		}
		if told := strings.Contains(r.Text(), "tells as much as"); !told {
			t.Errorf("seed %d: an effective sample of %v: %q", seed, r.Effective(), r.Notes)
		}
		if r = g.fit(t, Options{Seed: seed, Budget: 10}); r.Power != 0 || r.Exact || !strings.Contains(r.Text(),
			"the budget of 10 runs was used up") {
			t.Errorf("seed %d: power %v: %q", seed, r.Power, r.Notes)
		}
	}
}

// A pure death process with reports of the deaths, the likelihood of which is a sum over those that
// live: by single runs, and by particles, which are used because hardly any single run is likely.
// Both are exact.
func TestPureDeath(t *testing.T) {
	for _, c := range []struct {
		model     dying
		data      []float64
		particles bool
	}{
		{dying{30, 6}, []float64{5, 6, 1, 3, 2, 2}, false},
		{dying{80, 16}, []float64{9, 4, 8, 6, 3, 6, 1, 4, 3, 2, 4, 0, 2, 2, 1, 3}, true},
	} {
		p := oneColumn(c.data, Unknown{"rate", "per day", Exponential(0.5)})
		sim := known{c.model, 0.8}
		r, err := fitDirectly(p, sim, Options{Seed: 1, Population: 400})
		if err != nil {
			t.Fatal(err)
		}
		if r.Particles > 0 != c.particles {
			t.Errorf("%d particles", r.Particles)
		}
		mean, sd := moments(func(rate float64) float64 { return math.Exp(c.model.exact(rate, 0.8, c.data) - 2*rate) }, 0, 0.6)
		agree(t, r, 0, mean, sd)
	}
}

// known is a dying model of which the reported share is known.
type known struct {
	dying
	share float64
}

func (k known) Start(ctx context.Context, x []float64, seed uint64) (Particle, error) {
	return k.dying.Start(ctx, []float64{x[0], k.share}, seed)
}

func (k known) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return k.dying.Simulate(ctx, []float64{x[0], k.share}, seed)
}

// How many runs the sample has does not depend on how they turn out: it is what the proposals'
// efficiency says, or what the budget allows.
func TestSampleHasAFixedNumberOfRuns(t *testing.T) {
	p, _, _ := stretchedProblem()
	registry := new(ensemble.Registry)
	registry.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) { return p, stretched{}, nil }))
	// Of 800 runs 400 would count, known to one in twenty: 3/20 more are made.
	from := source{&proposal.Mixture{Share: 1}, 1, 0.5, 800}
	for budget, want := range map[int]int{10_000: 920, 500: 500} {
		for seed := range uint64(3) {
			e := &engine{problem: p, o: Options{Seed: seed, Kind: "test", Registry: registry, Population: 400}}
			a := &abcState{e: e, budget: budget, n: 400, least: 100, scales: [][]float64{{1, 1}}}
			if err := a.collect(t.Context(), from, 100); err != nil {
				t.Fatal(err)
			}
			if len(a.final) != want || e.runs != want || math.Abs(a.expected-400*float64(want)/920) > 1e-9 {
				t.Errorf("budget %d, seed %d: %d runs, want %d; an effective sample of %v is expected", budget, seed, len(a.final),
					want, a.expected)
			}
		}
	}
}

// The best point of a sample has the highest density of the values, and not of the normal scale,
// where a uniform prior has its density in the middle: that would be at 3.5. Over 40 seeds, within
// four standard errors.
func TestBestIsTheMode(t *testing.T) {
	t.Parallel()
	g := &goModel{problem: oneColumn([]float64{3}, Unknown{"x", "", Uniform(0, 12)}), laws: []Law{{Gaussian, 2, false}},
		means: func(x []float64, _ *random.Stream) [][]float64 { return [][]float64{x} }}
	var all []float64
	for seed := range uint64(40) {
		all = append(all, g.fit(t, Options{Seed: seed, Budget: 1500}).Best[0])
	}
	mean, se := meanAndError(all)
	t.Logf("%.3f ± %.3f", mean, se)
	if math.Abs(mean-3) > 4*se || se > 0.1 {
		t.Errorf("the best point is %.3f ± %.3f, want 3", mean, se)
	}
}

// Where few whole runs are like the data, the result says that its weights have a heavy tail; where
// all are, it does not.
func TestHeavyTailIsTold(t *testing.T) {
	told := func(m dying, data []float64, budget int) bool {
		p := oneColumn(data, Unknown{"rate", "per day", Exponential(0.5)})
		r, err := fitDirectly(p, wholeRuns{known{m, 0.8}}, Options{Seed: 1, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(r.Notes, ""), "a few of the runs carry much of the weight")
	}
	if told(dying{30, 6}, []float64{5, 6, 1, 3, 2, 2}, 10_000) {
		t.Error("six rows are said to be too many")
	}
	if !told(dying{80, 16}, []float64{9, 4, 8, 6, 3, 6, 1, 4, 3, 2, 4, 0, 2, 2, 1, 3}, 10_000) {
		t.Error("of sixteen rows it is not said")
	}
}
