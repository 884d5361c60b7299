package ensemble_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/ensemble"
)

// roll throws some dice.
func roll(_ context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	random, sum := r.Rand(), 0
	for range int(p["dice"]) {
		sum += 1 + random.IntN(6)
	}
	return ensemble.Outputs{"sum": float64(sum)}, nil
}

// A model is registered once, here or at the beginning of main.
func init() {
	ensemble.Register("roll", roll, ensemble.Parameter{Name: "dice", Value: 2, About: "how many are thrown"})
}

// Jobs name a registered model by its kind. Parameters that a point does not set have their
// default.
func ExampleRegister() {
	job := ensemble.Job{Kind: "roll", Points: []ensemble.Point{{}, {Set: map[string]string{"dice": "10"}}}, Replicas: 1000,
		Seed: 1}
	_, err := ensemble.InMemory{}.Run(context.Background(), job, ensemble.RunOptions{
		Point: func(p ensemble.PointResult) error {
			sum, _ := p.Output("sum")
			fmt.Printf("%v: mean %.2f, from %v to %v\n", p.Point.Set, sum.Mean, sum.Min, sum.Max)
			return nil
		}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// map[]: mean 7.02, from 2 to 12
	// map[dice:10]: mean 35.06, from 18 to 53
}
