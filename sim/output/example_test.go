package output_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// counter is a simulation of three customers, who come at once.
func counter() *sim.Simulation {
	s := sim.New(sim.Name("a counter"))
	s.Keep(sim.EveryChange(1000))
	counter := sim.NewResource(s, "counter", 1)
	for _, name := range []string{"ann", "ben", "eve"} {
		s.Go(name, func(p *sim.Process) {
			counter.Use(p, 1, func() error { return p.Wait(5) })
		})
	}
	s.Run(context.Background(), 20)
	return s
}

// temporary makes a directory that the example removes.
func temporary() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "output")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func list(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range files {
		fmt.Println(filepath.Base(path))
	}
}

// Everything a simulation has kept, in one call.
func ExampleSave() {
	dir, remove := temporary()
	defer remove()
	s := counter()
	defer s.Close()
	if err := output.Save(dir, s); err != nil {
		fmt.Println(err)
	}
	list(dir)
	// Output:
	// counter-wait.png
	// counter-wait.svg
	// courses.csv
	// gantt.png
	// gantt.svg
	// holdings.csv
	// levels.png
	// levels.svg
	// observations.csv
	// report.csv
	// utilisation.png
	// utilisation.svg
}

// Tables alone, in two formats.
func ExampleOption() {
	dir, remove := temporary()
	defer remove()
	s := counter()
	defer s.Close()
	if err := output.Save(dir, s, output.Tables(output.JSON, output.Parquet), output.Pictures()); err != nil {
		fmt.Println(err)
	}
	list(dir)
	// Output:
	// courses.json
	// courses.parquet
	// holdings.json
	// holdings.parquet
	// observations.json
	// observations.parquet
	// report.json
	// report.parquet
}

// A table can be written anywhere.
func ExampleFormat() {
	s := counter()
	defer s.Close()
	output.WriteHoldings(os.Stdout, output.CSV, s.AllHoldings())
	output.WriteObservations(os.Stdout, output.JSON, s.AllObservations())
	// Output:
	// resource,who,units,from,to,end
	// counter,ann,1,0,5,released
	// counter,ben,1,5,10,released
	// counter,eve,1,10,15,released
	// [
	// {"statistic":"counter wait","time":0,"value":0,"n":1,"mean":0,"min":0,"max":0},
	// {"statistic":"counter wait","time":5,"value":5,"n":1,"mean":5,"min":5,"max":5},
	// {"statistic":"counter wait","time":10,"value":10,"n":1,"mean":10,"min":10,"max":10}
	// ]
}

// A picture is saved in the format that its name tells.
func ExamplePicture() {
	dir, remove := temporary()
	defer remove()
	s := counter()
	defer s.Close()
	picture := output.Gantt("who was served when", s.AllHoldings())
	for _, name := range []string{"gantt.pdf", "gantt.svg"} {
		if err := picture.Save(filepath.Join(dir, name)); err != nil {
			fmt.Println(err)
		}
	}
	list(dir)
	// Output:
	// gantt.pdf
	// gantt.svg
}

// The courses of replications make bands.
func ExampleRuns() {
	var runs output.Runs
	r, err := replicate.Run(context.Background(), 5, func(r *replicate.Replication) error {
		s := r.Sim()
		s.Keep(sim.Thinned(500))
		random, stock := s.Stream("demand"), s.NewTimeWeighted("stock", 100)
		s.Every(1, 1, func() { stock.Add(-random.Float64()) })
		err := s.Run(r.Context(), 50)
		r.Record("stock", stock.Mean())
		runs.Add(r.Index(), s.AllTimeSeries())
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, remove := temporary()
	defer remove()
	if err := output.SaveResults(dir, r, &runs, output.Pictures(".svg")); err != nil {
		fmt.Println(err)
	}
	list(dir)
	// Output:
	// bands.svg
	// results.csv
	// summary.csv
}
