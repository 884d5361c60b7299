package results_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/almanac-sim/almanac/population/results"
)

// A summary of a run whose replicas drew a parameter from a posterior.
func ExampleDrawn() {
	s, err := results.ReadSummary(strings.NewReader(`{"model": "sir", "states": {"ill": {"mean": [3]}},
		"drawn": {"from": "posterior.csv", "rows": 800, "effective": 247, "parameters": ["beta"]}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Drawn.Parameters, "from", s.Drawn.From, "of", s.Drawn.Rows, "rows")
	// Output: [beta] from posterior.csv of 800 rows
}
