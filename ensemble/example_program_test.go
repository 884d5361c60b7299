package ensemble_test

import (
	"context"

	"github.com/almanac-sim/almanac/ensemble"
)

// toss counts the heads of some throws of a coin.
func toss(_ context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	heads, random := 0.0, r.Rand()
	for range int(p["throws"]) {
		if random.Float64() < p["bias"] {
			heads++
		}
	}
	return ensemble.Outputs{"heads": heads}, nil
}

// A whole program: this is what its main does. "coins sweep --vary bias=0.4,0.5,0.6" runs the model
// at three points, and "coins --help" lists the commands and the parameters.
func ExampleMain() {
	ensemble.Register("coin", toss,
		ensemble.Parameter{Name: "throws", Value: 100, About: "how many there are"},
		ensemble.Parameter{Name: "bias", Value: 0.5, About: "probability of heads"})
	ensemble.Main() // does not return
}
