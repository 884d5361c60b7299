// Weekdays is a model file with one rule in Go: at weekends, children infect each other with a
// smaller chance. Sweeps, comparisons and workers are those of every program.
//
//	go run ./examples/weekdays sweep --vary weekend="0, 0.5, 1" --replicas 40
package main

import (
	"context"
	_ "embed"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/population"
)

//go:embed town.yaml
var town []byte

func epidemic(ctx context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	rule := func(maker, met population.Individual, time float64) float64 {
		if int(time)%7 >= 5 && maker.Attribute("age") == "child" && met.Attribute("age") == "child" {
			return p["weekend"]
		}
		return 1
	}
	m, err := population.Compile("town.yaml", town, population.WithChance("infection", rule))
	if err != nil {
		return nil, err
	}
	result, err := m.Run(ctx, population.Options{Seed: r.Seed})
	if err != nil {
		return nil, err
	}
	recovered := result.State(2).Mean
	return ensemble.Outputs{"recovered": recovered[len(recovered)-1]}, nil
}

func main() {
	ensemble.Register("town", epidemic,
		ensemble.Parameter{Name: "weekend", Value: 1, About: "the chance of infection among children at weekends"})
	ensemble.Main()
}
