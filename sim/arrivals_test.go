package sim_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// poissonLaw checks that counts of many replications are Poisson with a mean: by their mean, whose
// standard error is √(m/n), and by their variance, whose standard error is √((m+2m²)/n) since the
// fourth central moment is m+3m². The tolerance is four of them.
func poissonLaw(t *testing.T, what string, counts *sim.Tally, m float64) {
	t.Helper()
	n := float64(counts.N())
	if d := counts.Mean() - m; math.Abs(d) > 4*math.Sqrt(m/n) {
		t.Errorf("%s: the mean is %.4g, which should be %.4g ± %.2g", what, counts.Mean(), m, math.Sqrt(m/n))
	}
	if d := counts.Var() - m; math.Abs(d) > 4*math.Sqrt((m+2*m*m)/n) {
		t.Errorf("%s: the variance is %.4g, which should be %.4g ± %.2g", what, counts.Var(), m, math.Sqrt((m+2*m*m)/n))
	}
}

// M(t)/M/∞ with the rate a + b·sin(ωt), from empty: how many are inside at t is Poisson with mean
// ∫₀ᵗ λ(u)·e^(−μ(t−u)) du [EMW93].
//
// [EMW93]: https://doi.org/10.1287/mnsc.39.2.241
func TestVaryingPoissonFillsInfinitelyManyServers(t *testing.T) {
	const a, b, omega, mu = 8., 6., 2 * math.Pi / 5, 0.7
	mean := func(t float64) float64 {
		// ∫ sin(ωu)·e^(−μ(t−u)) du = (μ·sin ωt − ω·cos ωt + ω·e^(−μt)) / (μ²+ω²)
		fade := math.Exp(-mu * t)
		return a*(1-fade)/mu + b*(mu*math.Sin(omega*t)-omega*math.Cos(omega*t)+omega*fade)/(mu*mu+omega*omega)
	}
	times := []float64{1.5, 3, 4.5, 6.5, 9}
	inside := make([]sim.Tally, len(times))
	for seed := range uint64(4000) {
		s := sim.New(sim.Seed(seed))
		now := 0.0
		service := s.Sampler("service", sim.Exponential(1/mu))
		rate := func(t float64) float64 { return a + b*math.Sin(omega*t) }
		s.Arrive(sim.VaryingPoisson(s.Stream("arrivals"), rate, a+b, 10), func() {
			now++
			s.After(service(), func() { now-- })
		})
		for i, at := range times {
			must(s.Run(t.Context(), at))
			inside[i].Add(now)
		}
	}
	for i, at := range times {
		poissonLaw(t, fmt.Sprint("at ", at), &inside[i], mean(at))
	}
}

// Where a period is no binary fraction, the quotient of a time and the period may be rounded to the
// next whole number, and the table still has the rate of the time, its integral, and no arrival
// before it.
func TestRateTableWithPeriodsThatAreRounded(t *testing.T) {
	for _, period := range []float64{0.1, 0.7, 1.1, 1440. / 7, math.Pi} {
		table, err := sim.NewRateTable([]float64{0, period / 2}, []float64{3, 5}, period)
		must(err)
		arrivals := table.Poisson(sim.New().Stream("arrivals"))
		for k := range 500 {
			begins := float64(float64(k) * period)
			for at, want := range map[float64]float64{begins: 3, math.Nextafter(begins, -1): 5} {
				if got := table.Rate(at); got != want {
					t.Fatalf("at %v, with a period of %v, the rate is %v, not %v", at, period, got, want)
				}
				if got, want := table.Expected(0, at), 4*at; math.Abs(got-want) > 1e-9*(1+want) {
					t.Fatalf("up to %v, with a period of %v, %v are expected, not %v", at, period, got, want)
				}
				if next, ok := arrivals.Next(at); !ok || next < at {
					t.Fatalf("with a period of %v somebody comes after %v at %v", period, at, next)
				}
			}
		}
	}
}

// Counts of arrivals by a table are Poisson with the integral of the rate, in every piece, over the
// end of the period, and for one that begins in the middle.
func TestRateTable(t *testing.T) {
	day, err := sim.NewRateTable([]float64{0, 6, 9}, []float64{0.5, 3, 1}, 12)
	must(err)
	once, err := sim.NewRateTable([]float64{2, 4, 20}, []float64{2, 1, 0}, 0)
	must(err)
	for name, x := range map[string]struct {
		table *sim.RateTable
		edges []float64
		means []float64
	}{
		"by the day": {day, []float64{5, 6, 9, 11, 18, 32}, []float64{0.5, 9, 2, 1 + 3, 9 + 3 + 3 + 2*3}},
		"once":       {once, []float64{0, 2, 3, 6, 30}, []float64{0, 2, 2 + 2, 14}},
	} {
		counts := make([]sim.Tally, len(x.means))
		for seed := range uint64(2000) {
			s := sim.New(sim.Seed(seed), sim.StartAt(x.edges[0]))
			n := 0.0
			s.Arrive(x.table.Poisson(s.Stream("arrivals")), func() { n++ })
			for i, edge := range x.edges[1:] {
				must(s.Run(t.Context(), edge))
				counts[i].Add(n)
				n = 0
			}
		}
		for i, m := range x.means {
			from, to := x.edges[i], x.edges[i+1]
			if got := x.table.Expected(from, to); math.Abs(got-m) > 1e-12 {
				t.Errorf("%s: from %g to %g %g are expected, want %g", name, from, to, got, m)
			}
			poissonLaw(t, fmt.Sprintf("%s, from %g to %g", name, from, to), &counts[i], m)
		}
	}
	if day.Rate(13) != 0.5 || day.Rate(-3) != 1 || day.Rate(18) != 3 || once.Rate(1) != 0 || once.Rate(19) != 1 ||
		once.Rate(1e9) != 0 {
		t.Error("a rate is wrong")
	}
	rare, err := sim.NewRateTable([]float64{0, 1}, []float64{1e-9, 0}, 2)
	must(err)
	s := sim.New()
	if at, ok := rare.Poisson(s.Stream("rare")).Next(0); !ok || at < 1e6 || math.Mod(at, 2) > 1 {
		t.Errorf("%v, %t", at, ok)
	}
	for _, wrong := range []struct {
		from, rates []float64
		period      float64
	}{{nil, nil, 0}, {[]float64{0}, nil, 0}, {[]float64{0, 0}, []float64{1, 1}, 0}, {[]float64{0}, []float64{-1}, 0},
		{[]float64{math.NaN()}, []float64{1}, 0}, {[]float64{1}, []float64{1}, 5}, {[]float64{0, 5}, []float64{1, 2}, 5}} {
		if _, err := sim.NewRateTable(wrong.from, wrong.rates, wrong.period); err == nil {
			t.Errorf("%v is a table", wrong)
		}
	}
}

// arrive lists when somebody comes.
func arrive(s *sim.Simulation, a sim.Arrivals, until float64) (times []float64) {
	s.Arrive(a, func() { times = append(times, s.Now()) })
	must(s.Run(context.Background(), until))
	return times
}

func TestArrivals(t *testing.T) {
	if got := arrive(sim.New(sim.StartAt(2)), sim.Recorded([]float64{1, 2, 3, 3, 5}), 9); !slices.Equal(got,
		[]float64{2, 3, 3, 5}) {
		t.Errorf("recorded: %v", got)
	}
	sizes := []int{2, 1, 3}
	batches := sim.Batches(sim.Recorded([]float64{1, 4, 6}), func() int { n := sizes[0]; sizes = sizes[1:]; return n })
	if got := arrive(sim.New(), batches, 9); !slices.Equal(got, []float64{1, 1, 4, 6, 6, 6}) {
		t.Errorf("batches: %v", got)
	}
	if got := arrive(sim.New(), sim.Renewal(nil, sim.Constant(2)), 7); !slices.Equal(got, []float64{2, 4, 6}) {
		t.Errorf("renewal: %v", got)
	}
	s := sim.New()
	n := len(arrive(s, sim.Poisson(s.Stream("arrivals"), 5), 2000))
	if math.Abs(float64(n)-1e4) > 400 {
		t.Errorf("%d came, which should be 10,000 ± 100", n)
	}
	if got := arrive(s, sim.Poisson(s.Stream("none"), 0), 3000); got != nil || s.Arrive(sim.Recorded(nil), func() {}) !=
		(sim.Event{}) {
		t.Errorf("%v came at a rate of 0", got)
	}
	// It can be ended from within, and ends by itself.
	s = sim.New(sim.StartAt(3000))
	calls := 0
	var e sim.Event
	e = s.Arrive(sim.Poisson(s.Stream("arrivals"), 1), func() {
		if calls++; calls == 3 {
			e.Cancel()
		}
	})
	last := s.Arrive(sim.Recorded([]float64{3001}), func() {})
	must(s.Run(t.Context(), 4000))
	if calls != 3 || e.Pending() || last.Pending() || s.PendingEvents() != 0 {
		t.Errorf("%d calls", calls)
	}
	for what, f := range map[string]func(){
		"must be finite, and not negative": func() { sim.Poisson(nil, -1) },
		"the largest rate must be":         func() { sim.VaryingPoisson(nil, nil, math.NaN(), 1) },
		"it must be from 0 to 2": func() {
			arrive(s, sim.VaryingPoisson(s.Stream("x"), func(float64) float64 { return 3 }, 2, 1e9), 5000)
		},
		"tell after which time nobody does": func() {
			arrive(s, sim.VaryingPoisson(s.Stream("x"), func(float64) float64 { return 0 }, 2, 1e99), 5000)
		},
		"none before the one":        func() { sim.Recorded([]float64{2, 1}) },
		"which must not be negative": func() { arrive(s, sim.Renewal(s.Stream("x"), sim.Constant(-1)), 5000) },
		"a batch of 0": func() {
			arrive(s, sim.Batches(sim.Recorded([]float64{4500}), func() int { return 0 }), 5000)
		},
		"needs a function":   func() { s.Arrive(sim.Recorded(nil), nil) },
		"it must be a share": func() { sim.Appointments(nil, nil, math.NaN(), sim.Constant(0)) },
		"Appointments: time 1 is NaN": func() {
			sim.Appointments(sim.New().Stream("x"), []float64{1, math.NaN()}, 0,
				sim.Constant(0))
		},
		"arrives at 1, and it is 4000 already": func() { arrive(s, early{}, 5000) },
	} {
		expectPanic(t, what, f)
	}
}

// early comes before its time.
type early struct{}

func (early) Next(float64) (float64, bool) { return 1, true }

// Of those who have an appointment a share stays away, and the others come in the order in which
// they do, by their lateness.
func TestAppointments(t *testing.T) {
	s := sim.New()
	var times []float64
	for i := range 10_000 {
		times = append(times, float64(i))
	}
	all := sim.Appointments(s.Stream("patients"), times, 0.2, sim.Normal(1, 3))
	var late sim.Tally
	for i, a := range all {
		if a.Due != times[a.Number] || i > 0 && a.At < all[i-1].At || a.At < 0 {
			t.Fatalf("%v after %v", a, all[i-1])
		}
		late.Add(a.At - a.Due)
	}
	if math.Abs(float64(len(all))-8000) > 4*40 { // √(10⁴·0.2·0.8)
		t.Errorf("%d of 10,000 came, where a fifth should stay away", len(all))
	}
	if math.Abs(late.Mean()-1) > 4*3/math.Sqrt(8000) || math.Abs(late.StdDev()-3) > 4*3/math.Sqrt(16000) {
		t.Errorf("they were late by %v", &late)
	}
}

// expectPanic checks that a call panics with a message of this package that says something.
func expectPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "sim: ") || !strings.Contains(got, want) {
			t.Errorf("a panic with %q, want %q", got, want)
		}
	}()
	f()
}
