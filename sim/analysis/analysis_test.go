package analysis_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
)

func normals(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// The test fails as many independent sequences as it should, within four standard errors, and has
// the variance that theory gives; it sees an autoregressive sequence.
func TestVonNeumann(t *testing.T) {
	for _, n := range []int{8, 32, 200} {
		const runs = 10_000
		failed, squares := 0, 0.0
		for seed := range uint64(runs) {
			c, p := analysis.VonNeumann(normals(seed, n))
			squares += c * c
			if p < 0.1 {
				failed++
			}
		}
		k := float64(n)
		variance := (k - 2) / (k*k - 1)
		// Of a normal variable the square has a standard deviation of √2 times the variance.
		if math.Abs(squares/runs-variance) > 4*math.Sqrt2*variance/math.Sqrt(runs) || math.Abs(float64(failed)/runs-0.1) >
			4*binomialError(0.1, runs) {
			t.Errorf("%d values: variance %v, want %v; %d of %d fail", n, squares/runs, variance, failed, runs)
		}
	}
	x := normals(1, 200)
	for i := 1; i < len(x); i++ {
		x[i] += 0.5 * x[i-1]
	}
	if c, p := analysis.VonNeumann(x); math.Abs(c-0.5) > 4*math.Sqrt(0.75/200) || p > 1e-6 {
		t.Errorf("a sequence with a correlation of 0.5 has %v, p %v", c, p)
	}
	for _, x := range [][]float64{make([]float64, 100), normals(1, 7), nil} {
		if c, p := analysis.VonNeumann(x); !math.IsNaN(c) || !math.IsNaN(p) {
			t.Errorf("%v: %v, %v", x, c, p)
		}
	}
}

// The rule is what it says: the smallest standard error of what is left, of all that could be left
// out.
func TestMSER5(t *testing.T) {
	for seed := range uint64(20) {
		n := 60 + int(seed)*37
		x := normals(seed, n)
		steps := 7 * int(seed%6)
		for i := range steps {
			x[i] += 6 // the beginning is different
		}
		w := analysis.MSER5(x)
		if w.Batch != 5 || len(w.Statistic) != n/5/2+1 || !w.Found {
			t.Fatalf("%+v", w)
		}
		best, least := 0, math.Inf(1)
		for d := range n/5/2 + 1 {
			var rest sim.Tally
			for j := d; j < n/5; j++ {
				var batch sim.Tally
				for _, v := range x[5*j : 5*j+5] {
					batch.Add(v)
				}
				rest.Add(batch.Mean())
			}
			k := float64(rest.N())
			want := rest.Var() * (k - 1) / (k * k)
			if math.Abs(w.Statistic[d]-want) > 1e-9*want {
				t.Fatalf("%d left out: %v, want %v", d, w.Statistic[d], want)
			}
			if want < least {
				best, least = d, want
			}
		}
		if w.Skip != 5*best || w.Skip < steps-4 {
			t.Errorf("of %d values of which %d are different %d are left out, want %d", n, steps, w.Skip, 5*best)
		}
	}
	trend := make([]float64, 1000)
	for i := range trend {
		trend[i] = float64(i)
	}
	if w := analysis.MSER5(trend); w.Found || w.Skip != 500 {
		t.Errorf("of a trend %d are left out, found %t", w.Skip, w.Found)
	}
	if w := analysis.MSER5(nil); w.Found || w.Skip != 0 {
		t.Errorf("of nothing: %+v", w)
	}
	if w := analysis.MSER5([]float64{9, 9, 1, 1, 1, 1, 1, 1, 1, 1}); w.Batch != 1 || w.Skip != 2 || !w.Found {
		t.Errorf("of ten values: %+v", w)
	}
}

// For independent normal values the interval is nearly Student's, and all of them count.
func TestMeanOfIndependent(t *testing.T) {
	const runs, n = 400, 3200
	var got tried
	effective, width := 0.0, 0.0
	for seed := range uint64(runs) {
		e := analysis.Mean(normals(seed, n), analysis.Skip(0))
		got.add(e.Contains(0), e.Enough())
		effective += e.Effective / runs
		width += e.HalfWidth() / runs
		if e.N != n || e.Batches != 32 || e.BatchSize != 100 || e.Independent == 0 {
			t.Fatalf("%+v", e)
		}
	}
	if covered := got.share(got.covered); covered < 0.95-3*binomialError(0.95, runs) || got.share(got.passed) < 0.95 {
		t.Errorf("%+v", got)
	}
	// 2.04 standard errors, and what the correction for correlation adds, which only widens: about
	// 8 % on average.
	if width < 2.04/math.Sqrt(n) || width > 1.2*2.04/math.Sqrt(n) || effective < 0.8*n || effective > 1.2*n {
		t.Errorf("the half-width is %v, as of %v independent values", width, effective)
	}
}

// The interval from one order statistic to another covers at least as often as it says, exactly,
// and is the shortest that does on each side.
func TestQuantileOfIndependent(t *testing.T) {
	for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
		for _, n := range []int{1, 2, 5, 6, 10, 29, 50, 300, 1000} {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(i + 1) // so that an end is its own number
			}
			e := analysis.QuantileOfIndependent(x, p)
			b := distuv.Binomial{N: float64(n), P: p}
			if low := e.Low; math.IsInf(low, -1) {
				if b.CDF(0) <= 0.025 {
					t.Errorf("%v of %d: there could be a lower end", p, n)
				}
			} else if b.CDF(low-1) > 0.025 || b.CDF(low) <= 0.025 {
				t.Errorf("%v of %d: the lower end is at %v: %v below", p, n, low, b.CDF(low-1))
			}
			if high := e.High; math.IsInf(high, 1) {
				if b.CDF(float64(n-1)) >= 0.975 {
					t.Errorf("%v of %d: there could be an upper end", p, n)
				}
			} else if b.CDF(high-1) < 0.975 || b.CDF(high-2) >= 0.975 {
				t.Errorf("%v of %d: the upper end is at %v: %v below", p, n, high, b.CDF(high-1))
			}
			if e.Value != math.Ceil(p*float64(n)-1e-9) || e.Enough() != (!math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0)) {
				t.Errorf("%v of %d: %+v", p, n, e)
			}
		}
	}
}

// What is wrong with a run is said in words.
func TestProblems(t *testing.T) {
	trend := make([]float64, 5000)
	for i := range trend {
		trend[i] = float64(i)
	}
	course := history.Series{End: 10, Points: []history.Point{{To: 10, Mean: 1}}}
	for _, c := range []struct {
		e    analysis.Estimate
		want string
	}{
		{analysis.Mean(nil), "only 0 values"},
		{analysis.Mean([]float64{1, 2, 3}), "only"},
		{analysis.Mean(make([]float64, 1000)), "all values are the same"},
		{analysis.Mean(trend), "no end of the warm-up"},
		{analysis.Mean(trend, analysis.Skip(0)), "still correlated"},
		{analysis.Mean(waits(3, 0.9, 20_000), analysis.Skip(0)), "times as long would do"},
		{analysis.Quantile(normals(3, 1000), 0.9999, analysis.Skip(0)), "the same"},
		{analysis.Quantile(normals(3, 1000), 0.999, analysis.Skip(0)), "too few"},
		{analysis.Quantile(nil, 0.5), "only 0 values"},
		{analysis.QuantileOfReplications([][]float64{normals(1, 100)}, 0.5), "at least two"},
		{analysis.QuantileOfReplications(nil, 0.5), "at least two"},
		{analysis.QuantileOfReplications([][]float64{{1, 4}, {2, 3}}, 0.5), "the same in all runs"},
		{analysis.QuantileOfReplications([][]float64{{}, {}}, 0.5), "too few"},
		{analysis.QuantileOfIndependent(normals(1, 5), 0.5), "too few"},
		{analysis.TimeSeries(course), "no more room"},
		{analysis.TimeSeries(history.Series{Complete: true}), "only 0 values"},
	} {
		if text := c.e.String(); c.e.Enough() || !strings.Contains(text, c.want) || !strings.Contains(text, "too short: ") {
			t.Errorf("%s\nshould say %q", text, c.want)
		}
	}
	for name, f := range map[string]func(){
		"level":    func() { analysis.Confidence(95) },
		"Skip(-1)": func() { analysis.Skip(-1) },
		"NaN":      func() { analysis.Mean([]float64{1, math.NaN()}) },
		"+Inf":     func() { analysis.Quantile([]float64{math.Inf(1)}, 0.5) },
		"Quantile": func() { analysis.Quantile(nil, 1) },
		"run 1":    func() { analysis.QuantileOfReplications([][]float64{{1}, {math.NaN()}}, 0.5) },
		"a NaN":    func() { analysis.QuantileOfIndependent([]float64{math.NaN()}, 0.5) },
		"RunTo":    func() { _, _ = analysis.RunTo(context.Background(), sim.New(), nil, analysis.Precision{}) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "analysis: ") || !strings.Contains(said, name) {
					t.Errorf("%s: %q", name, said)
				}
			}()
			f()
		}()
	}
}

// A course is analysed by its means over time: the number in M/M/1 by a simulation of it.
func TestCourseOfAQueue(t *testing.T) {
	s := sim.New(sim.Seed(4))
	defer s.Close()
	desk := sim.NewResource(s, "desk", 1)
	desk.Keep(sim.Thinned(20_000))
	arrivals, service := s.Stream("arrivals"), s.Stream("service")
	s.Go("door", func(p *sim.Process) {
		for p.Wait(arrivals.ExpFloat64()) == nil {
			takes := 0.5 * service.ExpFloat64()
			s.Go("customer", func(p *sim.Process) { _ = desk.Use(p, 1, func() error { return p.Wait(takes) }) })
		}
	})
	if err := s.Run(context.Background(), 30_000); err != nil {
		t.Fatal(err)
	}
	usage, _ := desk.Usage().TimeSeries()
	queue, _ := desk.Queue().TimeSeries()
	waits, _ := desk.Waits().Observations()
	for _, c := range []struct {
		what string
		e    analysis.Estimate
		want float64
	}{{"busy", analysis.TimeSeries(usage), 0.5}, {"in line", analysis.TimeSeries(queue), 0.5},
		{"wait", analysis.Observations(waits), 0.5}} {
		// Two intervals: a third of them would miss something that is 2 % off.
		if !c.e.Enough() || math.Abs(c.e.Value-c.want) > 2*c.e.HalfWidth() || c.e.HalfWidth() > 0.06 {
			t.Errorf("%s: %v, want %v", c.what, c.e, c.want)
		}
	}
	if e := analysis.Observations(waits); e.N+e.Skipped > int(waits.N) || e.N+e.Skipped < int(waits.N-2*waits.Batch) ||
		e.BatchSize%int(waits.Batch) != 0 {
		t.Errorf("%d and %d of %d are counted", e.N, e.Skipped, waits.N)
	}
}

// A run that does not get there says so.
func TestRunToEnds(t *testing.T) {
	run := func(ctx context.Context, stop float64) (analysis.Estimate, float64, error) {
		s := sim.New()
		defer s.Close()
		r := s.Stream("all")
		tally := s.NewTally("x")
		tally.KeepObservations(1000, nil)
		s.Every(1, 1, func() { tally.Add(r.NormFloat64()) }) // with a mean of 0, which no share reaches
		s.At(stop, s.Stop)
		e, err := analysis.RunTo(ctx, s, func() analysis.Estimate {
			o, _ := tally.Observations()
			return analysis.Observations(o)
		}, analysis.Precision{Share: 1e-4, First: 200, Most: 1500})
		return e, s.Now(), err
	}
	if e, at, err := run(context.Background(), 1e9); err != nil || at != 1500 || !strings.Contains(e.String(),
		"at 1500 the half-width is") {
		t.Errorf("%v at %v: %v", e, at, err)
	}
	if e, at, err := run(context.Background(), 250); err != nil || at != 250 || !slices.Contains(e.Problems,
		"the simulation was stopped at 250") {
		t.Errorf("%v at %v: %v", e, at, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := run(done, 1e9); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Where the share below a quantile is the same in all parts, there is no interval, and not one of
// no width: of few observations all are at or below a high quantile, and two short runs may have as
// many below the median by chance.
func TestQuantilesOfWhichNothingTells(t *testing.T) {
	few := make([]float64, 20)
	for i := range few {
		few[i] = float64(i * 7 % 20)
	}
	for name, e := range map[string]analysis.Estimate{
		"a high quantile":  analysis.Quantile(few, 0.99, analysis.Skip(0)),
		"runs that agree":  analysis.QuantileOfReplications([][]float64{{1, 2, 3, 4}, {1, 2, 3, 4}}, 0.5),
		"the same in runs": analysis.QuantileOfReplications([][]float64{{1, 5}, {2, 6}, {3, 7}}, 0.5),
	} {
		if e.Enough() || !math.IsInf(e.Low, -1) || !math.IsInf(e.High, 1) {
			t.Errorf("%s: %v", name, e)
		}
	}
}
