package population_test

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/population"
)

const village = `
name: village
time: {unit: day, end: 30}
population: {size: 1000, start: {ill: 20, well: rest}}
attributes: {age: {young: 40%, old: 60%}}
parameters: {illness: 5 days}
states: {well: {}, ill: {race: [{after: illness, to: over}]}, over: {}}
transmission: [{from: ill, rate: 0.4 per day, to: {well: ill}, name: infection}]
record: {every: 10 days}
`

// A distribution of a parameter that no file can say: log-logistic.
func ExampleWithDuration() {
	logLogistic := func(t float64) float64 { return 1 / (1 + math.Pow(t/5, 4)) }
	m, err := population.Compile("village.yaml", []byte(village), population.WithDuration("illness", logLogistic))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Parameters()[0].Value)
	// Output: a function in Go
}

// A rule of contact: the young do not infect the old.
func ExampleIndividual() {
	rule := func(maker, met population.Individual, _ float64) float64 {
		if maker.Attribute("age") == "young" && met.Attribute("age") == "old" {
			return 0
		}
		return 1
	}
	m, err := population.Compile("village.yaml", []byte(village), population.WithChance("infection", rule))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1})
	fmt.Println(r.Done, err)
	// Output: 1 <nil>
}

// A value that is recorded at each row: the share of the ill that is old.
func ExampleSnapshot() {
	old := func(s population.Snapshot) float64 {
		n := 0
		s.Each(func(i population.Individual) {
			if i.State() == "ill" && i.Attribute("age") == "old" {
				n++
			}
		})
		return float64(n) / float64(max(1, s.Count("ill")))
	}
	m, err := population.Compile("village.yaml", []byte(village), population.WithValue("old among the ill", old))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.2f\n", m.Values()[0], r.Value(0).Mean)
	// Output: old among the ill: [0.61 0.61 0.60 0.63]
}
