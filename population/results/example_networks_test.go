package results_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

func ExampleNetworkRow() {
	m, err := population.Compile("clan.yaml", []byte(`
name: clan
time: {unit: day, end: 1}
population: {size: 4, start: {a: rest}}
networks: {clan: {random: {mean: 3}}}
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
	if err := results.WriteNetworks(os.Stdout, results.CSV, r); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", results.NetworkRow{Network: "clan", Time: 1, What: "degrees", Degree: 2, Count: 3})
	// Output:
	// replica,time,network,what,degree,count
	// 0,0,clan,links,,6
	// 0,0,clan,degrees,3,4
	// 0,0,clan,formed,,0
	// 0,0,clan,ended,,0
	// 0,1,clan,links,,3
	// 0,1,clan,degrees,2,3
	// 0,1,clan,formed,,0
	// 0,1,clan,ended,,3
	// {Replica:0 Time:1 Date: Network:clan What:degrees Degree:2 Count:3}
}
