package population_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population"
)

func ExampleRunner() {
	m, err := population.Load("../examples/sir.yaml", population.Size(1000))
	if err != nil {
		panic(err)
	}
	runner, err := m.Runner(population.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	run, err := runner.Run(context.Background(), 99) // one of a hundred, here alone
	if err != nil {
		panic(err)
	}
	data, err := run.MarshalBinary() // to where the others are
	if err != nil {
		panic(err)
	}
	there, err := m.ReadRun(data)
	if err != nil {
		panic(err)
	}
	fmt.Println(there.Replica, there.Rows() == run.Rows(), there.Count(0, 0) == run.Count(0, 0))
	// Output: 99 true true
}
