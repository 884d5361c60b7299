package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/study"
)

// Two independent samples, by hand: means 2 and 12, variances 1 and 4·10/… as below.
func TestWelch(t *testing.T) {
	a, err := summarise("x", slices.Values([]float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := summarise("x", slices.Values([]float64{10, 12, 14, 12}))
	if err != nil {
		t.Fatal(err)
	}
	// s² are 1 and 8/3, so that the standard error is √(1/3 + 2/3) = 1, with (1/3+2/3)²/((1/3)²/2 +
	// (2/3)²/3) = 4.909 degrees of freedom, for which Student's quantile is 2.586 (R: qt(0.975,
	// 54/11)).
	d := welch(a, b)
	if d.Mean != 10 || math.Abs(d.High-12.5857) > 1e-3 || math.Abs(d.Low-7.4143) > 1e-3 {
		t.Errorf("%+v", d)
	}
	if d := welch(a, study.Output{N: 1, Mean: 5, SD: math.NaN()}); d.Mean != 3 || !math.IsNaN(d.Low) {
		t.Errorf("one replica has no interval: %+v", d)
	}
	if d := welch(study.Output{N: 3, Mean: 1}, study.Output{N: 3, Mean: 4}); d.Low != 3 || d.High != 3 {
		t.Errorf("what does not vary: %+v", d)
	}
}

// With the same seed pairs of replicas are taken, by their numbers; otherwise the samples are
// independent.
func TestPairs(t *testing.T) {
	of := func(seed uint64, replicas []int, values ...float64) *Side {
		return &Side{Seed: seed, Replicas: replicas, Values: map[string][]float64{"x": values}, Outputs: []string{"x"},
			Unit: "day"}
	}
	first := of(1, []int{0, 1, 2, 3}, 10, 20, 30, 40)
	second := of(1, []int{1, 2, 3, 7}, 21, 31, 41, 1000)
	d, err := difference(first, second, "x")
	if err != nil || d.N != 3 || d.Mean != 1 || d.Low != 1 || d.High != 1 {
		t.Errorf("pairs: %+v %v", d, err)
	}
	second.Seed = 2
	if d, err = difference(first, second, "x"); err != nil || d.Mean != 273.25-25 || !(d.High-d.Low > 100) {
		t.Errorf("independent: %+v %v", d, err)
	}
	c, err := New([]*Side{first, second})
	if err != nil || !strings.Contains(c.methods[1], "independent") {
		t.Errorf("%v %v", c, err)
	}
	// One output is known of each replica, and of the other only a summary: it says which is which.
	second.Seed = 1
	first.Values["y"], first.Outputs, second.Outputs = []float64{1, 2, 3, 4}, []string{"x", "y"}, []string{"x", "y"}
	second.Found = map[string]study.Output{"y": {Name: "y", N: 4, Mean: 5, SD: 1}}
	if c, err = New([]*Side{first, second}); err != nil || fmt.Sprint(c.paired) != "[[] [true false]]" ||
		!strings.Contains(c.methods[1], "with a star of independent") {
		t.Fatalf("%v %v", c, err)
	}
	rows := c.Tables()[0].Rows
	if rows[0][0] != "x" || rows[1][0] != "y *" || rows[1][5] != "–" || rows[0][5] != "1 to 1" {
		t.Errorf("%q", rows)
	}
	first.Values["x"][2] = math.NaN()
	first.Values["z"], second.Values["z"] = []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}
	first.Outputs, second.Outputs = []string{"x", "y", "z"}, []string{"x", "y", "z"}
	if short, err := New([]*Side{first, second}); err != nil || !strings.HasSuffix(short.Tables()[0].Note,
		"x: only 2 pairs of 3 replicas; in each of the others a run has no number, as after a division by 0.") {
		t.Errorf("%v: %q", err, short.Tables()[0].Note)
	}
	var text strings.Builder
	if err := c.WriteJSON(&text); err != nil || strings.Count(text.String(), `"replica_by_replica": true`) != 1 ||
		strings.Count(text.String(), `"replica_by_replica": false`) != 1 {
		t.Errorf("%v: %s", err, &text)
	}
	// Replicas of which no number is in both are no pairs.
	if second.Replicas = []int{4, 5, 6, 7}; paired(first, second) {
		t.Error("they are pairs")
	}
	second.Unit = "week"
	if _, err := New([]*Side{first, second}); err == nil || !strings.Contains(err.Error(), "in days in") {
		t.Errorf("days and weeks: %v", err)
	}
}

// The values of outcomes are read from their table, to the last digit.
func TestEndsOfOutcomes(t *testing.T) {
	v := &Side{Outputs: []string{"final(cost)"}, Values: map[string][]float64{}}
	table := "replica,time,outcome,region,value\n0,0,cost,,0\n0,2,cost,,3.25\n0,2,cost,north,9\n1,2,cost,,-4.5\n"
	if err := v.readEnds(outcomesAtEnd(strings.NewReader(table)), 2); err != nil || fmt.Sprint(v.Replicas, v.Values) !=
		"[0 1] map[final(cost):[3.25 -4.5]]" {
		t.Errorf("%v %v", v, err)
	}
}

// What a table of a run has of everybody at the end is read, replica by replica; groups and other
// times are not.
func TestEnds(t *testing.T) {
	v := &Side{Outputs: []string{"final(a)", "final(b)"}, Values: map[string][]float64{}}
	table := "replica,time,state,region,count\n1,0,a,,5\n1,2,a,,3\n1,2,b,,7\n1,2,a,north,99\n0,2,a,,4\n0,2,b,,6\n"
	if err := v.readEnds(statesAtEnd(strings.NewReader(table)), 2); err != nil || fmt.Sprint(v.Replicas, v.Values) !=
		"[0 1] map[final(a):[4 3] final(b):[6 7]]" {
		t.Errorf("%v %v", v, err)
	}
	for text, want := range map[string]string{"": "the table is empty", "replica,time,count\n": "no column \"state\"",
		"replica,time,state,count\nx,2,a,1\n": "found \"x\", expected a number",
		"replica,time,state,count\n1,2\n":     "wrong number of fields",
		"replica,time,state,count\n5,2,a,1\n": "other replicas"} {
		if err := v.readEnds(statesAtEnd(strings.NewReader(text)), 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
