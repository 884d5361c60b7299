package population_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population"
)

// watched is a model in which one individual is sure to infect the other.
const watched = `
name: watched
time: {unit: day, end: 10}
population: {size: 2, groups: [{count: 1, with: {who: first}, start: {ill: rest}},
  {count: 1, with: {who: second}, start: {well: rest}}]}
attributes: {who: {first: 50%, second: 50%}}
states: {well: {}, ill: {race: [{after: 3 days, to: immune, name: recovery}]}, immune: {}}
transmission: [{from: ill, rate: 1000 per day, to: {well: ill}, name: infection}]
observe: {reports: {of: infection, after: 1 day}}
record: {every: 5 days, tree: {of: infection}, people: {times: [infection, recovery]}}
`

// Who infected whom is told while the run goes on, and everybody at the end.
func ExampleInfection() {
	m, err := population.Compile("watched.yaml", []byte(watched))
	if err != nil {
		panic(err)
	}
	_, err = m.Run(context.Background(), population.Options{
		OnInfection: func(e population.Infection) {
			fmt.Printf("%d is infected by %d, in generation %d of the tree of %d\n", e.Infected, e.By, e.Generation, e.Root)
		},
		OnPerson: func(p population.Person) {
			fmt.Printf("%d, the %s: %s in the end\n", p.Number, p.Values[0], p.State)
		},
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 2 is infected by 1, in generation 1 of the tree of 1
	// 1, the first: immune in the end
	// 2, the second: immune in the end
}

// A line list has when something first happened to each individual.
func ExamplePerson() {
	m, err := population.Compile("watched.yaml", []byte(watched))
	if err != nil {
		panic(err)
	}
	fmt.Println(m.PersonTimes())
	_, err = m.Run(context.Background(), population.Options{OnPerson: func(p population.Person) {
		fmt.Printf("%d recovered on day %.0f\n", p.Number, p.Times[1])
	}})
	if err != nil {
		panic(err)
	}
	// Output:
	// [infection recovery]
	// 1 recovered on day 3
	// 2 recovered on day 3
}

// A result has what was seen, and what is known of the trees of all replicas.
func ExampleTree() {
	m, err := population.Compile("watched.yaml", []byte(watched))
	if err != nil {
		panic(err)
	}
	r, err := m.Run(context.Background(), population.Options{Replicas: 10})
	if err != nil {
		panic(err)
	}
	tree := r.Tree()
	fmt.Println("trees of two:", tree.Chains[2])
	fmt.Println("half infected nobody, half one:", tree.Offspring)
	fmt.Println("reported:", r.Seen(0).Mean)
	// Output:
	// trees of two: 10
	// half infected nobody, half one: map[0:0.5 1:0.5]
	// reported: [0 1 1]
}
