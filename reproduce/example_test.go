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

// A check has a threshold of ours where the paper gives no number.
func ExampleCheck() {
	var f reproduce.Finding
	f.For(reproduce.Printed).AtMost("share", 0.1, reproduce.Threshold{Name: "dice: most", Value: 0.5, Why: "half"})
	for _, k := range f.Checks {
		fmt.Printf("%s: %s is %v, at most %v: %t\n", k.Kind, k.What, k.Measured, k.Expected, k.OK)
	}
	// Output:
	// printed: share is 0.1, at most 0.5: true
}

func ExampleKind() {
	var f reproduce.Finding
	f.For(reproduce.Answer).Check("sides", 6, 6, 0, "counted")
	fmt.Println(f.Checks[0].Kind, "|", f.Verdict())
	// Output:
	// answer | open question, answered
}

func ExampleGrade() {
	for _, g := range reproduce.Grades() {
		fmt.Println(g)
	}
	// Output:
	// proved
	// exact on a grid
	// simulated
	// not contradicted
}

func ExampleVerdict() {
	for _, v := range reproduce.Verdicts() {
		if !v.OfThePaper() {
			fmt.Println(v)
		}
	}
	// Output:
	// open question, answered
	// own result
}

// The same seed gives the same findings, on every machine.
func ExampleOptions() {
	for _, seed := range []uint64{1, 1} {
		f, err := dice.Run(context.Background(), reproduce.Options{Seed: seed})
		fmt.Printf("%.4f %v\n", f.Checks[0].Measured, err)
	}
	// Output:
	// 3.4968 <nil>
	// 3.4968 <nil>
}

func ExampleProvenance() {
	p := reproduce.NewProvenance(reproduce.Options{Seed: 7, Full: true}, "a laptop", "go run .")
	fmt.Println(p.Machine, "|", p.Command, "|", p.Seed, p.Full)
	// Output:
	// a laptop | go run . | 7 true
}

func ExampleResult() {
	results, err := reproduce.Run(context.Background(), []reproduce.Claim{dice}, reproduce.Options{Seed: 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := results[0]
	fmt.Println(r.Name, "|", r.Says, "|", r.Verdict, "|", r.AsBefore())
	// Output:
	// dice | A die shows 3.5 on average. | holds | true
}

func ExampleTable() {
	t := reproduce.Table{
		Name: "throws", Columns: []string{"throws", "mean"},
		Rows: [][]float64{{0, math.NaN()}, {1000, 3.5}},
	}
	text, err := t.MarshalJSON()
	fmt.Println(string(text), err)
	// Output:
	// {"name":"throws","columns":["throws","mean"],"rows":[[0,null],[1000,3.5]]} <nil>
}

func ExampleThreshold() {
	t := reproduce.Chosen("lehman: many orders")
	fmt.Println(t.Value, "|", t.Why)
	// Output:
	// 3 | “many orders of magnitude”: three at least
}
