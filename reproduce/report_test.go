package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/plot"
)

// pretend is a claim that finds what it is told to.
func pretend(name string, holds bool) Claim {
	return Claim{Name: name, Paper: "Erickson, Ladner, LaMarca 1994", Place: "Figure <1>", Says: "something & more", How: "not at all",
		Run: func(_ context.Context, o Options) (Finding, error) {
			var f Finding
			measured := 1.0
			if !holds {
				measured = 2
			}
			f.Check("one", measured, 1, 0.5, "a test")
			f.Between("the same", measured, 0.5, 1.5, 0, "a test")
			f.Notes = []string{"a <note>"}
			f.Tables = []Table{{Name: "all of it", Columns: []string{"x", "y"}, Rows: [][]float64{{1, 2.5}, {3, math.Inf(1)}}}}
			f.Chart("curve", plot.Chart{Title: "a curve", Series: []plot.Series{{Name: "s", X: []float64{1, 2}, Y: []float64{3, 4}}}})
			o.ReportProgress(1)
			return f, nil
		}}
}

func TestVerdicts(t *testing.T) {
	wrong := pretend("wrong", false)
	thus, timed, unexpected := pretend("thus", true), pretend("timed", false), pretend("unexpected", false)
	thus.Fails, timed.Timed, unexpected.Fails = true, true, true
	var seen []string
	results, err := Run(context.Background(), []Claim{pretend("right", true), wrong, thus, timed, unexpected}, Options{}, func(name string, fraction float64) {
		if fraction < 0 || fraction > 1 {
			t.Errorf("%s: a share of %v is done", name, fraction)
		}
		seen = append(seen, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Verdict{Holds, Broken, FailsThus, Reported, Broken} {
		if results[i].Verdict != want {
			t.Errorf("%s: %s, want %s", results[i].Name, results[i].Verdict, want)
		}
	}
	if len(seen) != 10 {
		t.Errorf("progress was told of %q", seen)
	}
}

// A finding holds if all of its checks do, whichever fails, and not if there are none.
func TestFindingHolds(t *testing.T) {
	for _, c := range []struct {
		measured []float64
		want     bool
	}{{nil, false}, {[]float64{1}, true}, {[]float64{2}, false}, {[]float64{1, 1}, true}, {[]float64{2, 1}, false}, {[]float64{1, 2}, false}, {[]float64{math.NaN()}, false}, {[]float64{2, 1, 1}, false}} {
		var f Finding
		for _, x := range c.measured {
			f.Check("", x, 1, 0.5, "")
		}
		if f.Holds != c.want {
			t.Errorf("%v: holds is %v", c.measured, f.Holds)
		}
	}
}

func TestReport(t *testing.T) {
	results, err := Run(context.Background(), []Claim{pretend("right", true), pretend("wrong", false)}, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Machine: "a machine", Command: "almanac reproduce", Results: results}
	dir := filepath.Join(t.TempDir(), "new", "report")
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a machine", "right", "DOES NOT HOLD", "Figure &lt;1&gt;", "a &lt;note&gt;", "<svg", "2.5", "✓", "✗"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, not := range []string{"http://", "https://", "src=", "<script"} {
		for _, line := range strings.Split(string(page), "\n") {
			if strings.Contains(line, not) && !strings.Contains(line, "xmlns") && !strings.Contains(line, "<!DOCTYPE svg") {
				t.Errorf("the page needs something else: %s", line)
			}
		}
	}
	table, err := os.ReadFile(filepath.Join(dir, "right-all-of-it.csv"))
	if err != nil || string(table) != "x,y\n1,2.5\n3,+Inf\n" {
		t.Errorf("the table is %q, %v", table, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "wrong-curve.svg")); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(r)
	if err != nil || !bytes.Contains(text, []byte(`[3,null]`)) {
		t.Errorf("%s, %v", text, err)
	}
}

// What cannot be checked is an error, with the results until then.
func TestRunFails(t *testing.T) {
	bad := Claim{Name: "bad", Run: func(context.Context, Options) (Finding, error) { return Finding{}, errors.New("out of order") }}
	results, err := Run(context.Background(), []Claim{pretend("right", true), bad, pretend("late", true)}, Options{}, nil)
	if err == nil || err.Error() != "bad: out of order" || len(results) != 1 {
		t.Errorf("%d results, %v", len(results), err)
	}
}
