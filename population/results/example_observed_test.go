package results_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// watched is a run of two people of whom one infects the other, with a machine that waits for a
// day.
func watched(o population.Options) *population.Result {
	m, err := population.Compile("watched.yaml", []byte(`
name: watched
time: {unit: day, end: 4}
population: {size: 2, start: {ill: 1, well: rest}}
states: {well: {}, ill: {race: [{after: 3 days, to: immune}]}, immune: {}}
machines: {diary: {start: {closed: rest}, states: {closed: {race: [{after: 1 day, to: open}]}, open: {}}}}
transmission: [{from: ill, rate: 1000 per day, to: {well: ill}, name: infection}]
observe: {reports: {of: infection, after: 1 day}}
record: {every: 2 days, tree: {of: infection}}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// watchedSummary is what --json prints of it, read back.
func watchedSummary() *results.Summary {
	var text bytes.Buffer
	if err := watched(population.Options{}).WriteJSON(&text); err != nil {
		log.Fatal(err)
	}
	s, err := results.ReadSummary(&text)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func ExampleObservedCounts() {
	for name, of := range watchedSummary().Observed.All() {
		fmt.Println(name, of.Seen.Mean, of.Tested == nil)
	}
	// Output: reports [0 1 1] true
}

func ExampleMachineCounts() {
	for name, of := range watchedSummary().Machines.All() {
		open, _ := of.States.Get("open")
		fmt.Println(name, "open:", open.Mean)
	}
	// Output: diary open: [0 2 2]
}

func ExampleTree() {
	t := watchedSummary().Tree
	fmt.Println(t.Chains, t.Offspring, t.GenerationTime.Mean == nil)
	// Output: map[2:1] map[0:0.5 1:0.5] true
}

// Rows are written while a run goes on, and are not kept.
func ExampleTreeWriter() {
	w, err := results.NewTreeWriter(os.Stdout, results.CSV)
	if err != nil {
		log.Fatal(err)
	}
	// population.Options.OnInfection gets such rows.
	for _, e := range []population.Infection{
		{Infected: 2, Time: 1.5, By: 1, ByTime: math.NaN(), Generation: 1, Root: 1},
		{Infected: 3, Time: 4, By: 2, ByTime: 1.5, Generation: 2, Root: 1, Among: "household"},
	} {
		if err := w.Write(e); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// replica,infected,time,by,by time,generation,root,among
	// 0,2,1.5,1,,1,1,
	// 0,3,4,2,1.5,2,1,household
}

func ExamplePeopleWriter() {
	m, err := population.Compile("model.yaml", []byte(`
name: leave
time: {unit: day, end: 4}
population: {size: 1, start: {here: rest}}
states: {here: {race: [{after: 3 days, to: out, name: leaving}]}}
record: {every: 2 days, people: {times: [leaving]}}
`))
	if err != nil {
		log.Fatal(err)
	}
	w, err := results.NewPeopleWriter(os.Stdout, results.CSV, m)
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Run(context.Background(), population.Options{OnPerson: func(p population.Person) {
		if err := w.Write(p); err != nil {
			log.Fatal(err)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// replica,number,id,entered,left,how,mother,state,time of leaving
	// 0,1,1,0,3,start,,here,3
}

// tables is a directory as almanac run writes it, with some tables.
func tables(texts map[string]string) *results.Directory {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	return &results.Directory{Path: dir}
}

func ExampleTreeRow() {
	d := tables(map[string]string{"tree.csv": "replica,infected,time,by,by time,generation,root,among\n" +
		"0,2,1.5,1,,1,1,\n0,3,4,2,1.5,2,1,household\n"})
	defer os.RemoveAll(d.Path)
	for row, err := range d.Tree() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.By, "infected", row.Infected, "after", row.Time-row.ByTime)
	}
	// Output:
	// 1 infected 2 after NaN
	// 2 infected 3 after 2.5
}

func ExamplePersonRow() {
	d := tables(map[string]string{"people.csv": "replica,number,id,entered,left,how,mother,state,sex,time of infection\n" +
		"0,1,1,0,,start,,immune,f,2.5\n0,2,2,1,3,births,1,well,m,\n"})
	defer os.RemoveAll(d.Path)
	for row, err := range d.People() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Number, row.How, row.Mother, row.Values, row.Times)
	}
	// Output:
	// 1 start 0 [f] [2.5]
	// 2 births 1 [m] [NaN]
}

func ExampleObservedRow() {
	d := tables(map[string]string{
		"observed.csv": "replica,time,name,what,count\n0,7,survey,seen,3\n0,7,survey,tested,20\n",
	})
	defer os.RemoveAll(d.Path)
	for row, err := range d.Observed() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Name, row.What, row.Count)
	}
	// Output:
	// survey seen 3
	// survey tested 20
}

func ExampleOutcomeRow() {
	d := tables(map[string]string{"outcomes.csv": "replica,time,outcome,value\n0,1,cost,50\n0,2,cost,95.5\n"})
	defer os.RemoveAll(d.Path)
	for row, err := range d.Outcomes() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Time, row.Outcome, row.Value)
	}
	// Output:
	// 1 cost 50
	// 2 cost 95.5
}
