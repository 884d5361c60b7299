package population_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population"
)

// What individuals cost, and for how long they were ill.
func ExampleResult_Outcome() {
	m, err := population.Compile("stay.yaml", []byte(`
name: stay
time: {unit: year, end: 2}
population: {size: 10, start: {ill: rest}}
states: {ill: {race: [{after: 1 year, to: out, name: death}]}}
outcomes: {cost: {time: 50 per year, events: {death: 900}}}
record: {every: 1 year, time: true}
`))
	if err != nil {
		panic(err)
	}
	r, err := m.Run(context.Background(), population.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Outcomes(), r.Outcome(0).Mean, r.TimeIn(0).Mean)
	// Output: [cost] [0 9500 9500] [0 10 10]
}
