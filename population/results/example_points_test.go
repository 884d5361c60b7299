package results_test

import (
	"log"
	"os"

	"github.com/almanac-sim/almanac/population/results"
)

func ExamplePointWriter() {
	w, err := results.NewPointWriter(os.Stdout, results.CSV, []results.PointColumn{{Name: "beta (per day)", Number: true}})
	if err != nil {
		log.Fatal(err)
	}
	row := results.PointRow{Numbers: []float64{0.4}, Replicas: 100, Time: 30, Kind: "state", Name: "infectious",
		Mean: 12.5, SD: 3, Q05: 8, Median: 12, Q95: 17}
	if err := w.Write(row); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// beta (per day),replicas,time,kind,name,mean,sd,q05,median,q95,quantiles
	// 0.4,100,30,state,infectious,12.5,3,8,12,17,exact
}
