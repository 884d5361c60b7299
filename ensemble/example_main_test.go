package ensemble_test

import (
	"context"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/ensemble"
)

// A function that says which parameters it has is given all of them. A main that calls
// [ensemble.Main] after this is a program.
func ExampleParameter() {
	g := new(ensemble.Registry) // ensemble.Register adds to the one of Main
	g.Register("coin", func(_ context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
		heads, random := 0.0, r.Rand()
		for range int(p["throws"]) {
			if random.Float64() < p["bias"] {
				heads++
			}
		}
		return ensemble.Outputs{"heads": heads}, nil
	}, ensemble.Parameter{Name: "throws", Value: 100}, ensemble.Parameter{Name: "bias", Value: 0.5})
	status := g.Command(context.Background(), []string{"coins", "compare", "--scenario", "fair=", "--scenario",
		"sure=bias=1", "--set", "throws=10", "--replicas", "50"}, os.Stdout, os.Stderr)
	fmt.Println("status", status)
	// Output:
	// coin: 2 scenarios, 50 replicas of each, seed 1
	//
	// output   fair: mean   sure: mean   mean difference   95 % CI of the mean   95 % of paired runs
	// heads          5.06           10              4.94        4.545 to 5.335                1 to 7
	// pairing the runs gains nothing here
	// status 0
}

func ExamplePaired() {
	first := func(_ context.Context, r ensemble.Replica) (ensemble.Values, error) {
		return ensemble.Values{Names: []string{"x"}, Numbers: []float64{r.Rand().Float64()}}, nil
	}
	second := func(_ context.Context, r ensemble.Replica) (ensemble.Values, error) {
		return ensemble.Values{Names: []string{"x"}, Numbers: []float64{r.Rand().Float64() + 3}}, nil
	}
	v, err := ensemble.Paired(first, second)(context.Background(), ensemble.NewReplica(1, 4))
	if err != nil {
		panic(err)
	}
	fmt.Println(len(v.Numbers), v.Numbers[2])
	// Output: 3 3
}
