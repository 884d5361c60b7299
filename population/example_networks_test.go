package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// linked is a run of a model in which 6 people are all linked with each other, and one leaves.
func linked() *population.Result {
	m, err := population.Compile("clan.yaml", []byte(`
name: clan
time: {unit: day, end: 1}
population: {size: 6, start: {a: rest}}
networks: {clan: {random: {mean: 5}}}
states: {a: {}}
interventions: [{at: 1 day, who: everyone, count: 1, to: out}]
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

func ExampleNetwork() {
	run := linked().Runs[0]
	for row := range run.Rows() {
		fmt.Printf("%+v\n", run.Network(row, 0))
	}
	// Output:
	// {Links:15 Degrees:map[5:6] Formed:0 Ended:0}
	// {Links:10 Degrees:map[4:5] Formed:0 Ended:5}
}

func ExampleNetworkSeries() {
	r := linked()
	clan := r.Network(0)
	fmt.Println(r.Model.Networks(), clan.Links.Mean, clan.Degrees[4].Mean)
	// Output: [clan] [15 10] [0 5]
}

func ExampleNetworkSample() {
	s := linked().Runs[0].NetworkSample()
	fmt.Printf("%d around %d, at %v: %v\n", len(s.States), s.Around, s.Time, s.States)
	// Output: 5 around 1, at 1: [a a a a a]
}

func ExampleSampledLink() {
	s := linked().Runs[0].NetworkSample()
	fmt.Println(len(s.Links), s.Links[:3])
	// Output: 10 [{0 1 0} {1 2 0} {0 2 0}]
}
