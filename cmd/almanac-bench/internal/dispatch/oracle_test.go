package dispatch

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/sim"
)

// seeds is over how many independent runs means and errors are taken.
const seeds = 10

// agrees wants the mean over seeds to be what theory says, within five standard errors, which is
// one chance in 1400 for ten seeds (Student's t). The error itself may not be more than a share of
// the value, so that a formula that is wrong by some per cent fails.
func agrees(t *testing.T, what string, runs []Run, of func(Run) float64, want, largestError float64) {
	t.Helper()
	var all sim.Tally
	for _, r := range runs {
		all.Add(of(r))
	}
	se := all.StdDev() / math.Sqrt(float64(len(runs)))
	if !(math.Abs(all.Mean()-want) <= 5*se) {
		t.Errorf("%s: %.5f ± %.5f, want %.5f", what, all.Mean(), se, want)
	}
	if !(se <= largestError*want) {
		t.Errorf("%s: a standard error of %.5f is more than %v of %.5f, and shows nothing", what, se, largestError, want)
	}
}

func simulate(t *testing.T, s Setting, p Policy) (runs []Run) {
	t.Helper()
	s.Round = max(s.Round, 1)
	for s.Seed = 1; s.Seed <= seeds; s.Seed++ {
		l, err := draw(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.through(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

func named(t *testing.T, name string) Policy {
	t.Helper()
	p, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mean(r Run) float64 { return r.Mean }
func p99(r Run) float64  { return r.P99 }

// Random choice makes every worker an M/M/1 queue of its own, in which times are exponential with
// mean 1/(1−λ).
func TestRandomIsMM1(t *testing.T) {
	const rho = 0.6
	runs := simulate(t, Setting{Workers: 20, Service: "exponential", Load: rho, Requests: 90_000}, named(t, Random))
	agrees(t, "mean", runs, mean, 1/(1-rho), 0.01)
	agrees(t, "p50", runs, func(r Run) float64 { return r.P50 }, math.Ln2/(1-rho), 0.01)
	agrees(t, "p99", runs, p99, math.Log(100)/(1-rho), 0.015)
}

// Pollaczek and Khinchine: with random choice the mean wait is λE[S²]/(2(1−λ)), whatever the
// service.
func TestRandomIsMG1(t *testing.T) {
	const rho = 0.6
	for service, second := range map[string]float64{"constant": 1, "bimodal": 10.9 / (1.9 * 1.9)} {
		runs := simulate(t, Setting{Workers: 20, Service: service, Load: rho, Requests: 30_000}, named(t, Random))
		agrees(t, service, runs, mean, 1+rho*second/(2*(1-rho)), 0.015)
	}
}

// One queue for n workers is M/M/n: who comes has to wait with the probability that Erlang's C
// formula says, and then for an exponential time with mean 1/(n(1−λ)). So it is for event-driven
// CAPPED with c = 1, whose workers accept nothing to wait.
func TestCentralIsMMn(t *testing.T) {
	const n, rho = 8, 0.8
	inverse := 1.0 // of Erlang's B formula, by its recursion
	for k := 1; k <= n; k++ {
		inverse = 1 + inverse*float64(k)/(n*rho)
	}
	b := 1 / inverse
	waits := b / (1 - rho*(1-b))
	a := n * (1 - rho)
	longer := func(t float64) float64 {
		return (1-waits)*math.Exp(-t) + waits*(a*math.Exp(-t)-math.Exp(-a*t))/(a-1)
	}
	low, high := 0.0, 100.0
	for range 60 {
		if mid := (low + high) / 2; longer(mid) > 0.01 {
			low = mid
		} else {
			high = mid
		}
	}
	for _, name := range []string{Central, "capped-1"} {
		runs := simulate(t, Setting{Workers: n, Service: "exponential", Load: rho, Requests: 40_000}, named(t, name))
		agrees(t, name+" mean", runs, mean, 1+waits/a, 0.01)
		agrees(t, name+" p99", runs, p99, low, 0.02)
	}
	// With larger buffers who is there is served in another order, but nobody idles who would not,
	// so that the mean is the same.
	runs := simulate(t, Setting{Workers: n, Service: "exponential", Load: rho, Requests: 40_000}, named(t, "capped-3"))
	agrees(t, "c=3 mean", runs, mean, 1+waits/a, 0.01)
}

// Two choices have the limit of many workers that Mitzenmacher and Vvedenskaya et al. found: a mean
// time of Σ λ^(2ⁱ−2). It is off by a multiple of 1/n.
func TestTwoChoicesHaveTheirLimit(t *testing.T) {
	const rho, n = 0.5, 300
	want := 0.0
	for i := 1.0; i < 10; i++ {
		want += math.Pow(rho, math.Pow(2, i)-2)
	}
	alone := Policy{Name: "one with local counts", new: func(c *cluster) policy { return newLocal(c, 1) }}
	for _, p := range []Policy{named(t, "two-choices"), alone} {
		var all sim.Tally
		for _, r := range simulate(t, Setting{Workers: n, Service: "exponential", Load: rho, Requests: 30_000}, p) {
			all.Add(r.Mean)
		}
		se := all.StdDev() / math.Sqrt(float64(all.N()))
		if !(math.Abs(all.Mean()-want) <= 5*se+2.0/n) || se > 0.004*want {
			t.Errorf("%s: %.4f ± %.4f, want %.4f", p.Name, all.Mean(), se, want)
		}
	}
}

// With constant work and rounds as long, rounds are the process of the paper, as package capped
// runs it.
func TestRoundsAreThePapersProcess(t *testing.T) {
	const n, rho = 50, 0.8
	for c := 1; c <= 3; c++ {
		m, err := capped.Measure(t.Context(), capped.Config{Bins: n, Capacity: c, Rate: rho, Arrivals: capped.Poisson,
			Seed: 1}, capped.Plan{Rounds: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		p := Policies()[4+c]
		var all sim.Tally
		for _, r := range simulate(t, Setting{Workers: n, Service: "constant", Load: rho, Requests: 20_000}, p) {
			all.Add(r.Mean - 1.5) // half a round until it may ask, and one to be served
		}
		se := math.Hypot(all.StdDev()/math.Sqrt(seeds), m.Wait.Error)
		if math.Abs(all.Mean()-m.Wait.Mean) > 5*se || se > 0.01*m.Wait.Mean {
			t.Errorf("%s: a mean wait of %.4f, and %.4f of the process, ± %.4f", p.Name, all.Mean(), m.Wait.Mean, se)
		}
	}
}

// With exponential work a worker that is always full ends min(N, c) requests in a round, N being
// Poisson.
func TestSaturated(t *testing.T) {
	for c, want := range map[int]float64{1: 1 - math.Exp(-1), 2: 2 - 3*math.Exp(-1), 3: 3 - 5.5*math.Exp(-1)} {
		l := &load{Setting: Setting{Workers: 4, Round: 1, Seed: 1}, service: serviceOf("exponential")}
		// The variance of min(N, c) is below 1, that of Poisson with mean 1, and a million rounds
		// are measured.
		if got := saturated(l, c); math.Abs(got-want) > 0.004 {
			t.Errorf("c=%d: a load of %.4f, want %.4f", c, got, want)
		}
	}
	l := &load{Setting: Setting{Workers: 10, Round: 1, Seed: 1}, service: serviceOf("constant")}
	if got := saturated(l, 1); got != 1 {
		t.Errorf("constant work as long as a round: a load of %v", got)
	}
	// Of rounds that are shorter than a service there are more, so that as much is known: a million
	// ended, and five standard errors.
	l.Round = 0.25
	if got := saturated(l, 1); got != 1 {
		t.Errorf("constant work of four rounds: a load of %v", got)
	}
	l.Round, l.service = 0.01, serviceOf("exponential")
	if got, want := saturated(l, 1), (1-math.Exp(-0.01))/0.01; math.Abs(got-want) > 0.005 {
		t.Errorf("rounds of a hundredth: a load of %.4f, want %.4f", got, want)
	}
}
