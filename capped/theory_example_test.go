package capped_test

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
)

// The values of Figure 5 for λ = 1−2⁻¹⁰ and 2¹⁵ bins.
func ExampleLimit() {
	const lambda = 1 - 1./(1<<10)
	for c := 1; c <= 5; c++ {
		l := capped.NewLimit(c, lambda)
		fmt.Printf("c = %d: %.2f balls per bin in the pool; they wait for %.2f rounds, the longest for %d\n",
			c, l.Pool, l.Wait, l.MaxWait(1<<15))
	}
	l := capped.NewLimit(2, lambda)
	fmt.Printf("a deviation falls by e in %.0f rounds; after 100 from empty the pool is %.2f\n", l.Relaxation(),
		l.FromEmpty(100)[99])
	// Output:
	// c = 1: 5.93 balls per bin in the pool; they wait for 5.94 rounds, the longest for 9
	// c = 2: 2.52 balls per bin in the pool; they wait for 3.49 rounds, the longest for 7
	// c = 3: 1.48 balls per bin in the pool; they wait for 3.36 rounds, the longest for 7
	// c = 4: 1.01 balls per bin in the pool; they wait for 3.77 rounds, the longest for 7
	// c = 5: 0.75 balls per bin in the pool; they wait for 4.36 rounds, the longest for 8
	// a deviation falls by e in 508 rounds; after 100 from empty the pool is 1.69
}

// With c = 1 the pool is ln(1/(1−λ))−λ per bin, and all waiting balls are in it.
func ExampleMeanField() {
	for c := 1; c <= 3; c++ {
		pool, wait := capped.MeanField(c, 0.75)
		fmt.Printf("c = %d: the pool is %.3f per bin, and a ball waits for %.3f rounds\n", c, pool, wait)
	}
	// Output:
	// c = 1: the pool is 0.636 per bin, and a ball waits for 0.848 rounds
	// c = 2: the pool is 0.172 per bin, and a ball waits for 0.724 rounds
	// c = 3: the pool is 0.069 per bin, and a ball waits for 0.907 rounds
}

// The best capacity grows as the paper says, and slowly.
func ExampleSweetSpot() {
	for _, lambda := range []float64{0.75, 1 - 1./(1<<10), 1 - 1./(1<<20)} {
		fmt.Printf("λ = %.6f: c = %d; √ln(1/(1−λ)) is %.2f\n", lambda, capped.SweetSpot(lambda),
			math.Sqrt(-math.Log1p(-lambda)))
	}
	// Output:
	// λ = 0.750000: c = 2; √ln(1/(1−λ)) is 1.18
	// λ = 0.999023: c = 3; √ln(1/(1−λ)) is 2.63
	// λ = 0.999999: c = 4; √ln(1/(1−λ)) is 3.72
}

// The theorem beside the limit.
func ExamplePoolBound() {
	const n, c, lambda = 1 << 15, 3, 1 - 1./(1<<10)
	pool, _ := capped.MeanField(c, lambda)
	fmt.Printf("Theorem 2: below %.0f balls\n", capped.PoolBound(n, c, lambda))
	fmt.Printf("the limit: %.0f balls\n", pool*n)
	// Output:
	// Theorem 2: below 1482489 balls
	// the limit: 48451 balls
}

// CAPPED against bins without a limit, of which a ball takes any, or the less loaded of two.
func ExampleGreedyLimit() {
	const n, lambda = 1 << 15, 1 - 1./(1<<10)
	for _, process := range []struct {
		name  string
		limit *capped.Limit
	}{
		{"GREEDY[1]", capped.GreedyLimit(1, lambda)},
		{"GREEDY[2]", capped.GreedyLimit(2, lambda)},
		{"CAPPED(3)", capped.NewLimit(3, lambda)},
	} {
		fmt.Printf("%s: balls wait for %.2f rounds, the longest for %d\n", process.name, process.limit.Wait,
			process.limit.MaxWait(n))
	}
	// Output:
	// GREEDY[1]: balls wait for 511.50 rounds, the longest for 5676
	// GREEDY[2]: balls wait for 3.62 rounds, the longest for 10
	// CAPPED(3): balls wait for 3.36 rounds, the longest for 7
}
