package results_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// two is a run with two states that takes no time.
func two() *population.Result {
	m, err := population.Compile("two.yaml", []byte(`
name: two
time: {unit: day, end: 2}
population: {size: 10, start: {ill: rest}}
attributes: {region: {north: 100%}}
states: {ill: {race: [{after: 1 day, to: well}]}, well: {}}
record: {every: 1 day, by: [region], incidence: true}
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

func ExampleWriteSeries() {
	if err := results.WriteSeries(os.Stdout, results.CSV, two()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// replica,time,state,region,count
	// 0,0,ill,,10
	// 0,0,well,,0
	// 0,0,ill,north,10
	// 0,0,well,north,0
	// 0,1,ill,,0
	// 0,1,well,,10
	// 0,1,ill,north,0
	// 0,1,well,north,10
	// 0,2,ill,,0
	// 0,2,well,,10
	// 0,2,ill,north,0
	// 0,2,well,north,10
}

func ExampleReadSummary() {
	text, err := json.Marshal(two())
	if err != nil {
		log.Fatal(err)
	}
	s, err := results.ReadSummary(bytes.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	for name, state := range s.States.All() {
		fmt.Println(name, state.Mean)
	}
	regions, _ := s.By.Get("region")
	north, _ := regions.Get("north")
	recovery, _ := north.Incidence.Get("ill->well")
	fmt.Println(s.Times, recovery.Mean)
	// Output:
	// ill [10 0 0]
	// well [0 10 10]
	// [0 1 2] [0 10 0]
}

func ExampleDirectory() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Create(dir + "/flows.parquet")
	if err != nil {
		log.Fatal(err)
	}
	if err := results.WriteFlows(file, results.Parquet, two()); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	d := &results.Directory{Path: dir} // or results.Open, for a directory that almanac run wrote
	for row, err := range d.Flows() {
		if err != nil {
			log.Fatal(err)
		}
		if row.Values[0] == "north" {
			fmt.Println(row.Time, row.Flow, row.Count, row.Incidence)
		}
	}
	// Output:
	// 0 ill->well 0 0
	// 1 ill->well 10 10
	// 2 ill->well 10 0
}

func ExampleEventWriter() {
	r := two()
	w, err := results.NewEventWriter(os.Stdout, results.CSV, r.Model)
	if err != nil {
		log.Fatal(err)
	}
	e := population.Event{Time: 1, Kind: population.Changed, Individual: 3, By: 3, From: "ill", To: "well",
		Values: []string{"north"}}
	if err := w.Write(e); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// replica,time,kind,individual,from,to,name,by,region
	// 0,1,change,3,ill,well,,3,north
}

// The rows of a table have their columns as fields, and those of attributes as values.
func ExampleSeriesRow() {
	row := results.SeriesRow{Replica: 0, Time: 2, State: "ill", Values: []string{"north", ""}, Count: 7}
	fmt.Printf("%d of the north, whatever their age, are %s at time %g\n", row.Count, row.State, row.Time)
	// Output: 7 of the north, whatever their age, are ill at time 2
}

// Values of the whole population are a table of their own: a row for each name and time.
func ExampleValueRow() {
	m, err := population.Compile("model.yaml", []byte(`
name: two
time: {unit: day, start: 0, end: 1}
population: {size: 10, start: {ill: 3, well: rest}}
states: {ill: {}, well: {}}
record: {every: 1 day, values: {share: count(ill) / total}}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "values")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Create(filepath.Join(dir, "values.csv"))
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(results.WriteValues(file, results.CSV, r), file.Close()); err != nil {
		log.Fatal(err)
	}
	for row, err := range (&results.Directory{Path: dir, Summary: &results.Summary{}}).Values() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Time, row.Name, row.Value)
	}
	// Output:
	// 0 share 0.3
	// 1 share 0.3
}

// A summary has its names in the order of the file.
func ExampleOrdered() {
	text := `{"model": "two", "states": {"well": {"mean": [9, 8]}, "ill": {"mean": [1, 2]}}}`
	s, err := results.ReadSummary(strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	ill, _ := s.States.Get("ill")
	fmt.Println(s.States.Names(), ill.Mean)
	// Output: [well ill] [1 2]
}
