package fit

import (
	"context"
	"math"
	"testing"
)

// The exponential of an estimate has the exact likelihood as its mean, by filter and by whole runs,
// however few the particles: within 4.5 standard errors of many estimates. Those of the filter are
// so few that copies are made at most rows.
func TestLikelihoodIsUnbiased(t *testing.T) {
	drift := opened{oneColumn(driftingData), drifting{len(driftingData)}}
	die := opened{oneColumn(dyingData), dying{50, len(dyingData)}}
	short := driftingData[:5]
	for _, c := range []struct {
		name  string
		o     opened
		x     []float64
		runs  int
		times int
		exact float64
	}{
		{"linear Gaussian by filter", drift, []float64{0.8}, 20, 6_000, kalman(0.8, driftingData)},
		{"deaths by filter", die, []float64{0.3, 0.7}, 10, 4_000, dying{first: 50}.exact(0.3, 0.7, dyingData)},
		{"linear Gaussian by whole runs", opened{oneColumn(short), wholeRuns{drifting{5}}}, []float64{0.8}, 20, 6_000,
			kalman(0.8, short)},
	} {
		var sum, squares float64
		for k := range c.times {
			e, err := c.o.likelihood(context.Background(), c.x, c.runs, uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			w := math.Exp(e.log - c.exact)
			sum += w
			squares += w * w
		}
		n := float64(c.times)
		mean := sum / n
		se := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("%s: mean %.4f ± %.4f", c.name, mean, se)
		if se > 0.05 {
			t.Errorf("%s: the standard error is %.3f: nothing is shown", c.name, se)
		}
		if math.Abs(mean-1) > 4.5*se {
			t.Errorf("%s: the mean of the estimates is %.4f ± %.4f of the exact likelihood", c.name, mean, se)
		}
	}
}

// The expected number of copies is n times the share of the weight, and each weight gets that
// rounded down or up.
func TestSystematic(t *testing.T) {
	logs := []float64{math.Log(0.05), math.Inf(-1), math.Log(0.4), math.Log(0.25), math.Log(0.3)}
	want := []float64{0.5, 0, 4, 2.5, 3}
	const n, points = 10, 1000
	sums := make([]float64, len(logs))
	for i := range points {
		total := 0
		for k, c := range systematic(logs, n, (float64(i)+0.5)/points) {
			if math.Abs(float64(c)-want[k]) >= 1 {
				t.Fatalf("weight %d has %d copies, and is worth %g", k, c, want[k])
			}
			sums[k] += float64(c) / points
			total += c
		}
		if total != n {
			t.Fatalf("%d copies", total)
		}
	}
	for k := range want {
		if math.Abs(sums[k]-want[k]) > 2.0/points {
			t.Errorf("weight %d has %g copies on average, want %g", k, sums[k], want[k])
		}
	}
}

// The posterior of the linear Gaussian model: mean and standard deviation against a grid with
// Kalman's likelihood, within 4.5 standard errors by the chains' own reckoning; by filter, and by
// whole runs of a few rows.
func TestPMMHAgainstKalman(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   int
		model  Simulator
		want   string
		budget int
	}{
		{"filter", len(driftingData), drifting{len(driftingData)}, "particle filter", 100_000},
		{"whole runs", 4, wholeRuns{drifting{4}}, "independent runs", 240_000},
	} {
		data := driftingData[:c.rows]
		p := oneColumn(data, Unknown{Name: "a", Prior: Uniform(-1, 2)})
		r, err := fitDirectly(p, c.model, Options{Method: "pmmh", Seed: 1, Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if r.Chains.Estimator != c.want || !r.Exact {
			t.Errorf("%s: by %s, exact %v", c.name, r.Chains.Estimator, r.Exact)
		}
		mean, sd, _, _ := onGrid(func(a, _ float64) float64 { return kalman(a, data) }, -1, 2, 0, 0, 600, 1)
		compareMoments(t, c.name, r, 0, mean, sd)
	}
}

// The posterior of rate and share of the deaths, on a grid of both.
func TestPMMHAgainstDeaths(t *testing.T) {
	model := dying{50, len(dyingData)}
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	r, err := fitDirectly(p, model, Options{Method: "pmmh", Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	// The rate's prior is uniform in its logarithm, and so is the grid.
	rate, rateSD, share, shareSD := onGrid(func(l, s float64) float64 {
		return model.exact(math.Exp(l), s, dyingData) + 3*math.Log(s) + math.Log1p(-s)
	}, math.Log(0.05), 0, 0, 1, 60, 40)
	_ = rate
	_ = rateSD
	compareMoments(t, "share", r, 1, share, shareSD)
	for i := range r.Posterior.Rows {
		r.Posterior.Rows[i][0] = math.Log(r.Posterior.Rows[i][0])
	}
	// The error of the mean of the logarithm is that of the mean, over the mean, to first order.
	r.Chains.MeanError[0] = rateSD / math.Sqrt(r.Chains.Bulk[0])
	compareMoments(t, "logarithm of the rate", r, 0, rate, rateSD)
}

// nowhere is a model that there is at no values.
type nowhere struct{ drifting }

func (nowhere) Start(context.Context, []float64, uint64) (Particle, error) {
	return nil, ErrImpossible
}

// Where there is no model at all, that is what is said, and not that the data do not belong to it.
func TestPMMHWithoutAModel(t *testing.T) {
	p := oneColumn(driftingData, Unknown{Name: "a", Prior: Uniform(-1, 2)})
	if _, err := fitDirectly(p, nowhere{}, Options{Method: "pmmh"}); err == nil || err.Error() !=
		"fit: there is no model at any of 1024 points of the prior" {
		t.Error(err)
	}
}

// onGrid integrates a density whose logarithm is given, over the middles of cells.
func onGrid(log func(a, b float64) float64, a0, a1, b0, b1 float64, na, nb int) (meanA, sdA, meanB, sdB float64) {
	logs := make([]float64, 0, na*nb)
	top := math.Inf(-1)
	at := func(i, j int) (float64, float64) {
		return a0 + (a1-a0)*(float64(i)+0.5)/float64(na), b0 + (b1-b0)*(float64(j)+0.5)/float64(nb)
	}
	for i := range na {
		for j := range nb {
			a, b := at(i, j)
			logs = append(logs, log(a, b))
			top = max(top, logs[len(logs)-1])
		}
	}
	var sum, sa, sb, saa, sbb float64
	for i := range na {
		for j := range nb {
			a, b := at(i, j)
			w := math.Exp(logs[i*nb+j] - top)
			sum += w
			sa += w * a
			sb += w * b
			saa += w * a * a
			sbb += w * b * b
		}
	}
	meanA, meanB = sa/sum, sb/sum
	return meanA, math.Sqrt(saa/sum - meanA*meanA), meanB, math.Sqrt(max(0, sbb/sum-meanB*meanB))
}

// compareMoments compares a sample with an exact mean and standard deviation. The standard error of
// the latter is that of a normal law, sd/√(2·size), half as much again for tails that are not
// normal.
func compareMoments(t *testing.T, what string, r *Result, i int, mean, sd float64) {
	t.Helper()
	var sum, squares float64
	for k, row := range r.Posterior.Rows {
		sum += r.Posterior.Weights[k] * row[i]
	}
	for k, row := range r.Posterior.Rows {
		squares += r.Posterior.Weights[k] * (row[i] - sum) * (row[i] - sum)
	}
	c := r.Chains
	t.Logf("%s: mean %.4f ± %.4f (exact %.4f), sd %.4f (exact %.4f); R-hat %.4f, effective size %.0f of %d, "+
		"acceptance %.2f, %d runs an estimate, variance %.2f, %d runs",
		what, sum, c.MeanError[i], mean, math.Sqrt(squares), sd, c.RHat[i], c.Bulk[i], len(r.Posterior.Rows), c.Acceptance,
		c.Particles, c.Variance, r.Runs)
	if c.RHat[i] > 1.1 || c.Bulk[i] < 50 { // fewer than with which chains end by themselves: a budget may be less
		t.Errorf("%s: R-hat is %.3f, and the effective size %.0f", what, c.RHat[i], c.Bulk[i])
	}
	if math.Abs(sum-mean) > 4.5*c.MeanError[i] {
		t.Errorf("%s: the mean is %.4f ± %.4f, and exactly %.4f", what, sum, c.MeanError[i], mean)
	}
	if se := 1.5 * sd / math.Sqrt(2*c.Bulk[i]); math.Abs(math.Sqrt(squares)-sd) > 4.5*se {
		t.Errorf("%s: the standard deviation is %.4f, and exactly %.4f ± %.4f", what, math.Sqrt(squares), sd, se)
	}
}
