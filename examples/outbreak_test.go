package examples_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// The reports of the outbreak are what the commands in its file give: the cases among those with
// reported: yes, in each interval.
func TestOutbreakData(t *testing.T) {
	m, err := population.Load("outbreak.yaml", population.Until("30"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("time,cases\n")
	seen, before := r.Runs[0].In(0), uint64(0)
	for row, at := range r.Times {
		if n := seen.Flow(row, 0); row > 0 {
			fmt.Fprintf(&b, "%g,%d\n", at, n-before)
			before = n
		}
	}
	want, err := os.ReadFile("outbreak.csv")
	if err != nil || m.Groups()[0].String() != "yes" || m.Flows()[0].String() != "susceptible->infectious" || b.String() !=
		string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}
