package replicate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/internal/seed"
)

var workerCounts = []int{1, 2, 7}

// unevenly makes replications take different times, so that they end out of order.
func unevenly(r *Replication) { time.Sleep(time.Duration(r.Seed()%8) * 50 * time.Microsecond) }

// draw records one normal number with mean 10 and standard deviation 2.
func draw(r *Replication) error {
	unevenly(r)
	r.Record("x", 10+2*r.Stream("x").NormFloat64())
	return nil
}

func TestReplicateIsTheSameForAnyWorkers(t *testing.T) {
	defer goleak.VerifyNone(t)
	var first *Results
	for _, k := range workerCounts {
		results, err := Run(t.Context(), 50, func(r *Replication) error {
			s := r.Sim()
			load := s.NewTimeWeighted("load", 0)
			for range 20 {
				s.At(10*s.Stream("when").Float64(), func() { load.Add(s.Stream("size").NormFloat64()) })
			}
			unevenly(r)
			if err := s.Run(r.Context(), 10); err != nil {
				return err
			}
			r.Record("load", load.Mean())
			r.Record("index", float64(r.Index()))
			return nil
		}, Workers(k), Seed(3))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = results
		}
		for i, x := range results.Values("index") {
			if x != float64(i) {
				t.Fatalf("%d workers: replication %v came at place %d", k, x, i)
			}
		}
		if !slices.Equal(results.Metrics(), []string{"load", "index"}) || !slices.Equal(results.Values("load"),
			first.Values("load")) {
			t.Errorf("%d workers: %v", k, results.Values("load"))
		}
		if results.String() != first.String() || results.Interval("load") != first.Interval("load") || !results.Reached() {
			t.Errorf("%d workers: %v", k, results)
		}
	}
}

func TestReplicationsDiffer(t *testing.T) {
	seeds := map[uint64]bool{}
	results, err := Run(t.Context(), 200, func(r *Replication) error {
		if s := r.Sim(); s != r.Sim() || s.Seed() != r.Seed() {
			return errors.New("a replication has one simulation, with its seed")
		}
		seeds[r.Seed()] = true
		return draw(r)
	}, Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	tally := results.Tally("x")
	if len(seeds) != 200 || math.Abs(tally.Mean()-10) > 4*2/math.Sqrt(200) {
		t.Errorf("%d seeds, %v", len(seeds), tally)
	}
	// The standard deviation of a sample of normal numbers has a standard error of σ/√(2n).
	if math.Abs(tally.StdDev()-2) > 4*2/math.Sqrt(2*200) {
		t.Errorf("the standard deviation is %v", tally.StdDev())
	}
}

// meanAndHalfWidth returns the mean of some values, and half the width of its interval by the
// textbook's formula. TestStudentQuantile compares the quantile with published tables.
func meanAndHalfWidth(values []float64, level float64) (mean, halfWidth float64) {
	n := float64(len(values))
	for _, x := range values {
		mean += x / n
	}
	squares := 0.0
	for _, x := range values {
		squares += (x - mean) * (x - mean)
	}
	return mean, detmath.StudentQuantile(n-1, (1+level)/2) * math.Sqrt(squares/(n-1)/n)
}

func TestReplicateInterval(t *testing.T) {
	results, err := Run(t.Context(), 12, draw, Confidence(0.9))
	if err != nil {
		t.Fatal(err)
	}
	mean, want := meanAndHalfWidth(results.Values("x"), 0.9)
	i := results.Interval("x")
	if !near(i.Mean, mean, 1e-14) || !near(i.HalfWidth, want, 1e-12) || i.Level != 0.9 || i.N != 12 {
		t.Errorf("the interval is %v, want %v ± %v", i, mean, want)
	}
}

// The number of replications is the first, from the least on, with an interval that is narrow
// enough, found here by hand.
func TestReplicateStopsAtHalfWidth(t *testing.T) {
	defer goleak.VerifyNone(t)
	const least, most = 5, 400
	all, err := Run(t.Context(), most, draw, Seed(8))
	if err != nil {
		t.Fatal(err)
	}
	// The first at which all of the half-widths are at most the share of the mean, or absolutely.
	first := func(enough func(mean, halfWidth float64) bool) int {
		for n := least; n < most; n++ {
			if enough(meanAndHalfWidth(all.Values("x")[:n], 0.95)) {
				return n
			}
		}
		return most
	}
	for _, c := range []struct {
		name    string
		options []Option
		want    int
		reached bool
	}{
		{"absolute", []Option{ToHalfWidth("x", 0.5, most)},
			first(func(_, h float64) bool { return h <= 0.5 }), true},
		{"relative", []Option{ToRelativeHalfWidth("x", 0.04, most)},
			first(func(m, h float64) bool { return h <= 0.04*m }), true},
		{"both", []Option{ToHalfWidth("x", 0.9, most), ToRelativeHalfWidth("x", 0.06, most)},
			first(func(m, h float64) bool { return h <= 0.9 && h <= 0.06*m }), true},
		{"one gives up", []Option{ToHalfWidth("x", 0.01, 20), ToHalfWidth("x", 0.5, most)},
			first(func(_, h float64) bool { return h <= 0.5 }), false},
		{"never", []Option{ToHalfWidth("x", 0.01, 60)}, 60, false},
		{"at once", []Option{ToHalfWidth("x", 1000, most)}, least, true},
	} {
		for _, k := range workerCounts {
			var started atomic.Int64
			results, err := Run(t.Context(), least, func(r *Replication) error {
				started.Add(1)
				if r.Index() >= c.want && r.Index()%2 == 0 {
					panic("a replication too many") // which is nobody's business
				}
				return draw(r)
			}, append(c.options, Workers(k), Seed(8))...)
			if err != nil {
				t.Fatalf("%s, %d workers: %v", c.name, k, err)
			}
			if results.N() != c.want || results.Reached() != c.reached || !slices.Equal(results.Values("x"),
				all.Values("x")[:c.want]) {
				t.Errorf("%s, %d workers: %d replications, reached %v; want %d, %v",
					c.name, k, results.N(), results.Reached(), c.want, c.reached)
			}
			if tooMany := int(started.Load()) - c.want; tooMany > 2*k || k == 1 && tooMany != 0 {
				t.Errorf("%s, %d workers: %d replications too many were started", c.name, k, tooMany)
			}
		}
	}
	negative, err := Run(t.Context(), least, func(r *Replication) error {
		r.Record("x", -10-2*r.Stream("x").NormFloat64())
		return nil
	}, ToRelativeHalfWidth("x", 0.04, most), Seed(8))
	if want := first(func(m, h float64) bool { return h <= 0.04*m }); err != nil || negative.N() != want {
		t.Errorf("with a mean below 0: %v replications, %v; want %d", negative.N(), err, want)
	}
	// The cases would show little if they all stopped at the least or the most.
	if n := first(func(_, h float64) bool { return h <= 0.5 }); n < 20 || n > 200 {
		t.Errorf("%d replications are no good example", n)
	}
}

func TestReplicateWantsTheSameMetricsOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	for want, record := range map[string]func(r *Replication){
		`metric "b" is not recorded, as it was in replication 0`: func(r *Replication) {
			r.Record("a", 1)
			if r.Index() < 3 {
				r.Record("b", 2)
			}
		},
		`metric "b" is recorded, but was not in replication 0`: func(r *Replication) {
			r.Record("a", 1)
			if r.Index() == 3 {
				r.Record("b", 2)
			}
		},
		`metric "a" is recorded twice`: func(r *Replication) {
			r.Record("a", 1)
			if r.Index() >= 3 {
				r.Record("a", 1)
			}
		},
		`metric "a" is +Inf; it must be a finite number, or NaN where nothing was observed`: func(r *Replication) {
			r.Record("a", 1/math.Max(0, float64(3-r.Index())))
		},
	} {
		for _, k := range workerCounts {
			results, err := Run(t.Context(), 20, func(r *Replication) error {
				unevenly(r)
				record(r)
				return nil
			}, Workers(k))
			var failure *Error
			if !errors.As(err, &failure) || failure.Index != 3 || !strings.HasSuffix(err.Error(), want) || results.N() != 3 {
				t.Errorf("%d workers: %v; want %s", k, err, want)
			}
		}
	}
	_, err := Run(t.Context(), 5, draw, ToHalfWidth("y", 1, 10))
	if err == nil || !strings.HasSuffix(err.Error(), `metric "y" should decide when to stop, but only "x" is recorded`) {
		t.Error(err)
	}
}

func TestReplicateClosesItsSimulations(t *testing.T) {
	defer goleak.VerifyNone(t)
	var simulations [20]*sim.Simulation
	var contexts [20]context.Context
	_, err := Run(t.Context(), len(simulations), func(r *Replication) error {
		simulations[r.Index()], contexts[r.Index()] = r.Sim(), r.Context()
		if r.Index() == len(simulations)-1 {
			panic("the last")
		}
		return nil
	})
	if err == nil {
		t.Error("a panic was lost")
	}
	for i, s := range simulations {
		if !closed(s) || contexts[i].Err() == nil {
			t.Errorf("the simulation or the context of replication %d was not closed", i)
		}
	}
}

func TestReplicateRefuses(t *testing.T) {
	mustPanic(t, "at least 1", func() { _, _ = Run(t.Context(), 0, draw) })
	mustPanic(t, "Workers(0)", func() { Workers(0) })
	mustPanic(t, "between 0 and 1", func() { Confidence(95) })
	mustPanic(t, "above 0", func() { ToHalfWidth("x", 0, 10) })
	mustPanic(t, "above 0", func() { ToRelativeHalfWidth("x", math.NaN(), 10) })
	mustPanic(t, "at most 10", func() { _, _ = Run(t.Context(), 20, draw, ToHalfWidth("x", 1, 10)) })
	results, err := Run(t.Context(), 2, draw)
	if err != nil {
		t.Fatal(err)
	}
	mustPanic(t, `no metric "y"; recorded is "x"`, func() { results.Mean("y") })
	results.Values("x")[0] = 99
	results.Tally("x").Add(99)
	if results.Values("x")[0] == 99 || results.Interval("x").N != 2 {
		t.Error("what results return should be copies")
	}
	_, err = Run(t.Context(), 1, func(r *Replication) error {
		r.Sim()
		r.Sim(sim.Seed(1))
		return nil
	})
	var p *sim.PanicError
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "Sim with options") {
		t.Error(err)
	}
	// The seed of the replication is the one that counts.
	_, err = Run(t.Context(), 1, func(r *Replication) error {
		if r.Sim(sim.Seed(1)).Seed() != r.Seed() {
			return errors.New("another seed")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Whole experiments, with 6 replications each, of which the 90 % interval covers the mean in 90 of
// 100, within 4 standard errors.
func TestReplicateCovers(t *testing.T) {
	const experiments, want = 4000, 0.9
	covered := 0
	for seed := range uint64(experiments) {
		results, err := Run(t.Context(), 6, func(r *Replication) error {
			r.Record("x", r.Stream("x").NormFloat64())
			return nil
		}, Seed(seed), Confidence(0.9))
		if err != nil {
			t.Fatal(err)
		}
		if results.Interval("x").Contains(0) {
			covered++
		}
	}
	standardError := math.Sqrt(want * (1 - want) / experiments)
	if got := float64(covered) / experiments; math.Abs(got-want) > 4*standardError {
		t.Errorf("%v of the intervals cover the mean, want %v ± %v", got, want, 4*standardError)
	}
}

// A replication in which nothing was observed has a missing value, which is counted and left out.
func TestReplicateWithMissingValues(t *testing.T) {
	scenario := func(shift float64, without func(i int) bool) *Results {
		results, err := Run(t.Context(), 6, func(r *Replication) error {
			r.Record("always", 1)
			var waits sim.Tally
			if !without(r.Index()) {
				waits.Add(float64(r.Index()) + shift)
			}
			r.Record("wait", waits.Mean())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	a := scenario(10, func(i int) bool { return i < 2 })
	b := scenario(0, func(i int) bool { return i == 5 })
	if a.N() != 6 || a.Missing("wait") != 2 || a.Missing("always") != 0 || a.Mean("wait") != 13.5 ||
		a.Interval("wait").N != 4 {
		t.Errorf("%d of %d are missing, and the mean is %v", a.Missing("wait"), a.N(), a.Interval("wait"))
	}
	if v := a.Values("wait"); len(v) != 6 || !math.IsNaN(v[1]) || v[2] != 12 {
		t.Error(v)
	}
	if lines := strings.Split(a.String(), "\n"); !strings.HasSuffix(lines[0], "n  missing") || !strings.HasSuffix(lines[2],
		"4        2") ||
		strings.Contains(scenario(0, func(int) bool { return false }).String(), "missing") {
		t.Errorf("\n%v", a)
	}
	c, err := Compare(a, b, "wait")
	if err != nil || c.Missing != 3 || c.Difference.Mean != 10 || c.Difference.N != 3 || c.Correlation != 1 ||
		c.VarianceRatio != 0 ||
		!strings.HasSuffix(c.String(), "; 3 pairs are missing") {
		t.Errorf("%v, %v", c, err)
	}
	none := scenario(0, func(int) bool { return true })
	if !math.IsNaN(none.Mean("wait")) || none.Missing("wait") != 6 || !math.IsInf(none.Interval("wait").HalfWidth, 1) {
		t.Errorf("\n%v", none)
	}
	if c, err := Compare(a, none, "wait"); err != nil || c.Missing != 6 || c.Differs() {
		t.Errorf("%v, %v", c, err)
	}
}

// failing is an error of our own, to be found again.
var errFailing = errors.New("the machine is on fire")

func TestReplicateReturnsTheFirstFailure(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, k := range workerCounts {
		for name, fail := range map[string]func() error{
			"error":            func() error { return errFailing },
			"panic":            func() error { panic("on fire") },
			"panic with error": func() error { panic(fmt.Errorf("wrapped: %w", errFailing)) },
			"goexit":           func() error { runtime.Goexit(); return nil },
		} {
			results, err := Run(t.Context(), 100, func(r *Replication) error {
				switch r.Index() {
				case 5:
					time.Sleep(2 * time.Millisecond) // 6 and 7 have failed long before
					return fail()
				case 6:
					return errors.New("another error")
				case 7:
					panic("another panic")
				}
				return draw(r)
			}, Workers(k), Seed(4))
			var failure *Error
			if !errors.As(err, &failure) || failure.Index != 5 || failure.Seed != seed.Replication(4, 5) {
				t.Fatalf("%d workers, %s: %v", k, name, err)
			}
			if !strings.HasPrefix(err.Error(), "replicate: replication 5 (seed ") {
				t.Errorf("%d workers, %s: %q", k, name, err)
			}
			if strings.Contains(name, "error") != errors.Is(err, errFailing) {
				t.Errorf("%d workers, %s: is it ours? %v", k, name, err)
			}
			var p *sim.PanicError
			if errors.As(err, &p) != strings.Contains(name, "panic") || p != nil && !strings.Contains(string(p.Stack),
				"replicate_test.go") {
				t.Errorf("%d workers, %s: %v", k, name, err)
			}
			if results.N() != 5 {
				t.Errorf("%d workers, %s: with the error come %d results, want those of the 5 before", k, name, results.N())
			}
		}
	}
}

// Those with higher numbers would wait for ever if the failure did not end their contexts.
func TestReplicateFailureStopsTheOthers(t *testing.T) {
	defer goleak.VerifyNone(t)
	_, err := Run(t.Context(), 1000, func(r *Replication) error {
		if r.Index() > 0 {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return errFailing
	}, Workers(7))
	if !errors.Is(err, errFailing) {
		t.Error(err)
	}
}

// Those that were begun in advance would wait for ever if the decision to stop did not end their
// contexts.
func TestReplicateDecisionStopsTheOthers(t *testing.T) {
	defer goleak.VerifyNone(t)
	results, err := Run(t.Context(), 5, func(r *Replication) error {
		if r.Index() >= 5 {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return draw(r)
	}, Workers(7), ToHalfWidth("x", 1000, 100))
	if err != nil || results.N() != 5 {
		t.Errorf("%d replications, %v", results.N(), err)
	}
}

// While replication 0 sleeps nothing can be decided, and others that may be too many do not go on
// without end.
func TestReplicateDoesNotRunFarAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		var started atomic.Int64
		_, err := Run(t.Context(), 2, func(r *Replication) error {
			started.Add(1)
			if r.Index() == 0 {
				time.Sleep(time.Hour)
				if n := started.Load(); n != 2*workers {
					t.Errorf("%d replications were started, want %d", n, 2*workers)
				}
			}
			return draw(r)
		}, Workers(workers), ToHalfWidth("x", 1000, 500))
		if err != nil {
			t.Error(err)
		}
	})
}

func TestReplicateHonoursItsContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, k := range workerCounts {
		ctx, cancel := context.WithCancel(t.Context())
		results, err := Run(ctx, 1_000_000, func(r *Replication) error {
			if r.Index() == 10 {
				cancel()
			}
			if r.Index() >= 10 {
				<-r.Context().Done()
			}
			r.Record("half a run", 1) // as if nothing had happened
			return nil
		}, Workers(k))
		var failure *Error
		if !errors.Is(err, context.Canceled) || errors.As(err, &failure) || !strings.HasPrefix(err.Error(),
			"replicate: stopped after ") {
			t.Errorf("%d workers: %v", k, err)
		}
		// Some of those before may have been under way.
		if n := results.N(); n > 10 || k == 1 && n < 10 {
			t.Errorf("%d workers: %d results", k, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := Run(ctx, 5, func(*Replication) error { t.Error("it was run"); return nil })
	if !errors.Is(err, context.Canceled) || results.N() != 0 {
		t.Errorf("with a context that is done: %v and %d results", err, results.N())
	}
}

// As many workers as an int can say are as good as there are replications.
func TestReplicateWithMostWorkers(t *testing.T) {
	want, err := Run(t.Context(), 2, noisy, ToHalfWidth("x", 0.2, 200))
	if err != nil || want.N() < 10 {
		t.Fatalf("%d replications, %v", want.N(), err)
	}
	got, err := Run(t.Context(), 2, noisy, ToHalfWidth("x", 0.2, 200), Workers(math.MaxInt))
	if err != nil || got.N() != want.N() || got.Mean("x") != want.Mean("x") {
		t.Errorf("%d replications with a mean of %v, want %d with %v: %v",
			got.N(), got.Mean("x"), want.N(), want.Mean("x"), err)
	}
}

func noisy(r *Replication) error {
	r.Record("x", r.Stream("x").NormFloat64())
	return nil
}

// Every number is either taken or refused in words.
func TestExtremeOptions(t *testing.T) {
	tolerates := func(what string, do func()) {
		defer func() {
			if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "replicate: ") {
				t.Errorf("%s panics: %v", what, p)
			}
		}()
		do()
	}
	for _, n := range []int{math.MinInt, -1, 0, 1, 2, math.MaxInt - 1, math.MaxInt} {
		tolerates("Workers", func() { Workers(n) })
		tolerates("ToHalfWidth", func() { ToHalfWidth("x", 1, n) })
	}
	for _, x := range []float64{math.NaN(), math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64,
		math.Inf(1)} {
		tolerates("Confidence", func() { Confidence(x) })
		tolerates("ToHalfWidth", func() { ToHalfWidth("x", x, 10) })
	}
}

// closed reports whether a simulation is closed.
func closed(s *sim.Simulation) (closed bool) {
	defer func() { closed = recover() != nil }()
	s.Step()
	return false
}

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// mustPanic wants a panic with a message that begins with the name of the package and has a part.
func mustPanic(t *testing.T, part string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		message := fmt.Sprint(recover())
		if !strings.HasPrefix(message, "replicate: ") || !strings.Contains(message, part) {
			t.Errorf("the panic %q should begin with \"replicate: \" and have %q in it", message, part)
		}
	}()
	f()
}
