package reproduce_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
)

// dice is a claim of nobody's: a die shows 3.5 on average.
var dice = reproduce.Claim{
	Name: "dice", Paper: "Nobody", Place: "nowhere", Found: reproduce.Holds,
	Says: "A die shows 3.5 on average.",
	How:  "A hundred batches of a thousand throws.",
	Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		r := reproduce.NewRunner(ctx, o, "dice", 100)
		rng := r.Random(0)
		var batches []float64
		for range 100 {
			batches = append(batches, throw(rng, 1000))
			r.Ran()
		}
		shown := reproduce.BatchMeans(batches)
		var f reproduce.Finding
		f.Check("mean", shown.Mean, 3.5, reproduce.Sigmas*shown.SE, "4.5 standard errors of batch means")
		return f, nil
	},
}

// throw is the mean of some throws.
func throw(rng *rand.Rand, times int) float64 {
	sum := 0
	for range times {
		sum += 1 + rng.IntN(6)
	}
	return float64(sum) / float64(times)
}

func ExampleClaim() {
	f, err := dice.Run(context.Background(), reproduce.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range f.Checks {
		fmt.Println(k.What, k.OK)
	}
	// Output:
	// mean true
}

func ExampleRun() {
	results, err := reproduce.Run(context.Background(), []reproduce.Claim{dice}, reproduce.Options{Seed: 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r.Name, r.Verdict)
	}
	// Output:
	// dice holds
}

func ExampleFinding() {
	var f reproduce.Finding
	f.Check("π by 22/7", 22.0/7, math.Pi, 0.01, "two digits")
	f.Between("π by 3", 3, 3.14, 3.15, 0, "Archimedes has it between these")
	for _, k := range f.Checks {
		fmt.Println(k.What, k.OK)
	}
	fmt.Println(f.Verdict())
	// Output:
	// π by 22/7 true
	// π by 3 false
	// does not hold
}

// What is printed may fail where a correction holds.
func ExampleChecker() {
	var f reproduce.Finding
	f.Check("π", math.Pi, 3, 0, "so it is printed")
	f.For(reproduce.Corrected).Check("π, to two digits", math.Pi, 3.14, 0.005, "rounding")
	fmt.Println(f.Verdict())
	// Output:
	// holds with a correction
}

func ExampleEstimate() {
	before, after := reproduce.Mean([]float64{10, 12, 14}), reproduce.Mean([]float64{11, 11, 14})
	d := after.Minus(before)
	fmt.Printf("%.1f ± %.1f: %.1f standard errors off 6\n", d.Mean, d.SE, d.Off(6, 0))
	// Output:
	// 0.0 ± 1.5: 3.9 standard errors off 6
}

func ExampleRunner() {
	o := reproduce.Options{Seed: 1, Progress: func(fraction float64) { fmt.Println(fraction) }}
	r := reproduce.NewRunner(context.Background(), o, "example", 2)
	for range 2 {
		r.Ran()
	}
	// Output:
	// 0.5
	// 1
}

func ExampleReport_HTML() {
	r := reproduce.Report{Provenance: reproduce.Provenance{Machine: "this one", Command: "almanac reproduce"}}
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(page.String(), "almanac reproduce"))
	// Output:
	// true
}
