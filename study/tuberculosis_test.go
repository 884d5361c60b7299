package study

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

var update = flag.Bool("update", false, "write the reports of the tuberculosis example anew")

const (
	tuberculosisModel   = "../examples/tuberculosis.yaml"
	tuberculosisReports = "../examples/tuberculosis.csv"
	tuberculosisSeed    = 1981 // of the reports
)

// tuberculosis is the example, to be fitted to some reports, and the values that stand in its file
// for what its section fit has for unknown.
func tuberculosis(t *testing.T, reports string) (f *Request, o *OpenedFit, truth []float64) {
	t.Helper()
	source, err := os.ReadFile(tuberculosisModel)
	if err != nil {
		t.Fatal(err)
	}
	f = &Request{Kind: Fit, Model: "tuberculosis.yaml", Source: source, Data: "tuberculosis.csv", Table: []byte(reports)}
	if o, err = f.problem(); err != nil {
		t.Fatal(err)
	}
	for _, u := range o.Fit.Unknowns {
		for _, p := range o.Model.Parameters() {
			var x float64
			if p.Name != u.Name {
				continue
			}
			// The prior is written in the unit of the file.
			if _, err := fmt.Sscan(strings.TrimSuffix(p.Value, u.Unit), &x); err != nil {
				t.Fatalf("%s is %s in the file, and its prior is in %s: %v", p.Name, p.Value, u.Unit, err)
			}
			truth = append(truth, x)
		}
	}
	return f, o, truth
}

// reportsOf are what is reported of one run of the example with the values that stand in its file,
// drawn by the laws of its section fit.
func reportsOf(t *testing.T, seed uint64) string {
	t.Helper()
	const head = "time,old,new,converted,positive\n"
	_, o, truth := tuberculosis(t, head+"1986,0,0,1,1\n1991,0,0,1,1\n1996,0,0,1,1\n2001,0,0,1,1\n")
	course, err := o.Simulator.Simulate(t.Context(), truth, seed)
	if err != nil {
		t.Fatal(err)
	}
	luck := random.New(seed, 1)
	seen := course.Draw(&luck)
	var table strings.Builder
	table.WriteString(head)
	for row, year := range o.Data.Times {
		fmt.Fprintf(&table, "%.0f", year)
		for _, column := range seen {
			fmt.Fprintf(&table, ",%.0f", column[row])
		}
		table.WriteByte('\n')
	}
	return table.String()
}

// The reports of the example are those of one run of it, with the values that stand in its file.
// With -update they are written anew.
func TestTuberculosisReports(t *testing.T) {
	got := reportsOf(t, tuberculosisSeed)
	if *update {
		if err := os.WriteFile(tuberculosisReports, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(tuberculosisReports)
	if err != nil || got != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
