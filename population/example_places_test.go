package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// housed is a run of a model in which 6 people are in households of 2 and leave them one by one.
func housed() *population.Result {
	m, err := population.Compile("homes.yaml", []byte(`
name: homes
time: {unit: day, end: 1}
population: {size: 6, start: {a: rest}}
places: {household: {size: 2}}
states: {a: {}}
interventions: [{at: 1 day, who: everyone, count: 1, move: {household: new}}]
record: {every: 1 day}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

func ExamplePlaces() {
	run := housed().Runs[0]
	for row := range run.Rows() {
		fmt.Printf("%+v\n", run.Places(row, 0))
	}
	// Output:
	// {Number:3 Members:6 Sizes:map[2:3] TurnedAway:0}
	// {Number:4 Members:6 Sizes:map[1:2 2:2] TurnedAway:0}
}

func ExamplePlaceSeries() {
	r := housed()
	households := r.Places(0)
	fmt.Println(r.Model.Places(), households.Number.Mean, households.Sizes[1].Mean)
	// Output: [household] [3 4] [0 2]
}
