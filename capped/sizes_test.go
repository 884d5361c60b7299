package capped

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
)

// extremes are configurations with a field at an end of its type, and the text of their error, or
// "" if they are accepted.
func extremes() []struct {
	config Config
	want   string
} {
	const bins, capacity, choices = "the number of bins must be from 1 to", "the capacity of a bin must be from 1 to",
		"the number of choices of a ball must be from 1 to"
	const rate, batch, bin = "the rate must be above 0 and below 1",
		"the batch must have more than 0 balls per bin and at most", "by bin every ball is thrown"
	const tiny, near = math.SmallestNonzeroFloat64, 1 - 0x1p-53
	least, most := math.MinInt, math.MaxInt
	type row = struct {
		config Config
		want   string
	}
	var rows []row
	for kind := range Kind(len(kinds)) {
		for _, by := range []bool{false, true} {
			good := Config{Kind: kind, Bins: 3, Capacity: 2, Choices: 2, Rate: 0.5, ByBin: by}
			with := func(want string, change func(*Config)) {
				c := good
				change(&c)
				rows = append(rows, row{c, want})
			}
			with(bins, func(c *Config) { c.Bins = least })
			with(bins, func(c *Config) { c.Bins = most })
			with("", func(c *Config) { c.Seed = math.MaxUint64 })
			with("there are no arrivals", func(c *Config) { c.Arrivals = Arrivals(least) })
			with("there are no arrivals", func(c *Config) { c.Arrivals = Arrivals(most) })
			with("there is no process", func(c *Config) { c.Kind = Kind(most) })
			with("the number of balls to throw at least", func(c *Config) { c.MinThrown = most })
			with("the number of balls to throw at least", func(c *Config) { c.MinThrown = least })
			capacity, choices, rate := capacity, choices, rate
			if kind == Greedy {
				capacity = ""
			} else {
				choices = ""
			}
			if kind == Threshold {
				rate = batch
			}
			with(capacity, func(c *Config) { c.Capacity = most })
			with(capacity, func(c *Config) { c.Capacity = least })
			with(choices, func(c *Config) { c.Choices = most })
			with(choices, func(c *Config) { c.Choices = least })
			with("", func(c *Config) { c.Choices = mostChoices })
			for _, r := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -tiny, 0, math.MaxFloat64} {
				with(rate, func(c *Config) { c.Rate = r })
			}
			for _, how := range []Arrivals{Exact, Binomial, Poisson} {
				for _, r := range []float64{tiny, 1e-300, 1e-30, near} {
					with("", func(c *Config) { c.Rate, c.Arrivals = r, how })
				}
			}
			if kind == ModCapped {
				with("", func(c *Config) { c.Capacity, c.Bins = 1<<16, 1 })
				with("ModCapped throws its balls one by one and would throw at least",
					func(c *Config) { c.Capacity, c.Bins = mostCapacity, 100 })
				with("ModCapped throws its balls one by one and would throw at least",
					func(c *Config) { c.Capacity, c.Bins = 1, 1<<24; c.Rate = near })
				with("ModCapped keeps every bin", func(c *Config) { c.MinThrown, c.Bins, c.Rate = 1, 1<<24, near })
				with("", func(c *Config) { c.MinThrown = 1 << 18 })
				continue
			}
			many, law := int(mostBins), bin
			if !by {
				law = ""
			}
			with("", func(c *Config) { c.Capacity = mostCapacity })
			if mostBins > mostThrown {
				with(law, func(c *Config) { c.Bins, c.Rate = many, tiny })
				with(law, func(c *Config) { c.Bins, c.Rate = many, 0.5 })
			}
			switch kind {
			case Capped:
				with(law, func(c *Config) { c.Bins, c.Rate, c.Capacity = many, near, 1 })
				with(law, func(c *Config) { c.Bins, c.Rate, c.Capacity = 1<<23, near, 1 }) // 37 per bin in the pool
				for _, r := range []float64{tiny, 1e-300, 1e-30, 0.5} {
					with("", func(c *Config) { c.Warm, c.Capacity, c.Rate = true, 1, r })
					with("", func(c *Config) { c.Warm, c.Capacity, c.Rate = true, 1000, r })
				}
				with("", func(c *Config) { c.Warm, c.Capacity, c.Rate = true, 1, near })
				with("", func(c *Config) { c.Warm, c.Capacity, c.Rate = true, 1000, near })
				if by {
					break // a limit of so many loads takes its time
				}
				with("to start warm bins must not reach a load of",
					func(c *Config) { c.Warm, c.Capacity, c.Rate = true, 1<<15, near })
			case Greedy:
				with(law, func(c *Config) { c.Bins, c.Choices = 1<<20, mostChoices })
				with(law, func(c *Config) { c.Bins, c.Choices, c.Rate = many, mostChoices, near })
			case Threshold:
				with(bin, func(c *Config) { c.Rate, c.ByBin = 1e8, true })
				with("the batch must have at most 2¹⁶ balls per bin, not 1e+08", func(c *Config) {
					c.Rate, c.ByBin = 1e8,
						false
				})
				with("", func(c *Config) { c.Rate, c.Capacity = 1<<16, mostCapacity })
				with("", func(c *Config) { c.Rate, c.Capacity = 1<<16, 1 })
			}
		}
	}
	return append(rows,
		row{Config{Kind: Threshold, Bins: 3, Capacity: 1, Rate: float64(mostBalls) / 11},
			"the batch must have at most 2¹⁶ balls per bin"},
		row{Config{Kind: ModCapped, Bins: 100, Capacity: 1 << 20, Rate: 0.5},
			"which with a capacity of 1048576 are those of 21 bins"})
}

// A field at an end of its type is refused before anything is allocated, with an error that says
// what would be right, or it is accepted: three rounds that add up, in little memory.
func TestExtremes(t *testing.T) {
	var before, after runtime.MemStats
	for _, e := range extremes() {
		runtime.ReadMemStats(&before)
		p, err := NewProcess(e.config)
		if e.want == "" && err == nil {
			for range 3 {
				advance(t, p)
			}
		}
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc
		switch {
		case e.want == "" && err != nil:
			t.Errorf("%+v: %v", e.config, err)
		case e.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "capped: ") ||
			!strings.Contains(err.Error(), e.want)):
			t.Errorf("%+v: %v, want %q", e.config, err, e.want)
		case e.want == "" && taken > 200<<20, e.want != "" && taken > 8<<20:
			t.Errorf("%+v: takes %d bytes", e.config, taken)
		}
		if e.want == "" {
			continue
		}
		if _, err := Measure(context.Background(), e.config, Plan{Rounds: 20, BurnIn: -1}); err == nil {
			t.Errorf("%+v: measured", e.config)
		}
	}
}

// Most of the theory accepts any int and any rate; the tables, which have an entry for every load
// or choice, accept as many as a process may have, and refuse more.
func TestTheoryAtExtremes(t *testing.T) {
	const tiny, near = math.SmallestNonzeroFloat64, 1 - 0x1p-53
	number := func(what string, x float64) {
		t.Helper()
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			t.Errorf("%s is %v", what, x)
		}
	}
	for _, rate := range []float64{tiny, 1e-300, 1e-30, 0.5, 0.999, near} {
		for _, n := range []int{1, 2, math.MaxInt} {
			for _, c := range []int{1, 2, math.MaxInt} {
				number("PoolBound", PoolBound(n, c, rate))
				number("WaitBound", WaitBound(n, c, rate))
			}
		}
		if c := SweetSpot(rate); c < 1 || c > 12 {
			t.Errorf("SweetSpot(%v) is %d", rate, c)
		}
		limits := []*Limit{NewLimit(1, rate), NewLimit(300, rate), GreedyLimit(2, rate), GreedyLimit(mostChoices, rate)}
		if rate < near { // d = 1 has 2²⁴ loads there
			limits = append(limits, GreedyLimit(1, rate))
		}
		if rate == 0.5 {
			limits = append(limits, NewLimit(mostCapacity, rate))
		}
		for _, l := range limits {
			number("the pool", l.Pool)
			number("the wait", l.Wait)
			if tau := l.Relaxation(); !math.IsInf(tau, 1) {
				number("the relaxation time", tau)
			}
			if w := l.MaxWait(math.MaxInt); w < 0 {
				t.Errorf("MaxWait is %d", w)
			}
			for s, row := range l.Queued() {
				sum := 0.0
				for _, x := range row {
					sum += x
				}
				number("a row", sum)
				if s < len(l.Loads) && sum > 1+1e-9 {
					t.Errorf("%d choices, capacity %d, rate %v: row %d of those queued sums to %v", l.Choices, l.Capacity, rate, s,
						sum)
				}
			}
			if l.Capacity < 1000 {
				for _, x := range l.FromEmpty(3) {
					number("a pool from empty", x)
				}
			}
		}
	}
	for name, f := range map[string]func(){
		"NewLimit(2²⁰+1)":          func() { NewLimit(mostCapacity+1, 0.5) },
		"NewLimit(MaxInt)":         func() { NewLimit(math.MaxInt, 0.5) },
		"MeanField(MaxInt)":        func() { MeanField(math.MaxInt, 0.5) },
		"MeanField(MinInt)":        func() { MeanField(math.MinInt, 0.5) },
		"GreedyLimit(2²⁰+1)":       func() { GreedyLimit(mostChoices+1, 0.5) },
		"GreedyLimit(MaxInt)":      func() { GreedyLimit(math.MaxInt, 0.5) },
		"NewLimit(NaN)":            func() { NewLimit(1, math.NaN()) },
		"GreedyLimit(NaN)":         func() { GreedyLimit(1, math.NaN()) },
		"PoolBound(MinInt)":        func() { PoolBound(math.MinInt, 1, 0.5) },
		"WaitBound(c = MinInt)":    func() { WaitBound(1, math.MinInt, 0.5) },
		"SweetSpot(-Inf)":          func() { SweetSpot(math.Inf(-1)) },
		"FromEmpty(MinInt)":        func() { NewLimit(1, 0.5).FromEmpty(math.MinInt) },
		"MaxWait(0)":               func() { NewLimit(1, 0.5).MaxWait(0) },
		"Queued of 2¹⁵, λ near 1":  func() { NewLimit(1<<15, near).Queued() },
		"Queued of 10⁵, λ = 0.999": func() { NewLimit(100_000, 0.999).Queued() },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "capped: ") || !strings.Contains(s, " must be ") {
					t.Errorf("%s: panicked with %q", name, s)
				}
			}()
			f()
		}()
	}
}

// The longest plan is divided into batches, and stops with its context.
func TestLongestPlan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rounds := 0
	_, err := Measure(ctx, Config{Bins: 1, Capacity: 1, Rate: 0.5},
		Plan{BurnIn: -1, Rounds: math.MaxInt - 1, Watch: func(*Process, Round) {
			if rounds++; rounds == 100 {
				cancel()
			}
		}})
	if err != context.Canceled || rounds != 100 {
		t.Errorf("%v after %d rounds", err, rounds)
	}
}

// A sum that overflows an int panics, which is possible only where it has 32 bits.
func TestFitting(t *testing.T) {
	if got := fitting(math.MaxInt); got != math.MaxInt {
		t.Error(got)
	}
	if word == 1 {
		return
	}
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "capped: 2147483648 is more than an int holds") {
			t.Errorf("panicked with %q", s)
		}
	}()
	fitting(1 << 31)
}
