package capped

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// The standard errors are right: over many seeds the means scatter accordingly. The ratio of the
// two variances is that of a chi-square number over its degrees of freedom, which for 59 has a
// standard deviation of √(2/59); 4.5 of those.
func TestMeasureErrors(t *testing.T) {
	const seeds = 60
	for _, c := range []Config{
		{Bins: 64, Capacity: 1, Rate: 0.9},
		{Bins: 64, Capacity: 3, Rate: 0.95},
		{Bins: 64, Kind: Greedy, Choices: 2, Rate: 0.8, Arrivals: Poisson},
	} {
		var pools, waits, poolErrors, waitErrors []float64
		_, _, relaxation, err := Plan{}.Decide(c)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(seeds) {
			c.Seed = seed
			// Batches of 2.5 relaxation times, whose correlation must be corrected for.
			m, err := Measure(context.Background(), c, Plan{Rounds: int(50 * relaxation)})
			if err != nil {
				t.Fatal(err)
			}
			pools, waits = append(pools, m.Pool.Mean), append(waits, m.Wait.Mean)
			poolErrors, waitErrors = append(poolErrors, m.Pool.Error*m.Pool.Error), append(waitErrors, m.Wait.Error*m.Wait.Error)
		}
		for what, pair := range map[string][2][]float64{"pool": {pools, poolErrors}, "wait": {waits, waitErrors}} {
			if c.Kind == Greedy && what == "pool" {
				continue // it has none
			}
			scatter := ofBatches(pair[0], 1).Error * math.Sqrt(seeds)
			claimed := math.Sqrt(ofBatches(pair[1], 1).Mean)
			if ratio := scatter * scatter / (claimed * claimed); math.Abs(ratio-1) > 4.5*math.Sqrt(2.0/(seeds-1)) {
				t.Errorf("%s: the %s scatters by %.4g, and %.4g is claimed", c.name(), what, scatter, claimed)
			}
		}
	}
}

// In the long run many bins behave like the limit, within 4.5 standard errors; the effect of finite
// n, of the order of 1/n, is less than one of them. Whether it starts empty or warm makes no
// difference.
func TestMeasureAgainstLimit(t *testing.T) {
	for _, c := range []Config{
		{Capacity: 1, Rate: 0.75}, {Capacity: 1, Rate: 1 - 0x1p-7}, {Capacity: 2, Rate: 0.99},
		{Capacity: 3, Rate: 1 - 0x1p-10, Warm: true},
		{Capacity: 5, Rate: 0.9, Warm: true}, {Capacity: 2, Rate: 0.99, Arrivals: Poisson}, {Capacity: 40, Rate: 0.9},
		{Kind: Greedy, Choices: 1, Rate: 0.8}, {Kind: Greedy, Choices: 2, Rate: 0.95}, {Kind: Greedy, Choices: 3, Rate: 0.99},
	} {
		c.Bins = testscale.Size(1<<15, 1<<18)
		var limit *Limit
		if c.Kind == Greedy {
			limit = GreedyLimit(c.Choices, c.Rate)
		} else {
			limit = NewLimit(c.Capacity, c.Rate)
		}
		m, err := Measure(context.Background(), c, Plan{})
		if err != nil && word == 0 && strings.Contains(err.Error(), "than an int counts here") {
			continue // it has 32 bits
		}
		if err != nil {
			t.Fatal(err)
		}
		n := float64(c.Bins)
		compare := func(what string, got Estimate, want float64) {
			if z := (got.Mean - want) / got.Error; math.Abs(z) > 4.5 {
				t.Errorf("%s: %s is %.6g ± %.2g, in the limit %.6g (%.1f standard errors)", c.name(), what, got.Mean, got.Error,
					want, z)
			}
		}
		if c.Kind == Capped && limit.Pool*n > 1 {
			compare("the pool", m.Pool, limit.Pool*n)
		}
		compare("the wait", m.Wait, limit.Wait)
		served := 0
		for _, k := range m.Waits {
			served += k
		}
		for w, p := range limit.Waits() {
			got := 0.0
			if w < len(m.Waits) {
				got = float64(m.Waits[w]) / float64(served)
			}
			// The shares scatter with the pool; 4 % of a share that is not rare is many of its
			// standard errors, and a wrong law is off by more.
			if p > 1e-3 && math.Abs(got-p) > 0.04*p {
				t.Errorf("%s: %.5g of the balls wait %d, in the limit %.5g", c.name(), got, w, p)
			}
		}
		for load, p := range limit.Loads {
			if p > 0.01 && (load >= len(m.Loads) || math.Abs(m.Loads[load]-p) > 0.02*p) {
				t.Errorf("%s: loads %.4g, in the limit %.4g", c.name(), m.Loads, limit.Loads)
				break
			}
		}
	}
}

// A warm start is in the stationary state: the pool, the loads and the ages are those of the limit,
// and it stays there from the first round on, where an empty system is far from it.
func TestWarm(t *testing.T) {
	for _, by := range []bool{false, true} {
		for _, capacity := range []int{1, 2, 3, 6} {
			bins := testscale.Size(1<<15, 1<<17)
			c := Config{Bins: bins, Capacity: capacity, Rate: 1 - 0x1p-10, Warm: true, ByBin: by, Seed: 2}
			limit := NewLimit(capacity, c.Rate)
			p := start(t, c)
			n := float64(c.Bins)
			if got := float64(p.Pool()); math.Abs(got-limit.Pool*n) > 0.5 {
				t.Errorf("c = %d: a pool of %v, want %v", capacity, got, limit.Pool*n)
			}
			waits := 0.0
			const rounds = 30
			for range rounds {
				r := advance(t, p)
				// The requests of a round scatter as a Poisson number does, or less, and so does
				// what is left of them.
				if math.Abs(float64(r.Pool)/n-limit.Pool) > 5*math.Sqrt(limit.Requests/n) {
					t.Errorf("c = %d, round %d: a pool of %v per bin, want %v", capacity, p.now, float64(r.Pool)/n, limit.Pool)
				}
				waits += float64(r.WaitSum) / float64(r.Served) / rounds
			}
			if math.Abs(waits-limit.Wait) > 0.01*limit.Wait {
				t.Errorf("c = %d: a mean wait of %v, want %v", capacity, waits, limit.Wait)
			}
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	for _, c := range []struct {
		config Config
		plan   Plan
		want   string
	}{
		{Config{}, Plan{}, "the number of bins"},
		{Config{Bins: 10, Capacity: 1, Kind: Threshold, Rate: 1}, Plan{}, "Threshold has one batch and ends"},
		{Config{Bins: 10, Capacity: 1, Rate: 0.5}, Plan{Rounds: 19}, "at least 20 rounds must be measured, not 19"},
		{Config{Bins: 10, Capacity: 1, Rate: 0.5}, Plan{Rounds: -1}, "at least 20 rounds must be measured, not -1"},
		{Config{Bins: 10, Capacity: 1, Rate: 1 - 1e-9}, Plan{}, "rounds to relax"},
		{Config{Bins: 10, Capacity: 1, Rate: 1 - 1e-9}, Plan{Rounds: 100}, "rounds to relax"},
		{Config{Bins: 10, Capacity: 1, Rate: 0.5}, Plan{Rounds: math.MaxInt},
			"at most " + fmt.Sprint(math.MaxInt/10) + " rounds can be measured"},
	} {
		if _, err := Measure(context.Background(), c.config, c.plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %+v: %v, want %q", c.config, c.plan, err, c.want)
		}
	}
	// It may be set.
	if _, err := Measure(context.Background(), Config{Bins: 10, Capacity: 1, Rate: 1 - 1e-9},
		Plan{BurnIn: -1, Rounds: 100}); err != nil {
		t.Error(err)
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rounds := 0
	_, err := Measure(ctx, Config{Bins: 10, Capacity: 1, Rate: 0.5},
		Plan{Rounds: 1_000_000, Watch: func(_ *Process, r Round) {
			if rounds++; rounds == 1000 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || rounds > 1100 {
		t.Errorf("%v after %d rounds", err, rounds)
	}
}

// Watch sees every round, including the burn-in.
func TestMeasureWatches(t *testing.T) {
	rounds, pool := 0, 0
	m, err := Measure(context.Background(), Config{Bins: 100, Capacity: 1, Rate: 0.9},
		Plan{BurnIn: 50, Rounds: 1003, Watch: func(p *Process, r Round) {
			if rounds++; rounds != p.Rounds() {
				t.Fatal(rounds, p.Rounds())
			}
			if rounds > 50 {
				pool = max(pool, r.Pool)
			}
		}})
	if err != nil || rounds != 1053 || m.PoolMax != pool || m.BurnIn != 50 || m.Rounds != 1003 {
		t.Errorf("%v; %d rounds, largest pool %d: %+v", err, rounds, pool, m)
	}
}
