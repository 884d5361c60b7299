package output_test

import (
	"context"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// coins is an experiment of three replications.
func coins() *replicate.Results {
	r, err := replicate.Run(context.Background(), 3, func(r *replicate.Replication) error {
		r.Record("heads", float64(r.Index()))
		return nil
	})
	if err != nil {
		panic(err)
	}
	return r
}

func ExampleWriteReport() {
	s := counter()
	defer s.Close()
	output.WriteReport(os.Stdout, output.CSV, s.Report())
	// Output:
	// statistic,kind,mean,sd,min,max,n,time
	// counter in use,level,0.75,0.4330127018922193,0,1,,20
	// counter queue,level,0.75,0.82915619758885,0,2,,20
	// counter wait,tally,5,5,0,10,3,
	// counter utilisation,level,0.75,,,,,20
}

func ExampleWriteTimeSeries() {
	s := counter()
	defer s.Close()
	output.WriteTimeSeries(os.Stdout, output.CSV, s.AllTimeSeries()[:1])
	// Output:
	// statistic,from,to,mean,min,max
	// counter in use,0,15,1,1,1
	// counter in use,15,20,0,0,0
}

func ExampleWriteObservations() {
	s := counter()
	defer s.Close()
	output.WriteObservations(os.Stdout, output.JSON, s.AllObservations())
	// Output:
	// [
	// {"statistic":"counter wait","time":0,"value":0,"n":1,"mean":0,"min":0,"max":0},
	// {"statistic":"counter wait","time":5,"value":5,"n":1,"mean":5,"min":5,"max":5},
	// {"statistic":"counter wait","time":10,"value":10,"n":1,"mean":10,"min":10,"max":10}
	// ]
}

func ExampleWriteHoldings() {
	s := counter()
	defer s.Close()
	output.WriteHoldings(os.Stdout, output.CSV, s.AllHoldings())
	// Output:
	// resource,who,units,from,to,end
	// counter,ann,1,0,5,released
	// counter,ben,1,5,10,released
	// counter,eve,1,10,15,released
}

func ExampleWriteResults() {
	output.WriteResults(os.Stdout, output.CSV, coins())
	// Output:
	// metric,replication,value
	// heads,0,0
	// heads,1,1
	// heads,2,2
}

func ExampleWriteSummary() {
	output.WriteSummary(os.Stdout, output.CSV, coins())
	// Output:
	// metric,mean,low,high,level,sd,min,max,n,missing
	// heads,1,-1.4841377117503294,3.4841377117503294,0.95,1,0,2,3,0
}

func ExampleSaveResults() {
	dir, remove := temporary()
	defer remove()
	if err := output.SaveResults(dir, coins(), nil, output.Pictures(), output.Tables(output.JSON)); err != nil {
		fmt.Println(err)
	}
	list(dir)
	// Output:
	// results.json
	// summary.json
}

func ExampleFormats() {
	fmt.Println(output.Formats())
	// Output:
	// [csv json parquet]
}

// Every picture is saved in the format of its file name.
func ExampleTimeSeries() {
	dir, remove := temporary()
	defer remove()
	s := counter()
	defer s.Close()
	waits := s.AllObservations()[0]
	for name, picture := range map[string]output.Picture{
		"series":      output.TimeSeries("counter", s.AllTimeSeries()),
		"utilization": output.Utilization("counter", s.AllTimeSeries()),
		"histogram":   output.Histogram("waits", waits, 0.5),
		"gantt":       output.Gantt("counter", s.AllHoldings()),
		"bands":       output.Bands("counter", [][]history.Series{s.AllTimeSeries(), s.AllTimeSeries()}, 0.95),
		"warm-up":     output.WarmUp("waits", waits.Means(), analysis.MSER5(waits.Means())),
	} {
		if err := picture.Save(dir + "/" + name + ".svg"); err != nil {
			fmt.Println(name, err)
		}
	}
	list(dir)
	// Output:
	// bands.svg
	// gantt.svg
	// histogram.svg
	// series.svg
	// utilization.svg
	// warm-up.svg
}
