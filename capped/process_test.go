package capped

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// every is a configuration of each kind and engine.
func every(bins int, rate float64, seed uint64) []Config {
	var all []Config
	for _, by := range []bool{false, true} {
		for _, capacity := range []int{1, 2, 3, 7, 130} {
			all = append(all, Config{Bins: bins, Capacity: capacity, Rate: rate, Seed: seed, ByBin: by})
		}
		for _, choices := range []int{1, 2, 5} {
			all = append(all, Config{Bins: bins, Rate: rate, Kind: Greedy, Choices: choices, Seed: seed, ByBin: by})
		}
		for _, capacity := range []int{1, 3} {
			all = append(all, Config{Bins: bins, Capacity: capacity, Rate: 3 * rate, Kind: Threshold, Seed: seed, ByBin: by})
		}
	}
	for _, capacity := range []int{1, 2, 3, 7} {
		all = append(all, Config{Bins: bins, Capacity: capacity, Rate: rate, Kind: ModCapped, Seed: seed})
	}
	return all
}

func (c Config) name() string {
	return fmt.Sprintf("%v n=%d c=%d d=%d rate=%v by bin %v", c.Kind, c.Bins, c.Capacity, c.Choices, c.Rate, c.ByBin)
}

func start(t testing.TB, c Config) *Process {
	t.Helper()
	p, err := NewProcess(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// check compares a process before and after a round: no ball is lost or created.
func check(p *Process, before []int, pool int, r Round) error {
	c := p.config
	loads := p.Loads()
	weigh := func(loads []int) (bins, balls int) {
		for load, count := range loads {
			if count < 0 {
				return -1, -1
			}
			bins += count
			balls += load * count
		}
		return bins, balls
	}
	bins, balls := weigh(loads)
	_, held := weigh(before)
	kept := 0 // what the diary holds from the next round on
	for i := 1; i < len(p.diary.days); i++ {
		for _, s := range p.diary.on(p.now + i) {
			kept += int(s.count)
		}
	}
	full := len(loads) - 1 // the largest load
	switch {
	case bins != c.Bins:
		return fmt.Errorf("%d bins, not %d: %v", bins, c.Bins, loads)
	case r.Thrown != pool+r.Arrived:
		return fmt.Errorf("thrown %d of %d in the pool and %d new", r.Thrown, pool, r.Arrived)
	case r.Pool != r.Thrown-r.Accepted || r.Pool != p.Pool():
		return fmt.Errorf("pool of %d (%d) with %d thrown and %d accepted", r.Pool, p.Pool(), r.Thrown, r.Accepted)
	case c.Kind == Threshold && (balls != held+r.Accepted || r.Served != r.Accepted || kept != 0):
		return fmt.Errorf("%d balls in bins that held %d, %d accepted, %d served, %d in the diary", balls, held, r.Accepted,
			r.Served, kept)
	case c.Kind == Threshold:
	case balls != held+r.Accepted-r.Served:
		return fmt.Errorf("%d balls in bins that held %d, %d accepted, %d served", balls, held, r.Accepted, r.Served)
	case kept != balls:
		return fmt.Errorf("%d balls in bins, %d in the diary", balls, kept)
	case c.Kind == Greedy && r.Pool != 0:
		return fmt.Errorf("a pool of %d", r.Pool)
	case c.Kind == Capped && full >= c.Capacity:
		return fmt.Errorf("a load of %d after deletion, with a capacity of %d", full, c.Capacity)
	case c.Kind == ModCapped && full > c.Capacity:
		return fmt.Errorf("a load of %d, with a capacity of %d", full, c.Capacity)
	case c.Kind == ModCapped && r.Thrown < c.minThrown():
		return fmt.Errorf("%d balls thrown, fewer than %d", r.Thrown, c.minThrown())
	}
	// Every bin that deletes nothing is empty; of the others those that held one ball are empty
	// now.
	if (c.Kind == Capped || c.Kind == Greedy) && r.Served < c.Bins-loads[0] {
		return fmt.Errorf("%d balls served by %d bins of which %d are not even empty now", r.Served, c.Bins, c.Bins-loads[0])
	}
	sum, last := 0, math.MaxInt
	for age, count := range p.Ages() {
		if age >= last || count <= 0 || age < 0 {
			return fmt.Errorf("%d balls of age %d after age %d", count, age, last)
		}
		last = age
		sum += count
	}
	if sum != r.Pool {
		return fmt.Errorf("%d balls by age in a pool of %d", sum, r.Pool)
	}
	served, waits, longest := 0, 0, 0
	for wait, count := range p.Waits(nil) {
		served += count
		waits += wait * count
		if count > 0 {
			longest = wait
		}
	}
	if served != r.Served || waits != r.WaitSum || longest != r.WaitMax {
		return fmt.Errorf("a histogram of %d balls that waited %d, at most %d; reported %d, %d, %d", served, waits, longest,
			r.Served, r.WaitSum, r.WaitMax)
	}
	if c.ByBin || c.Kind == ModCapped {
		again := make([]int, len(loads))
		for bin := range c.Bins {
			again[p.Load(bin)]++
		}
		if !slices.Equal(again, loads) {
			return fmt.Errorf("loads %v, bin by bin %v", loads, again)
		}
	}
	return nil
}

// advance runs a round and checks it.
func advance(t testing.TB, p *Process) Round {
	t.Helper()
	before, pool := p.Loads(), p.Pool()
	r := p.Round()
	if err := check(p, before, pool, r); err != nil {
		t.Fatalf("%s, round %d: %v", p.config.name(), p.now, err)
	}
	return r
}

func TestRoundsAddUp(t *testing.T) {
	for _, bins := range []int{1, 2, 3, 50, 1000} {
		for _, rate := range []float64{1e-9, 0.1, 0.5, 0.9, 0.999, 1 - 0x1p-53} {
			for _, how := range []Arrivals{Exact, Binomial, Poisson} {
				for _, c := range every(bins, rate, uint64(bins)) {
					if c.Arrivals = how; c.Kind == Threshold && how == Binomial {
						c.Rate /= 3
					}
					p := start(t, c)
					for range testscale.Size(10, 30) {
						advance(t, p)
					}
				}
			}
		}
	}
}

// A ball in a bin is served in the round that was computed when it was accepted, in every round:
// the result is compared with queues of labels in every bin.
func TestWaitsAreThoseOfQueues(t *testing.T) {
	const bins = 40
	for _, c := range []Config{
		{Bins: bins, Capacity: 1, Rate: 0.95, ByBin: true},
		{Bins: bins, Capacity: 4, Rate: 0.95, ByBin: true, Seed: 1},
		{Bins: bins, Capacity: 300, Rate: 0.97, ByBin: true, Seed: 2},
	} {
		p := start(t, c)
		var queues [bins][]int // labels
		var pool []int         // labels, oldest first
		for range 3000 {
			now := p.now + 1
			r := p.Round()
			for range r.Arrived {
				pool = append(pool, now)
			}
			choices := c.choices(now)
			left := pool[:0:0]
			for _, label := range pool {
				if bin := choices.some(1)[0]; len(queues[bin]) < c.Capacity {
					queues[bin] = append(queues[bin], label)
				} else {
					left = append(left, label)
				}
			}
			pool = left
			var want []int
			for bin := range queues {
				if len(queues[bin]) > 0 {
					wait := now - queues[bin][0]
					want = grown(want, wait)
					want[wait]++
					queues[bin] = queues[bin][1:]
				}
				if p.Load(bin) != len(queues[bin]) {
					t.Fatalf("%s: bin %d holds %d, not %d", c.name(), bin, p.Load(bin), len(queues[bin]))
				}
			}
			if got := p.Waits(nil); !slices.Equal(got, want) {
				t.Fatalf("%s: waits %v, want %v", c.name(), got, want)
			}
			if len(pool) != r.Pool {
				t.Fatalf("%s: a pool of %d, want %d", c.name(), r.Pool, len(pool))
			}
		}
	}
}

// Section II: CAPPED without a limit is GREEDY[1].
func TestUnlimitedIsGreedy(t *testing.T) {
	a := start(t, Config{Bins: 100, Capacity: 1000, Rate: 0.95, ByBin: true, Seed: 5})
	b := start(t, Config{Bins: 100, Kind: Greedy, Choices: 1, Rate: 0.95, ByBin: true, Seed: 5})
	for range 2000 {
		if x, y := a.Round(), b.Round(); x != y {
			t.Fatalf("round %d: %+v, and %+v", a.now, x, y)
		}
	}
}

// By the end of round t λnt balls have arrived, to the nearest integer, computed with exact
// fractions here.
func TestExactArrivals(t *testing.T) {
	for _, c := range []struct {
		rate float64
		bins int
	}{{0.7, 10}, {0.9, 10}, {1.0 / 3, 1}, {0.1, 7}, {1e-3, 3}, {1 - 0x1p-53, 1}, {0.123456789, 1 << 27},
		{math.Pi / 4, 1<<31 - 1}, {5e-324, 9}, {0x1p-70, 1 << 20}} {
		s := newSource(&Config{Rate: c.rate, Bins: c.bins})
		each := new(big.Rat).SetFloat64(c.rate)
		each.Mul(each, big.NewRat(int64(c.bins), 1))
		due, sum := big.NewRat(1, 2), int64(0)
		for round := 1; round <= 2000; round++ {
			sum += int64(s.batch(round))
			due.Add(due, each)
			want := new(big.Int).Quo(due.Num(), due.Denom())
			if sum != want.Int64() {
				t.Fatalf("rate %v, %d bins: %d balls after %d rounds, want %v", c.rate, c.bins, sum, round, want)
			}
		}
	}
	// If λn is an integer except for the rounding of λ, every round has that integer.
	s := newSource(&Config{Rate: 0.7, Bins: 10})
	for round := range 1000 {
		if got := s.batch(round); got != 7 {
			t.Fatalf("round %d: %d balls, want 7", round, got)
		}
	}
}

// Means and variances within 4.5 standard errors.
func TestRandomArrivals(t *testing.T) {
	const bins, rate, rounds = 300, 0.4, 20_000
	for how, variance := range map[Arrivals]float64{Binomial: bins * rate * (1 - rate), Poisson: bins * rate} {
		s := newSource(&Config{Rate: rate, Bins: bins, Arrivals: how, Seed: 3})
		sum, squares := 0.0, 0.0
		for round := range rounds {
			x := float64(s.batch(round)) - bins*rate
			sum += x
			squares += x * x
		}
		if z := sum / math.Sqrt(rounds*variance); math.Abs(z) > 4.5 {
			t.Errorf("%v: the mean is off by %.1f standard errors", how, z)
		}
		// The fourth moment is nearly that of a normal number: 3 variances squared.
		if z := (squares/rounds - variance) / (variance * math.Sqrt(2.0/rounds)); math.Abs(z) > 4.5 {
			t.Errorf("%v: the variance is off by %.1f standard errors", how, z)
		}
	}
}

func TestBadConfigurations(t *testing.T) {
	good := Config{Bins: 10, Capacity: 2, Rate: 0.5, Choices: 2}
	bins, balls := "2³¹", "2⁴⁰"
	if word == 0 { // an int has 32 bits
		bins, balls = "2²⁴", "2³⁰"
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Bins = 0 }, "the number of bins must be from 1 to " + bins + ", not 0"},
		{func(c *Config) { c.Bins = -3 }, "the number of bins must be from 1 to " + bins + ", not -3"},
		{func(c *Config) { c.Bins = int(mostBins) + 1 },
			"the number of bins must be from 1 to " + bins + ", not " + fmt.Sprint(mostBins+1)},
		{func(c *Config) { c.Capacity = 0 }, "the capacity of a bin must be from 1 to 2²⁰, not 0"},
		{func(c *Config) { c.Capacity = -1; c.Kind = ModCapped }, "the capacity of a bin must be from 1 to 2²⁰, not -1"},
		{func(c *Config) { c.Capacity = 0; c.Kind = Threshold }, "the capacity of a bin must be from 1 to 2²⁰, not 0"},
		{func(c *Config) { c.Rate = 0 }, "the rate must be above 0 and below 1, not 0"},
		{func(c *Config) { c.Rate = 1 }, "the rate must be above 0 and below 1, not 1"},
		{func(c *Config) { c.Rate = -0.5 }, "the rate must be above 0 and below 1, not -0.5"},
		{func(c *Config) { c.Rate = math.NaN() }, "the rate must be above 0 and below 1, not NaN"},
		{func(c *Config) { c.Rate = math.Inf(1) }, "the rate must be above 0 and below 1, not +Inf"},
		{func(c *Config) { c.Rate = math.NaN(); c.Kind = Threshold },
			"the batch must have more than 0 balls per bin and at most " + balls + " altogether, not NaN per bin"},
		{func(c *Config) { c.Rate = 1e12; c.Kind = Threshold },
			"the batch must have more than 0 balls per bin and at most " + balls + " altogether, not 1e+12 per bin"},
		{func(c *Config) { c.Rate = 1e6; c.Kind = Threshold },
			"the batch must have at most 2¹⁶ balls per bin, not 1e+06; with ByBin there may be more, and 2²⁷ altogether"},
		{func(c *Config) { c.Rate = 2; c.Kind = Threshold; c.Arrivals = Binomial },
			"a binomial batch has at most 1 ball per bin, not 2"},
		{func(c *Config) { c.Kind = 4 }, "there is no process 4; there are Capped, ModCapped, Greedy and Threshold"},
		{func(c *Config) { c.Arrivals = -1 }, "there are no arrivals -1; there are Exact, Binomial and Poisson"},
		{func(c *Config) { c.Kind = Greedy; c.Choices = 0 },
			"the number of choices of a ball must be from 1 to 2²⁰ for Greedy, not 0"},
		{func(c *Config) { c.MinThrown = -1 }, "the number of balls to throw at least must be from 0 to 2²⁷, not -1"},
		{func(c *Config) { c.MinThrown = 5 }, "only ModCapped throws at least a number of balls, not capped"},
		{func(c *Config) { c.Kind = Greedy; c.Warm = true }, "only Capped can start warm, not greedy"},
	} {
		bad := good
		c.change(&bad)
		p, err := NewProcess(bad)
		if p != nil || err == nil || err.Error() != "capped: "+c.want {
			t.Errorf("%+v: %v, want %q", bad, err, c.want)
		}
	}
	if _, err := NewProcess(good); err != nil {
		t.Error(err)
	}
}

func TestLoadNeedsBins(t *testing.T) {
	p := start(t, Config{Bins: 10, Capacity: 2, Rate: 0.5})
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "capped: ") || !strings.Contains(s, "ByBin") {
			t.Errorf("panicked with %q", s)
		}
	}()
	p.Load(0)
}

func TestNames(t *testing.T) {
	if got := fmt.Sprint(Capped, ModCapped, Greedy, Threshold, Kind(9), Exact, Binomial, Poisson, Arrivals(-2)); got !=
		"capped modcapped greedy threshold Kind(9) exact binomial poisson Arrivals(-2)" {
		t.Error(got)
	}
}

// The largest systems: the largest number of bins, and no memory per bin.
func TestManyBins(t *testing.T) {
	for _, c := range []Config{
		{Bins: int(mostBins), Capacity: 3, Rate: 1 - 0x1p-10, Warm: true},
		{Bins: min(1<<27, int(mostBins)), Capacity: 1, Rate: 0.75},
		{Bins: min(1<<27, int(mostBins)), Kind: Greedy, Choices: 2, Rate: 0.75},
		{Bins: min(1<<27, int(mostBins)), Capacity: 1, Kind: Threshold, Rate: 1},
	} {
		p := start(t, c)
		for range 10 {
			advance(t, p)
		}
	}
}

// A round allocates nothing once warm.
func TestRoundAllocatesNothing(t *testing.T) {
	for _, c := range every(200, 0.9, 1) {
		p := start(t, c)
		for range testscale.Size(700, 2000) {
			p.Round()
		}
		if n := testing.AllocsPerRun(100, func() { p.Round() }); n > 0 {
			t.Errorf("%s: %v allocations a round", c.name(), n)
		}
	}
}
