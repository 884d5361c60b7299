package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// twoRegions is a model that records by region, with scenarios.
const twoRegions = `
name: two regions
time: {unit: day, end: 10}
population: {size: 100, start: {ill: 10, well: rest}}
parameters: {stay: {exactly: 4 days}, beta: 0 per day}
attributes: {region: {north: 0%, south: rest}}
states: {well: {}, ill: {race: [{after: stay, to: well}]}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
record: {every: 5 days, by: [region], incidence: true}
scenarios:
  usual: {}
  longer: {stay: 6 days, attributes.region.north: 100%}
`

// What is recorded of a group has all the methods of a result.
func ExampleGroup() {
	m, err := population.Compile("regions.yaml", []byte(twoRegions))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 3})
	if err != nil {
		log.Fatal(err)
	}
	for i, g := range m.Groups() {
		fmt.Println(g.By(), g, r.In(i).State(1).Mean, r.In(i).Incidence(0).Mean)
	}
	// Output:
	// region north [0 0 0] [0 0 0]
	// region south [10 0 0] [0 0 0]
}

// A scenario is a model of its own; Set comes before what it says.
func ExampleScenario() {
	m, err := population.Compile("regions.yaml", []byte(twoRegions))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range m.Scenarios() {
		m, err := population.Compile("regions.yaml", []byte(twoRegions), population.Scenario(name),
			population.Set("population.start.ill", "20"))
		if err != nil {
			log.Fatal(err)
		}
		r, err := m.Run(context.Background(), population.Options{Seed: 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, r.State(1).Mean, r.In(0).Total().Mean)
	}
	// Output:
	// usual [20 0 0] [0 0 0]
	// longer [20 20 0] [100 100 100]
}

// Parameters are written as Set takes them.
func ExampleParameter() {
	m, err := population.Compile("regions.yaml", []byte(twoRegions),
		population.Set("stay", "{gamma: {mean: 5 days, shape: 2}}"))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range m.Parameters() {
		fmt.Printf("--set %s=%q\n", p.Name, p.Value)
	}
	// Output:
	// --set stay="{gamma: {mean: 5 days, shape: 2}}"
	// --set beta="0 per day"
}

// Check looks at what a run does not.
func ExampleModel_Check() {
	m, err := population.Compile("regions.yaml", []byte(twoRegions+"  wrong: {stay: 1 per day}\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Check(context.Background()))
	// Output:
	// regions.yaml:13:17: scenario wrong: states: ill: race: clock 1: after: parameter stay, 1 per day, is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}} (see line 7)
}
