package capped_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/almanac-sim/almanac/capped"
)

// A hundred thousand servers with room for two requests each, at 99 % of what they can serve.
func ExampleProcess() {
	p, err := capped.NewProcess(capped.Config{Bins: 100_000, Capacity: 2, Rate: 0.99})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 1000 {
		p.Round()
	}
	r := p.Round()
	fmt.Printf("%d new balls, %.1f thrown per bin, longest wait %d\n", r.Arrived, float64(r.Thrown)/100_000, r.WaitMax)
	fmt.Printf("%.2f of the bins hold a ball\n", float64(p.Loads()[1])/100_000)
	// Output:
	// 99000 new balls, 2.4 thrown per bin, longest wait 6
	// 0.89 of the bins hold a ball
}

// The waiting times of all balls that were served in some rounds.
func ExampleProcess_Waits() {
	p, _ := capped.NewProcess(capped.Config{Bins: 1 << 20, Capacity: 1, Rate: 0.75, Warm: true})
	var histogram []int
	for range 100 {
		p.Round()
		histogram = p.Waits(histogram)
	}
	served := 0
	for _, k := range histogram {
		served += k
	}
	for wait, k := range histogram {
		fmt.Printf("%d rounds: %.4f\n", wait, float64(k)/float64(served))
	}
	// Output:
	// 0 rounds: 0.3724
	// 1 rounds: 0.4242
	// 2 rounds: 0.1862
	// 3 rounds: 0.0171
	// 4 rounds: 0.0001
}

// NewProcess refuses a configuration that is not valid.
func ExampleConfig() {
	_, err := capped.NewProcess(capped.Config{Bins: 1000, Capacity: 2, Rate: 1})
	fmt.Println(err)
	// Output:
	// capped: the rate must be above 0 and below 1, not 1
}

// CAPPED and MODCAPPED with the same seed ask the same bins, and so no bin of CAPPED ever holds
// more balls than the bin of MODCAPPED (Lemma 6).
func ExampleKind() {
	c := capped.Config{Bins: 1000, Capacity: 2, Rate: 0.9, Seed: 7, ByBin: true}
	p, _ := capped.NewProcess(c)
	c.Kind, c.MinThrown = capped.ModCapped, 2000
	q, _ := capped.NewProcess(c)
	higher := 0
	for range 100 {
		p.Round()
		q.Round()
		for bin := range c.Bins {
			if p.Load(bin) > q.Load(bin) {
				higher++
			}
		}
	}
	fmt.Println(higher, "bins of 100 times", c.Bins)
	// Output:
	// 0 bins of 100 times 1000
}

// Half a ball a round is one ball every second round.
func ExampleArrivals() {
	for _, how := range []capped.Arrivals{capped.Exact, capped.Binomial} {
		p, _ := capped.NewProcess(capped.Config{Bins: 5, Capacity: 1, Rate: 0.1, Arrivals: how, Seed: 1})
		fmt.Print(how, ":")
		for range 10 {
			fmt.Print(" ", p.Round().Arrived)
		}
		fmt.Println()
	}
	// Output:
	// exact: 1 0 1 0 1 0 1 0 1 0
	// binomial: 1 0 1 1 1 0 1 0 0 0
}

// The long-run behavior of CAPPED beside the limit of many bins.
func ExampleMeasure() {
	c := capped.Config{Bins: 1 << 15, Capacity: 2, Rate: 0.99}
	m, err := capped.Measure(context.Background(), c, capped.Plan{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, wait := capped.MeanField(2, 0.99)
	fmt.Printf("pool per bin %.3f, in the limit %.3f\n", m.Pool.Mean/float64(c.Bins), pool)
	fmt.Printf("mean wait    %.3f, in the limit %.3f\n", m.Wait.Mean, wait)
	// Output:
	// pool per bin 1.433, in the limit 1.433
	// mean wait    2.344, in the limit 2.344
}

// What happened in each round.
func ExampleRound() {
	p, _ := capped.NewProcess(capped.Config{Bins: 1000, Kind: capped.Threshold, Capacity: 1, Rate: 1})
	for r := p.Round(); ; r = p.Round() {
		fmt.Printf("%d asked, %d were given a place\n", r.Thrown, r.Accepted)
		if r.Pool == 0 {
			break
		}
	}
	// Output:
	// 1000 asked, 637 were given a place
	// 363 asked, 302 were given a place
	// 61 asked, 60 were given a place
	// 1 asked, 1 were given a place
}

// How many rounds a measurement would take, before it is made: with λ near 1 the pool fills slowly.
func ExamplePlan() {
	for _, rate := range []float64{0.9, 0.999, 0.999999} {
		burnIn, rounds, relaxation, err := capped.Plan{}.Decide(capped.Config{Bins: 1000, Capacity: 1, Rate: rate})
		if errors.Is(err, capped.ErrSlow) {
			fmt.Println("too slow to be decided")
			continue
		}
		fmt.Printf("%d rounds of burn-in and %d measured, with a relaxation time of %.1f\n", burnIn, rounds, relaxation)
	}
	// Output:
	// 95 rounds of burn-in and 1000 measured, with a relaxation time of 9.5
	// 9995 rounds of burn-in and 99950 measured, with a relaxation time of 999.5
	// too slow to be decided
}

// The waiting times of a measurement.
func ExampleMeasured() {
	m, _ := capped.Measure(context.Background(), capped.Config{Bins: 1 << 20, Capacity: 2, Rate: 0.9}, capped.Plan{})
	served := 0
	for _, k := range m.Waits {
		served += k
	}
	for wait, k := range m.Waits[:4] {
		fmt.Printf("%d rounds: %.3f\n", wait, float64(k)/float64(served))
	}
	// Output:
	// 0 rounds: 0.162
	// 1 rounds: 0.525
	// 2 rounds: 0.271
	// 3 rounds: 0.041
}

// An estimate has its standard error, which takes into account that successive rounds are
// correlated.
func ExampleEstimate() {
	m, _ := capped.Measure(context.Background(), capped.Config{Bins: 1 << 20, Capacity: 2, Rate: 0.9}, capped.Plan{})
	pool, _ := capped.MeanField(2, 0.9)
	off := (m.Pool.Mean - pool*(1<<20)) / m.Pool.Error
	fmt.Println("within 4 standard errors of the limit:", off > -4 && off < 4)
	// Output:
	// within 4 standard errors of the limit: true
}
