package results_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// summary is what --json prints of a run, read back.
func summary() *results.Summary {
	var text bytes.Buffer
	if err := two().WriteJSON(&text); err != nil {
		log.Fatal(err)
	}
	s, err := results.ReadSummary(&text)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func ExampleSummary() {
	s := summary()
	fmt.Printf("%s: %d of %d done, with seed %d, at the times %v in %ss\n", s.Model, s.Done, s.Replicas, s.Seed, s.Times,
		s.Unit)
	// Output: two: 1 of 1 done, with seed 1, at the times [0 1 2] in days
}

// Of everybody and of a group there is the same.
func ExampleCounts() {
	s := summary()
	regions, _ := s.By.Get("region")
	for name, group := range regions.All() {
		fmt.Println(name, group.Total.Mean, group.Flows.Names())
	}
	fmt.Println("all", s.Total.Mean, s.Flows.Names())
	// Output:
	// north [10 10 10] [ill->well]
	// all [10 10 10] [ill->well]
}

func ExamplePeak() {
	for state, peak := range summary().Peaks.All() {
		fmt.Printf("at most %g were %s, first on day %g\n", peak.Count, state, peak.Time)
	}
	// Output:
	// at most 10 were ill, first on day 0
	// at most 10 were well, first on day 1
}

// The name of a format is the ending of its files.
func ExampleFormat() {
	for _, f := range results.Formats() {
		fmt.Println("series." + string(f))
	}
	// Output:
	// series.csv
	// series.parquet
	// series.json
}

func ExampleFlowRow() {
	row := results.FlowRow{Time: 7, Kind: "flow", Flow: "well->ill", Values: []string{""}, Count: 40, Incidence: 25}
	fmt.Printf("%s: %d until day %g, %d of them since the row before\n", row.Flow, row.Count, row.Time, row.Incidence)
	// Output: well->ill: 40 until day 7, 25 of them since the row before
}

func ExampleEventRow() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const table = "replica,time,kind,individual,from,to,name,by\n0,0,start,1,,well,,\n" +
		"0,2.5,change,1,well,ill,infection,9\n"
	if err := os.WriteFile(filepath.Join(dir, "events.csv"), []byte(table), 0o666); err != nil {
		log.Fatal(err)
	}
	d := &results.Directory{Path: dir} // or results.Open, for a directory that almanac run wrote
	for row, err := range d.Events() {
		if err != nil {
			log.Fatal(err)
		}
		if row.Name == "infection" {
			fmt.Printf("%d infected %d at %g\n", row.By, row.Individual, row.Time)
		}
	}
	// Output: 9 infected 1 at 2.5
}

// A column that has numbers is written as such, and read as such from Parquet.
func ExamplePointColumn() {
	w, err := results.NewPointWriter(os.Stdout, results.CSV, []results.PointColumn{{Name: "beta", Number: true},
		{Name: "policy"}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: beta,policy,replicas,time,kind,name,mean,sd,q05,median,q95,quantiles
}

// Values and numbers have a place for every column, of which the one that the column is not of is
// not looked at.
func ExamplePointRow() {
	w, err := results.NewPointWriter(os.Stdout, results.CSV, []results.PointColumn{{Name: "beta", Number: true},
		{Name: "policy"}})
	if err != nil {
		log.Fatal(err)
	}
	row := results.PointRow{Values: []string{"", "closed"}, Numbers: []float64{0.4, 0}, Replicas: 20, Time: 7,
		Kind: "state", Name: "ill", Mean: 12.5, SD: 2, Q05: 9, Median: 12, Q95: 16}
	if err := w.Write(row); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// beta,policy,replicas,time,kind,name,mean,sd,q05,median,q95,quantiles
	// 0.4,closed,20,7,state,ill,12.5,2,9,12,16,exact
}

// What each outcome has accrued is a row for each replica, time and outcome.
func ExampleReadOutcomes() {
	m, err := population.Compile("stay.yaml", []byte(`
name: stay
time: {unit: year, end: 2}
population: {size: 10, start: {ill: rest}}
states: {ill: {race: [{after: 1 year, to: out, name: death}]}}
outcomes: {cost: {time: 50 per year, events: {death: 900}}}
record: {every: 1 year}
`))
	if err != nil {
		panic(err)
	}
	r, err := m.Run(context.Background(), population.Options{})
	if err != nil {
		panic(err)
	}
	var table bytes.Buffer
	if err := results.WriteOutcomes(&table, results.CSV, r); err != nil {
		panic(err)
	}
	for row, err := range results.ReadOutcomes(&table) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("year %g: %s %g\n", row.Time, row.Outcome, row.Value)
	}
	// Output:
	// year 0: cost 0
	// year 1: cost 9500
	// year 2: cost 9500
}

// The table of a model with supplies, as it is written and read.
func ExampleSupplyRow() {
	m, err := population.Compile("doses.yaml", []byte("name: doses\ntime: {unit: day, end: 1}\n"+
		"population: {size: 20, start: {a: rest}}\nsupplies: {doses: {at: 1 day, count: 12}}\nstates: {a: {}, b: {}}\n"+
		"interventions: [{at: 1 day, who: a, count: doses, to: b}]\nrecord: {every: 1 day}\n"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := results.WriteSupplies(os.Stdout, results.CSV, r); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", results.SupplyRow{Supply: "doses", Time: 1, Used: 12})
	// Output:
	// replica,time,supply,left,used,lost,refused
	// 0,0,doses,0,0,0,0
	// 0,1,doses,0,12,0,0
	// {Replica:0 Time:1 Date: Supply:doses Left:0 Used:12 Lost:0 Refused:0}
}

// The table of a model with places, as it is written and read.
func ExamplePlaceRow() {
	m, err := population.Compile("homes.yaml", []byte("name: homes\ntime: {unit: day, end: 1}\n"+
		"population: {size: 5, start: {a: rest}}\nplaces: {home: {size: 2}}\nstates: {a: {}}\nrecord: {every: 1 day}\n"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := results.WritePlaces(os.Stdout, results.CSV, r); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", results.PlaceRow{Kind: "home", What: "size", Size: 2, Count: 2})
	// Output:
	// replica,time,kind,what,size,count
	// 0,0,home,places,,3
	// 0,0,home,members,,5
	// 0,0,home,size,1,1
	// 0,0,home,size,2,2
	// 0,0,home,turned away,,0
	// 0,1,home,places,,3
	// 0,1,home,members,,5
	// 0,1,home,size,1,1
	// 0,1,home,size,2,2
	// 0,1,home,turned away,,0
	// {Replica:0 Time:0 Date: Kind:home What:size Size:2 Count:2}
}
