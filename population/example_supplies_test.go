package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// supplied is a run of a model in which 20 people want a dose after a day, and 12 get one.
func supplied() *population.Result {
	m, err := population.Compile("doses.yaml", []byte(`
name: doses
time: {unit: day, end: 2}
population: {size: 20, start: {waiting: rest}}
supplies: {doses: {at: 0 days, every: 1 day, count: 10, keep: 12}}
states: {waiting: {race: [{after: 1.5 days, to: protected, uses: doses}]}, protected: {}}
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

func ExampleSupply() {
	run := supplied().Runs[0]
	for row := range run.Rows() {
		fmt.Printf("%+v\n", run.Supply(row, 0))
	}
	// Output:
	// {Left:10 Used:0 Lost:0 Refused:0}
	// {Left:12 Used:0 Lost:8 Refused:0}
	// {Left:10 Used:12 Lost:8 Refused:8}
}

func ExampleSupplySeries() {
	r := supplied()
	doses := r.Supply(0)
	fmt.Println(r.Model.Supplies(), doses.Used.Mean, doses.Refused.Mean)
	// Output: [doses] [0 0 12] [0 0 8]
}
