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
	return Claim{Name: name, Paper: "Erickson, Ladner, LaMarca 1994", Place: "Figure <1>", Says: "something & more",
		How: "not at all", Found: Holds, Grade: Exact,
		Run: func(_ context.Context, o Options) (Finding, error) {
			f := Finding{Measured: "a | b", Timed: "c"}
			measured := 1.0
			if !holds {
				measured = 2
			}
			f.Check("one", measured, 1, 0.5, "a test")
			f.Between("the same", measured, 0.5, 1.5, 0, "a test")
			f.Notes = []string{"a <note>"}
			f.Tables = []Table{{Name: "all of it", Columns: []string{"x", "y"}, Rows: [][]float64{{1, 2.5}, {3, math.Inf(1)}}}}
			f.Chart("curve", plot.Chart{Title: "a curve", Series: []plot.Series{
				{Name: "s", X: []float64{1, 2}, Y: []float64{3, 4}}}})
			o.ReportProgress(1)
			return f, nil
		}}
}

func TestRun(t *testing.T) {
	var seen []string
	results, err := Run(context.Background(), []Claim{pretend("right", true), pretend("wrong", false)}, Options{},
		func(name string, fraction float64) {
			if fraction < 0 || fraction > 1 {
				t.Errorf("%s: a share of %v is done", name, fraction)
			}
			seen = append(seen, name)
		})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Verdict != Holds || !r.AsBefore() {
		t.Errorf("%+v", r)
	}
	if r := results[1]; r.Verdict != DoesNotHold || r.AsBefore() || r.Found != Holds {
		t.Errorf("%+v", r)
	}
	if len(seen) != 4 {
		t.Errorf("progress was told of %q", seen)
	}
}

// The verdict follows from which kinds of checks there are and which of them pass: + passes, -
// fails.
func TestVerdict(t *testing.T) {
	kinds := map[byte]Kind{'p': Printed, 'c': Corrected, 'k': Control, 'r': OtherReading, 'a': Answer, 'o': Own}
	for checks, want := range map[string]Verdict{
		"":            Undecided,
		"p+":          Holds,
		"p+ p+":       Holds,
		"p-":          DoesNotHold,
		"p+ p-":       DoesNotHold,
		"p- p+":       DoesNotHold,
		"p- p+ p+":    DoesNotHold,
		"p- c+":       HoldsCorrected,
		"p+ p- c+ c+": HoldsCorrected,
		"c+ p-":       HoldsCorrected,
		"p- c+ c-":    DoesNotHold,
		"p- c-":       DoesNotHold,
		"p+ c+":       Holds,
		"p+ c-":       Holds, // nothing needs to be corrected
		"c+":          Undecided,
		"k+":          Undecided,
		"k+ p+":       Holds,
		"k- p+":       Undecided,
		"p- c+ k-":    Undecided,
		"p- k- c-":    Undecided,
		"k+ p- c+ k+": HoldsCorrected,
		"k+ p- k+":    DoesNotHold,
		"p+ r-":       Ambiguous,
		"p- r+":       Ambiguous,
		"p- r+ c+":    Ambiguous,
		"p+ r+":       Holds,
		"p- r-":       DoesNotHold,
		"p- r- c+":    HoldsCorrected,
		"r+":          Undecided,
		"p+ r- k-":    Undecided,
		"a+":          Answered,
		"a+ a-":       Undecided,
		"a+ k-":       Undecided,
		"p+ a+":       Holds,
		"o+":          OwnResult,
		"o-":          Undecided,
		"p- o+":       DoesNotHold,
	} {
		var f Finding
		for _, c := range strings.Fields(checks) {
			f.For(kinds[c[0]]).Check("", map[byte]float64{'+': 1, '-': 2}[c[1]], 1, 0.5, "")
		}
		if got := f.Verdict(); got != want {
			t.Errorf("%q: %s, want %s", checks, got, want)
		}
	}
}

// NaN is within no tolerance, and bounds belong to what they enclose.
func TestChecks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		measured, expected, tolerance float64
		want                          bool
	}{{1, 1, 0, true}, {1.5, 1, 0.5, true}, {0.5, 1, 0.5, true}, {1.6, 1, 0.5, false}, {0.4, 1, 0.5, false},
		{nan, 1, 0.5, false}, {1, nan, 0.5, false},
		{1, 1, nan, false}, {inf, 1, 5, false}} {
		var f Finding
		f.Check("x", c.measured, c.expected, c.tolerance, "a test")
		if f.Checks[0].OK != c.want || f.Checks[0].Kind != Printed {
			t.Errorf("%+v: %+v", c, f.Checks[0])
		}
	}
	var f Finding
	f.Between("x", 3, 1, 3, 0, "a test")
	f.For(Corrected).Between("x", 3.5, 1, 3, 0.4, "a test")
	if !f.Checks[0].OK || f.Checks[1].OK || f.Checks[1].Kind != Corrected {
		t.Errorf("%+v", f.Checks)
	}
}

// A threshold of our own decides, and the check knows from where on it would decide otherwise.
func TestThresholds(t *testing.T) {
	fifth := Threshold{Name: "few", Value: 0.2, Why: "a test"}
	for _, c := range []struct {
		least    bool
		measured float64
		ok       bool
		stays    string
	}{{false, 0.18, true, "from 0.18 on"}, {false, 0.25, false, "up to 0.25"}, {false, 0.2, true, "from 0.2 on"},
		{true, 0.18, false, "from 0.18 on"}, {true, 0.25, true, "up to 0.25"}} {
		var f Finding
		if c.least {
			f.For(Printed).AtLeast("x", c.measured, fifth)
		} else {
			f.For(Printed).AtMost("x", c.measured, fifth)
		}
		if k := f.Checks[0]; k.OK != c.ok || k.Stays() != c.stays || *k.Threshold != fifth || k.Because == "" {
			t.Errorf("%+v: %+v, stays %s", c, k, k.Stays())
		}
	}
	var f Finding
	f.Check("x", 1, 1, 0, "a test")
	if f.Checks[0].Stays() != "" {
		t.Error("a check without a threshold stays", f.Checks[0].Stays())
	}
	f.For(Own).AtMost("x", math.NaN(), fifth)
	f.For(Own).AtLeast("x", math.NaN(), fifth)
	if f.Checks[1].OK || f.Checks[2].OK {
		t.Error("NaN passes")
	}
}

func TestReport(t *testing.T) {
	results, err := Run(context.Background(), []Claim{pretend("right", true), pretend("wrong", false)}, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Provenance: Provenance{Version: "v9", Commit: "abc", Seed: 7, Machine: "a machine",
		Command: "almanac reproduce"}, Results: results}
	dir := filepath.Join(t.TempDir(), "new", "report")
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a machine", "right", "does not hold", "found before: holds", "Figure &lt;1&gt;",
		"a &lt;note&gt;", "exact on a grid", "version v9, commit abc", "seed 7", "<svg", "2.5", "✓", "✗"} {
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
	var read Report
	if text, err := os.ReadFile(filepath.Join(dir, "claims.json")); err != nil || json.Unmarshal(text, &read) != nil ||
		len(read.Results) == 0 || read.Results[0].Verdict != Holds ||
		read.Results[0].Grade != Exact || read.Provenance != r.Provenance {
		t.Errorf("claims.json: %v, %+v", err, read)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if want := "| Erickson, Ladner, LaMarca 1994, Figure <1> | `wrong` | something & more | a \\| b _c_ | **does not " +
		"hold**; found before: holds | exact on a grid |\n"; err != nil ||
		!strings.Contains(string(summary), want) {
		t.Errorf("the summary is %s, %v", summary, err)
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
	bad := Claim{Name: "bad", Run: func(context.Context, Options) (Finding, error) {
		return Finding{},
			errors.New("out of order")
	}}
	results, err := Run(context.Background(), []Claim{pretend("right", true), bad, pretend("late", true)}, Options{}, nil)
	if err == nil || err.Error() != "bad: out of order" || len(results) != 1 {
		t.Errorf("%d results, %v", len(results), err)
	}
}
